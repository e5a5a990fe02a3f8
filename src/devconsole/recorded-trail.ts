/** The trail of a call that is recorded. */
import type { Linked } from './linked-list.js'
import { Trail, type CallHead, type OpenServiceCall, type TrailAnswer, type TrailFacts } from '../observe/trail.js'
import { Calls } from './calls.js'
import type { Hider } from './hider.js'
import type { KeptLine } from './log-store.js'
import { RequestSecrets } from './request-secrets.js'
import type { WallClock } from './wall-clock.js'

/** Lines of a request that are kept with it, in number and bytes. */
const MOST_LINES = 200
const MOST_LINE_BYTES = 100 * 1024

const NO_LINES: readonly KeptLine[] = []

/** Who records. */
export interface TrailOwner {
  readonly clock: WallClock
  readonly hider: Hider
  /** The start of the process. */
  readonly boot: string
  /** Numbers requests within the process. */
  count(): number
  /** A request has its id. */
  named(trail: RecordedTrail, requestId: string): void
  /** A request was answered. */
  finish(trail: RecordedTrail, facts: TrailFacts): void
}

/** The trail of a call that is recorded. */
export class RecordedTrail extends Trail implements Linked<RecordedTrail> {
  /** Id of the request, once it has one. */
  requestId: string | null = null
  /** Lines that are kept with it. */
  lines: readonly KeptLine[] = NO_LINES
  /** Calls of services; `null` before the first. */
  calls: Calls | null = null
  /** Lines that it wrote, kept or not. */
  lineCount: number = 0
  #lineBytes = 0
  /** Its place among the calls in work. */
  older: RecordedTrail | null = null
  newer: RecordedTrail | null = null
  isListed: boolean = false
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

  /** Begin, in ms since 1970. */
  get time(): number {
    return this.#owner.clock.at(this.began)
  }

  /** Id of the record. */
  get id(): string {
    return `r_${this.#owner.boot}${this.#number.toString(36)}`
  }

  /** Bytes of the lines that it keeps. */
  get lineBytes(): number {
    return this.#lineBytes
  }

  override named(requestId: string): void {
    this.requestId = requestId
    this.#owner.named(this, requestId)
  }

  override called(name: string, args: readonly unknown[], method?: object): OpenServiceCall | null {
    if (this.isEnded || !this.isDetailed) return null
    // To ask for it gathers what has been sent since the last call.
    const { hider } = this
    this.calls ??= new Calls(this.began, hider)
    return this.calls.open(name, args, method)
  }

  /** Takes out secrets, those of this request too. */
  get hider(): Hider {
    this.#secrets ??= new RequestSecrets(this.#owner.hider)
    if (this.sources !== null) this.#secrets.gather(this.sources)
    return this.#secrets.hider
  }

  /** Keeps a line, if it came before the end. */
  keep(line: KeptLine): void {
    this.lineCount++
    const fits = this.lines.length < MOST_LINES && this.#lineBytes + line.bytes <= MOST_LINE_BYTES
    if (this.isEnded || !fits) return
    this.lines = [...this.lines, line]
    this.#lineBytes += line.bytes
  }

  /** Gathers the secrets of the answer, once the call has ended. */
  gatherAnswer(answer: TrailAnswer): void {
    this.#secrets ??= new RequestSecrets(this.#owner.hider)
    this.#secrets.gatherAnswer(answer)
  }

  override end(facts: TrailFacts): void {
    if (this.isEnded) return
    this.isEnded = true
    this.sources = facts
    this.#owner.finish(this, facts)
    this.sources = null
  }
}
