/**
 * Sends each hostile value to each place of an app. The normal tests use a tenth of the pairs.
 *
 *   node scripts/hostile.mjs [share] [seed]
 *
 * Prints share and seed, which reproduce the run.
 */
import { node } from './tools.mjs'

const [share = '1', seed = String(Date.now() % 2 ** 31)] = process.argv.slice(2)
process.stdout.write(`share ${share}, seed ${seed}\n`)
const env = { NODE_ENV: 'production', ...process.env, HOSTILE_SHARE: share, HOSTILE_SEED: seed }
process.exitCode = node(['--import=tsx', '--test', '--test-reporter=spec', 'test/security/answered-or-cut.test.ts'], {
  env,
})
