/** Program that runs test files for `verbena dev --test`, and sends the result. It imports no other file. */
import { resolve } from 'node:path'
import { run, type EventData } from 'node:test'
import type { TestEvent } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'

export interface TestFailure {
  /** Empty for a file that failed as a whole. */
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
function endGroup(): void {
  process.kill(process.platform === 'win32' ? process.pid : -process.pid, 'SIGKILL')
}
/* c8 ignore stop */

async function runTests(files: string[]): Promise<TestReport> {
  const output = new Map<string | undefined, string>()
  const failures: TestFailure[] = []
  let passed = 0
  const events: AsyncIterable<TestEvent> = run({ files, concurrency: true })
  for await (const { type, data } of events) {
    if (type === 'test:pass') passed += isTest(data) ? 1 : 0
    else if (type === 'test:fail') failures.push(...describeFailure(data, output))
    else if (type === 'test:stderr' || type === 'test:diagnostic') {
      output.set(data.file, (output.get(data.file) ?? '') + data.message)
    }
  }
  return { passed, failures }
}

function isTest({ name, file, details, skip, todo }: EventData.TestPass): boolean {
  return details.type !== 'suite' && resolve(name) !== file && (skip ?? todo) === undefined
}

function describeFailure(
  { name, file = '', line = 1, todo, details: { error } }: EventData.TestFail,
  output: ReadonlyMap<string | undefined, string>,
): TestFailure[] {
  if (todo !== undefined || Reflect.get(error, 'failureType') === 'subtestsFailed') return []
  const { message, stack = '' } = error.cause instanceof Error ? error.cause : error
  if (resolve(name) !== file) return [{ name, file, line, message, stack }]
  // Node does not name the file of an error after the end of its tests.
  const text = output.get(file) ?? output.get(undefined) ?? message
  return [{ name: '', file, line, message: text.replace(/^(?: +at .*|Node\.js v.*)?\n/gm, ''), stack: text }]
}
