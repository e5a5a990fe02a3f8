/** The trail of a call that is recorded. */
import {
  RequestRecorder,
  type CallHead,
  type OpenServiceCall,
  type TrailAnswer,
  type RecordedRequest,
} from '../../observe/request-recorder.js'
import { ServiceCalls } from './service-calls.js'
import type { RequestRedactor } from '../redact/request-redactor.js'
import type { KeptLine } from '../store/log-store.js'
import { RequestSecrets } from '../redact/request-secrets.js'
import type { WallClock } from '../store/wall-clock.js'

const MAX_LINES = 200
const MAX_LINE_BYTES = 100 * 1024
const NO_LINES: readonly KeptLine[] = []

export interface TrailOwner {
  readonly clock: WallClock
  readonly hider: RequestRedactor
  readonly boot: string
  count(): number
  named(trail: RecordedTrail, requestId: string): void
  finish(trail: RecordedTrail, facts: RecordedRequest): void
}

export class RecordedTrail extends RequestRecorder {
  requestId: string | null = null
  lines: readonly KeptLine[] = NO_LINES
  /** Calls of services; `null` before the first. */
  calls: ServiceCalls | null = null
  lineCount: number = 0
  lineBytes: number = 0
  /** Whether it was told of its end. */
  isEnded: boolean = false
  readonly #owner: TrailOwner
  readonly #number: number
  #secrets: RequestSecrets | null = null

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
    // Asking for the hider gathers what has been sent since the last call.
    const { hider } = this
    this.calls ??= new ServiceCalls(this.began, hider)
    return this.calls.open(name, args, method)
  }

  /** Takes out secrets, those of this request too. */
  get hider(): RequestRedactor {
    this.#secrets ??= new RequestSecrets(this.#owner.hider)
    if (this.sources !== null) this.#secrets.gather(this.sources)
    return this.#secrets.hider
  }

  /** Keeps a line, if it came before the end. */
  keep(line: KeptLine): void {
    this.lineCount++
    const fits = this.lines.length < MAX_LINES && this.lineBytes + line.bytes <= MAX_LINE_BYTES
    if (this.isEnded || !fits) return
    this.lines = [...this.lines, line]
    this.lineBytes += line.bytes
  }

  /** Gathers the secrets of the answer, once the call has ended. */
  gatherAnswer(answer: TrailAnswer): void {
    this.#secrets ??= new RequestSecrets(this.#owner.hider)
    this.#secrets.gatherAnswer(answer)
  }

  override end(facts: RecordedRequest): void {
    if (this.isEnded) return
    this.isEnded = true
    this.sources = facts
    this.#owner.finish(this, facts)
    this.sources = null
  }
}
