/**
 * A process that runs examples one after the other: `example-runner.ts <file for the results> <example>...`.
 * It reports sockets, timers and child processes that an example leaves open, and exits in spite of them.
 */
import { writeFileSync } from 'node:fs'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

/** Error message of each example that was started; empty if it passed. */
export type ExampleResults = Record<string, string>

const MAX_MS = 30_000
const LEAKS: ReadonlySet<string> = new Set([
  'TCPServerWrap',
  'PipeServerWrap',
  'TCPSocketWrap',
  'Timeout',
  'ChildProcess',
])

const [resultFile = '', ...files] = process.argv.slice(2)
const results: ExampleResults = {}
let unhandled = ''

process.on('unhandledRejection', (error) => note(error))
process.on('uncaughtException', (error) => note(error))

for (const file of files) {
  unhandled = ''
  results[file] = 'It ended the process, or waits forever'
  save()
  results[file] = (await run(file)) || unhandled
  save()
}
process.exit()

async function run(file: string): Promise<string> {
  const before = resources()
  const limit = new AbortController()
  const late = sleep(MAX_MS, `It did not finish after ${MAX_MS / 1000} s`, { signal: limit.signal, ref: false })
  const done = import(pathToFileURL(file).href).then(
    () => '',
    (error: unknown) => formatOutput(error),
  )
  const result = await Promise.race([done, late])
  limit.abort()
  late.catch(() => undefined)
  await sleep(0)
  // A closed handle remains listed until the event loop has processed its close callback: in this turn, or in the next turn if
  // it was closed in the close phase. On a busy machine, the timer above can fire before that.
  await turn()
  await turn()
  return result || leakText(before)
}

function leakText(before: readonly string[]): string {
  const left = [...before]
  const leaks = resources().filter((resource) => {
    const known = left.indexOf(resource)
    if (known >= 0) left.splice(known, 1)
    return known < 0
  })
  return leaks.length === 0 ? '' : `It leaves open: ${leaks.join(', ')}. An example that listens closes the app`
}

function resources(): string[] {
  return process.getActiveResourcesInfo().filter((resource) => LEAKS.has(resource))
}

function note(error: unknown): void {
  unhandled = `Unhandled: ${formatOutput(error)}`
}

function formatOutput(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

function save(): void {
  writeFileSync(resultFile, JSON.stringify(results))
}
