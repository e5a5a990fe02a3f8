/**
 * Runs the long form of `test/cli/dev/listeners.test.ts`: random sequences of saves and requests under `verbena dev` (Linux).
 *
 *   node scripts/dev-sequences.mjs [count] [seed]
 *
 * Prints the seed, which reproduces the run.
 */
import { ensurePage } from '../console/build.mjs'
import { node } from './tools.mjs'

const [count = '200', seed = String(Date.now() % 2 ** 31)] = process.argv.slice(2)
process.stdout.write(`${count} sequences, seed ${seed}\n`)
const env = { NODE_ENV: 'production', ...process.env, DEV_COUNT: count, DEV_SEED: seed }
await ensurePage()
process.exitCode = node(['--import=tsx', '--test', '--test-reporter=spec', 'test/cli/dev/listeners.test.ts'], { env })
