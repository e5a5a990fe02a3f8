/**
 * Runs the long form of `test/security/sockets.test.ts`: all sequences of up to three requests with each end on each kind of server, and
 * random ones up to the number of sequences.
 *
 *   node scripts/sockets.mjs [count] [seed]
 *
 * Prints the seed, which reproduces the run.
 */
import { node } from './tools.mjs'

/** Kinds of servers, and sequences of up to three of twelve requests with each of five ends. */
const PLACES = 7
const SEQUENCES = (12 + 12 ** 2 + 12 ** 3) * 5

const [count = '300000', seed = String(Date.now() % 2 ** 31)] = process.argv.slice(2)
const random = Math.max(0, Math.ceil(Number(count) / PLACES) - SEQUENCES)
process.stdout.write(`${(SEQUENCES + random) * PLACES} sequences, ${random} random ones on each server, seed ${seed}\n`)
const env = { NODE_ENV: 'production', ...process.env, SOCKETS_COUNT: String(random), SOCKETS_SEED: seed }
process.exitCode = node(['--import=tsx', '--test', '--test-reporter=spec', 'test/security/sockets.test.ts'], { env })
