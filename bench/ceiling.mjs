/**
 * Measures the limit of a server in JavaScript on W1, with servers that each leave something out of `node:http`:
 *
 *   node bench/ceiling.mjs [--rounds 7] [--seconds 3] [--warm-up 2] [--node <binary>] [--publish]
 */
import { checkWorkload } from './check.mjs'
import { measure } from './measure.mjs'
import { loadBefore, readOptions } from './options.mjs'
import { bestRatio, publish, table } from './report.mjs'
import { WORKLOADS } from './workloads.mjs'

const SERVERS = [
  { name: 'node:http', module: 'raw', lacks: '' },
  {
    ...{ name: 'node:http, `optimizeEmptyRequests`', module: 'raw', env: { OPTIMIZED: 'true' } },
    lacks: 'Streams for requests without a body.',
  },
  {
    ...{ name: 'node:http, one write', module: 'minimal' },
    lacks: 'The same; and the head is prepared text, so no code can set a header.',
  },
  {
    ...{ name: 'node:net, llhttp', module: 'net', env: { PARSER: 'llhttp' } },
    lacks: 'Request and response objects, bodies, timeouts, limits, back-pressure, pipelining in order, and TLS.',
  },
  {
    ...{ name: 'node:net, strict parser', module: 'net', env: { PARSER: 'strict' } },
    lacks: 'The same; and heads in several packets.',
  },
  {
    ...{ name: 'node:net, end of request', module: 'net', env: { PARSER: 'line' } },
    lacks: 'The same; and every request is the expected one.',
  },
  { name: 'Verbena', module: 'verbena', isOurs: true, lacks: '' },
]
const WORKLOAD = 'W1'

const options = { ...readOptions(), servers: SERVERS }
loadBefore()
await checkWorkload(WORKLOAD, WORKLOADS[WORKLOAD], options)
const found = SERVERS.map(() => [])
for (let round = 1; round <= options.rounds; round++) {
  for (const [at, server] of SERVERS.entries()) found[at].push(await measure(WORKLOADS[WORKLOAD], server, options))
  console.log(`Round ${round} of ${options.rounds}: ${listRatios().join(', ')}`)
}
const rows = SERVERS.map(({ name, lacks }, at) => [name, listRatios()[at], lacks])
const said = `Node ${options.version}, ${new Date().toISOString().slice(0, 10)}, the cheapest slices of 0.1 s in ${options.rounds} rounds.`
const shown = table([['', 'W1', 'what it lacks'], ...rows])
console.log(`\n${said}\n\n${shown}`)
if (options.publish) publish(`ceiling, Node ${options.version.split('.')[0]}`, said, shown)

function listRatios() {
  return found.map((rounds) => bestRatio(found[0], rounds))
}
