/** A call on its way through the app: what is known of the request, and where its answer goes. */
import { AsyncResource } from 'node:async_hooks'
import { Call } from '../context/call.js'
import type { FullReply } from '../context/reply.js'
import { RequestContext } from '../context/request-context.js'
import type { EndpointView } from '../context/types.js'
import { HttpError } from '../errors/http-error.js'
import type { Answer, Exchange, SentListener } from '../http/exchange.js'
import type { FieldChange } from '../http/fields.js'
import { NO_PAYLOAD, type Payload } from '../http/payload.js'
import type { Level } from '../logging/logger.js'
import { NO_PARAMS, type Params } from '../router/match.js'
import { performance } from 'node:perf_hooks'
import type { CallObserver, Trail } from '../observe/trail.js'
import { left } from './after-answer.js'
import { NO_PROVIDERS, type CallProviders } from './call-providers.js'
import { CallFacts } from './call-facts.js'
import type { Core } from './core.js'
import { emitEnd, emitError, emitStart } from './emit.js'
import type { Choice, Endpoint, PathRecord } from './endpoint.js'
import { shownError } from './shown-error.js'
import { countPassed, followFromNow } from './watched.js'

/** Where a call has got to; an error is treated by it. */
export type Stage = 'locating' | 'answering' | 'ending' | 'settled' | 'sending' | 'sent'

/** One step of a call. */
export type Step<V> = (call: ServedCall, value: V) => void

/** A call on its way through the app. */
export abstract class ServedCall extends Call implements SentListener {
  readonly core: Core
  /** Who follows it, from its begin; `null` where nobody does. */
  readonly watcher: CallObserver | null = null
  /** What it leaves behind for who follows all calls; `null` where nobody does, and for a call that is only counted. */
  trail: Trail | null = null
  readonly context: RequestContext
  /** What the handler gets: the context, or one of its own where providers give it values. */
  input: RequestContext
  /** What its endpoint uses, once that has begun. */
  providers: CallProviders = NO_PROVIDERS
  stage: Stage = 'locating'
  /** What matched the path. */
  record: PathRecord | null = null
  /** What will answer, when path and method are known. */
  prepared: Endpoint | null = null
  /** The version that was negotiated; `null` where the endpoint has no constraint. */
  choice: Choice | null = null
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
  /** The version that was asked for, where its path has some. */
  asked: string | undefined = undefined
  /** The bytes of its body, where it was collected and calls are followed. */
  bytes: Uint8Array | null = null
  /** What was sent, where calls are followed; `null` until then, and where nobody was there any more. */
  dispatched: Answer | null = null
  /** Bytes of a streamed answer that have left, where calls are followed. */
  streamed: number = 0
  /** When the call began, in ms, where somebody listens; -1 where nobody does. */
  began: number = -1
  /** How long it took until its answer could be written, or has left where that is awaited, in ms; where somebody listens. */
  duration: number = 0
  #timer: NodeJS.Timeout | null = null
  /** The async context of the endpoint, for what an event continues later; `null` as long as nothing has to wait for one. */
  #place: AsyncResource | null = null

  constructor(exchange: Exchange, core: Core) {
    super(exchange, core)
    this.core = core
    this.context = new RequestContext(this)
    this.input = this.context
    if (!core.telemetry.isActive) return
    this.began = performance.now()
    const { observer: watcher } = core.telemetry
    if (watcher !== null && watcher.observes(exchange)) {
      this.watcher = watcher
      this.trail = watcher.begin(exchange, this.began)
      if (this.trail !== null) this.trail.sources = new CallFacts(this)
    }
    emitStart(core.telemetry, this)
  }

  /** The version of the API that is answered, in full; `undefined` where the endpoint has no constraint. */
  get version(): string | undefined {
    return this.choice?.version
  }

  /** Takes the time, where somebody listens. */
  stopWatch(): void {
    if (this.began >= 0) this.duration = performance.now() - this.began
  }

  protected override newId(): string {
    const id = super.newId()
    if (this.trail === null) followFromNow(this)
    this.trail?.named(id)
    return id
  }

  override get endpoint(): EndpointView | undefined {
    if (this.prepared === null) return undefined
    const { route, method, path, meta } = this.prepared
    return { route, method, path, meta, params: this.params }
  }

  /** The request failed. */
  abstract fail(error: unknown): void

  /** The endpoint has its reply. */
  abstract settle(reply: FullReply): void

  /** The outermost middleware has its reply. */
  abstract finish(reply: FullReply): void

  /** Gives the handler so much time and no more. */
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

  /** Takes a step. What it throws ends the call: the only place that catches. */
  run<V>(step: Step<V>, value: V): void {
    try {
      step(this, value)
    } catch (error) {
      this.fail(error)
    }
  }

  /**
   * Keeps the async context of the caller, once, for the steps that follow an event: a call that never waits for one does not pay
   * the 50 ns.
   */
  keepContext(): void {
    this.#place ??= new AsyncResource('verbena.request')
  }

  /** Takes a step after an event that knows nothing of the call, in the context that was kept. */
  resume<V>(step: Step<V>, value: V): void {
    if (this.#place === null) this.#follow(step, value)
    else this.#place.runInAsyncScope(() => this.#follow(step, value))
  }

  /** Where the work of calls is followed, what a step leads to belongs to the call. */
  #follow<V>(step: Step<V>, value: V): void {
    const { trail } = this
    if (trail === null || this.core.telemetry.context === null) this.run(step, value)
    else this.core.telemetry.context.run(trail, () => this.run(step, value))
  }

  /** Takes a step when a value is there. */
  runLater<V>(promise: PromiseLike<V>, step: Step<V>): void {
    // A thenable of another library could call back twice.
    Promise.resolve(promise).then(
      (value) => this.run(step, value),
      (error: unknown) => this.fail(error),
    )
  }

  sent(error: unknown): void {
    this.resume(left, error)
  }

  override report(level: Level, fields: object, message: string): void {
    super.report(level, 'err' in fields ? { ...fields, err: shownError(this, fields.err) } : fields, message)
    if (level !== 'error' || this.began < 0) return
    emitError(this.core.telemetry, this, { error: Reflect.get(fields, 'err'), message })
  }

  /** Tells those who listen that it was answered. */
  tellEnd(): void {
    if (this.answered === null || this.began < 0) return
    emitEnd(this.core.telemetry, this, this.answered)
    if (this.trail === null) countPassed(this)
  }
}
