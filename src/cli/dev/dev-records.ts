/** Stores requests, log lines and failures of an app, over restarts and while no process runs. */
import { readFileSync } from 'node:fs'
import { isAbsolute, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Incident } from '../../devconsole/wire/feed-types.js'
import type { CodePlace, LogLine, SourceExcerpt } from '../../devconsole/wire/request-types.js'
import type { ShownRecord } from '../../devconsole/wire/view-types.js'
import { Secrets } from '../../secrets/secrets.js'
import { valueOr } from '../../values/value-or.js'
import type { DevFailure, DevRun, OfRun } from './dev-state.js'
import type { FromConsole } from './message-types.js'

/** Limits of the stored JSON, 8 MB in total. */
const MAX_RECORDS = { count: 200, bytes: 6 * 1024 * 1024 }
const MAX_LINES = { count: 1_000, bytes: 1.5 * 1024 * 1024 }
const MAX_INCIDENTS = { count: 50, bytes: 0.5 * 1024 * 1024 }
const MAX_RUNS = 20
/** Sequences that color a terminal. The commands escape all others, because removing them could hide a part of the error. */
const COLORS = /\p{Cc}\[[\d;]*m/gu
/** Characters around a position in stacks of Node and messages of compilers. */
const SEPARATORS = /[\s()'"]/
/** A position in a file, and the column after it. */
const POSITION = /^(.+\.[cm]?[jt]sx?):(\d{1,7})(?::|$)/
const LIBRARY = /[\\/]node_modules[\\/]/
const LINES_AROUND = 1
const MAX_LINE_LENGTH = 300

/** The part of the state that does not depend on the running app. */
interface StoredState {
  readonly runs: readonly DevRun[]
  readonly records: readonly OfRun<ShownRecord>[]
  readonly lines: readonly OfRun<LogLine>[]
  readonly incidents: readonly OfRun<Incident>[]
  readonly dropped: number
}

export class DevRecords {
  readonly #root: string
  readonly #onLine: (line: OfRun<LogLine>) => void
  readonly #runs: DevRun[] = []
  readonly #records = new TextRing(MAX_RECORDS)
  readonly #lines = new TextRing(MAX_LINES)
  readonly #incidents = new TextRing(MAX_INCIDENTS)
  #dropped = 0
  #started = 0

  /** @param root folder of the project */
  constructor(root: string, onLine: (line: OfRun<LogLine>) => void) {
    this.#root = root
    this.#onLine = onLine
  }

  /** Begins a run. Returns its number. */
  begin(pid: number): number {
    const number = ++this.#started
    this.#runs.push({ number, pid, started: Date.now(), ended: null, failure: null })
    if (this.#runs.length > MAX_RUNS) this.#runs.shift()
    return number
  }

  ended(number: number): void {
    this.#change(number, { ended: Date.now() })
  }

  /** Stores the failure of a run, with the last output of its process. */
  failed(number: number, message: string, output: string): void {
    const text = new Secrets().hide(output.replaceAll(COLORS, ''))
    const place = findOwnPlace(text, this.#root)
    const failure: DevFailure = {
      time: Date.now(),
      message,
      output: text,
      place,
      source: readExcerpt(place, this.#root),
    }
    this.#change(number, { failure })
  }

  #change(number: number, change: Partial<DevRun>): void {
    const index = this.#runs.findIndex((run) => run.number === number)
    const run = this.#runs[index]
    if (run !== undefined) this.#runs[index] = { ...run, ...change }
  }

  /** Stores a message of a run. Returns the request in it, or `null`. */
  receive(run: number, message: FromConsole): OfRun<ShownRecord> | null {
    if (message.verbena === 'lines') {
      for (const line of message.lines) this.#addLine({ ...line, run })
      return null
    }
    if (message.verbena === 'incident') {
      this.#incidents.add(JSON.stringify({ ...message.incident, run }))
      return null
    }
    this.#dropped += message.dropped
    // Proof: the console of the app has written it.
    const record = { ...(JSON.parse(message.text) as ShownRecord), run }
    this.#records.add(JSON.stringify(record))
    return record
  }

  #addLine(line: OfRun<LogLine>): void {
    this.#lines.add(JSON.stringify(line))
    this.#onLine(line)
  }

  read(): StoredState {
    return {
      runs: this.#runs.toReversed(),
      records: this.#records.read(),
      lines: this.#lines.read(),
      incidents: this.#incidents.read(),
      dropped: this.#dropped,
    }
  }
}

/** Stores JSON, with a maximum number of items and bytes. The newest items displace the oldest. */
class TextRing {
  readonly #limits: { readonly count: number; readonly bytes: number }
  readonly #texts: string[] = []
  #bytes = 0

  constructor(limits: { readonly count: number; readonly bytes: number }) {
    this.#limits = limits
  }

  add(text: string): void {
    this.#texts.push(text)
    this.#bytes += Buffer.byteLength(text)
    while (this.#texts.length > this.#limits.count || this.#bytes > this.#limits.bytes) {
      this.#bytes -= Buffer.byteLength(String(this.#texts.shift()))
    }
  }

  /** Returns the parsed items, newest first. */
  read<Item>(): Item[] {
    // Proof: the class that uses the ring has written them.
    return this.#texts.map((text) => JSON.parse(text) as Item).toReversed()
  }
}

/** Returns the first position in a file of the project, outside of packages. */
export function findOwnPlace(output: string, root: string): CodePlace | null {
  for (const word of output.split(SEPARATORS)) {
    const [, name = '', line] = POSITION.exec(word) ?? []
    const path = name.startsWith('file:') ? valueOr(() => fileURLToPath(name), '') : name
    const file = relative(root, path)
    if (!isAbsolute(path) || file.startsWith('..') || isAbsolute(file) || LIBRARY.test(path)) continue
    return { file, line: Number(line) }
  }
  return null
}

function readExcerpt(place: CodePlace | null, root: string): SourceExcerpt | null {
  if (place === null) return null
  const text = valueOr(() => readFileSync(resolve(root, place.file), 'utf8'), null)
  if (text === null) return null
  const first = Math.max(1, place.line - LINES_AROUND)
  const hider = new Secrets()
  const lines = text.split(/\r?\n/).slice(first - 1, place.line + LINES_AROUND)
  return { ...place, first, lines: lines.map((line) => hider.hide(line.slice(0, MAX_LINE_LENGTH))) }
}
