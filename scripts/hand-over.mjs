/**
 * Runs the long form of `test/security/hand-over.test.ts`: random packets with requests and an upgrade, on both paths.
 *
 *   node scripts/hand-over.mjs [count] [seed]
 *
 * Prints the seed, which reproduces the run.
 */
import { node } from './tools.mjs'

const [count = '150000', seed = String(Date.now() % 2 ** 31)] = process.argv.slice(2)
process.stdout.write(`${count} packets on each path, seed ${seed}\n`)
const env = { NODE_ENV: 'production', ...process.env, HAND_OVER_COUNT: count, HAND_OVER_SEED: seed }
process.exitCode = node(['--import=tsx', '--test', '--test-reporter=spec', 'test/security/hand-over.test.ts'], { env })
