/** Runs the tests of `verbena dev --test`, one run at a time. A change ends the run in progress. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { firstPlace } from '../module-error.js'
import { formatPlace, showPath, type SourcePlace } from '../source-places.js'
import { formatCount } from '../terminal.js'
import type { TestFailure, TestReport } from './test-child.js'

const NO_TESTS: TestReport = { passed: 0, failures: [] }
/* c8 ignore next -- one is for the source, the other for the package */
const CHILD = import.meta.url.endsWith('.ts') ? 'test-child.ts' : 'cli-test.js'
const PROGRAM = fileURLToPath(new URL(CHILD, import.meta.url))
/** Maximum number of names in the line about passed tests. */
const MAX_NAMES = 3
/** Maximum number of lines of a failure. */
const MAX_LINES = 20

interface ShownFailure extends SourcePlace {
  readonly name: string
  readonly message: string
}

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
    this.#last = this.#last.then(() => this.#run(change)).catch((error: unknown) => this.#fail(String(error)))
  }

  /** Ends the run in progress. Resolves when it has ended. */
  end(): Promise<void> {
    this.#seen = ++this.#changes
    if (this.#child?.connected === true) this.#child.disconnect()
    return this.#last
  }

  async #run(change: number): Promise<void> {
    const isOld = (): boolean => change !== this.#changes
    const { select, emit } = this.#options
    const files = isOld() ? [] : await select(this.#changed)
    if (isOld()) return
    const begin = performance.now()
    const { passed, failures } = files.length === 0 ? NO_TESTS : await this.#runFiles(files)
    if (isOld()) return
    this.#changed.clear()
    const ms = Math.round(performance.now() - begin)
    emit({ event: 'tests', files: files.map(showPath), passed, failures: failures.map(toShownFailure), ms })
  }

  /** Reports an error of the file system or of the start of a process. */
  #fail(message: string): void {
    const failures = [{ file: '', line: 1, name: '', message }]
    this.#options.emit({ event: 'tests', files: [], passed: 0, failures, ms: 0 })
  }

  async #runFiles(files: readonly string[]): Promise<TestReport> {
    const { loaders, env } = this.#options
    const child = spawn(process.execPath, [...loaders, PROGRAM, ...files], {
      env,
      // The child ends its whole group when this process disconnects or ends.
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    this.#child = child
    let report: TestReport | null = null
    let errors = ''
    // Proof: the program sends only its report.
    child.on('message', (message) => (report = message as TestReport))
    child.stderr?.on('data', (chunk: Buffer) => (errors += String(chunk)))
    // A child does not emit `close` if this process disconnects.
    await Promise.all([once(child, 'exit'), once(child, 'disconnect'), once(Object(child.stderr), 'close')])
    const message = errors.trim() || `Node ended with exit code ${child.exitCode}`
    return report ?? { passed: 0, failures: [{ path: [], file: '', line: 1, message, stack: message }] }
  }
}

function toShownFailure({ path, file, line, message, stack }: TestFailure): ShownFailure {
  const place = firstPlace({ name: '', message: '', stack }) ?? { file: showPath(file), line }
  return { ...place, name: path.join(' > '), message }
}

/** Formats the summary of a run. It is complete if all tests have passed. */
export function formatSummary({ files, passed, failures, ms }: TestsEvent): string {
  const count = passed + failures.length
  if (failures.length > 0) return `${failures.length} of ${formatCount(count, 'test')} failed in ${ms} ms`
  if (files.length === 0) return 'No test imports the changed files'
  const more = files.length - MAX_NAMES
  const names = files.slice(0, MAX_NAMES).join(', ')
  return `${formatCount(count, 'test')} passed in ${ms} ms: ${names}${more > 0 ? ` and ${formatCount(more, 'more file')}` : ''}`
}

export function formatFailure({ file, line, name, message }: ShownFailure): string {
  const lines = message.split('\n').slice(0, MAX_LINES)
  const place = formatPlace(file === '' ? null : { file, line })
  return [`${place} ${name}`.trimEnd(), ...lines.map((text) => `  ${text}`.trimEnd())].join('\n')
}
