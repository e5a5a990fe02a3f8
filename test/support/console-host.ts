/** Consoles without an app or a socket: requests go in as records, answers come out as records. */
import type { ResponseMessage } from '#src/http/exchange.js'
import { TrustedProxies } from '#src/http/forwarded.js'
import type { NodeExchange } from '#src/http/node-exchange.js'
import type { ConsoleHost } from '#src/devconsole/host/console-host.js'
import { Channel } from '#src/observe/channel.js'
import { Secrets } from '#src/secrets/secrets.js'

/** A host with as much of an app as a console looks at. */
export function createHost(given: Partial<ConsoleHost> = {}): ConsoleHost & { readonly printed: string[] } {
  const printed: string[] = []
  return {
    name: 'library',
    version: '1.0.0',
    isGuarded: false,
    reason: 'NODE_ENV is "development"',
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
    printed,
    ...given,
  }
}

/** A request that comes to a console. */
export interface HostRequest {
  readonly method?: string
  readonly url?: string
  readonly ip?: string
  /** Minor version of HTTP/1. */
  readonly minorVersion?: number
  /** Names and values in turn. */
  readonly rawHeaders?: readonly string[]
  readonly body?: string
}

/** A request, and the answer it has got. */
export interface AskedExchange {
  readonly exchange: NodeExchange
  readonly answers: ResponseMessage[]
}

/** Makes an exchange that keeps its answer. */
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
  // Proof: a console reads no more of an exchange than this.
  return { exchange: exchange as unknown as NodeExchange, answers }
}
