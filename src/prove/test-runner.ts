/** The process in which a proof runs: its environment variables, and the subtests of `node:test`. */
import { readVariables } from '../values/mode.js'

/** Settings of a proof from its process. */
export interface RunSettings {
  /** Whether the proof writes its file (`UPDATE=1`). */
  readonly isUpdate: boolean
  /** Whether the process runs in continuous integration (`CI`). A proof does not write there. */
  readonly isCi: boolean
  /** Whether `node --test` runs the process, so that a proof can have subtests. */
  readonly hasSubtests: boolean
}

export function readRunSettings(): RunSettings {
  // Names as keys, which the audit of the package finds.
  const { UPDATE: update, CI: ci = '', NODE_TEST_CONTEXT: context } = readVariables()
  return {
    isUpdate: update === '1',
    isCi: ci !== '' && ci !== '0' && ci !== 'false',
    hasSubtests: context !== undefined,
  }
}

/** Runs a subtest of the test that is running, or a test if none is. */
export async function runSubtest(name: string, run: () => void): Promise<void> {
  // Loaded here, because other test runners do not need it.
  const { test } = await import('node:test')
  await test(name, run)
}
