/**
 * Runs test files in one process. After each file that shares the process, a suite fails if the file has changed the state of the process
 * and not restored it. Files that change the process begin with the comment line `// own process: <why>`, and run in a separate process.
 */
import { readFileSync } from 'node:fs'
import { before, describe } from 'node:test'
import { pathToFileURL } from 'node:url'
import { findChanges, readProcessState } from './process-state.mjs'

/** A hook outside of suites, which `node:test` would run for the tests of all files. */
const SHARED_HOOK = /^(?:before|after|beforeEach|afterEach)\(/m
const FIX = 'Restore it, or write "// own process: <why>" as the first line of the file'
const CLOSE_MS = 30_000

/**
 * Runs test files one after another.
 * @param files pairs of the path of a test's source, and of the module to import
 * @param closeMs time to close after the last test, in ms; then the process ends with code 1
 */
export async function runBatch(files, closeMs = CLOSE_MS) {
  let begin
  let finishImports
  const begun = new Promise((resolve) => (begin = resolve))
  const imported = new Promise((resolve) => (finishImports = resolve))
  let state
  describe('process before the first file', () => {
    // No test begins before all files are imported, so that a change belongs to one import or to the tests of one file.
    before(async () => {
      begin()
      await imported
      state = readProcessState()
    })
  })
  // The runner adds its listeners before the first suite.
  await begun
  let loaded = readProcessState()
  for (const [source, module] of files) {
    const issues = await importFile(source, module)
    const now = readProcessState()
    issues.push(...findChanges(loaded, now))
    loaded = now
    describe(`process after ${source}`, () => {
      before(() => {
        const next = readProcessState()
        issues.push(...findChanges(state, next))
        state = next
        if (issues.length > 0) throw new Error(`${source} changes the process: ${issues.join(', ')}. ${FIX}`)
      })
    })
  }
  endAfterTests(closeMs)
  finishImports()
}

/** Ends the process some time after the last test, if something is still open. Call it when all files are imported. */
export function endAfterTests(closeMs = CLOSE_MS) {
  describe('process after the last file', () => before(() => void setTimeout(endProcess, closeMs).unref()))
}

async function importFile(source, module) {
  const issues = SHARED_HOOK.test(readFileSync(source, 'utf8')) ? ['a hook outside of suites'] : []
  try {
    await import(pathToFileURL(module).href)
  } catch (error) {
    describe(source, () => {
      before(() => {
        throw error
      })
    })
  }
  return issues
}

/** Ends a process with an open app, for example because its test failed before it closed the app. */
function endProcess() {
  const open = process.getActiveResourcesInfo().filter((name) => !/^(?:PipeWrap|TTYWrap)$/.test(name))
  console.error(`Ended after the last test, with ${open.join(', ')} still open`)
  process.exit(1)
}
