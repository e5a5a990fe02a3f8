/**
 * The request of the fast path. It becomes a stream when code uses it as a stream. Until then, it has no stream state (0.3 µs and a
 * kilobyte), emits no events at its end, and passes its body directly from the parser to the collector.
 */
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { BodyCollector } from '../body.js'

/** `push` of Node's requests, used after a request has become a stream. */
const { push } = IncomingMessage.prototype
// Proof: `Readable` is a function that initializes any object that inherits from it as a stream.
const becomeStream = Readable as unknown as { call(request: object, options: object): void }

/** A request that becomes a stream only if necessary. Its properties are the same as Node's, in the same order. */
class LightRequest {
  socket: Socket
  httpVersionMajor: number | null = null
  httpVersionMinor: number | null = null
  httpVersion: string | null = null
  complete: boolean = false
  rawHeaders: string[] = []
  rawTrailers: string[] = []
  joinDuplicateHeaders: boolean = false
  aborted: boolean = false
  upgrade: boolean | null = null
  url: string = ''
  method: string | null = null
  statusCode: number | null = null
  statusMessage: string | null = null
  client: Socket
  /** Node drops the body of a request if this is `false`. Before a request is a stream, there is no body to drop. */
  _consuming: boolean = true
  _dumped: boolean = false
  isStream: boolean = false
  /** Receives the body; `null` if the body is not being collected or is complete. */
  collector: BodyCollector | null = null
  #hasEnded = false

  constructor(socket: Socket) {
    this.socket = socket
    this.client = socket
  }

  /** Called by the parser for each chunk, and with `null` at the end. */
  push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    const { collector } = this
    if (this.isStream) return push.call(this, chunk, encoding)
    if (chunk === null) {
      this.#hasEnded = true
      this.collector = null
      collector?.end()
    } else if (collector === null) return push.call(this, chunk, encoding)
    else collector.take(chunk)
    return true
  }

  /** Turns the request into a stream, in the state that it would have if it had always been one. */
  wake(): unknown {
    const { collector } = this
    this.isStream = true
    this.collector = null
    this._consuming = false
    becomeStream.call(this, { highWaterMark: this.socket.readableHighWaterMark })
    const state: unknown = Reflect.get(this, '_readableState')
    Reflect.set(Object(state), 'readingMore', true)
    if (this.#hasEnded) push.call(this, null)
    collector?.listen()
    return state
  }
}

Object.setPrototypeOf(LightRequest.prototype, IncomingMessage.prototype)

// Newer Node versions initialize more properties, with private symbols as keys.
const model = new IncomingMessage(new Socket())
for (const key of Object.getOwnPropertySymbols(model)) {
  Object.defineProperty(LightRequest.prototype, key, {
    value: Reflect.get(model, key),
    writable: true,
    configurable: true,
  })
}

/** Every use of a request as a stream reads this property. */
Object.defineProperty(LightRequest.prototype, '_readableState', {
  configurable: true,
  get(this: LightRequest): unknown {
    return this.wake()
  },
  set(this: LightRequest, value: unknown) {
    Object.defineProperty(this, '_readableState', { value, writable: true, enumerable: true, configurable: true })
  },
})

/** Values of properties that Node reads early. Its own getters would turn the request into a stream. */
answerAsleep('destroyed', false)
answerAsleep('readableDidRead', false)
answerAsleep('readableFlowing', null)
answerAsleep('readableEnded', 'complete')

/** Replaces a getter until `wake`. `'complete'` returns the property `complete`. */
function answerAsleep(name: string, asleep: boolean | null | 'complete'): void {
  const descriptor = Object.getOwnPropertyDescriptor(Readable.prototype, name)
  const get = function (this: LightRequest): unknown {
    if (this.isStream) return descriptor?.get?.call(this)
    return asleep === 'complete' ? this.complete : asleep
  }
  Object.defineProperty(LightRequest.prototype, name, { ...descriptor, get })
}

interface LeanConstructor extends Omit<typeof IncomingMessage, 'prototype'> {
  readonly prototype: IncomingMessage & LightRequest
  new (socket: Socket): IncomingMessage & LightRequest
}

// Proof: the prototype inherits from `IncomingMessage`, and `wake` replaces the constructor of `IncomingMessage`.
export const LeanRequest = LightRequest as unknown as LeanConstructor
