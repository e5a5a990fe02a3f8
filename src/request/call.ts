/** The state of one request, from routing until its response is sent and its tasks are done, and the list of all such requests. */
import { AsyncResource } from 'node:async_hooks'
import { serializedReply, type FullReply } from '../context/reply.js'
import { RequestContext, ContextView } from '../context/request-context.js'
import type { EndpointView } from '../context/types.js'
import type { Chunks } from '../http/chunks.js'
import { clientGone, type Exchange } from '../http/exchange.js'
import type { HeaderChange } from '../http/fields.js'
import { NO_PAYLOAD, type Payload } from '../http/payload.js'
import type { ScopeFailure, RequestScope } from '../injection/scope.js'
import { childLogger, ignoreErrors, UNREADABLE, type Level, type Logger } from '../observe/logger.js'
import { RequestSecrets } from '../secrets/request-secrets.js'
import { parseTraceId } from '../observe/trace.js'
import type { IdempotencyKeyLock } from '../route/idempotency.js'
import { NO_PARAMS, type Params } from '../router/match.js'
import type { AppState, Work } from './app-state.js'
import type { VersionChoice, Endpoint, PathEntry, Pipeline } from './endpoint.js'
import type { CallFacts, CallObserver } from './observer-types.js'
import { discardPromise } from '../values/promises.js'
import { valueOr } from '../values/value-or.js'
import type { Overrun } from './overrun.js'
import { changedTooLate } from '../observe/late-change.js'

/**
 * The progress of a request.
 *
 * - `routing`: the endpoint is not known yet
 * - `handling`: providers and the method run
 * - `replied`: the reply exists; middleware may still replace it
 * - `sending`: the response is being written
 * - `sent`: the exchange has the whole response, but the socket may still be writing it
 * - `concluded`: the step `response sent` has started. Any later cleanup includes providers with `ends: 'after-response'`
 */
type Stage = 'routing' | 'handling' | 'replied' | 'sending' | 'sent' | 'concluded'

/** The step loop, which continues or fails the requests that it has started. */
export interface Flow {
  /** Runs the next steps. */
  run(call: Call): void
  /** Ends a step that has settled after the request continued without it. `generation` is the generation of the step. */
  abandon(call: Call, generation: number): void
  /** Skips the remaining request steps. */
  fail(call: Call, error: unknown): void
}

/** The path of a request, as the router found it. */
export interface PathMatch {
  readonly entry: PathEntry<Call>
  params: Params
  /** The negotiated version; `null` if the endpoint has no version constraint. */
  choice: VersionChoice<Call> | null
}

/** A request body on its way to the handler. */
export interface BodyState {
  /** Bytes between the steps `body` and `body decoding`. */
  bytes: Buffer | null
  error: unknown
  /** Whether the announced body turned out to have 0 bytes. */
  isEmpty: boolean
  /** Deletes stored files. Runs after all tasks. */
  cleanUp: (() => Promise<void>) | null
}

/** The reply of the endpoint, inside middleware. */
interface InnerReply {
  /** Resolves the promise that `next()` returned. */
  readonly resolve: (reply: FullReply) => void
  /** Payload that the endpoint returned to middleware. Discarded if middleware sends another one. */
  payload: Payload
}

interface CallChange extends HeaderChange {
  /** Whether the change is kept if the endpoint fails. */
  readonly survives: boolean
  /** Whether `reply` contains the change. Middleware that fails loses its reply, and the change is applied again. */
  isMerged: boolean
}

/** A linked list of requests, which sets `previous` and `next`: a `Set` costs 100 ns more for each request. */
export class WorkList<C extends { previous: C | null; next: C | null }> implements Work<C> {
  running: number = 0
  #first: C | null = null
  #onIdle: (() => void) | null = null

  hold(): void {
    this.running++
  }

  release(): void {
    this.running--
    if (this.running === 0) this.#onIdle?.()
  }

  add(call: C): void {
    this.running++
    call.next = this.#first
    if (this.#first !== null) this.#first.previous = call
    this.#first = call
  }

  /** Does nothing if the request is not in the list. */
  remove(call: C): void {
    const { previous, next } = call
    if (previous === null && this.#first !== call) return
    if (previous === null) this.#first = next
    else previous.next = next
    if (next !== null) next.previous = previous
    call.previous = null
    call.next = null
    this.running--
    if (this.running === 0) this.#onIdle?.()
  }

  /** Calls a function for each request. The function may remove its request. */
  each(act: (call: C) => void): void {
    let next: C | null
    for (let call = this.#first; call !== null; call = next) {
      next = call.next
      act(call)
    }
  }

  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.running === 0) resolve()
      else this.#onIdle = resolve
    })
  }
}

export class Call implements CallFacts {
  /** Neighbors in the list of requests; `null` at its ends. */
  previous: Call | null = null
  next: Call | null = null
  readonly exchange: Exchange
  readonly app: AppState<Call>
  /** `null` unless a log, metrics or the console observes requests. */
  observer: CallObserver | null = null

  pipeline: Pipeline<Call>
  stepIndex: number = 0
  /** Incremented when an error or middleware changes the next step. Promises from an earlier generation are ignored when they settle. */
  generation: number = 0
  stage: Stage = 'routing'
  /** Tracks the method if it may outlive the request. */
  overrun: Overrun | null = null

  path: string = ''
  query: string = ''
  /** `null` if no route has the path. */
  pathMatch: PathMatch | null = null
  /** `null` during routing, and if no endpoint matches. */
  endpoint: Endpoint<Call> | null = null
  /** Input of the handler. */
  readonly input: RequestContext
  /** `null` if the endpoint uses no providers. */
  providers: RequestScope | null = null
  /** `null` if the request has no body, or the endpoint does not read it. */
  body: BodyState | null = null
  /** Return value of the method. */
  result: unknown = undefined
  /** Error of routing or of the endpoint; `null` if there is none. */
  failure: ScopeFailure | null = null
  /** `NO_REPLY` until a step creates the reply. */
  reply: FullReply = NO_REPLY
  /** The stream that the method returned; `null` if it returned something else. */
  stream: Chunks | null = null
  /** `null` until middleware calls its last `next()`. */
  inner: InnerReply | null = null
  /** Header changes, in order; `null` if there are none. */
  changes: CallChange[] | null = null
  /** Error that interrupted the response or kept it from being sent. */
  sendError: unknown = undefined
  /** Idempotency key locked by this request. It lets the request finish after the client disconnects, because a retry can get the reply. */
  idempotencyKey: IdempotencyKeyLock | null = null
  tasks: (() => unknown)[] | null = null

  readonly #flow: Flow
  #context: ContextView | undefined = undefined
  #id: string | undefined = undefined
  #log: Logger | undefined = undefined
  #controller: AbortController | null = null
  /** Async context in which listeners of `signal` run. */
  #signalPlace: AsyncResource | null = null
  #abortion: unknown = undefined
  /** Async context of the endpoint, restored after a socket event; `null` until a step has to wait for one. */
  #place: AsyncResource | null = null

  constructor(exchange: Exchange, app: AppState<Call>, flow: Flow, pipeline: Pipeline<Call>) {
    this.exchange = exchange
    this.app = app
    this.pipeline = pipeline
    this.#flow = flow
    this.input = new RequestContext(this)
  }

  /** Context of middleware, `mapError` and guards without `needs`. */
  get context(): ContextView {
    return (this.#context ??= new ContextView(this, true))
  }

  get id(): string {
    if (this.#id === undefined) {
      this.#id = this.app.idOf(this.exchange)
      this.observer?.named(this.#id)
    }
    return this.#id
  }

  /** Trace id of the `traceparent` header; `undefined` if the header is missing or malformed. */
  get traceId(): string | undefined {
    return parseTraceId(this.exchange.header('traceparent'))
  }

  get log(): Logger {
    if (this.#log === undefined) {
      const { id: requestId, traceId, app } = this
      this.#log = childLogger(app.logger, traceId === undefined ? { requestId } : { requestId, traceId })
    }
    return this.#log
  }

  get endpointView(): EndpointView | undefined {
    if (this.endpoint === null) return undefined
    const { route, method, path, meta } = this.endpoint
    return { route, method, path, meta, params: this.params }
  }

  get readsCredentials(): boolean {
    return this.endpoint?.providers?.readsCredentials === true
  }

  /**
   * Aborted when the client disconnects. Listeners run in the async context of the last read, usually in the method.
   * Created on the first read, because an `AbortController` costs 7 µs on Node 20.
   */
  get signal(): AbortSignal {
    this.#signalPlace = new AsyncResource('verbena.signal')
    if (this.#controller === null) {
      this.#controller = new AbortController()
      if (this.#abortion !== undefined) this.abort(this.#abortion)
      else if (this.isAborted) this.abort(clientGone())
      else this.exchange.onAbort(() => this.idempotencyKey === null && this.abort(clientGone()))
    }
    return this.#controller.signal
  }

  get requestKey(): string | undefined {
    return this.endpoint?.idempotency?.readKey(this.exchange.header('idempotency-key'))
  }

  /** Whether the client has disconnected. `false` while an idempotency key is locked, because a retry can still get the reply. */
  get isAborted(): boolean {
    return this.exchange.aborted && this.idempotencyKey === null
  }

  abort(reason: unknown): void {
    this.#abortion = reason
    this.#signalPlace?.runInAsyncScope(() => this.#controller?.abort(reason))
  }

  get label(): string {
    return this.endpoint === null ? 'a request without an endpoint' : `"${this.endpoint.route}.${this.endpoint.verb}"`
  }

  trustsOrigin(origin: string): boolean | Promise<boolean> {
    return this.endpoint?.trustsOrigin?.(this, origin) ?? false
  }

  /** Decoded path parameters; empty if no route has the path. */
  get params(): Params {
    return this.pathMatch?.params ?? NO_PARAMS
  }

  /** Whether the response can no longer change. */
  get isSent(): boolean {
    return this.stage === 'sent' || this.stage === 'concluded'
  }

  /** Whether routing found the endpoint and no error, so that the endpoint handles the request. */
  get isRouted(): boolean {
    return this.endpoint !== null && this.endpoint.pipeline === this.pipeline
  }

  change({ name, value, append }: HeaderChange, survives: boolean): void {
    const { stage } = this
    if (this.isSent || stage === 'sending') {
      if (this.overrun?.isCleaningUp !== true) changedTooLate(this, name)
      return
    }
    const change = { name, value, append, survives: survives && stage === 'handling', isMerged: false }
    ;(this.changes ??= []).push(change)
  }

  /** Saves the caller's async context for `run`. Call it only before waiting for an event, because it costs 50 ns. */
  keepContext(): void {
    this.#place ??= new AsyncResource('verbena.request')
  }

  run(task: () => void): void {
    const { observer } = this
    const observed = observer === null ? task : () => observer.run(task, undefined)
    if (this.#place === null) observed()
    else this.#place.runInAsyncScope(observed)
  }

  /** Runs the next steps in the async context saved by `keepContext`, unless the request has continued without the step that calls it. */
  resume(generation: number): void {
    const { run, abandon } = this.#flow
    if (generation !== this.generation) this.run(() => abandon(this, generation))
    else if (this.observer !== null) this.run(() => run(this))
    else if (this.#place === null) run(this)
    else this.#place.runInAsyncScope(run, undefined, this)
  }

  fail(error: unknown): void {
    this.#flow.fail(this, error)
  }

  /** Logs a message from Verbena, with secrets hidden. A logger that throws cannot fail the request or crash the process. */
  report(level: Level, fields: Readonly<Record<string, unknown>>, message: string): void {
    // The error may be a promise, whose rejection would be unhandled.
    discardPromise(fields['err'])
    const hidden = 'err' in fields ? this.#hideSecrets(fields['err']) : undefined
    // Clients disconnect often, and a stack says only where the method stopped.
    const err = level === 'debug' ? valueOr(() => String(hidden), UNREADABLE) : hidden
    const logFields = 'err' in fields ? { ...fields, err, ...(level === 'error' && this.observer?.linkField) } : fields
    ignoreErrors(() => this.log[level](logFields, message))
    if (level === 'error') this.observer?.failed(err, message)
  }

  reportError(error: unknown, message: string): void {
    this.report('error', { err: error, route: this.endpoint?.route }, message)
  }

  #hideSecrets(error: unknown): unknown {
    const hides = new RequestSecrets(this.app.secrets)
    hides.gatherHeaders(Object.entries(this.exchange.headers()))
    hides.gatherQuery(this.query)
    // Copying collects the secrets. The copy is discarded.
    hides.copy({ input: this.input, output: undefined }, false)
    return hides.error(error)
  }
}

const NO_REPLY = serializedReply(500, null, NO_PAYLOAD)
