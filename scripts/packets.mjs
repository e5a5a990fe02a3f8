/**
 * Runs the long form of `test/security/packets.test.ts`: random pipelines in pieces, compared with a reference parser.
 *
 *   node scripts/packets.mjs [count] [seed]
 *
 * Prints the seed, which reproduces the run.
 */
import { node } from './tools.mjs'

const [count = '50000', seed = String(Date.now() % 2 ** 31)] = process.argv.slice(2)
process.stdout.write(`${count} pipelines, seed ${seed}\n`)
const env = { NODE_ENV: 'production', ...process.env, PACKETS_COUNT: count, PACKETS_SEED: seed }
process.exitCode = node(['--import=tsx', '--test', '--test-reporter=spec', 'test/security/packets.test.ts'], { env })
