/**
 * Reports a request to the log, the metrics and the console. Not used if nothing observes requests. Each event is a single literal, because
 * spreading shared properties makes an `end` event cost 3 µs instead of 15 ns (Node 20).
 */
import { performance } from 'node:perf_hooks'
import type { FullReply } from '../context/reply.js'
import { checkedChunk } from '../http/chunks.js'
import type { ResponseMessage, Exchange, SentListener } from '../http/exchange.js'
import { isChunks, type Payload } from '../http/payload.js'
import { joinMount } from '../http/target.js'
import type { ServiceValues } from '../injection/services.js'
import type { Channel } from '../observe/channel.js'
import type { RequestEnd, RequestRouted } from '../observe/event-types.js'
import { hasViews, ServiceViews } from '../observe/service-view.js'
import type {
  AppObserver,
  FinishedRequest,
  PhaseNumber,
  RequestRecorder,
  RecordedRequest,
  TrailSources,
} from '../observe/request-recorder.js'
import type { Params } from '../router/match.js'
import type { Endpoint } from '../request/endpoint.js'
import type { CallFacts, CallObserver } from '../request/observer-types.js'

/** Views by route instance. `making` contains the views of the instance whose constructor is running. */
const viewsByRoute = new WeakMap<object, ServiceViews>()
let making: ServiceViews | null = null

/** Defines a service property of a route while the console may record requests. An instance of a recorded request reads a view. */
export function observedService(value: unknown, owner: object): PropertyDescriptor {
  return {
    enumerable: true,
    get(this: object) {
      const views = findViews(this, owner) ?? making
      return views === null ? value : views.view(value)
    },
  }
}

/** Also finds the views for an object that inherits from an instance, as `Object.create(this)` does. All instances inherit from `owner`. */
function findViews(route: object, owner: object): ServiceViews | undefined {
  for (let each: object | null = route; each !== null && each !== owner; each = Object.getPrototypeOf(each)) {
    const views = viewsByRoute.get(each)
    if (views !== undefined) return views
  }
  return undefined
}

/** Status of a request whose client disconnected before a byte of the response was sent, as nginx logs it. */
const CLIENT_CLOSED = 499

export class ObservedCall implements CallObserver, TrailSources, FinishedRequest {
  /** The requested version, if the path has versions. */
  requestedVersion: string | undefined = undefined
  /** Bytes of the body, if they were collected. */
  body: Uint8Array | null = null
  /** Time in ms until the response could be written or, if the request waits for that, was sent. */
  duration: number = 0
  /** Number of bytes of a streamed response so far. */
  streamed: number = 0
  /** The sent response; `null` until then, and if the client had already disconnected. */
  response: ResponseMessage | null = null
  readonly began: number = performance.now()
  readonly exchange: Exchange
  readonly #call: CallFacts
  readonly #channel: Channel
  readonly #observer: AppObserver | null
  /** Recorder for the console; `null` if the request is only counted. */
  #trail: RequestRecorder | null = null
  #views: ServiceViews | null = null

  constructor(call: CallFacts) {
    const { exchange } = call
    const { channel } = call.app
    this.exchange = exchange
    this.#call = call
    this.#channel = channel
    this.#observer = channel.observer?.observes(exchange) === true ? channel.observer : null
    const trail = this.#observer?.begin(exchange, this.began) ?? null
    if (trail !== null) this.#follow(trail)
  }

  /** Separate from the constructor, because reading `id` calls `named` on this object. */
  begin(): void {
    if (!this.#channel.hasListeners('start')) return
    const { id, traceId } = this.#call
    const { method, mount, url } = this.exchange
    this.#channel.emit('start', { requestId: id, traceId, method, url: joinMount(mount, url) })
  }

  #follow(trail: RequestRecorder): void {
    const { endpoint, pathMatch } = this.#call
    this.#trail = trail
    trail.sources = this
    trail.endpoint = endpoint
    trail.template = pathMatch === null ? null : pathMatch.entry.path
  }

  run<T>(next: (of: T) => void, of: T): void {
    if (this.#trail === null || this.#channel.context === null) next(of)
    else this.#channel.context.run(this.#trail, () => next(of))
  }

  enter(phase: PhaseNumber | null = null): void {
    if (this.#trail !== null && phase !== null) this.#trail.enter(phase)
  }

  /** Called when the request gets its id. A request that is only counted is recorded from then, because it writes a log line. */
  named(id: string): void {
    if (this.#trail === null && this.#observer !== null && !this.#call.isSent) {
      this.#follow(this.#observer.observe(this.exchange, this.began))
    }
    this.#trail?.named(id)
  }

  routed(): void {
    if (this.#trail !== null) this.#follow(this.#trail)
    if (this.#channel.hasListeners('routed')) this.#channel.emit('routed', this.#routed())
  }

  #routed(): RequestRouted {
    const { id, traceId, endpoint, pathMatch, path } = this.#call
    return {
      requestId: id,
      traceId,
      method: this.exchange.method,
      route: endpoint?.route,
      template: pathMatch?.entry.path,
      path: joinMount(this.exchange.mount, path),
      endpoint: endpoint ?? undefined,
    }
  }

  create(route: new () => object): object {
    // Most apps have no service with a view.
    if (this.#trail === null || !hasViews(this.#call.app.services.forProviders)) return new route()
    const outer = making
    const views = this.#viewsOf(this.#trail)
    making = views
    try {
      const instance = new route()
      viewsByRoute.set(instance, views)
      return instance
    } finally {
      making = outer
    }
  }

  services(values: ServiceValues): ServiceValues {
    return this.#trail === null ? values : this.#viewsOf(this.#trail).all
  }

  #viewsOf(trail: RequestRecorder): ServiceViews {
    return (this.#views ??= new ServiceViews(this.#call.app.services.forProviders, trail))
  }

  stopWatch(): void {
    this.duration = performance.now() - this.began
  }

  /** The record contains the response without the link to itself. */
  send(message: ResponseMessage, listener: SentListener | null): void {
    this.response = this.exchange.aborted ? null : message
    const isCounted = listener !== null && this.#observer !== null
    const linked = this.#linked(message)
    this.exchange.send(isCounted ? { ...linked, payload: this.#counted(linked.payload) } : linked, listener)
  }

  abandon(message: ResponseMessage): void {
    this.exchange.abandon(this.#linked(message))
    this.response = this.exchange.aborted ? null : message
  }

  #linked(message: ResponseMessage): ResponseMessage {
    return this.#trail === null ? message : this.#trail.linkResponse(message, this.exchange)
  }

  get linkField(): CallObserver['linkField'] {
    // A request that is only counted is recorded from the time that it gets its id.
    void this.#call.id
    const url = this.#trail?.link(this.exchange) ?? null
    return url === null ? null : { console: url }
  }

  #counted(payload: Payload): Payload {
    const { data } = payload
    if (!isChunks(data)) return payload
    const next = async (): Promise<IteratorResult<unknown>> => {
      const result = await data.next()
      if (result.done !== true) this.streamed += Buffer.byteLength(checkedChunk(result.value))
      return result
    }
    return { ...payload, data: { next, cancel: () => data.cancel() } }
  }

  responded(): void {
    this.#guarded(() => this.#tellEnd())
  }

  #tellEnd(): void {
    const { reply, sendError } = this.#call
    const aborted = this.exchange.aborted && sendError === undefined
    const status = aborted && this.response === null ? CLIENT_CLOSED : reply.status
    this.#channel.timer?.record(this, status)
    if (this.#channel.hasListeners('end')) this.#channel.emit('end', this.#end(reply, { status, aborted }), this)
    if (this.#trail !== null || this.#observer === null) return
    // A notable request is recorded even if it was only counted so far.
    const trail = this.#observer.passed(this, this.response === null ? 0 : this.response.status)
    if (trail !== null) this.#follow(trail)
  }

  #end(reply: FullReply, { status, aborted }: Pick<RequestEnd, 'status' | 'aborted'>): RequestEnd {
    const { id, traceId, endpoint, pathMatch, path, input } = this.#call
    return {
      requestId: id,
      traceId,
      method: this.exchange.method,
      route: endpoint?.route,
      template: pathMatch?.entry.path,
      path: joinMount(this.exchange.mount, path),
      version: pathMatch?.choice?.version,
      status,
      aborted,
      duration: this.duration,
      error: reply.error,
      input,
      output: reply.body,
      meta: endpoint?.meta,
      endpoint: endpoint ?? undefined,
    }
  }

  /** Emits `error` for a failure that the client did not cause. */
  failed(error: unknown, message: string): void {
    if (this.#channel.hasListeners('error')) this.#channel.emit('error', { ...this.#routed(), error, message })
  }

  /** Ends the record when the response is sent. */
  leaves(): void {
    if (this.#trail !== null) this.exchange.onLeft(() => this.ended())
  }

  ended(): void {
    this.#trail?.stop()
    this.#trail?.end(this.#facts())
  }

  /** Recorders read values of the author, which may throw. This must not change the request. */
  #guarded(record: () => void): void {
    try {
      record()
    } catch (error) {
      this.#call.report('warn', { err: error }, 'Failed to record a request')
    }
  }

  get prepared(): Endpoint | null {
    return this.#call.endpoint
  }

  get query(): string {
    return this.#call.query
  }

  get params(): Params {
    return this.#call.params
  }

  get headers(): Readonly<Record<string, string | undefined>> {
    return this.exchange.headers()
  }

  #facts(): RecordedRequest {
    const { exchange, response, body, streamed } = this
    const { app, endpoint, traceId, path, query, params, reply, failure } = this.#call
    return {
      traceId,
      path,
      query,
      params,
      body,
      response,
      streamed,
      client: app.clientOf(exchange),
      endpoint: endpoint ?? undefined,
      error: reply.error,
      failure: failure === null ? reply.error : failure.error,
      isSecure: exchange.isSecure,
      isAborted: exchange.aborted,
      headers: exchange.headers(),
      lines: response === null ? [] : this.#linesOf(response),
      version: this.#version(),
    }
  }

  /** Returns the header lines of the response; an empty array if reading them throws, so that the record is still completed. */
  #linesOf(message: ResponseMessage): readonly string[] {
    let lines: readonly string[] = []
    this.#guarded(() => (lines = this.exchange.linesOf(message)))
    return lines
  }

  #version(): RecordedRequest['version'] {
    const { pathMatch, endpoint } = this.#call
    const table = pathMatch?.entry.versions?.tables.get(this.exchange.method)
    if (table === undefined) return undefined
    return {
      requested: this.requestedVersion,
      constraint: endpoint?.constraint?.text,
      alternatives: table.endpoints.map(({ constraint }) => constraint.text),
    }
  }
}
