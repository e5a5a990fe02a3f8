/** File of `devConsole.keep`: notable records and runs of the app for the next process. Secrets are already replaced. */
import { createHash } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { EarlierRun } from '../wire/feed-types.js'
import type { ShownRecord } from '../wire/view-types.js'
import type { StoredRecord } from './record-store.js'

/** Start of each file. A file with another start is never replaced. */
const FILE_START = '{"format":"verbena-console"'
/** Increment it if the shape of records or runs changes. */
const VERSION = 2
export const MAX_STORED_BYTES: number = 8 * 1024 * 1024
const MAX_STORED_RECORDS = 500
const MAX_RUNS = 5
/** Delay after a change, and minimum time between two writes. */
const [DELAY_MS, PAUSE_MS] = [100, 1_000]
const FIRST_LINE_LENGTH = firstLine('0'.repeat(64)).length
/** Only the user can read the file and its directory. */
const [FILE_MODE, DIRECTORY_MODE] = [0o600, 0o700]

/** Data of the current process. */
export interface RunFileSource {
  run(): EarlierRun
  /** Notable records, newest first. */
  records(): readonly StoredRecord[]
  /** Returns all data of a request. */
  show(recorded: StoredRecord): ShownRecord
  /** Adds the source lines of its error. */
  addSource(record: ShownRecord): Promise<ShownRecord>
  isPinned(recorded: StoredRecord): boolean
}

/** The lines after the first one, as an object. */
interface StoredContent {
  readonly app: string
  readonly runs: readonly EarlierRun[]
  readonly records: readonly ShownRecord[]
}

interface RecordText {
  readonly text: string
  readonly isPinned: boolean
}

interface RunFileOptions {
  readonly path: string
  /** Name of the app. */
  readonly app: string
  readonly warn: (message: string) => void
}

export class RunFile {
  /** Runs of the file, newest first. */
  runs: readonly EarlierRun[] = []
  /** Records of the file, newest first. */
  records: readonly StoredRecord[] = []
  readonly #earlier = new WeakSet<StoredRecord>()
  readonly #path: string
  readonly #options: RunFileOptions
  /** JSON of each request. Only a pin changes it. */
  readonly #texts = new WeakMap<StoredRecord, RecordText>()
  #source: RunFileSource | null = null
  #timer: NodeJS.Timeout | null = null
  #writing: Promise<void> | null = null
  #isDirty = false
  #canWrite = true
  readonly #exit = (): void => this.#writeNow()

  constructor(options: RunFileOptions) {
    this.#path = resolve(options.path)
    this.#options = options
  }

  /** Reads the file. A missing file is empty; any other error is one warning. */
  async read(): Promise<void> {
    const text = await readStoredText(this.#path)
    if (text === '') return
    if (text === null || !text.startsWith(FILE_START)) return this.#ignore()
    const content = readContent(text)
    if (content === null) {
      this.#options.warn(
        `Console: ${this.#name} is damaged. Its content is ignored, and replaced by the next failing request`,
      )
      return
    }
    if (content.app !== this.#options.app) return this.#ignore()
    this.runs = content.runs
    this.records = content.records.map((record) => this.#storedRecord(record))
  }

  #storedRecord(record: ShownRecord): StoredRecord {
    const text = JSON.stringify(record)
    const recorded = { record, bytes: Buffer.byteLength(text) }
    this.#texts.set(recorded, { text, isPinned: record['dev.pinned'] })
    this.#earlier.add(recorded)
    return recorded
  }

  get #name(): string {
    return `"${this.#options.path}"`
  }

  #ignore(): void {
    this.#canWrite = false
    this.#options.warn(
      `Console: ${this.#name} is not a file of this app's console, so it is not read and not replaced. Delete it, or set "devConsole.keep" to another path`,
    )
  }

  begin(source: RunFileSource): void {
    if (!this.#canWrite) return
    this.#source = source
    process.on('exit', this.#exit)
  }

  /** Writes the file soon if `isNotable`, otherwise with the next notable record or at the end of the process. */
  changed(isNotable: boolean): void {
    this.#isDirty = true
    if (isNotable) this.#schedule(DELAY_MS)
  }

  /** Deletes runs and requests of earlier processes. */
  clear(): void {
    this.runs = []
    this.records = []
    this.changed(true)
  }

  close(): void {
    this.#writeNow()
    process.off('exit', this.#exit)
    this.#source = null
  }

  #schedule(delay: number): void {
    const source = this.#source
    if (source === null || this.#writing !== null) return
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#writing = this.#write(source).finally(() => {
        this.#writing = null
        if (this.#isDirty) this.#schedule(PAUSE_MS)
      })
    }, delay).unref()
  }

  async #write(source: RunFileSource): Promise<void> {
    this.#isDirty = false
    const temporary = `${this.#path}.tmp`
    try {
      await this.#prepareTexts(source)
      await mkdir(dirname(this.#path), { recursive: true, mode: DIRECTORY_MODE })
      // An existing file would keep its mode.
      await rm(temporary, { force: true })
      await writeFile(temporary, this.#content(source), { mode: FILE_MODE })
      // `close` has written newer data.
      if (this.#source === source) await rename(temporary, this.#path)
      else await rm(temporary, { force: true })
    } catch (error) {
      this.#failed(error)
    }
  }

  async #prepareTexts(source: RunFileSource): Promise<void> {
    for (const recorded of source.records()) {
      if (this.#knownText(recorded, source) !== undefined) continue
      const record = await source.addSource(source.show(recorded))
      this.#texts.set(recorded, { text: JSON.stringify(record), isPinned: record['dev.pinned'] })
    }
  }

  /** Writes at the end of the process, when asynchronous functions cannot be used. */
  #writeNow(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#source === null || !(this.#isDirty || this.#writing !== null)) return
    this.#isDirty = false
    const temporary = `${this.#path}.exit.tmp`
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: DIRECTORY_MODE })
      rmSync(temporary, { force: true })
      writeFileSync(temporary, this.#content(this.#source), { mode: FILE_MODE })
      renameSync(temporary, this.#path)
    } catch (error) {
      this.#failed(error)
    }
  }

  /** After an error, the file is not written again, so that there is one warning. */
  #failed(error: unknown): void {
    this.#options.warn(`Console: failed to write ${this.#name}: ${String(error)}`)
    this.#source = null
  }

  /** Returns the content of the file. The oldest records beyond the limits are omitted. */
  #content(source: RunFileSource): string {
    const runs = [source.run(), ...this.runs].slice(0, MAX_RUNS)
    const head = `"app":${JSON.stringify(this.#options.app)},\n"runs":${JSON.stringify(runs)},\n"records":[\n`
    const texts: string[] = []
    let bytes = FIRST_LINE_LENGTH + Buffer.byteLength(head) + 4
    for (const recorded of [...source.records(), ...this.records].slice(0, MAX_STORED_RECORDS)) {
      const text = this.#knownText(recorded, source) ?? JSON.stringify(source.show(recorded))
      bytes += Buffer.byteLength(text) + 2
      if (bytes > MAX_STORED_BYTES) break
      texts.push(text)
    }
    const lines = `${head}${texts.join(',\n')}\n]}\n`
    return `${firstLine(digest(lines))}${lines}`
  }

  #knownText(recorded: StoredRecord, source: RunFileSource): string | undefined {
    const cached = this.#texts.get(recorded)
    const isCurrent = this.#earlier.has(recorded) || cached?.isPinned === source.isPinned(recorded)
    return isCurrent ? cached?.text : undefined
  }
}

/** The hash of all other lines shows that no other program has changed them, so Verbena does not check their shape. */
function firstLine(hash: string): string {
  return `${FILE_START},"v":${VERSION},"sha256":"${hash}",\n`
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Returns `null` for a file of another version, and for a file that other programs have changed. */
function readContent(text: string): StoredContent | null {
  const end = text.indexOf('\n') + 1
  if (text.slice(0, end) !== firstLine(digest(text.slice(end)))) return null
  // Proof: the hash shows that this class has written the file.
  return JSON.parse(text) as StoredContent
}

/** Returns an empty string for a missing file, and `null` for anything else that cannot be read. */
async function readStoredText(path: string): Promise<string | null> {
  try {
    const stats = await stat(path)
    return stats.isFile() && stats.size <= MAX_STORED_BYTES ? await readFile(path, 'utf8') : null
  } catch (error) {
    return error instanceof Error && Reflect.get(error, 'code') === 'ENOENT' ? '' : null
  }
}
