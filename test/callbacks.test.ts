/** Callbacks that Node calls outside the steps of a request. An error in one of them would end the process. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { findCallbacks } from '#test/callbacks.js'
import { filesBelow } from '#test/source.js'

const ROOMS = ['http', 'features/upgrade', 'app']

const STEPS = 'continues the steps of the request, which catch errors'
const ASSIGNS = 'only assigns, adds to or deletes from a collection, or clears a timer'
const SOCKET = 'only calls destroy, end, pause, resume or push of the socket, which emit their errors'
const PROMISE = 'only settles a promise'
const READER = 'reads or passes a chunk, and passes errors to its reader'

/** Callbacks without `guarded`, and why they cannot throw. */
const CANNOT_THROW: Readonly<Record<string, string>> = {
  "http/body.ts listen request.on('data')": STEPS,
  "http/body.ts listen request.on('end')": STEPS,
  "http/body.ts createBodyStream request.on('readable')": PROMISE,
  "http/body.ts createBodyStream request.on('end')": PROMISE,
  "http/body.ts createBodyStream request.on('error')": PROMISE,
  "http/body.ts createBodyStream request.on('close')": PROMISE,
  "http/chunks.ts destroySource source.on('close')": PROMISE,
  "http/chunks.ts openChunks source.on('error')": 'does nothing',
  "http/compressed-chunks.ts constructor coder.on('error')": 'does nothing',
  "http/compressed-chunks.ts #written coder.on('readable')": 'only reads the coder, which emits its errors',
  "http/compressed-chunks.ts #written coder.on('end')": PROMISE,
  "http/connection.ts constructor socket.on('close')": 'only schedules a guarded callback',
  "http/connection.ts release response.on('finish')": ASSIGNS,
  'http/event-stream.ts add setInterval': READER,
  'http/event-stream.ts begin setImmediate': PROMISE,
  'http/fast/fast-transport.ts beginSecond setTimeout': ASSIGNS,
  'http/body.ts joinChunks setImmediate': 'only pushes bytes into the request, which continues its steps',
  "http/request-queue.ts constructor socket.on('resume')": SOCKET,
  'http/request-queue.ts constructor setInterval': SOCKET,
  'http/request-queue.ts #readOnce setImmediate': SOCKET,
  "http/lingering-close.ts startLingeringClose socket.on('data')": SOCKET,
  "http/lingering-close.ts startLingeringClose socket.once('finish')": SOCKET,
  'http/lingering-close.ts limitLingering setTimeout': SOCKET,
  "http/lingering-close.ts limitLingering socket.once('close')": ASSIGNS,
  'http/lingering-close.ts takeTurn setImmediate': SOCKET,
  "http/guarded.ts ensureErrorListener socket.on('error')": SOCKET,
  "http/upgrade-exchange.ts handOver this.socket.on('end')": ASSIGNS,
  "http/parked-socket.ts parkSocket socket.on('resume')": SOCKET,
  "app/other-requests.ts #announceEnd response.once('close')": ASSIGNS,
  "app/other-requests.ts endWithApp socket.once('close')": ASSIGNS,
  "http/send.ts sendReply response.once('close')": STEPS,
  "http/send.ts limitRest request.on('end')": ASSIGNS,
  "http/send.ts limitRest socket.on('close')": ASSIGNS,
  "http/other-listeners.ts rejectOtherListeners server.prependOnceListener('listening')":
    'only closes the server, and emits the error of its author, as a failed listen does',
  "http/stand-in-socket.ts replaceSocket socket.on('close')":
    'only destroys the response, and emits an error if somebody listens for it',
  "http/stand-in-socket.ts replaceSocket response.on('close')": SOCKET,
  "http/send.ts #awaitDrain response.on('drain')": READER,
  'http/send.ts #usedTurn setImmediate': 'writes text, and ends the response if that fails',
  "http/send.ts start this.#exchange.response.on('close')": `cancels chunks, which catches errors of their source, and ${STEPS}`,
  'http/send.ts taken setImmediate': READER,
  "http/server.ts trackSockets server.on(isTls(server) ? 'secureConnection' : 'connection')": ASSIGNS,
  "http/server.ts trackSockets socket.on('close')": ASSIGNS,
  "http/server.ts trackHandshakes server.on('connection')": ASSIGNS,
  "http/server.ts trackHandshakes server.on('secureConnection')": ASSIGNS,
  "http/server.ts trackHandshakes socket.once('close')": ASSIGNS,
  "http/server.ts onListening server.once('listening')":
    'passes the address to a log, which ignores errors of its logger',
  "http/server.ts openServer server.once('error')": PROMISE,
  'http/server.ts closeServer setTimeout': 'guards each connection that it cuts',
  'http/slow-clients.ts add setInterval': `checks clients: cuts their connection in a guarded callback, or ${STEPS}`,
  'http/web-exchange.ts limitStream setImmediate': 'only cancels a stream, which rejects a promise that is handled',
  'app/close-on-signal.ts closeOnSignal process.on(signal)': 'calls async functions, and handles their promises',
  'app/close-on-signal.ts withinDeadline setTimeout': 'is the timer that returns a promise',
}

describe('callbacks of servers, sockets and timers', () => {
  const files = ROOMS.flatMap((room) => filesBelow(`src/${room}`, '.ts'))
  const callbacks = files.flatMap((file) => findCallbacks(file, readFileSync(file, 'utf8')))

  it('include guarded callbacks', () => {
    assert.ok(callbacks.filter(({ isGuarded }) => isGuarded).length > 10)
  })

  it('run in guarded() unless the list says why they cannot throw', () => {
    const unguarded = callbacks.filter(({ isGuarded }) => !isGuarded).map(({ key }) => key)
    assert.deepEqual([...new Set(unguarded)].toSorted(), Object.keys(CANNOT_THROW).toSorted())
  })
})

describe('findCallbacks()', () => {
  const GUARDED: readonly string[] = [
    `socket.on('data', (chunk) => guarded(socket, report, () => take(chunk)))`,
    `socket.on('data', (chunk) => { guarded(socket, report, () => take(chunk)) })`,
    `const take = () => guarded(socket, report, work)\nsetImmediate(take)`,
    `class A { #take = () => this.#guarded(work); f() { process.nextTick(this.#take) } }`,
    `function take() { try { work() } catch (error) { destroyFailed(socket, report, error) } }\nserver.once('close', take)`,
    `const listener = () => { return () => guarded(socket, report, work) }\nserver.on('request', listener())`,
  ]
  const UNGUARDED: readonly (readonly [text: string, key: string])[] = [
    [`socket.on('data', (chunk) => take(chunk))`, `http/a.ts socket.on('data')`],
    [`socket.on('end', work).prependListener('data', work)`, `http/a.ts socket.prependListener('data')`],
    [`socket.addListener('data', take)`, `http/a.ts socket.addListener('data')`],
    [`socket.prependOnceListener(name, take)`, `http/a.ts socket.prependOnceListener(name)`],
    [`socket.setTimeout(5, take)`, `http/a.ts socket.setTimeout(5)`],
    [`function f() { setTimeout(() => { a(); guarded(socket, report, work) }, 5) }`, 'http/a.ts f setTimeout'],
    [`setImmediate(() => { try { a() } catch {} })`, 'http/a.ts setImmediate'],
    [`class A { f() { setInterval(() => a(), 5) } }`, 'http/a.ts f setInterval'],
    [`class A { constructor() { queueMicrotask(this.a) } }`, 'http/a.ts constructor queueMicrotask'],
    [`process.nextTick(a)`, 'http/a.ts nextTick'],
    [`globalThis.setTimeout(a)`, 'http/a.ts setTimeout'],
  ]

  for (const text of GUARDED) {
    it(`accepts ${JSON.stringify(text)}`, () => {
      assert.deepEqual(
        findCallbacks('src/http/a.ts', text).map(({ isGuarded }) => isGuarded),
        [true],
      )
    })
  }

  for (const [text, key] of UNGUARDED) {
    it(`reports ${JSON.stringify(text)}`, () => {
      const found = findCallbacks('src/http/a.ts', text).filter((callback) => callback.key === key)
      assert.deepEqual(found, [{ key, isGuarded: false }])
    })
  }

  it('ignores timeouts of sockets without a callback', () => {
    assert.deepEqual(findCallbacks('src/http/a.ts', 'socket.setTimeout(0)'), [])
  })
})
