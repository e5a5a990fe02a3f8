/** The recorder of one request, as the console implements it. */
import {
  RequestRecorder,
  type CallHead,
  type OpenServiceCall,
  type RecordedResponse,
  type RecordedRequest,
} from '../../observe/request-recorder.js'
import type { OutgoingCall } from '../../observe/outgoing-call.js'
import { Queries, type OpenQuery } from './queries.js'
import type { Exchange, ResponseMessage } from '../../http/exchange.js'
import type { RecordLinks } from '../host/record-links.js'
import { ServiceCalls } from './service-calls.js'
import type { RequestRedactor } from '../redact/request-redactor.js'
import type { StoredLine } from '../store/log-store.js'
import type { WallClock } from '../store/wall-clock.js'

const MAX_LINES = 200
const MAX_LINE_BYTES = 100 * 1024
const NO_LINES: readonly StoredLine[] = []

export interface TrailOwner {
  readonly clock: WallClock
  readonly hider: RequestRedactor
  readonly boot: string
  /** `null` if no links are sent and logged. */
  readonly links: RecordLinks | null
  count(): number
  named(trail: RecordedTrail, requestId: string): void
  /** Runs a service call so that queries that start in it belong to it. */
  within(trail: RecordedTrail, call: number, next: () => unknown): unknown
  finish(trail: RecordedTrail, facts: RecordedRequest): void
}

export class RecordedTrail extends RequestRecorder {
  requestId: string | null = null
  lines: readonly StoredLine[] = NO_LINES
  /** Service calls; `null` before the first one. */
  calls: ServiceCalls | null = null
  /** Queries and other outgoing calls; `null` before the first one. */
  queries: Queries | null = null
  lineCount: number = 0
  lineBytes: number = 0
  /** Whether `end` was called. */
  isEnded: boolean = false
  readonly #owner: TrailOwner
  readonly #number: number
  #hider: RequestRedactor | null = null

  constructor(begun: CallHead, began: number, owner: TrailOwner) {
    super(begun, began)
    this.#number = owner.count()
    this.#owner = owner
  }

  get time(): number {
    return this.#owner.clock.at(this.began)
  }

  get id(): string {
    return `r_${this.#owner.boot}${this.#number.toString(36)}`
  }

  override named(requestId: string): void {
    this.requestId = requestId
    this.#owner.named(this, requestId)
  }

  override called(name: string, args: readonly unknown[], method?: object): OpenServiceCall | null {
    if (this.isEnded || !this.isDetailed) return null
    // Reading this getter collects the secrets of input that has arrived since the last call.
    const { hider } = this
    this.calls ??= new ServiceCalls(this.began, hider, (call, next) => this.#owner.within(this, call, next))
    return this.calls.open(name, args, method)
  }

  /** Records the start of a query; `call` is the index of the service call that sent it. */
  startQuery(outgoing: OutgoingCall, call: number | null, isAdapter: boolean): OpenQuery | null {
    if (!this.isDetailed) return null
    this.queries ??= new Queries(this.began, this.hider)
    return this.queries.open(outgoing, call, isAdapter)
  }

  /** Redactor that also knows the secret values of this request. */
  get hider(): RequestRedactor {
    this.#hider ??= this.#owner.hider.ofRequest()
    if (this.sources !== null) this.#hider.gather(this.sources)
    return this.#hider
  }

  /** Counts a log line, and stores it if the request has not ended and its limit is not reached. */
  storeLine(line: StoredLine): void {
    this.lineCount++
    const fits = this.lines.length < MAX_LINES && this.lineBytes + line.bytes <= MAX_LINE_BYTES
    if (this.isEnded || !fits) return
    this.lines = [...this.lines, line]
    this.lineBytes += line.bytes
  }

  /** Collects the secrets of the response after the request has ended. */
  gatherResponse(response: RecordedResponse): void {
    this.#hider ??= this.#owner.hider.ofRequest()
    this.#hider.gatherResponse(response)
  }

  override link(exchange: Exchange): string | null {
    return this.#owner.links?.urlFor(exchange, this.id) ?? null
  }

  /** During a flood, other requests are only stored if they failed. */
  override linkResponse(message: ResponseMessage, exchange: Exchange): ResponseMessage {
    const { links } = this.#owner
    const isStored = this.isDetailed || message.status >= 400
    return links !== null && isStored ? links.addTo(message, exchange, this.id) : message
  }

  override end(facts: RecordedRequest): void {
    if (this.isEnded) return
    this.isEnded = true
    this.sources = facts
    this.#owner.finish(this, facts)
    this.sources = null
  }
}
