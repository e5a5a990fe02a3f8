// own process: it subscribes to channels of node:http
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createServer, IncomingMessage, OutgoingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { fastPath, saysTheSame } from '#src/http/fast/fast-path.js'
import { LeanRequest } from '#src/http/fast/fast-transport.js'
import type { NodeExchange } from '#src/http/node-exchange.js'
import { attachServer, closeServer } from '#src/http/server.js'
import { noop } from '#src/values/noop.js'
import { countNodeHeads, exchangeBytes, formatRequest, SETTINGS, textAnswer } from '#test/wire.js'

type Call = (...given: unknown[]) => unknown

/** Replaces a function of Node while a task runs. */
function whileReplaced(
  owner: object,
  name: string,
  task: () => void,
  other?: (call: Call, self: object) => Call,
): void {
  const usual = Object.getOwnPropertyDescriptor(owner, name)
  const before: unknown = Reflect.get(owner, name)
  // Proof: all that are replaced here are functions.
  const call = before as Call
  Object.defineProperty(owner, name, {
    configurable: true,
    writable: true,
    value(this: object, ...given: unknown[]) {
      return (other === undefined ? call : other(call, this)).apply(this, given)
    },
  })
  try {
    task()
  } finally {
    if (usual === undefined) Reflect.deleteProperty(owner, name)
    else Object.defineProperty(owner, name, usual)
  }
}

describe('fastPath()', () => {
  it('returns null without a check if a diagnostics channel has subscribers', () => {
    const seen: unknown[] = []
    const note = (message: unknown): void => void seen.push(message)
    subscribe('http.server.request.start', note)
    assert.equal(fastPath(SETTINGS), null)
    unsubscribe('http.server.request.start', note)
    assert.deepEqual(seen, [])
  })

  it('returns the fast path if both paths send the same bytes, without events of the test requests', () => {
    let events = 0
    const { emit } = Server.prototype
    // Proof: the replacement has the parameters and the result of `emit`.
    Server.prototype.emit = function (this: Server, ...given: Parameters<typeof emit>) {
      events++
      return emit.apply(this, given)
    } as typeof emit
    try {
      assert.equal(fastPath(SETTINGS)?.requests.IncomingMessage, LeanRequest)
    } finally {
      Reflect.deleteProperty(Server.prototype, 'emit')
    }
    assert.equal(events, 0)
  })

  for (const [owner, name] of [
    [ServerResponse.prototype, 'writeHead'],
    [ServerResponse.prototype, 'end'],
    [ServerResponse.prototype, '_storeHeader'],
    [IncomingMessage.prototype, 'push'],
    [IncomingMessage.prototype, 'on'],
  ] as const) {
    it(`returns null if "${name}" has been replaced`, () => {
      whileReplaced(owner, name, () => assert.equal(fastPath(SETTINGS), null))
      assert.notEqual(fastPath(SETTINGS), null)
    })
  }
})

/** Possible changes in future Node versions, by the function that would change. */
const CHANGES: readonly (readonly [
  title: string,
  owner: object,
  name: string,
  other: (call: Call, self: object) => Call,
])[] = [
  [
    'adds a header',
    OutgoingMessage.prototype,
    '_storeHeader',
    (call, self) => (first, fields) =>
      call.apply(self, [first, [...(Array.isArray(fields) ? fields : []), 'x-new', '1']]),
  ],
  [
    'writes headers elsewhere',
    OutgoingMessage.prototype,
    '_send',
    (call, self) =>
      (_, ...rest) =>
        call.apply(self, ['', ...rest]),
  ],
  [
    'reads the stream state of requests',
    ServerResponse.prototype,
    'assignSocket',
    (call, self) =>
      (...given) => {
        const request: unknown = Reflect.get(self, 'req')
        Reflect.get(Object(request), '_readableState')
        return call.apply(self, given)
      },
  ],
  [
    'drops headers without content in responses to its own requests',
    OutgoingMessage.prototype,
    '_send',
    (call, self) =>
      (data, ...rest) => {
        const isHead = data === '' && Reflect.get(self, '_headerSent') === false
        return (isHead && !(Reflect.get(self, 'req') instanceof LeanRequest)) || call.apply(self, [data, ...rest])
      },
  ],
  [
    'adds an extension to the size of a chunk',
    OutgoingMessage.prototype,
    '_send',
    (call, self) =>
      (data, ...rest) =>
        call.apply(self, [/^[0-9a-f]+$/.test(String(data)) ? `${String(data)};a` : data, ...rest]),
  ],
  [
    'accepts an empty chunk while its socket is full',
    OutgoingMessage.prototype,
    '_send',
    (call, self) =>
      (data, ...rest) =>
        call.apply(self, [data, ...rest]) === true || data === '',
  ],
  [
    'has no list of pending output',
    ServerResponse.prototype,
    'flushHeaders',
    (call, self) => () => {
      call.apply(self, [])
      Reflect.set(self, 'outputData', undefined)
    },
  ],
  ['returns no bytes from read()', IncomingMessage.prototype, 'read', () => () => null],
  [
    'throws',
    OutgoingMessage.prototype,
    'end',
    () => () => {
      throw new Error('changed')
    },
  ],
]

describe('saysTheSame()', () => {
  it('returns true on this version of Node', () => assert.equal(saysTheSame(), true))

  for (const [title, owner, name, other] of CHANGES) {
    it(`returns false for a version of Node that ${title}`, () => {
      whileReplaced(owner, name, () => assert.equal(saysTheSame(), false), other)
      assert.equal(saysTheSame(), true)
    })
  }
})

class Bare extends ServerResponse {
  constructor(...given: ConstructorParameters<typeof ServerResponse>) {
    super(...given)
    this.removeHeader('connection')
  }
}

/** Replaces the listener of a server with a function that calls it, as engine.io does. */
function wrapListener(server: Server): void {
  const [listener = assert.fail()] = server.listeners('request')
  server.removeAllListeners('request').on('request', (request, response) => {
    response.removeHeader('connection')
    Reflect.apply(listener, server, [request, response])
  })
}

/** Changes each response before its listeners run, as code that patches `emit` does. */
function omitDates(server: Server): void {
  const { emit } = server
  server.emit = (event: string, ...given: unknown[]) => {
    if (given[1] instanceof ServerResponse) given[1].sendDate = false
    return Boolean(Reflect.apply(emit, server, [event, ...given]))
  }
}

type Change = (server: Server) => unknown

/** Servers of other code, changed after the app is attached, with the number of fast responses to two requests. */
const SERVERS: readonly (readonly [title: string, fast: number, create: () => Server, change: Change])[] = [
  ['default options', 2, createServer, noop],
  ['unique headers', 2, () => createServer({ uniqueHeaders: ['content-type', 'x-a'] }), noop],
  ['a new keep-alive timeout', 2, createServer, (server) => (server.keepAliveTimeout = 7_900)],
  ['no keep-alive timeout', 2, createServer, (server) => (server.keepAliveTimeout = 0)],
  ['a maximum number of requests per connection', 0, createServer, (server) => (server.maxRequestsPerSocket = 2)],
  ['an earlier listener', 0, () => createServer((_, response) => response.removeHeader('connection')), noop],
  ['a later listener', 0, createServer, (server) => server.on('request', noop)],
  ['a listener that calls the listener of the app', 0, createServer, wrapListener],
  ['a subclass of ServerResponse', 0, () => createServer({ ServerResponse: Bare }), noop],
  ['responses without a date', 0, createServer, omitDates],
]

/** Attaches a text response to a server, and runs a task while the server listens. */
async function withAttached<T>(
  server: Server,
  fastPath: boolean,
  task: (port: number) => Promise<T>,
  change: Change = noop,
): Promise<T> {
  const serve = (exchange: NodeExchange): void => exchange.send(textAnswer('a'), null)
  const own = attachServer(server, serve, { ...SETTINGS, fastPath }, { besides: true })
  change(server)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  // Proof: the server listens on a TCP port.
  return task((server.address() as AddressInfo).port).finally(() => closeServer(own, 0))
}

const TWO = formatRequest('GET /', { Connection: 'keep-alive' }).repeat(2)

describe('attachServer() with the fast path', () => {
  for (const [title, fast, create, change] of SERVERS) {
    it(`sends the same bytes as Node on a server with ${title}`, async () => {
      const texts: string[] = []
      const nodeHeads: number[] = []
      for (const fastPath of [false, true]) {
        const send = async (port: number): Promise<void> => {
          // Invalid bytes end the connection.
          const heads = countNodeHeads(async () => texts.push(await exchangeBytes(port, `${TWO}\0`)))
          nodeHeads.push(await heads)
        }
        await withAttached(create(), fastPath, send, change)
      }
      const [documented, found] = texts.map((text) => text.replaceAll(/Date: [^\r]*/g, 'Date'))
      assert.match(String(documented), /^(?:HTTP\/1\.1 200 [^]*){2}/)
      assert.equal(found, documented)
      assert.deepEqual(nodeHeads, [2, 2 - fast])
    })
  }

  it('looks for other listeners at the first request of each connection', async () => {
    const server = createServer()
    await withAttached(server, true, async (port) => {
      const heads = (): Promise<number> => countNodeHeads(() => exchangeBytes(port, `${TWO}\0`))
      assert.equal(await heads(), 0)
      server.on('request', noop)
      assert.equal(await heads(), 2)
      server.off('request', noop)
      assert.equal(await heads(), 0)
    })
  })
})
