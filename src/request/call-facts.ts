/** What a trail is told of its call at the end: read when somebody asks, and not before. */
import type { Answer, Exchange } from '../http/exchange.js'
import type { TrailAnswer, TrailFacts, TrailVersion } from '../observe/trail.js'
import type { Endpoint, PathRecord } from './endpoint.js'

/** A call, as far as its trail goes. */
export interface FollowedCall {
  readonly traceId: string | undefined
  readonly path: string
  readonly query: string
  readonly params: Readonly<Record<string, string>>
  readonly exchange: Exchange
  readonly prepared: Endpoint | null
  readonly record: PathRecord | null
  readonly answered: { readonly error?: unknown } | null
  readonly asked: string | undefined
  readonly bytes: Uint8Array | null
  readonly dispatched: Answer | null
  readonly streamed: number
  readonly scope: { clientOf(exchange: Exchange): string }
}

/** What is known of a call at its end. */
export class CallFacts implements TrailFacts {
  readonly #call: FollowedCall

  constructor(call: FollowedCall) {
    this.#call = call
  }

  get traceId(): string | undefined {
    return this.#call.traceId
  }

  get path(): string {
    return this.#call.path
  }

  get query(): string {
    return this.#call.query
  }

  get client(): string {
    return this.#call.scope.clientOf(this.#call.exchange)
  }

  get endpoint(): Endpoint | undefined {
    return this.#call.prepared ?? undefined
  }

  get params(): Readonly<Record<string, string>> {
    return this.#call.params
  }

  get error(): unknown {
    return this.#call.answered?.error
  }

  get isSecure(): boolean {
    return this.#call.exchange.isSecure
  }

  get lines(): readonly string[] {
    const { dispatched, exchange } = this.#call
    return dispatched === null ? [] : exchange.linesOf(dispatched)
  }

  get answer(): TrailAnswer | null {
    return this.#call.dispatched
  }

  get body(): Uint8Array | null {
    return this.#call.bytes
  }

  get streamed(): number {
    return this.#call.streamed
  }

  get isAborted(): boolean {
    return this.#call.exchange.aborted
  }

  get headers(): Readonly<Record<string, string | undefined>> {
    return this.#call.exchange.headers()
  }

  get version(): TrailVersion | undefined {
    const { record, exchange, prepared } = this.#call
    const table = record?.versions?.tables.get(exchange.method)
    if (table === undefined) return undefined
    return {
      asked: this.#call.asked,
      constraint: prepared?.constraint?.text,
      alternatives: table.endpoints.map(({ constraint }) => constraint.text),
    }
  }
}
