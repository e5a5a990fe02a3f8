/**
 * Sends the records, log lines and problems of the console to `verbena dev`, which keeps them while the app restarts. Runs in the process of
 * the app, so it imports no other code. It never waits: requests that cannot be sent immediately are dropped and counted.
 */
import type { ConsoleSource, RecordObserver } from '../../devconsole/record/dev-lines.js'
import type { StoredLine } from '../../devconsole/store/log-store.js'
import type { StoredRecord } from '../../devconsole/store/record-store.js'
import type { Incident } from '../../devconsole/wire/feed-types.js'
import type { CapturedBody, LogLine, Message } from '../../devconsole/wire/request-types.js'
import type { ShownRecord } from '../../devconsole/wire/view-types.js'
import type { FromConsole } from './message-types.js'

/** Maximum size of a request as JSON, in bytes. */
export const MAX_RECORD_BYTES: number = 64 * 1024
/** Maximum number of items between two turns of the event loop. */
const MAX_WAITING = 200

/** Ways to shorten a record that is too large, each after the one before. */
const SHORTER: readonly ((record: ShownRecord) => ShownRecord)[] = [
  (record) => record,
  (record) => ({ ...record, request: withoutBody(record.request), response: withoutBody(record.response) }),
  (record) => ({
    ...record,
    logs: [],
    calls: [],
    callsMore: record.callsMore + record.calls.length,
    queries: [],
    queriesMore: record.queriesMore + record.queries.length,
  }),
]

export class RecordSender implements RecordObserver {
  readonly #source: ConsoleSource
  /** Returns `false` if the parent has not received earlier messages yet. */
  readonly #send: (message: FromConsole) => boolean
  #records: StoredRecord[] = []
  #lines: LogLine[] = []
  #dropped = 0
  #isScheduled = false
  /** The sending of earlier records, so that they arrive in their order. */
  #sending = Promise.resolve()

  constructor(source: ConsoleSource, send: (message: FromConsole) => boolean) {
    this.#source = source
    this.#send = send
  }

  request(recorded: StoredRecord): void {
    if (this.#records.length < MAX_WAITING) this.#records.push(recorded)
    else this.#dropped++
    this.#schedule()
  }

  line({ line }: StoredLine): void {
    if (this.#lines.length < MAX_WAITING) this.#lines.push(line)
    this.#schedule()
  }

  incident(incident: Incident): void {
    if (incident.sample === null) this.#send({ verbena: 'incident', incident })
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#sending = this.#sending.then(() => this.#flush()).catch(() => {})
    })
  }

  async #flush(): Promise<void> {
    const [records, lines] = [this.#records, this.#lines]
    this.#isScheduled = false
    this.#records = []
    this.#lines = []
    if (lines.length > 0) this.#send({ verbena: 'lines', lines })
    for (const recorded of records) this.#sendRecord(await this.#source.addSource(this.#source.show(recorded)))
  }

  #sendRecord(record: ShownRecord): void {
    const text = shortenRecord(record)
    if (text === null || !this.#send({ verbena: 'record', text, dropped: this.#dropped })) this.#dropped++
    else this.#dropped = 0
  }
}

function shortenRecord(record: ShownRecord): string | null {
  let shorter = record
  for (const shortenMore of SHORTER) {
    shorter = shortenMore(shorter)
    const text = JSON.stringify(shorter)
    if (Buffer.byteLength(text) <= MAX_RECORD_BYTES) return text
  }
  return null
}

function withoutBody({ headers, body }: Message): Message {
  return { headers, body: body === null ? null : cutBody(body) }
}

function cutBody(body: CapturedBody): CapturedBody {
  return { ...body, text: null, hex: null, omitted: 'The request is too large for verbena dev' }
}
