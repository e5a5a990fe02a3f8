/** Program that runs test files for `verbena dev --test`, and sends the result. It imports no other file. */
import { resolve } from 'node:path'
import { run, type EventData } from 'node:test'
import type { TestEvent } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'

/** Maximum length of the stored output of a test file. */
const MAX_OUTPUT = 8_192

export interface TestFailure {
  /** Names of the suites and of the test; empty for a file that failed as a whole. */
  readonly name: string
  readonly file: string
  readonly line: number
  readonly message: string
  /** Contains the place of the error. */
  readonly stack: string
}

export interface TestReport {
  readonly passed: number
  readonly failures: readonly TestFailure[]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.on('disconnect', endGroup)
  /* c8 ignore next -- `verbena dev` ended the run before it began */
  if (!process.connected) endGroup()
  process.send?.(await runTests(process.argv.slice(2)))
  process.off('disconnect', endGroup).disconnect()
}

/* c8 ignore start -- a process that ends by a signal reports no coverage; test-runs.test.ts tests it */
/** Ends this process and the processes of the tests. */
function endGroup(): void {
  process.kill(process.platform === 'win32' ? process.pid : -process.pid, 'SIGKILL')
}
/* c8 ignore stop */

async function runTests(files: string[]): Promise<TestReport> {
  const names: string[] = []
  const output = new Map<string | undefined, string>()
  const failures: TestFailure[] = []
  let passed = 0
  const events: AsyncIterable<TestEvent> = run({ files, concurrency: true })
  for await (const { type, data } of events) {
    if (type === 'test:start') names.splice(data.nesting, Infinity, data.name)
    else if (type === 'test:pass') passed += isFinished(data) ? 1 : 0
    else if (type === 'test:fail') failures.push(...describeFailure(data, names, output))
    else if (type === 'test:stderr' || type === 'test:diagnostic') {
      output.set(data.file, `${output.get(data.file) ?? ''}${data.message}`.slice(-MAX_OUTPUT))
    }
  }
  return { passed, failures }
}

function isFinished({ name, file = '', details, skip, todo }: EventData.TestPass): boolean {
  return details.type !== 'suite' && resolve(name) !== file && skip === undefined && todo === undefined
}

/** Returns nothing for a test that is not done yet, and for a suite with failed tests. */
function describeFailure(
  { name, file = '', line = 1, nesting, todo, details: { error } }: EventData.TestFail,
  names: readonly string[],
  output: ReadonlyMap<string | undefined, string>,
): TestFailure[] {
  if (todo !== undefined || Reflect.get(error, 'failureType') === 'subtestsFailed') return []
  if (resolve(name) === file) {
    // Node does not name the file of an error after the end of its tests.
    const stack = output.get(file) ?? output.get(undefined) ?? `exit code ${String(Reflect.get(error, 'exitCode'))}`
    const message = stack.replace(/^(?: +at .*|Node\.js v.*)?\n/gm, '').trim()
    return [{ name: '', file, line, message, stack }]
  }
  const { message, stack = '' } = error.cause instanceof Error ? error.cause : error
  return [{ name: [...names.slice(0, nesting), name].join(' > '), file, line, message, stack }]
}
