import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { IncomingMessage, OutgoingMessage, Server, ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import { fastPath, saysTheSame } from '#src/http/fast/fast-path.js'
import { LeanRequest } from '#src/http/fast/light-request.js'
import { SETTINGS } from '#test/wire.js'

type Call = (...given: unknown[]) => unknown

/** Puts another function in the place of one of Node's while a task runs. */
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
    // Proof: it takes and gives what the function in whose place it stands does.
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

/** What another Node might do, by the function that would do it. */
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
