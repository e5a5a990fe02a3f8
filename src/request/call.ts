/** The state of one request, from routing until its response is sent and its tasks are done. */
import { AsyncResource } from 'node:async_hooks'
import { serializedReply, type FullReply } from '../context/reply.js'
import { RequestContext } from '../context/request-context.js'
import type { EndpointView } from '../context/types.js'
import type { Chunks } from '../http/chunks.js'
import type { Exchange } from '../http/exchange.js'
import type { HeaderChange } from '../http/fields.js'
import { NO_PAYLOAD, type Payload } from '../http/payload.js'
import { NO_SCOPE, type ScopeFailure, type RequestScope } from '../injection/scope.js'
import { childLogger, ignoreErrors, type Level, type Logger } from '../observe/logger.js'
import { SecretCollector } from '../secrets/call-secrets.js'
import { parseTraceId } from '../observe/trace.js'
import type { IdempotencyKeyLock } from '../route/idempotency.js'
import { NO_PARAMS, type Params } from '../router/match.js'
import type { AppState } from './app-state.js'
import type { VersionChoice, Endpoint, PathEntry, Pipeline } from './endpoint.js'
import type { CallFacts, CallObserver } from './observer-types.js'
import { discardPromise } from '../values/promises.js'
import type { OpenRequest } from './work-types.js'

/**
 * The progress of a request.
 *
 * - `routing`: the endpoint is not known yet
 * - `handling`: providers and the method run
 * - `replied`: the reply exists; middleware may still replace it
 * - `sending`: the response is being written
 * - `sent`: the exchange has the whole response, but the socket may still be writing it
 */
type Stage = 'routing' | 'handling' | 'replied' | 'sending' | 'sent'

/** Continues a request after an event, unless its generation has changed. */
export type Resume = (call: Call, turn: number) => void

export class Call implements CallFacts, OpenRequest<Call> {
  readonly exchange: Exchange
  readonly app: AppState<Call>
  /** `null` unless a log, metrics or the console observes requests. */
  observer: CallObserver | null = null

  pipeline: Pipeline<Call>
  stepIndex: number = 0
  /** Incremented when an error or middleware changes the next step. Promises from an earlier generation are ignored when they settle. */
  generation: number = 0
  stage: Stage = 'routing'
  /**
   * Whether the request continued without its method, which is still running: after a timeout, or because middleware or a decorator did
   * not wait for it. Cleanup waits for the method.
   */
  answeredByMiddleware: boolean = false
  /** Generation of the step that was pending at that time; `NO_TURN` if no step was, or after it has settled. */
  abandonedTurn: number = NO_TURN
  /** Number of pending promises of the method; counted only if decorators wrap it. */
  runningMethods: number = 0
  isCleaningUp: boolean = false
  /** Whether the step `response sent` has started. Any later cleanup includes providers with `ends: 'after-response'`. */
  isConcluded: boolean = false

  path: string = ''
  query: string = ''
  pathRecord: PathEntry<Call> | null = null
  /** `null` during routing, and if no endpoint matches. */
  endpoint: Endpoint<Call> | null = null
  /** The negotiated version; `null` if the endpoint has no version constraint. */
  choice: VersionChoice<Call> | null = null
  params: Params = NO_PARAMS
  /** Error of the routing steps, such as a 404. Becomes `failure` inside middleware, so that middleware sees the problem. */
  refusal: unknown = undefined

  readonly context: RequestContext
  /** Input of the handler: `context`, or a context with the values of providers. */
  input: RequestContext
  /** Providers of this request; `NO_SCOPE` until `beginProviders`. */
  providers: RequestScope = NO_SCOPE
  /** Bytes of the body, between the steps `body` and `body decoding`. */
  bytes: Buffer | null = null
  bodyError: unknown = undefined
  /** Whether the request announced a body that turned out to have 0 bytes. */
  isBodyEmpty: boolean = false
  /** Result of the last awaited step; after `method`, the return value of the method. */
  value: unknown = undefined
  /** Error of the endpoint; `null` if it succeeded. Read by provider cleanup and by `final reply`. */
  failure: ScopeFailure | null = null
  /** `NO_REPLY` until a step creates the reply. */
  reply: FullReply = NO_REPLY
  /** The stream that the method returned; `null` if it returned something else. */
  stream: Chunks | null = null

  /** Header changes that are not part of `reply` yet, in order; `null` if there are none. */
  changes: HeaderChange[] | null = null
  /** Number of `changes` that middleware made before the endpoint ran. They are kept if the endpoint fails. */
  middlewareChangeCount: number = 0
  /** Header changes made by guards; kept if the endpoint fails. */
  guardChanges: Set<HeaderChange> | null = null
  /** Changes of middleware and guards that are already part of `reply`. Applied again if middleware fails and `reply` is lost. */
  middlewareChanges: readonly HeaderChange[] = []
  /** Resolves the promise that `next()` returned; `null` without middleware. */
  resolveInner: ((reply: FullReply) => void) | null = null
  /** Payload that the endpoint returned to middleware. Discarded if middleware sends another one. */
  innerPayload: Payload = NO_PAYLOAD
  /** Error that interrupted the response or kept it from being sent. */
  sendError: unknown = undefined
  /** Idempotency key locked by this request. It lets the request finish after the client disconnects, because a retry can get the reply. */
  idempotencyKey: IdempotencyKeyLock | null = null
  /** Timer of the contract's `timeout`; after a timeout, the timer of `timeouts.close`. */
  timer: NodeJS.Timeout | undefined = undefined
  tasks: (() => unknown)[] | null = null
  /** Cleanup of the body reader, such as deleting stored files. Runs after all tasks. */
  cleanUp: (() => Promise<void>) | null = null
  previous: Call | null = null
  next: Call | null = null

  #id: string | undefined = undefined
  #log: Logger | undefined = undefined
  #controller: AbortController | null = null
  /** Async context in which listeners of `signal` run. */
  #signalPlace: AsyncResource | null = null
  #abortion: unknown = undefined
  /** Async context of the endpoint, restored after a socket event; `null` until a step has to wait for one. */
  #place: AsyncResource | null = null

  constructor(exchange: Exchange, app: AppState<Call>, way: Pipeline<Call>) {
    this.exchange = exchange
    this.app = app
    this.pipeline = way
    this.context = new RequestContext(this)
    this.input = this.context
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

  get hasCredentials(): boolean {
    return this.endpoint?.providers?.readsCredentials === true || this.exchange.header('authorization') !== undefined
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

  change(change: HeaderChange, isKept: boolean): void {
    if (this.stage === 'sending' || this.stage === 'sent')
      return this.isCleaningUp ? undefined : changedTooLate(this, change)
    ;(this.changes ??= []).push(change)
    if (isKept) (this.guardChanges ??= new Set()).add(change)
  }

  /** Saves the caller's async context for `run`. Call it only before waiting for an event, because it costs 50 ns. */
  keepContext(): void {
    this.#place ??= new AsyncResource('verbena.request')
  }

  run(next: () => void): void {
    const { observer } = this
    const observed = observer === null ? next : () => observer.run(next, undefined)
    if (this.#place === null) observed()
    else this.#place.runInAsyncScope(observed)
  }

  /** Logs a message from Verbena, with secrets hidden. A logger that throws cannot fail the request or crash the process. */
  report(level: Level, fields: Readonly<Record<string, unknown>>, message: string): void {
    // The error may be a promise, whose rejection would be unhandled.
    discardPromise(fields['err'])
    const logFields = 'err' in fields ? { ...fields, err: this.#hideSecrets(fields['err']) } : fields
    ignoreErrors(() => this.log[level](logFields, message))
    if (level === 'error') this.observer?.failed(logFields['err'], message)
  }

  reportError(error: unknown, message: string): void {
    this.report('error', { err: error, route: this.endpoint?.route }, message)
  }

  #hideSecrets(error: unknown): unknown {
    const hides = new SecretCollector(this.app.secrets)
    hides.gather(this)
    // Copying collects the secrets. The copy is discarded.
    hides.copy({ input: this.input, output: undefined }, false)
    return hides.error(error)
  }
}

/** Endpoints that have already logged a late header change. */
const warned = new WeakSet<object>()
const lateChanges = new WeakMap<Call, string>()

/** Returns the name of a header that was set too late; always `undefined` unless the app is strict. */
export function findLateChange(call: Call): string | undefined {
  return lateChanges.get(call)
}

/** Throws in strict mode; otherwise logs one warning per endpoint. The headers are already sent, so the change is lost. */
function changedTooLate(call: Call, { name }: HeaderChange): void {
  const { app, endpoint, label } = call
  const fix = 'Set it before the first chunk of a stream, and not in "response.after"'
  const error = new Error(`Cannot set the response header "${name}" of ${label}: the headers are already sent. ${fix}`)
  if (app.isStrict) {
    lateChanges.set(call, name)
    throw error
  }
  if (warned.has(endpoint ?? app)) return
  warned.add(endpoint ?? app)
  call.report('warn', { route: endpoint?.route }, error.message)
}

export const NO_TURN = -1
const NO_REPLY = serializedReply(500, null, NO_PAYLOAD)

export function clientGone(): DOMException {
  return new DOMException('The client disconnected', 'AbortError')
}
