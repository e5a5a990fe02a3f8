/**
 * Sends requests to the example that `npm start` serves: mostly successful ones, and some that cause its troubles.
 *
 *   npm run visit                            each trouble once, among other requests
 *   npm run visit -- --forever               a few requests per second until Ctrl-C
 *   npm run visit -- http://127.0.0.1:3001   an example at another URL
 *
 * Without a URL, it uses the port in `PORT`; default 3000.
 */
import { setTimeout as sleep } from 'node:timers/promises'

const args = process.argv.slice(2)
const ROOT = readRoot(args.filter((arg) => arg !== '--forever'))
const PAUSE_MS = 250

/** A request: method and path, and optionally body and headers. */
interface Step {
  readonly at: `${'GET' | 'POST' | 'DELETE'} ${string}`
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

const TEA = { sku: 'tea-2', quantity: 2 }

/** Requests without troubles, in the order of a visit. */
const WELL: readonly Step[] = [
  { at: 'GET /home' },
  { at: 'GET /user-profiles?limit=20' },
  { at: 'GET /users/1' },
  { at: 'GET /users/2' },
  { at: 'POST /user-profiles', body: { name: 'Lin', age: 29 } },
  { at: 'GET /user-profiles' },
  { at: 'GET /prices' },
  { at: 'GET /prices', headers: { 'accept-version': '1.4' } },
  { at: 'GET /orders/2' },
  { at: 'POST /orders', body: { user: '2', lines: [TEA] } },
  { at: 'GET /orders/1/receipt' },
  { at: 'GET /users/7' },
]

/** Requests for each kind of trouble. */
const TROUBLES: readonly Step[] = [
  { at: 'GET /orders/1' },
  { at: 'GET /products?q=earl' },
  { at: 'POST /orders', body: { user: '1', lines: [TEA, { sku: 'tea-4', quantity: 0 }] } },
  { at: 'GET /prices', headers: { 'accept-version': '3.0' } },
  { at: 'GET /orders/2/receipt' },
  { at: 'GET /reports/sales' },
]

/** The visit: one trouble after every second successful request. */
const VISIT: readonly Step[] = WELL.flatMap((step, index) => {
  const trouble = index % 2 === 1 ? TROUBLES[(index - 1) / 2] : undefined
  return trouble === undefined ? [step] : [step, trouble]
})

/** Returns the URL of the example, without a trailing slash. */
function readRoot([url, ...others]: readonly string[]): string {
  if (url === undefined) return `http://127.0.0.1:${process.env['PORT'] ?? 3000}`
  if (others.length === 0 && /^https?:/.test(url) && URL.canParse(url)) return url.replace(/\/+$/, '')
  console.error(`Cannot visit "${[url, ...others].join(' ')}": write "npm run visit -- http://127.0.0.1:3001"`)
  process.exit(1)
}

async function take({ at, body, headers = {} }: Step): Promise<number> {
  const [method = 'GET', path = '/'] = at.split(' ')
  const response = await fetch(`${ROOT}${path}`, {
    method,
    headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  await response.arrayBuffer()
  return response.status
}

/** Sends all requests once; returns the number of responses by status. */
async function visit(pause: number): Promise<string> {
  const counts = new Map<number, number>()
  for (const step of VISIT) {
    const status = await take(step)
    counts.set(status, (counts.get(status) ?? 0) + 1)
    await sleep(pause * (0.5 + Math.random()))
  }
  return [...counts].map(([status, count]) => `${count} × ${status}`).join(', ')
}

async function visitForever(): Promise<never> {
  console.log(`Visiting ${ROOT} until Ctrl-C; look at ${ROOT}/__dev__`)
  for (;;) await visit(PAUSE_MS)
}

try {
  if (args.includes('--forever')) await visitForever()
  console.log(`Visited ${ROOT}: ${await visit(0)}. Look at ${ROOT}/__dev__`)
} catch (error) {
  console.error(`Cannot visit ${ROOT}: ${String(error)}. Start the example with \`npm start\`, or pass its URL`)
  process.exitCode = 1
}
