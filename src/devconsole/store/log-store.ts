/** Stores the newest log lines. Secrets are replaced before a line is stored. */
import type { ObservedLine } from '../../observe/request-recorder.js'
import { isObject } from '../../values/objects.js'
import { Budget } from './budget.js'
import { cutToLength, cut } from '../redact/cut.js'
import type { RequestRedactor } from '../redact/request-redactor.js'
import { Ring, type SizedItem } from './ring.js'
import { RECORD_ADDRESS } from '../wire/record-address.js'
import type { LogLine } from '../wire/request-types.js'

const MAX_LINES = 2_000
const MAX_BYTES = 4 * 1024 * 1024
/** Maximum number of characters in a message, and in the fields of a line. */
const MAX_TEXT_LENGTH = 2_048
const MAX_LEVEL_LENGTH = 20
/** Bytes of a line without its strings, and of each value in its fields. */
const [OF_LINE, OF_VALUE] = [300, 80]
const BUDGET = { atOnce: 2_000, perSecond: 1_000, inRow: 1 }
/** Fields that are not stored, because the line refers to its request. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set(['requestId', 'traceId'])

export interface StoredLine extends SizedItem {
  readonly line: LogLine
}

export class LogStore {
  readonly #ring = new Ring<StoredLine>(MAX_LINES, MAX_BYTES)
  readonly #budget = new Budget(BUDGET, performance.now())
  readonly #hider: RequestRedactor
  #seq = 0

  constructor(hider: RequestRedactor) {
    this.#hider = hider
  }

  get items(): readonly StoredLine[] {
    return this.#ring.items
  }

  /** Stores a line and returns it; `null` if there are too many lines per second. */
  add(watched: ObservedLine, request: string | null, hider: RequestRedactor = this.#hider): StoredLine | null {
    if (!this.#budget.take(performance.now())) return null
    const [fields, size] = limitFields(watched.fields, hider)
    const message = hider.hide(cutToLength(watched.message, MAX_TEXT_LENGTH))
    const level = cut(watched.level, MAX_LEVEL_LENGTH)
    const line = { seq: ++this.#seq, time: Date.now(), level, message, fields, request }
    const entry = { line, bytes: OF_LINE + 2 * message.length + size }
    this.#ring.add(entry)
    return entry
  }

  of(id: string): LogLine[] {
    return this.#ring.items.filter(({ line }) => line.request === id).map(({ line }) => line)
  }

  clear(): void {
    this.#ring.clear()
  }
}

function limitFields(fields: object, hider: RequestRedactor): readonly [LogLine['fields'], number] {
  const entries = Object.entries(fields).filter(([name, value]) => !SHOWN_ELSEWHERE.has(name) && !isLink(name, value))
  if (entries.length === 0) return [null, 0]
  const text = JSON.stringify(hider.value(Object.fromEntries(entries)))
  if (text.length > MAX_TEXT_LENGTH) return [{ '…': `[${text.length} characters]` }, OF_VALUE]
  // Strings of the copy can be slices of longer strings, but parsed strings are not. Proof: the copy of an object is an object.
  const limitedFields = JSON.parse(text) as Readonly<Record<string, unknown>>
  return [limitedFields, 2 * text.length + OF_VALUE * countValues(limitedFields)]
}

/** Whether a field is the link that error lines have in the terminal. */
function isLink(name: string, value: unknown): boolean {
  return name === 'console' && typeof value === 'string' && value.includes(RECORD_ADDRESS)
}

/** Returns the number of values in the copy of a value: at most 100. */
function countValues(value: unknown): number {
  return isObject(value) ? Object.values(value).reduce<number>((sum, content) => sum + countValues(content), 1) : 1
}
