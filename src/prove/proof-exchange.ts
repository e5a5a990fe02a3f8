/** Requests of a proof. They have no socket, and they know how far they came. */
import type { HttpError } from '../errors/http-error.js'
import type { BodyListener } from '../http/exchange.js'
import { WebExchange } from '../http/web-exchange.js'

export class ProofExchange extends WebExchange {
  /** Whether all guards have accepted the request. */
  hasPassed: boolean = false
  /** Whether a step has begun to read the body. */
  hasReadBody: boolean = false
  /** Methods of services that guards called, in order, such as `users.find`. */
  readonly serviceCalls: string[] = []

  override collect(limit: number, done: BodyListener, rejection: HttpError | null = null): void {
    this.hasReadBody = true
    super.collect(limit, done, rejection)
  }

  override stream(limit: number): AsyncIterable<Buffer> {
    this.hasReadBody = true
    return super.stream(limit)
  }
}
