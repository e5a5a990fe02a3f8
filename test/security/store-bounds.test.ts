// own process: it measures the heap
/** Memory limits of each in-memory store, and fairness: a client that fills a store only loses its own entries. */
import '#test/development.js'
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, it } from 'node:test'
import { Route, jwt, text } from 'verbena'
import { version } from 'verbena/decorators'
import { idempotency } from 'verbena/idempotency'
import { MemoryStore } from '#src/features/stores/memory/idempotency.js'
import { MemoryLimits } from '#src/features/stores/memory/limits.js'
import { memorySessions } from '#src/features/stores/memory/sessions.js'
import { sendRequest, createUntypedApp } from '#test/apps.js'
import { heapAfterGc } from '#test/heap.js'
import { formatTitle } from '#test/attack-rows.js'
import { EC, readTokenError, signToken } from '#test/tokens.js'

const MB = 1024 * 1024
const DAY = 86_400_000
/** Node 26 counts one byte for each character of a large string with two, so only Node 20 can show that a store is full. */
const COUNTS_STRINGS = process.versions.node.startsWith('20.')
/** Compiled code and caches of the process itself. */
const SLACK = 6 * MB
const SOURCE = 'CWE-770: 400 requests of 250 bytes used 400 MB'

const digest = (value: string): string => hash('sha256', value, 'base64url')
/** Creates a string that shares no memory, like a parsed one. */
const textOf = (size: number, seed: number): string => Buffer.from(`${seed}-`.padEnd(size, 'abcdefgh')).toString()

interface Row {
  readonly title: string
  /** Minimum in MB: the store is full. */
  readonly least: number
  /** Maximum in MB. */
  readonly most: number
  /** Fills a store, and returns an object that references it. */
  readonly fill: () => Promise<unknown>
}

/** Stores responses of one size, as requests with a key do. */
async function complete(count: number, size: number, clientOf: (n: number) => string): Promise<MemoryStore> {
  const store = new MemoryStore(() => {})
  for (let n = 0; n < count; n++) {
    const parts = { key: digest(`key ${n}`), client: digest(clientOf(n)), request: digest(`request ${n}`) }
    const claim = { ...parts, owner: String(n), lease: 1000 }
    await store.claim(claim)
    await store.complete(claim, textOf(size, n), DAY)
  }
  return store
}

/** An app whose method responds with a string of this length, once for each key. */
function appOfSize(size: number) {
  const by = ({ request }: { request: { headers: Readonly<Record<string, string | undefined>> } }): string =>
    request.headers['x-user'] ?? 'ada'
  const once = idempotency({ by, ttl: DAY })
  class Orders extends Route {
    static readonly post = this.contract({ idempotency: once, returns: text() })
    async post() {
      return textOf(size, 0)
    }
  }
  const app = createUntypedApp({ routes: { Orders }, devConsole: false })
  const order = (key: string, user = 'ada') =>
    sendRequest(app, '/orders', { method: 'POST', headers: { 'idempotency-key': key, 'x-user': user } })
  return { app, order }
}

/** Counts requests of many clients, each in `slots` slots of the window. */
async function charge(maxClients: number, clients: number, slots: number): Promise<MemoryLimits> {
  let now = 0
  const store = new MemoryLimits(maxClients, () => now)
  for (; now < slots * 1000; now += 1000) {
    for (let n = 0; n < clients; n++) {
      store.take({ key: `some limit:60000:${digest(String(n))}`, limit: 1000, window: 60_000, cost: 1 })
    }
  }
  return store
}

async function visit(count: number, size: number): Promise<unknown> {
  const store = memorySessions()
  for (let n = 0; n < count; n++) await store.set(digest(String(n)), textOf(size, n), Date.now() + DAY, 'new')
  return store
}

/** Requests the OpenAPI document of an app in many versions. */
async function readDocuments(): Promise<unknown> {
  const description = textOf(200_000, 0)
  const constraints = Array.from({ length: 40 }, (_, at) => `${at + 1}.x`)
  const routes = constraints.map((constraint, at) => {
    class Versioned extends Route {
      static readonly path = `/paths/${at}`
      @version(constraint)
      get() {}
    }
    return Versioned
  })
  class Described extends Route {
    static readonly get = this.contract({ description })
    get() {}
  }
  const app = createUntypedApp({ routes: [Described, ...routes], devConsole: false })
  for (const [at] of constraints.entries()) {
    for (let minor = 0; minor < 10; minor++) {
      const answer = await sendRequest(app, '/openapi.json', { headers: { 'accept-version': `${at + 1}.${minor}.0` } })
      assert.equal(answer.status, 200)
    }
  }
  return app
}

/** Verifies tokens with a key set of 250 kB. Unknown key ids must not cause more fetches. */
async function verifyTokens(): Promise<unknown> {
  const jwk = { ...EC.publicKey.export({ format: 'jwk' }), kty: 'EC' }
  const keys = Array.from({ length: 100 }, (_, at) => ({ ...jwk, kid: textOf(2_000, at) }))
  let fetches = 0
  const server = createServer((_request, response) => {
    fetches++
    response.end(JSON.stringify({ keys }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = new URL(`http://127.0.0.1:${Object(server.address()).port}/keys`)
  const verify = jwt({ algorithms: ['ES256'], keys: { url } })
  for (let n = 0; n < 300; n++) {
    const token = await signToken('ES256', undefined, { kid: textOf(8_000, n) })
    assert.equal((await readTokenError(() => verify(token)))?.status, 401)
  }
  assert.ok(fetches <= 2)
  server.close().closeAllConnections()
  return verify
}

/** Sends requests whose targets, headers and bodies the console records. */
async function record(): Promise<unknown> {
  class Notes extends Route {
    static readonly post = this.contract({ body: text(), returns: text() })
    async post({ body }: { readonly body: string }) {
      return body
    }
  }
  const app = createUntypedApp({ routes: { Notes }, devConsole: { captureBodies: 'raw' } })
  for (let n = 0; n < 1_500; n++) {
    const headers = { 'content-type': 'text/plain', 'x-note': textOf(8_000, n) }
    await sendRequest(app, `/notes?q=${textOf(4_000, n)}`, { method: 'POST', headers, body: textOf(40_000, n) })
  }
  return app
}

const ROWS: readonly Row[] = [
  {
    title: 'responses of idempotency() of 1 MB',
    least: 50,
    most: 64,
    fill: async () => {
      const { app, order } = appOfSize(1_000_000)
      for (let n = 0; n < 400; n++) assert.equal((await order(`key-${n}`)).status, 200)
      return app
    },
  },
  {
    title: 'responses of idempotency() that are too large to store',
    least: 0,
    most: 1,
    fill: async () => {
      const { app, order } = appOfSize(1_100_000)
      for (let n = 0; n < 100; n++) assert.equal((await order(`key-${n}`)).status, 200)
      return app
    },
  },
  { title: 'responses of 2 kB', least: 50, most: 70, fill: () => complete(60_000, 2_000, () => 'ada') },
  // Objects use more memory than the 100 bytes that the store counts.
  {
    title: 'responses of 50 bytes, each of a different client',
    least: 60,
    most: 120,
    fill: () => complete(250_000, 50, String),
  },
  { title: 'sessions of 100 kB', least: 50, most: 65, fill: () => visit(1_500, 100_000) },
  { title: 'sessions of 300 bytes', least: 40, most: 65, fill: () => visit(200_000, 300) },
  { title: 'clients of memoryLimits() with one request', least: 20, most: 30, fill: () => charge(100_000, 200_000, 1) },
  {
    title: 'clients of memoryLimits() that use each slot',
    least: 10,
    most: 16,
    fill: () => charge(10_000, 10_000, 61),
  },
  { title: 'documents of 200 kB in 400 versions', least: 10, most: 20, fill: readDocuments },
  { title: 'key sets of jwt()', least: 0, most: 1, fill: verifyTokens },
  { title: 'requests in the console', least: 2, most: 40, fill: record },
]

describe('a store in memory', () => {
  for (const { title, least, most, fill } of ROWS) {
    it(formatTitle({ rule: `uses at most ${most} MB: ${title}`, source: SOURCE }), async () => {
      const before = await heapAfterGc()
      const held = await fill()
      const size = (await heapAfterGc()) - before
      const isWithin = (!COUNTS_STRINGS || size >= least * MB - SLACK) && size <= most * MB + SLACK
      assert.ok(held !== undefined && isWithin, `${(size / MB).toFixed(1)} MB`)
    })
  }
})

describe('a client that fills a store', () => {
  const source = 'CWE-400: 10,050 keys of one client removed the key of another, whose payment was made twice'

  it(formatTitle({ rule: 'removes no idempotency key of another client', source }), async () => {
    const { order } = appOfSize(10_000)
    await order('payment', 'victim')
    for (let n = 0; n < 10_050; n++) await order(`key-${n}`, 'attacker')
    const isReplayed = async (key: string, user: string) => (await order(key, user)).headers.has('idempotent-replayed')
    assert.deepEqual(
      [
        await isReplayed('payment', 'victim'),
        await isReplayed('key-10049', 'attacker'),
        await isReplayed('key-0', 'attacker'),
      ],
      [true, true, false],
    )
  })

  it(formatTitle({ rule: 'does not reset the limit of another client that has used it up', source }), () => {
    const store = new MemoryLimits(10_000)
    const take = (key: string) => store.take({ key, limit: 5, window: DAY, cost: 1 }).allowed
    for (let attempt = 0; attempt < 5; attempt++) take('guessing')
    for (let n = 0; n < 100_000; n++) take(`another ${n}`)
    assert.equal(take('guessing'), false)
  })

  it(formatTitle({ rule: 'does not evict a session that was read twice', source }), async () => {
    const store = memorySessions()
    const end = Date.now() + DAY
    await store.set('visitor', 'value', end, 'new')
    for (let read = 0; read < 2; read++) await store.get('visitor')
    for (let n = 0; n < 200_000; n++) await store.set(String(n), 'anonymous', end, 'new')
    assert.equal(await store.get('visitor'), 'value')
  })
})
