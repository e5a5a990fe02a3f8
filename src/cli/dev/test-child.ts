/** Program that runs test files for `verbena dev --test`, and sends the result. It imports no other file. */
import { resolve } from 'node:path'
import { run, type EventData } from 'node:test'
import type { TestEvent } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'

export interface FailedTest {
  /** Empty for a file that failed as a whole. */
  readonly name: string
  readonly file: string
  readonly line: number
  readonly message: string
  /** Contains the place of the error. */
  readonly stack: string
}

export interface TestReport {
  readonly passedCount: number
  readonly failures: readonly FailedTest[]
}

/** Tests that run when no test has ended for some time. */
export interface RunningTests {
  /** Paths of files, each with the name of its last test, which can be empty. */
  readonly running: readonly (readonly [file: string, name: string])[]
}

/** Time without the end of a test after which the running ones are reported, in ms. */
const QUIET_TIME = 10_000

/* c8 ignore next -- a branch of the program, which tests also import as a module */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.on('disconnect', endGroup)
  /* c8 ignore next -- `verbena dev` ended the run before it began */
  if (!process.connected) endGroup()
  process.send?.(await runTests(process.argv.slice(2)))
  process.off('disconnect', endGroup).disconnect()
}

/* c8 ignore start -- a process that ends by a signal reports no coverage; test-runs.test.ts tests it */
function endGroup(): void {
  process.kill(process.platform === 'win32' ? process.pid : -process.pid, 'SIGKILL')
}
/* c8 ignore stop */

async function runTests(files: string[]): Promise<TestReport> {
  const output = new Map<string | undefined, string>()
  const running = new Map<string, string>()
  const failures: FailedTest[] = []
  let passedCount = 0
  let reported = ''
  const timer = setInterval(() => {
    const names = String([...running])
    if (names !== reported) process.send?.({ running: [...running] })
    reported = names
  }, QUIET_TIME)
  const events: AsyncIterable<TestEvent> = run({ files, concurrency: true })
  for await (const { type, data } of events) {
    if (type === 'test:pass') passedCount += isTest(data) ? 1 : 0
    else if (type === 'test:fail') failures.push(...toFailure(data, output))
    else if (type === 'test:dequeue') running.set(String(data.file), isFileResult(data) ? '' : data.name)
    else if (type === 'test:complete') {
      timer.refresh()
      if (isFileResult(data)) running.delete(String(data.file))
      else running.set(String(data.file), '')
    } else if (type === 'test:stderr' || type === 'test:diagnostic') {
      output.set(data.file, (output.get(data.file) ?? '') + data.message)
    }
  }
  clearInterval(timer)
  return { passedCount, failures }
}

function isFileResult({ name, file }: Pick<EventData.TestPass, 'name' | 'file'>): boolean {
  return resolve(name) === file
}

function isTest(data: EventData.TestPass): boolean {
  return data.details.type !== 'suite' && !isFileResult(data) && (data.skip ?? data.todo) === undefined
}

function toFailure(
  { name, file = '', line = 1, todo, details: { error } }: EventData.TestFail,
  output: ReadonlyMap<string | undefined, string>,
): FailedTest[] {
  if (todo !== undefined || Reflect.get(error, 'failureType') === 'subtestsFailed') return []
  const { message, stack = '' } = error.cause instanceof Error ? error.cause : error
  if (resolve(name) !== file) return [{ name, file, line, message, stack }]
  // Node does not name the file of an error after the end of its tests.
  const text = output.get(file) ?? output.get(undefined) ?? message
  return [{ name: '', file, line, message: text.replace(/^(?: +at .*|Node\.js v.*)?\n/gm, ''), stack: text }]
}
