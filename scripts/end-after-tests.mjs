/** Ends a process of tests that stays open after its last test, for example because a test failed before it closed its app. */
import { before, describe } from 'node:test'

const CLOSE_MS = 30_000

/** Call it when all test files of the process are imported: the suite is the last one. */
export function endAfterTests() {
  describe('process after the last file', () => before(() => void setTimeout(endProcess, CLOSE_MS).unref()))
}

function endProcess() {
  const open = process.getActiveResourcesInfo().filter((name) => !/^(?:PipeWrap|TTYWrap)$/.test(name))
  console.error(`Ended after the last test, with ${open.join(', ')} still open`)
  process.exit(1)
}
