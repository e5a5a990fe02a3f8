/** Consoles without an app or a socket: requests and responses are plain objects. */
import type { ResponseMessage } from '#src/http/exchange.js'
import { TrustedProxies } from '#src/http/forwarded.js'
import type { NodeExchange } from '#src/http/node-exchange.js'
import type { ConsoleHost } from '#src/devconsole/host/console-host.js'
import { Channel } from '#src/observe/channel.js'
import { Secrets } from '#src/secrets/secrets.js'

/** Creates a host with the parts of an app that a console uses. */
export function createHost(given: Partial<ConsoleHost> = {}): ConsoleHost & { readonly printed: string[] } {
  const printed: string[] = []
  return {
    name: 'library',
    version: '1.0.0',
    isGuarded: false,
    reason: 'NODE_ENV is "development"',
    isClusterWorker: false,
    isDevelopment: true,
    options: {},
    proxies: new TrustedProxies([]),
    channel: new Channel(),
    secrets: new Secrets(),
    endpoints: [],
    versioning: { header: 'accept-version', place: 'accept-version', fallback: '1.0.0' },
    openapiPath: '/openapi.json',
    facts: [],
    openapi: () => ({}),
    print: (_level, message) => void printed.push(message),
    printAlways: (message) => void printed.push(message),
    printed,
    ...given,
  }
}

/** A request to a console. */
export interface HostRequest {
  readonly method?: string
  readonly url?: string
  readonly ip?: string
  /** Minor version of HTTP/1. */
  readonly minorVersion?: number
  /** Alternating names and values. */
  readonly rawHeaders?: readonly string[]
  readonly body?: string
}

/** A request, and the responses sent to it. */
export interface AskedExchange {
  readonly exchange: NodeExchange
  readonly answers: ResponseMessage[]
}

/** Creates an exchange that stores its responses. */
export function createExchange(asked: HostRequest): AskedExchange {
  const { method = 'GET', url = '/__dev__', ip = '127.0.0.1', minorVersion = 1, body = '{}' } = asked
  const { rawHeaders = ['Host', 'localhost'] } = asked
  const answers: ResponseMessage[] = []
  const exchange = {
    method,
    url,
    ip,
    minorVersion,
    isSecure: false,
    rawHeaders,
    flaw: undefined,
    header: (name: string) => {
      const index = rawHeaders.findIndex((each, at) => at % 2 === 0 && each.toLowerCase() === name)
      return index < 0 ? undefined : rawHeaders[index + 1]
    },
    collect: (_limit: number, done: (error: unknown, bytes: Buffer) => void) => done(undefined, Buffer.from(body)),
    send: (answer: ResponseMessage) => void answers.push(answer),
  }
  // Proof: a console uses only these properties of an exchange.
  return { exchange: exchange as unknown as NodeExchange, answers }
}
