/** What a trail is told of its call at the end: read when somebody asks, and not before. */
import type { Answer, Exchange } from '../http/exchange.js'
import type { Trail, TrailFacts, TrailVersion } from '../telemetry/trail.js'
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
  readonly scope: { clientOf(exchange: Exchange): string }
}

/** What is known of a call at its end. */
export class CallFacts implements TrailFacts {
  readonly #call: FollowedCall
  readonly #trail: Trail

  /**
   * @param call that was answered, or cannot be
   * @param trail of it
   */
  constructor(call: FollowedCall, trail: Trail) {
    this.#call = call
    this.#trail = trail
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

  get endpoint(): object | undefined {
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
    const { answer } = this.#trail
    // Proof: `sendFollowed` has put it there.
    return answer === null ? [] : this.#call.exchange.linesOf(answer as Answer)
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
      asked: this.#trail.asked,
      constraint: prepared?.constraint?.text,
      alternatives: table.endpoints.map(({ constraint }) => constraint.text),
    }
  }
}
