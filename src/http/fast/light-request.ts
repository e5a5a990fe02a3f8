/**
 * The request of the fast path. It becomes a stream when somebody treats it as one. Until then it has no state of a stream (0.3 µs and
 * a kilobyte), its end causes no events, and its body goes straight from the parser to whoever collects it.
 */
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { BodyCollector } from '../body.js'

/** What Node does for a request when it makes one, and this puts off: to be a stream. */
const { push } = IncomingMessage.prototype
// Proof: `Readable` is a function that makes a stream of any object that inherits from it.
const becomeStream = Readable as unknown as { call(request: object, options: object): void }

/** A request that is a stream only where it has to be. Its fields are those of Node, in Node's order. */
class Lean {
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
  /** Node reads away what nobody has begun with; as long as this is no stream there is nothing to read away. */
  _consuming: boolean = true
  _dumped: boolean = false
  isStream: boolean = false
  /** Takes the body; `null` where nobody has asked for it, or it is complete. */
  collector: BodyCollector | null = null
  #hasEnded = false

  constructor(socket: Socket) {
    this.socket = socket
    this.client = socket
  }

  /** Called by the parser, with `null` at the end. */
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

  /** Makes it a stream, in the state in which it would be by now. */
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

Object.setPrototypeOf(Lean.prototype, IncomingMessage.prototype)

// Newer versions begin with more, under private symbols.
const model = new IncomingMessage(new Socket())
for (const key of Object.getOwnPropertySymbols(model)) {
  Object.defineProperty(Lean.prototype, key, { value: Reflect.get(model, key), writable: true, configurable: true })
}

/** All that treats a request as a stream looks at its state. */
Object.defineProperty(Lean.prototype, '_readableState', {
  configurable: true,
  get(this: Lean): unknown {
    return this.wake()
  },
  set(this: Lean, value: unknown) {
    Object.defineProperty(this, '_readableState', { value, writable: true, enumerable: true, configurable: true })
  },
})

/** What a request is asked for that may be no stream: to find out in Node's way would make it one. */
answerAsleep('destroyed', false)
answerAsleep('readableDidRead', false)
answerAsleep('readableFlowing', null)
answerAsleep('readableEnded', 'complete')

/** `complete` stands for whether it is. */
function answerAsleep(name: string, asleep: boolean | null | 'complete'): void {
  const descriptor = Object.getOwnPropertyDescriptor(Readable.prototype, name)
  const get = function (this: Lean): unknown {
    if (this.isStream) return descriptor?.get?.call(this)
    return asleep === 'complete' ? this.complete : asleep
  }
  Object.defineProperty(Lean.prototype, name, { ...descriptor, get })
}

interface LeanConstructor extends Omit<typeof IncomingMessage, 'prototype'> {
  readonly prototype: IncomingMessage & Lean
  new (socket: Socket): IncomingMessage & Lean
}

// Proof: its prototype is that of Node's requests, and `wake` does what their constructor does.
export const LeanRequest = Lean as unknown as LeanConstructor
