/**
 * Measures the cost of providers per request:
 *
 *   node bench/providers.mjs [--rounds 400] [--requests 500] [--compare <build>]
 *
 * One process without sockets: `app.fetch` calls endpoints that only differ in a provider. Their order changes in each round,
 * so that a change of the machine's speed affects all. The result is the processor time per request minus the time of the endpoint
 * without a provider: in the same round, and in the cheapest rounds, because noise can only increase times. A second endpoint
 * without a provider shows the noise.
 * `--compare` names the folder of another build, to compare the endpoint without a provider.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { quantile } from './report.mjs'

// The console would record each request.
process.env.NODE_ENV ??= 'production'

const WARM_UP_ROUNDS = 40
const VALUE = { name: 'ada' }
const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '400' },
    requests: { type: 'string', default: '500' },
    compare: { type: 'string' },
  },
})
const [rounds, requests] = [Number(flags.rounds), Number(flags.requests)]

const ours = await buildAt(new URL('../dist/', import.meta.url).pathname)
const kinds = Object.entries(createProviders(ours)).map(([name, provider]) => createKind(name, ours, provider))
if (flags.compare !== undefined) kinds.push(createKind(`none, ${flags.compare}`, await buildAt(flags.compare)))

for (let round = 0; round < WARM_UP_ROUNDS + rounds; round++) {
  for (const kind of rotate(kinds, round)) {
    const time = await measure(kind)
    if (round >= WARM_UP_ROUNDS) kind.times.push(time)
  }
}

const [base, ...others] = kinds
console.log(
  `Node ${process.versions.node}, ${rounds} rounds of ${requests} requests; medians, and the cheapest tenth of the rounds`,
)
console.log(`${base.name}: ${at(base.times, 0.5)} µs a request by app.fetch; ${at(base.times, 0.1)} µs`)
for (const { name, times } of others) {
  const beyond = at(
    times.map((time, round) => time - base.times[round]),
    0.5,
  )
  const ratio = at(
    times.map((time, round) => time / base.times[round]),
    0.5,
  )
  const best = (at(times, 0.1) - at(base.times, 0.1)).toFixed(2)
  console.log(`${name.padEnd(24)} ${beyond.padStart(6)} µs more, ratio ${ratio}; ${best.padStart(6)} µs more`)
}

function createProviders({ provide, bearer }) {
  return {
    none: undefined,
    'none, once more': undefined,
    'a value': provide({}, () => VALUE),
    'a promise': provide({}, async () => VALUE),
    'a generator': provide({}, function* () {
      yield VALUE
    }),
    'an async generator': provide({}, async function* () {
      yield VALUE
    }),
    'a guard: bearer, async': bearer(async () => VALUE),
  }
}

/** Creates an app with one endpoint. */
function createKind(name, { createApp, Route }, provider) {
  class Home extends Route {
    static get = this.contract(provider === undefined ? {} : { uses: { provider } })
    async get() {
      return VALUE
    }
  }
  return { name, app: createApp({ routes: { Home }, logger: false }), times: [] }
}

/** Measures the processor time per request, in µs. */
async function measure({ app }) {
  const init = { headers: { authorization: 'Bearer a1b2' } }
  const asked = Array.from({ length: requests }, () => new Request('http://localhost/home', init))
  const before = process.cpuUsage()
  for (const request of asked) {
    const { status } = await app.fetch(request)
    if (status !== 200) throw new Error(`It was answered with ${status}`)
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / requests
}

async function buildAt(folder) {
  const file = resolve(folder, 'index.js')
  if (existsSync(file)) return import(pathToFileURL(file).href)
  console.error(`Cannot measure ${folder}: it holds no index.js. Make it: npm run build`)
  process.exit(1)
}

function rotate(list, by) {
  const first = by % list.length
  return [...list.slice(first), ...list.slice(0, first)]
}

/** Returns the quantile of the times. */
function at(times, part) {
  return quantile(times, part).toFixed(2)
}
