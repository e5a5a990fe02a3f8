/**
 * Node emits `error` without a listener, which ends the process, on sockets that it has passed on, and on responses that are written after
 * their end, but not on requests. Verbena adds a listener to each socket, and writes only to responses that have not ended.
 */
import assert from 'node:assert/strict'
import type { EventEmitter } from 'node:events'
import { createServer, ServerResponse, type IncomingMessage } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { onCleanup } from '#test/cleanup.js'
import { openListener } from '#test/neighbors.js'
import { hail, Raw } from '#test/upgrades.js'
import { parseResponse, SETTINGS } from '#test/wire.js'
import { openChunks } from '#src/http/chunks.js'
import { LeanRequest } from '#src/http/fast/fast-transport.js'
import { nodeListener } from '#src/http/server.js'

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
const POST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab'
const CHUNKED = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n'
const EXPECT = 'POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n'

interface Row {
  readonly what: string
  readonly bytes: string
  readonly act: (request: IncomingMessage, response: ServerResponse) => unknown
  /** The client disconnects in this way after `act`. */
  readonly leaves: 'reset' | 'end' | 'destroy'
  /** What emits an error that only the listener of the table would receive. */
  readonly unasked?: 'socket' | 'response'
}

const fault = (): Error => new Error('no')
const late = (act: () => void) => void setTimeout(act, 5)

const ROWS: readonly Row[] = [
  { what: 'reset with an unread body', bytes: POST, act: () => {}, leaves: 'reset' },
  { what: 'reset with a flowing body', bytes: POST, act: (request) => request.resume(), leaves: 'reset' },
  { what: 'reset with a paused body', bytes: POST, act: (q) => q.on('data', () => q.pause()), leaves: 'reset' },
  { what: 'reset with a chunked body', bytes: CHUNKED, act: (request) => request.resume(), leaves: 'reset' },
  { what: 'reset after 100 Continue', bytes: EXPECT, act: (q, s) => q.resume() && s.writeContinue(), leaves: 'reset' },
  { what: 'end within a body', bytes: POST, act: (request) => request.resume(), leaves: 'end' },
  { what: 'end within an unread body', bytes: POST, act: () => {}, leaves: 'end' },
  { what: 'malformed chunk', bytes: `${CHUNKED}zz\r\n`, act: (request) => request.resume(), leaves: 'destroy' },
  { what: 'malformed chunk, unread', bytes: `${CHUNKED}zz\r\n`, act: () => {}, leaves: 'destroy' },
  { what: 'reset during a response', bytes: GET, act: (_, response) => response.write('x'), leaves: 'reset' },
  { what: 'reset in a pipeline', bytes: GET + GET, act: (_, response) => response.write('x'), leaves: 'reset' },
  { what: 'write after a reset', bytes: GET, act: (_, s) => s.on('close', () => s.write('x')), leaves: 'reset' },
  { what: 'end after a reset', bytes: GET, act: (_, s) => s.on('close', () => s.end('x')), leaves: 'reset' },
  {
    what: 'destroy after a reset',
    bytes: GET,
    act: (_, s) => s.on('close', () => s.destroy(fault())),
    leaves: 'reset',
  },
  { what: 'request.destroy()', bytes: POST, act: (request) => request.destroy(), leaves: 'destroy' },
  { what: 'request.destroy(error)', bytes: POST, act: (request) => request.destroy(fault()), leaves: 'destroy' },
  {
    what: 'request.destroy(error) after the end',
    bytes: GET,
    act: (request) => request.resume().on('end', () => request.destroy(fault())),
    leaves: 'destroy',
  },
  { what: 'response.destroy()', bytes: GET, act: (_, response) => response.destroy(), leaves: 'destroy' },
  { what: 'response.destroy(error)', bytes: GET, act: (_, response) => response.destroy(fault()), leaves: 'destroy' },
  { what: 'write after destroy', bytes: GET, act: (_, s) => s.destroy().write('x'), leaves: 'destroy' },
  { what: 'end after end', bytes: GET, act: (_, response) => response.end('x').end(), leaves: 'destroy' },
  {
    what: 'write after close',
    bytes: GET,
    act: (_, s) => s.end('x').on('close', () => s.write('y')),
    leaves: 'destroy',
  },
  {
    what: 'pipe to an ended response',
    bytes: GET,
    act: (_, s) => Readable.from(['x']).pipe(s.end()),
    leaves: 'destroy',
  },
  { what: 'write after end', bytes: GET, act: (_, s) => s.end('x').write('y'), leaves: 'destroy', unasked: 'response' },
  { what: 'content after end', bytes: GET, act: (_, s) => s.end('x').end('y'), leaves: 'destroy', unasked: 'response' },
  {
    what: 'write after end, while the client reads slowly',
    bytes: GET,
    act: (_, response) => late(() => response.end(Buffer.alloc(20_000_000)).write('y')),
    leaves: 'destroy',
    unasked: 'response',
  },
  {
    what: 'reset after an upgrade',
    bytes: hail('/'),
    act: (q) => q.socket.resume(),
    leaves: 'reset',
    unasked: 'socket',
  },
  {
    what: 'reset after CONNECT',
    bytes: 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
    act: (request) => request.socket.resume(),
    leaves: 'reset',
    unasked: 'socket',
  },
  {
    what: 'write to the ended response of an upgrade',
    bytes: hail('/'),
    act: (request, response) => {
      response.end('x').write('y')
      request.socket.resume().on('end', () => request.socket.destroy())
    },
    leaves: 'destroy',
    unasked: 'response',
  },
]

/** Runs a row on a server without Verbena. Returns what emitted an error that nothing listened to. */
async function findUnasked(
  t: TestContext,
  row: Row,
  requestClass: typeof IncomingMessage | undefined,
): Promise<string[]> {
  const found: string[] = []
  const watch = (name: string, emitter: EventEmitter): void => {
    const { emit } = emitter
    emitter.emit = (event, ...given) => {
      if (event !== 'error' || emitter.listenerCount('error') > 0) return emit.call(emitter, event, ...given)
      found.push(name)
      return true
    }
  }
  const server = createServer(requestClass === undefined ? {} : { IncomingMessage: requestClass })
  onCleanup(t, () => server.close())
  onCleanup(t, () => server.closeAllConnections())
  const acted = new Promise<Socket>((resolve) => {
    const handle = (request: IncomingMessage, response: ServerResponse): void => {
      watch('request', request)
      watch('response', response)
      row.act(request, response)
      resolve(request.socket)
    }
    server.on('request', handle).on('checkContinue', handle)
    for (const event of ['upgrade', 'connect']) {
      server.on(event, (request: IncomingMessage, socket: Socket) => {
        const response = new ServerResponse(request)
        response.assignSocket(socket)
        handle(request, response)
      })
    }
  })
  server.on('connection', (socket: Socket) => watch('socket', socket))
  server.on('clientError', (_error, socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // Proof: it listens on a port.
  const { port } = server.address() as AddressInfo
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {})
  client.write(row.bytes)
  const socket = await acted
  for (let turns = 0; turns < 20; turns++) await turn()
  await new Promise((resolve) => setTimeout(resolve, 20))
  if (row.leaves === 'reset') client.resetAndDestroy()
  else if (row.leaves === 'end') client.end()
  else client.destroy()
  if (!socket.destroyed) await new Promise((resolve) => void socket.on('close', resolve))
  for (let turns = 0; turns < 5; turns++) await turn()
  client.destroy()
  return [...new Set(found)]
}

for (const [name, requestClass] of [
  ['Node', undefined],
  ['the fast path', LeanRequest],
] as const) {
  describe(`Node without error listeners, with requests of ${name}`, () => {
    for (const row of ROWS) {
      it(`${row.what}: ${row.unasked === undefined ? 'emits no error' : `emits an error of the ${row.unasked}`}`, async (t) => {
        assert.deepEqual(await findUnasked(t, row, requestClass), row.unasked === undefined ? [] : [row.unasked])
      })
    }
  })
}

describe('a stream whose response another listener has ended', () => {
  for (const [what, chunk] of [
    ['strings', 'x'],
    ['bytes', Buffer.from('x')],
    ['more than the client accepts', Buffer.alloc(1_000_000)],
  ] as const) {
    it(`stops, and reports an error, with ${what}`, async (t) => {
      const state = { isStopped: false }
      const source = async function* (): AsyncGenerator<unknown> {
        try {
          for (;;) {
            yield chunk
            await turn()
          }
        } finally {
          state.isStopped = true
        }
      }
      const told: unknown[] = []
      const listener = nodeListener(
        (exchange) => {
          const payload = { type: 'a/b', data: openChunks(source()) }
          exchange.send(parseResponse(payload), { sent: (error) => told.push(error) })
        },
        SETTINGS,
        () => true,
      )
      const url = await openListener(t, (request, response) => {
        listener(request, response)
        // Ends the response when it has begun, with more than the client accepts.
        late(() => response.end(Buffer.alloc(20_000_000)))
      })
      const raw = new Raw(Number(new URL(url).port))
      raw.socket.pause()
      raw.write(GET)
      if (typeof chunk === 'string') while (!state.isStopped) await turn()
      raw.socket.resume()
      while (!state.isStopped || told.length === 0) await turn()
      raw.socket.destroy()
      if (typeof chunk === 'string') assert.match(String(told[0]), /another listener has ended it/)
    })
  }
})
