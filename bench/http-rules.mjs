/**
 * Sends requests that test rules of HTTP to the servers of the benchmark, and prints the responses: the status, and `Allow` if the response
 * has it.
 *
 *   node bench/http-rules.mjs
 */
import { findCores } from './options.mjs'
import { table } from './report.mjs'
import { startServer } from './server-process.mjs'

const SERVERS = [
  { name: 'Verbena', module: 'verbena' },
  { name: 'Fastify', module: 'fastify' },
  { name: 'Hono', module: 'hono' },
  { name: 'NestJS on Express', module: 'nest' },
  { name: 'NestJS on Fastify', module: 'nest', env: { ADAPTER: 'fastify' } },
]
const XML = { method: 'POST', headers: { 'content-type': 'application/xml' }, body: '<user/>' }
const REQUESTS = {
  'HEAD /status': ['/status', { method: 'HEAD' }],
  'OPTIONS /status': ['/status', { method: 'OPTIONS' }],
  'DELETE /status': ['/status', { method: 'DELETE' }],
  'GET /status as text/html': ['/status', { headers: { accept: 'text/html' } }],
  'POST /users with XML': ['/users', XML],
}

const core = findCores().server
const columns = []
for (const server of SERVERS) columns.push(await readColumn(server))
const rows = Object.keys(REQUESTS).map((name, index) => [name, ...columns.map((column) => column[index])])
console.log(table([['', ...SERVERS.map(({ name }) => name)], ...rows]))

async function readColumn(server) {
  const { url, stop } = await startServer({ node: process.execPath, server, app: 'small', core })
  const column = []
  for (const [path, init] of Object.values(REQUESTS)) column.push(formatResponse(await fetch(url + path, init)))
  await stop()
  return column
}

function formatResponse({ status, headers }) {
  const allow = headers.get('allow')
  return allow === null ? String(status) : `${status}, ${allow}`
}
