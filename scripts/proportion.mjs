/**
 * Runs the tests of proportion in their long form: inputs up to 1 MB, more runs of each, every shape, and generated inputs that differ each
 * time. The gate runs the same tests in a short form.
 *
 *   node scripts/proportion.mjs
 */
import { node } from './tools.mjs'

process.exitCode = node(['scripts/test.mjs', 'security/proportion', '--', '--test-timeout=3600000'], {
  env: { ...process.env, PROPORTION: 'long' },
})
