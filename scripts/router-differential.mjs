/**
 * Runs the long form of `test/property/router-encodings.test.ts`: generated routes with all encodings of all characters, compared
 * with a slow and simple router.
 *
 *   node scripts/router-differential.mjs [number of route sets] [seed]
 *
 * Without a seed, it generates and prints one. A failure prints the smallest failing case.
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
