/** Runs the tests of `verbena dev --test`, one run at a time. A change ends the run in progress. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { firstPlace } from '../module-error.js'
import { formatPlace, showPath, type PlaceMembers } from '../../prove/source-places.js'
import { formatCount } from '../terminal.js'
import { programUrl, type Program } from './app-process.js'
import type { RunningTests, FailedTest, TestReport } from './test-child.js'

const MAX_LISTED_FILES = 3
const MAX_FAILURE_LINES = 20

type ShownTestFailure = PlaceMembers & { readonly name: string; readonly message: string }

/** A run has ended. */
export interface TestsEvent {
  readonly event: 'tests'
  readonly files: readonly string[]
  readonly passed: number
  readonly failures: readonly ShownTestFailure[]
  readonly ms: number
}

/** No test has ended for some time. `tests` are the files that run, each with the name of its test. */
export interface SlowTestsEvent {
  readonly event: 'slow-tests'
  readonly tests: readonly string[]
}

/** Returns the test files for changed files. */
export type SelectTests = (changed: ReadonlySet<string>) => Promise<readonly string[]>

export class TestRuns {
  readonly #program: Pick<Program, 'options' | 'env'>
  readonly #select: SelectTests
  readonly #emit: (event: TestsEvent | SlowTestsEvent) => void
  /** Changed files whose tests have not ended. */
  readonly #changed = new Set<string>()
  #changes = 0
  /** Count of changes at the start of the newest run. */
  #seen = 0
  #child: ChildProcess | null = null
  #last: Promise<void> = Promise.resolve()

  constructor(
    program: Pick<Program, 'options' | 'env'>,
    select: SelectTests,
    emit: (event: TestsEvent | SlowTestsEvent) => void,
  ) {
    this.#program = program
    this.#select = select
    this.#emit = emit
  }

  /** Ends the run in progress. The next run also contains its tests. */
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

  end(): Promise<void> {
    this.#seen = ++this.#changes
    if (this.#child?.connected === true) this.#child.disconnect()
    return this.#last
  }

  async #run(change: number): Promise<void> {
    const isOld = (): boolean => change !== this.#changes
    if (isOld()) return
    const begin = performance.now()
    const event = { event: 'tests', files: [], passed: 0, failures: [] } as const
    const result = await this.#test(isOld).catch((error: unknown) => {
      return { failures: [{ file: null, line: null, name: '', message: String(error) }] }
    })
    if (isOld()) return
    this.#changed.clear()
    this.#emit({ ...event, ...result, ms: Math.round(performance.now() - begin) })
  }

  async #test(isOld: () => boolean): Promise<Partial<TestsEvent>> {
    const files = await this.#select(this.#changed)
    if (files.length === 0 || isOld()) return {}
    const { passedCount, failures } = await this.#runFiles(files)
    return { files: files.map(showPath), passed: passedCount, failures: failures.map(toShownFailure) }
  }

  async #runFiles(files: readonly string[]): Promise<TestReport> {
    const child = spawn(
      process.execPath,
      [...this.#program.options, fileURLToPath(programUrl('test-child.ts', 'cli-test.js')), ...files],
      {
        env: this.#program.env,
        // The child ends its group when this process disconnects.
        detached: process.platform !== 'win32',
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      },
    )
    this.#child = child
    let report: TestReport | null = null
    child.on('message', (message) => {
      // Proof: the program sends only these messages.
      const testMessage = message as TestReport | RunningTests
      if (!('running' in testMessage)) report = testMessage
      else
        this.#emit({
          event: 'slow-tests',
          tests: testMessage.running.map(([file, name]) => `${showPath(file)} ${name}`.trim()),
        })
    })
    // A child does not emit `close` if this process disconnects.
    await Promise.all([once(child, 'exit'), once(child, 'disconnect')])
    if (report === null) throw new Error(`Node ended with exit code ${child.exitCode}`)
    return report
  }
}

function toShownFailure({ name, file, line, message, stack }: FailedTest): ShownTestFailure {
  const place = firstPlace({ name, message: '', stack }) ?? { file: showPath(file), line }
  return { ...place, name, message }
}

export function formatTests({ files, passed, failures, ms }: TestsEvent): string[] {
  const tests = formatCount(passed + failures.length, 'test')
  const names = files.length > MAX_LISTED_FILES ? formatCount(files.length, 'file') : files.join(', ')
  if (failures.length > 0) return [`${failures.length} of ${tests} failed in ${ms} ms`, ...failures.map(formatTest)]
  return [files.length === 0 ? 'No test imports the changed files' : `${tests} passed in ${ms} ms: ${names}`]
}

function formatTest({ name, message, ...place }: ShownTestFailure): string {
  const lines = message.trim().split('\n').slice(0, MAX_FAILURE_LINES)
  return [`${formatPlace(place)} ${name}`.trimEnd(), ...lines.map((line) => `  ${line}`.trimEnd())].join('\n')
}
