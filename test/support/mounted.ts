/** Servers around an app, with middleware that sets headers, and the bytes that they send. */
import { once } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import type { App } from 'verbena'
import { createFrom } from '#test/neighbors.js'
import type { WireRequest } from '#test/e2e.js'

/** The settings that `app.listen` uses. */
const SETTINGS = { requireHostHeader: false, keepAliveTimeout: 5_000 }

type SetHeaders = (response: ServerResponse) => unknown

/** Middleware before the app. */
export const HEADERS: Readonly<Record<string, SetHeaders>> = {
  'no header': () => {},
  'a header': (response) => response.setHeader('X-Theirs', '1'),
  'a header that was removed': (response) => response.setHeader('X-Theirs', '1').removeHeader('X-Theirs'),
  'a length and a coding': (response) =>
    response.setHeader('X-Theirs', '1').setHeader('Content-Length', '99').setHeader('Transfer-Encoding', 'chunked'),
}

/** Opens a server around an app. */
export interface Mount {
  readonly name: string
  /** Target of requests that the server handles itself. */
  readonly keeps?: string
  open(app: App, setHeaders: SetHeaders): Server
}

function createMount(packageName: string): Mount['open'] {
  return (app, setHeaders) => {
    const server = createFrom(packageName)
    server.use('/', (_request, response, next) => {
      setHeaders(response)
      next()
    })
    server.use('/', (request, response) => app.handler(request, response))
    return createServer(SETTINGS, server)
  }
}

export const MOUNTS: readonly Mount[] = [
  { name: 'Express 5', open: createMount('express') },
  { name: 'Express 4', open: createMount('express-4') },
  { name: 'Connect', keeps: '*', open: createMount('connect') },
  {
    name: 'a listener of node:http',
    open: (app, setHeaders) => {
      const listener: RequestListener = (request, response) => {
        setHeaders(response)
        app.handler(request, response)
      }
      return createServer(SETTINGS, listener)
    },
  },
  {
    name: 'app.attach',
    open: (app, setHeaders) => {
      const server = createServer(SETTINGS)
      app.attach(server, { besides: true })
      server.prependListener('request', (_request, response) => setHeaders(response))
      return server
    },
  },
]

/** Listens on a free port, and returns it. */
export async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  // Proof: the server listens on a TCP port.
  return (server.address() as AddressInfo).port
}

/** Bytes that a client received on a connection. */
export interface Transcript {
  readonly bytes: string
  /** Whether the server has reset the connection, so that `bytes` may lack the last ones. */
  readonly isReset: boolean
}

/** Sends bytes, and returns what arrives until the server ends the connection. */
export function transcribe(port: number, bytes: string): Promise<Transcript> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let isReset = false
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', () => (isReset = true))
    socket.on('end', () => socket.end())
    socket.on('close', () => resolve({ bytes: withoutOwn(Buffer.concat(chunks).toString('latin1')), isReset }))
    socket.write(bytes, 'latin1')
  })
}

/** Removes what differs between two responses to the same request, and the headers of the server around the app. */
function withoutOwn(bytes: string): string {
  return bytes
    .replaceAll(/^Date: .*\r$/gm, 'Date\r')
    .replaceAll(/^x-request-id: .*\r$/gm, 'x-request-id\r')
    .replaceAll(/"requestId":"[^"]+"/g, '"requestId"')
    .replaceAll(/^X-(?:Theirs|Powered-By): .*\r\n/gm, '')
}

/** Sorts the headers of a response, and writes their names in lower case. */
export function sortHeaders(bytes: string): string {
  return bytes.replaceAll(/(?<=HTTP\/1\.1 [^\r]*\r\n)(?:[^\r]+\r\n)+(?=\r\n)/g, (headers) =>
    headers
      .split(/(?<=\r\n)/)
      .map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase()))
      .toSorted()
      .join(''),
  )
}

/** Formats a request in another version or with other headers. */
export function formatVariant(request: WireRequest, version: string, connection: string): string {
  const { method = 'GET', target, headers = {}, body } = request
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
  const fields = Object.entries({ host: 'localhost', connection, ...headers })
  const lines = [
    `${method} ${target} HTTP/${version}`,
    ...fields.map(([name, value]) => `${name}: ${value}`),
    ...length,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${Buffer.from(body ?? '').toString('latin1')}`
}
