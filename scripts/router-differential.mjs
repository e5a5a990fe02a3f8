/**
 * The long form of `test/property/router-encodings.test.ts`: generated routes, asked for in every encoding of every character, compared
 * with a slow and plain router.
 *
 *   node scripts/router-differential.mjs [number of route sets] [seed]
 *
 * Without a seed it takes a new one and prints it. A failure prints the smallest case that it finds.
 */
import { fail, node } from './tools.mjs'

const [runs = '20000', seed = String(Math.floor(Math.random() * 2 ** 31))] = process.argv.slice(2)
if (![runs, seed].every((text) => /^\d{1,10}$/.test(text))) {
  fail('Cannot compare routers: the arguments are no numbers. Write "npm run test:router -- 20000 7"')
}

console.log(`${runs} route sets, seed ${seed}`)
process.exitCode = node(
  ['--import=tsx', '--enable-source-maps', '--test', '--test-reporter=spec', 'test/property/router-encodings.test.ts'],
  { env: { NODE_ENV: 'production', ...process.env, ROUTER_RUNS: runs, ROUTER_SEED: seed } },
)
