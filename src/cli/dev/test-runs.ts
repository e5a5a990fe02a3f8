/** Runs the tests of `verbena dev --test`, one run at a time. A change ends the run in progress. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { firstPlace } from '../module-error.js'
import { formatPlace, showPath, type PlaceMembers } from '../source-places.js'
import { formatCount } from '../terminal.js'
import type { TestFailure, TestReport } from './test-child.js'

/* c8 ignore next -- one is for the source, the other for the package */
const CHILD = import.meta.url.endsWith('.ts') ? 'test-child.ts' : 'cli-test.js'
/** Maximum number of files that are listed. */
const MAX_NAMES = 3
/** Maximum number of lines of a failure. */
const MAX_LINES = 20

type ShownFailure = PlaceMembers & { readonly name: string; readonly message: string }

/** A run has ended. */
export interface TestsEvent {
  readonly event: 'tests'
  readonly files: readonly string[]
  readonly passed: number
  readonly failures: readonly ShownFailure[]
  readonly ms: number
}

export interface TestRunsOptions {
  /** Options of Node that load the modules of the app. */
  readonly loaders: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Returns the test files for changed files. */
  readonly select: (changed: ReadonlySet<string>) => Promise<readonly string[]>
  readonly emit: (event: TestsEvent) => void
}

export class TestRuns {
  readonly #options: TestRunsOptions
  /** Changed files whose tests have not ended. */
  readonly #changed = new Set<string>()
  #changes = 0
  /** Count of changes at the start of the newest run. */
  #seen = 0
  #child: ChildProcess | null = null
  #last: Promise<void> = Promise.resolve()

  constructor(options: TestRunsOptions) {
    this.#options = options
  }

  /** Adds a changed file, and ends the run in progress. The next run contains its tests. */
  change(path: string): void {
    this.#changed.add(path)
    void this.end()
    this.#changes++
  }

  /** Runs the tests of the changed files, unless a run has begun since the last change. */
  start(): void {
    if (this.#seen === this.#changes) return
    const change = this.#changes
    this.#seen = change
    this.#last = this.#last.then(() => this.#run(change))
  }

  /** Ends the run in progress. Resolves when it has ended. */
  end(): Promise<void> {
    this.#seen = ++this.#changes
    if (this.#child?.connected === true) this.#child.disconnect()
    return this.#last
  }

  async #run(change: number): Promise<void> {
    const isOld = (): boolean => change !== this.#changes
    if (isOld()) return
    const begin = performance.now()
    const result = await this.#test(isOld).catch((error: unknown) => {
      return { files: [], passed: 0, failures: [{ file: null, line: null, name: '', message: String(error) }] }
    })
    if (isOld()) return
    this.#changed.clear()
    this.#options.emit({ event: 'tests', ...result, ms: Math.round(performance.now() - begin) })
  }

  async #test(isOld: () => boolean): Promise<Pick<TestsEvent, 'files' | 'passed' | 'failures'>> {
    const files = await this.#options.select(this.#changed)
    if (files.length === 0 || isOld()) return { files: [], passed: 0, failures: [] }
    const { passed, failures } = await this.#runFiles(files)
    return { files: files.map(showPath), passed, failures: failures.map(toShownFailure) }
  }

  async #runFiles(files: readonly string[]): Promise<TestReport> {
    const { loaders, env } = this.#options
    const child = spawn(process.execPath, [...loaders, fileURLToPath(new URL(CHILD, import.meta.url)), ...files], {
      env,
      // The child ends its whole group when this process disconnects or ends.
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    this.#child = child
    let report: TestReport | null = null
    let output = ''
    // Proof: the program sends only its report.
    child.on('message', (message) => (report = message as TestReport))
    child.stderr?.on('data', (chunk: Buffer) => (output += String(chunk)))
    // A child does not emit `close` if this process disconnects.
    await Promise.all([once(child, 'exit'), once(child, 'disconnect'), once(Object(child.stderr), 'close')])
    if (report === null) throw new Error(`Node ended with exit code ${child.exitCode}\n${output}`)
    return report
  }
}

function toShownFailure({ name, file, line, message, stack }: TestFailure): ShownFailure {
  const place = firstPlace({ name, message: '', stack }) ?? { file: showPath(file), line }
  return { ...place, name, message }
}

/** Formats a result as a line, and a text for each failure. */
export function formatTests({ files, passed, failures, ms }: TestsEvent): string[] {
  const tests = formatCount(passed + failures.length, 'test')
  const names = files.length > MAX_NAMES ? formatCount(files.length, 'file') : files.join(', ')
  if (failures.length > 0) return [`${failures.length} of ${tests} failed in ${ms} ms`, ...failures.map(formatFailure)]
  return [files.length === 0 ? 'No test imports the changed files' : `${tests} passed in ${ms} ms: ${names}`]
}

function formatFailure({ name, message, ...place }: ShownFailure): string {
  const lines = message.trim().split('\n').slice(0, MAX_LINES)
  return [`${formatPlace(place)} ${name}`.trimEnd(), ...lines.map((line) => `  ${line}`.trimEnd())].join('\n')
}
