/**
 * Runs the tests of proportion in their long form: inputs up to 1 MB, more runs, all shapes, and different generated inputs each
 * time. The normal tests are a short form of it.
 *
 *   node scripts/proportion.mjs
 */
import { node } from './tools.mjs'

process.exitCode = node(['scripts/test.mjs', 'security/proportion', '--', '--test-timeout=3600000'], {
  env: { ...process.env, PROPORTION: 'long' },
})
