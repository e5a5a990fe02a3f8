/** A call on its way through the app: what is known of the request, and where its answer goes. */
import { Call } from '../context/call.js'
import type { FullReply } from '../context/reply.js'
import { RequestContext } from '../context/request-context.js'
import type { EndpointView } from '../context/types.js'
import { HttpError } from '../errors/http-error.js'
import type { Exchange, SentListener } from '../http/exchange.js'
import type { FieldChange } from '../http/fields.js'
import { NO_PAYLOAD, type Payload } from '../http/payload.js'
import { NO_PARAMS, type Params } from '../router/params.js'
import type { Core } from './core.js'
import type { Endpoint, PathRecord } from './endpoint.js'

/** Where a call has got to; an error is treated by it. */
export type Stage = 'locating' | 'answering' | 'settled' | 'sending' | 'sent'

/** One step of a call. */
export type Step<V> = (call: ServedCall, value: V) => void

/** A call on its way through the app. */
export abstract class ServedCall extends Call implements SentListener {
  readonly core: Core
  readonly context: RequestContext
  stage: Stage = 'locating'
  /** What matched the path. */
  record: PathRecord | null = null
  /** What will answer, when path and method are known. */
  prepared: Endpoint | null = null
  /** Values of the path parameters, decoded. */
  params: Params = NO_PARAMS
  /** Why nothing will answer, found before middleware began. */
  refusal: unknown = undefined
  /** How many header changes were made before the endpoint began: these stay when it fails. */
  kept: number = 0
  /** Those that stay, once they have become part of a reply: for when a middleware throws that reply away. */
  before: readonly FieldChange[] = []
  /** Takes the endpoint's reply to the middleware around it; `null` where there is none. */
  handOver: ((reply: FullReply) => void) | null = null
  /** What the endpoint gave to the middleware around it. */
  produced: Payload = NO_PAYLOAD
  /** What was answered. */
  answered: FullReply | null = null
  /** When the call began, where somebody listens; ms. */
  readonly #began: number
  #timer: NodeJS.Timeout | null = null

  /**
   * @param exchange the request and the way to answer it
   * @param core of the app
   */
  constructor(exchange: Exchange, core: Core) {
    super(exchange, core)
    this.core = core
    this.context = new RequestContext(this)
    this.#began = core.telemetry.isActive ? performance.now() : 0
  }

  override get endpoint(): EndpointView | undefined {
    if (this.prepared === null) return undefined
    const { route, method, path, meta } = this.prepared
    return { route, method, path, meta, params: this.params }
  }

  /**
   * The request failed.
   *
   * @param error what was thrown
   */
  abstract fail(error: unknown): void

  /**
   * The endpoint has its reply.
   *
   * @param reply ready to be sent
   */
  abstract settle(reply: FullReply): void

  /**
   * The outermost middleware has its reply.
   *
   * @param reply ready to be sent
   */
  abstract finish(reply: FullReply): void

  /**
   * Gives the handler so much time and no more.
   *
   * @param timeout in ms
   */
  limitTime(timeout: number): void {
    this.#timer = setTimeout(() => {
      const error = new HttpError(503, 'The server took too long to answer')
      this.abort(error)
      this.fail(error)
    }, timeout)
  }

  /** The endpoint has answered in time, or its time is over. */
  stopTime(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  /**
   * Takes a step. What it throws ends the call: the only place that catches.
   *
   * @param step what to do
   * @param value what it works on
   */
  run<V>(step: Step<V>, value: V): void {
    try {
      step(this, value)
    } catch (error) {
      this.fail(error)
    }
  }

  /**
   * Takes a step when a value is there.
   *
   * @param promise of the value
   * @param step what to do with it
   */
  runLater<V>(promise: PromiseLike<V>, step: Step<V>): void {
    // A thenable of another library could call back twice.
    Promise.resolve(promise).then(
      (value) => this.run(step, value),
      (error: unknown) => this.fail(error),
    )
  }

  sent(error: unknown): void {
    if (error !== undefined) this.report('error', { err: error, route: this.prepared?.route }, 'The answer broke off')
    const { tasks } = this
    if (tasks === null || error !== undefined) this.conclude()
    else {
      this.#emitEnd()
      void runTasks(this, tasks)
    }
  }

  /** The call is over. */
  conclude(): void {
    this.#emitEnd()
    this.core.work.end()
  }

  #emitEnd(): void {
    const { telemetry } = this.core
    const { answered } = this
    if (answered === null || !telemetry.isActive) return
    const { id, prepared, path, exchange } = this
    telemetry.emit({
      requestId: id,
      route: prepared?.route,
      method: exchange.method,
      template: prepared?.path,
      path,
      status: answered.status,
      duration: performance.now() - this.#began,
      error: answered.error,
      handler: prepared?.handler,
    })
  }
}

/** Tasks run one after the other; one that fails does not keep the next from running. */
async function runTasks(call: ServedCall, tasks: readonly (() => unknown)[]): Promise<void> {
  for (const task of tasks) {
    await Promise.resolve()
      .then(task)
      .catch((error: unknown) =>
        call.report('error', { err: error, route: call.prepared?.route }, 'A task after the answer failed'),
      )
  }
  call.core.work.end()
}
