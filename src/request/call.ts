/** A call: everything that is known of one request while it is answered. */
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
import type { CallFacts, ObservedCall } from './observed-call.js'
import { discardPromise } from '../values/promises.js'
import type { OpenRequest } from './work.js'

/** How far a call has come. `settled`: the endpoint has its reply. `sent`: the exchange has the answer, which may not have left yet. */
type Stage = 'routing' | 'handling' | 'replied' | 'sending' | 'sent'

/** Continues a call after an event, unless it has left its way since that turn. */
export type Resume = (call: Call, turn: number) => void

/** A call on its way. */
export class Call implements CallFacts, OpenRequest<Call> {
  readonly exchange: Exchange
  readonly app: AppState<Call>
  /** `null` where nobody observes calls. */
  observer: ObservedCall | null = null

  /** The steps that it takes, and the one that comes next. */
  pipeline: Pipeline<Call>
  stepIndex: number = 0
  /** How often it has left its way, for the way back or for that of its middleware: what is awaited from before is too late. */
  generation: number = 0
  stage: Stage = 'routing'
  /**
   * Whether the request continued without its method, which is still running: after a timeout, or because middleware or a decorator did
   * not wait for it. Cleanup waits for the method.
   */
  answeredByMiddleware: boolean = false
  /** The `turn` whose step was pending at that time; `NO_TURN` if no step was, or after it has settled. */
  abandonedTurn: number = NO_TURN
  /** Number of pending promises of the method; counted only if decorators wrap it. */
  runningMethods: number = 0
  /** Whether the cleanup that waited for the method has started. */
  isCleaningUp: boolean = false
  /** Whether the providers that end with the answer were asked to. */
  isConcluded: boolean = false

  path: string = ''
  query: string = ''
  pathRecord: PathEntry<Call> | null = null
  /** What will answer, when path and method are known. */
  endpoint: Endpoint<Call> | null = null
  /** The version that was negotiated; `null` where the endpoint has no constraint. */
  choice: VersionChoice<Call> | null = null
  params: Params = NO_PARAMS
  /** Why nothing will answer, found before middleware began. */
  refusal: unknown = undefined

  readonly context: RequestContext
  /** What the handler gets: the context, or one of its own where providers give it values. */
  input: RequestContext
  /** What its endpoint uses, once that has begun. */
  providers: RequestScope = NO_SCOPE
  /** The body, once it is collected, or why it cannot be read; both for the step that reads it. */
  bytes: Buffer | null = null
  bodyError: unknown = undefined
  /** Whether the body that the request was framed with has no bytes. */
  isBodyEmpty: boolean = false
  /** What the last promise gave that a step waited for; after `method`, what the method returned. */
  value: unknown = undefined
  /** Why the endpoint has no reply; for the ends of providers and the step that settles the call. */
  failure: ScopeFailure | null = null
  /** The reply, from the step that makes it on. */
  reply: FullReply = NO_REPLY
  /** The stream that the method returned; `null` if it returned something else. */
  stream: Chunks | null = null

  /** Changes to the answer's headers, in order; `null` as long as nothing has changed any. */
  changes: HeaderChange[] | null = null
  /** How many of them middleware had made when the endpoint began: these stay when it fails. */
  middlewareChangeCount: number = 0
  /** Those of guards, which stay as well; `null` until a guard sets one. */
  guardChanges: Set<HeaderChange> | null = null
  /** Those of middleware and guards that are part of the reply: they are set again when a middleware fails and that reply is lost. */
  middlewareChanges: readonly HeaderChange[] = []
  /** Takes the endpoint's reply to the middleware around it; `null` without middleware. */
  resolveInner: ((reply: FullReply) => void) | null = null
  /** What the endpoint gave to the middleware around it. */
  innerPayload: Payload = NO_PAYLOAD
  /** Why the answer broke off, or could not be sent. */
  sendError: unknown = undefined
  /** The idempotency key that it holds. Then it goes on when its client leaves: another request may ask for its answer. */
  idempotencyKey: IdempotencyKeyLock | null = null
  /** Ends the time of the method and its reply. */
  timer: NodeJS.Timeout | undefined = undefined
  tasks: (() => unknown)[] | null = null
  /** What the reader of the body has to do once nothing else is left. */
  cleanUp: (() => Promise<void>) | null = null
  /** Neighbors in the list of requests in progress. */
  previous: Call | null = null
  next: Call | null = null

  #id: string | undefined = undefined
  #log: Logger | undefined = undefined
  #controller: AbortController | null = null
  /** The async context of the listeners of its signal. */
  #signalPlace: AsyncResource | null = null
  #abortion: unknown = undefined
  /** The async context of the endpoint, for what an event continues later; `null` as long as nothing has to wait for one. */
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

  /** Id of the trace that the request belongs to; `undefined` without a `traceparent` that can be read. */
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
   * Aborted when the client goes away. Its listeners run in the async context that read this last: middleware reads it before
   * the method does. An `AbortController` costs 7 µs on Node 20, so only calls that read this pay for it.
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

  /** Whether its client has gone away, and nobody else can get its answer. */
  get isAborted(): boolean {
    return this.exchange.aborted && this.idempotencyKey === null
  }

  abort(reason: unknown): void {
    this.#abortion = reason
    this.#signalPlace?.runInAsyncScope(() => this.#controller?.abort(reason))
  }

  /** What its log lines and errors call it. */
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

  /** Keeps the async context of the caller, once, for what an event continues: a call that waits for none is spared the 50 ns. */
  keepContext(): void {
    this.#place ??= new AsyncResource('verbena.request')
  }

  /** Does a piece of work of the call, in the context that was kept. */
  run(next: () => void): void {
    const { observer } = this
    const observed = observer === null ? next : () => observer.run(next, undefined)
    if (this.#place === null) observed()
    else this.#place.runInAsyncScope(observed)
  }

  /** Writes a line of the framework's own. A logger that fails must not take the request, or the process, with it. */
  report(level: Level, fields: Readonly<Record<string, unknown>>, message: string): void {
    // Someone may throw a promise.
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
    // The copy is of no use here, but to make it finds the secrets.
    hides.copy({ input: this.input, output: undefined }, false)
    return hides.error(error)
  }
}

/** Endpoints whose log has the warning already. */
const warned = new WeakSet<object>()
const lateChanges = new WeakMap<Call, string>()

/** The name of the header that was set too late, where that is an error. */
export function findLateChange(call: Call): string | undefined {
  return lateChanges.get(call)
}

/** The change would be lost. */
function changedTooLate(call: Call, { name }: HeaderChange): void {
  const { app, endpoint, label } = call
  const fix = 'Set it before the first chunk of a stream, and not in "response.after"'
  const error = new Error(`Cannot set the header "${name}" of the answer of ${label}: its head has left. ${fix}`)
  if (app.isStrict) {
    lateChanges.set(call, name)
    throw error
  }
  if (warned.has(endpoint ?? app)) return
  warned.add(endpoint ?? app)
  call.report('warn', { route: endpoint?.route }, error.message)
}

/** Value of `abandonedTurn` if no step is pending. */
export const NO_TURN = -1
const NO_REPLY = serializedReply(500, null, NO_PAYLOAD)

export function clientGone(): DOMException {
  return new DOMException('The client went away', 'AbortError')
}
