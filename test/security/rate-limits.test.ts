/** Attacks on rate limits: impersonating other clients, evicting a count, and concurrent requests. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { Route, type App } from 'verbena'
import { memoryLimits, rateLimit, type LimitStore } from 'verbena/limits'
import { captureLog, createUntypedApp, type Line } from '#test/apps.js'
import { Wire, type WireAnswer } from '#test/e2e.js'
import { formatTitle } from '#test/attack-rows.js'

const LIMIT = 5
const window = 60_000
const apps: App[] = []

const closeApps = async () => {
  for (const app of apps.splice(0)) await app.close()
}

interface Limited {
  readonly port: number
  readonly lines: readonly Line[]
}

/** Starts an app with a limit by `header`; default: by IP address. */
async function limited({ header, store, ...options }: { header?: string; store?: LimitStore; trustProxy?: string[] }) {
  const by = ({
    request,
  }: {
    request: { ip: string; headers: Readonly<Record<string, string | undefined>> }
  }): string => (header === undefined ? request.ip : (request.headers[header] ?? ''))
  const few = rateLimit({ by, limit: LIMIT, window, ...(store && { store }) })
  class Home extends Route {
    static readonly uses = { few }
    get() {
      return 'here'
    }
    async post() {}
  }
  const { logger, lines } = captureLog()
  const app = createUntypedApp({ routes: { Home }, logger, cors: { origins: ['https://a.example'] }, ...options })
  apps.push(app)
  const { port } = await app.listen()
  return { port, lines } satisfies Limited
}

function request(fields: readonly string[] = [], method = 'GET'): string {
  return [`${method} /home HTTP/1.1`, 'Host: localhost', ...fields, '', ''].join('\r\n')
}

/** Sends requests in one pipeline, and reads the responses. */
async function pipeline(port: number, requests: readonly string[]): Promise<WireAnswer[]> {
  const wire = new Wire(port)
  try {
    wire.send(requests.join(''))
    const answers: WireAnswer[] = []
    for (const sent of requests) answers.push(await wire.read(sent.startsWith('HEAD')))
    return answers
  } finally {
    wire.destroy()
  }
}

async function statuses(port: number, requests: readonly string[]): Promise<number[]> {
  return (await pipeline(port, requests)).map(({ status }) => status)
}

const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))
const through = (answered: readonly number[]): number => answered.filter((status) => status === 200).length

/** Creates an asynchronous store, like an external one. */
function distant(): LimitStore {
  const store = memoryLimits()
  return {
    take: async (charge) => {
      await new Promise((resolve) => setImmediate(resolve))
      return store.take(charge)
    },
  }
}

describe('a client that impersonates other clients', () => {
  after(closeApps)

  it(formatTitle({ rule: 'is counted by its address despite forged proxy headers', source: 'CWE-348' }), async () => {
    const { port } = await limited({})
    const forged = (at: number) => [
      request([`X-Forwarded-For: 192.0.2.${at}`]),
      request([`Forwarded: for=192.0.2.${at}`]),
      request([`X-Real-IP: 192.0.2.${at}`, `True-Client-IP: 192.0.2.${at}`, `CF-Connecting-IP: 192.0.2.${at}`]),
    ]
    assert.equal(through(await statuses(port, times(10, forged).flat())), LIMIT)
  })

  it(formatTitle({ rule: 'is counted by the last address added by a trusted proxy', source: 'CWE-348' }), async () => {
    const { port } = await limited({ trustProxy: ['127.0.0.1'] })
    const forged = (at: number) => request([`X-Forwarded-For: 192.0.2.${at}, 203.0.113.9`])
    assert.equal(through(await statuses(port, times(20, forged))), LIMIT)
    assert.equal(through(await statuses(port, [request(['X-Forwarded-For: 203.0.113.8'])])), 1)
  })

  it(formatTitle({ rule: 'has one count for all addresses of its IPv6 network', source: 'RFC 6177 §2' }), async () => {
    const { port } = await limited({ trustProxy: ['127.0.0.1'] })
    const from = (address: string) => request([`X-Forwarded-For: ${address}`])
    assert.equal(
      through(
        await statuses(
          port,
          times(20, (at) => from(`2001:db8:1:2::${at + 1}`)),
        ),
      ),
      LIMIT,
    )
    assert.equal(through(await statuses(port, [from('2001:db8:1:3::1')])), 1)
    const ofFour = times(20, (at) => from(at % 2 === 0 ? '192.0.2.1' : '::ffff:192.0.2.1'))
    assert.equal(through(await statuses(port, ofFour)), LIMIT)
  })

  it(formatTitle({ rule: 'is not accepted if its proxy does not identify it', source: 'CWE-636' }), async () => {
    const { port, lines } = await limited({ trustProxy: ['127.0.0.1'] })
    assert.deepEqual(
      await statuses(
        port,
        times(3, () => request(['Forwarded: for=unknown'])),
      ),
      [500, 500, 500],
    )
    assert.match(String(lines[0]?.fields['err']), /returned an invalid key \(an empty string\)/)
    const { port: other } = await limited({ header: 'x-key' })
    assert.deepEqual(await statuses(other, [request(), request(['X-Key:']), request(['X-Key: a'])]), [500, 500, 200])
  })
})

describe('a client that tries to reset its count', () => {
  after(closeApps)

  it(formatTitle({ rule: 'keeps its count despite many other clients', source: 'CWE-307' }), async () => {
    const { port } = await limited({ header: 'x-key', store: memoryLimits({ keys: 50 }) })
    const guess = () => request(['X-Key: guessing'])
    assert.equal(through(await statuses(port, times(7, guess))), LIMIT)
    for (let round = 0; round < 5; round++) {
      const others = times(200, (at) => request([`X-Key: other ${round} ${at}`]))
      assert.equal(through(await statuses(port, others)), 200)
    }
    assert.deepEqual(await statuses(port, [guess()]), [429])
  })

  it(formatTitle({ rule: 'uses no more memory with a long key', source: 'CWE-770' }), async () => {
    const kept: string[] = []
    const store = memoryLimits()
    const keeping: LimitStore = {
      take: (charge) => {
        kept.push(charge.key)
        return store.take(charge)
      },
    }
    const { port } = await limited({ header: 'x-key', store: keeping })
    const long = (end: string) => request([`X-Key: ${'a'.repeat(10_000)}${end}`])
    assert.equal(
      through(
        await statuses(
          port,
          times(8, () => long('b')),
        ),
      ),
      LIMIT,
    )
    assert.equal(through(await statuses(port, [long('c')])), 1)
    for (const key of kept) assert.match(key, /^5-in-60s:60000:[\w-]{43}$/)
  })
})

describe('a client with concurrent requests', () => {
  after(closeApps)

  for (const [where, make] of [
    ['in memory', memoryLimits],
    ['in an asynchronous store', distant],
  ] as const) {
    it(formatTitle({ rule: `cannot exceed the limit in one pipeline: ${where}`, source: 'CWE-362' }), async () => {
      const { port } = await limited({ store: make() })
      assert.equal(
        through(
          await statuses(
            port,
            times(100, () => request()),
          ),
        ),
        LIMIT,
      )
    })

    it(formatTitle({ rule: `cannot exceed the limit on many connections: ${where}`, source: 'CWE-362' }), async () => {
      const { port } = await limited({ store: make() })
      const answered = await Promise.all(times(40, () => statuses(port, [request(), request()])))
      assert.equal(through(answered.flat()), LIMIT)
    })
  }

  it(formatTitle({ rule: 'gets Retry-After in whole seconds', source: 'RFC 9110 §10.2.3' }), async () => {
    const { port } = await limited({})
    const answers = await pipeline(
      port,
      times(LIMIT + 1, () => request()),
    )
    const { status, headers } = answers[LIMIT] ?? { status: 0, headers: new Map<string, string>() }
    assert.equal(status, 429)
    assert.match(headers.get('retry-after') ?? '', /^6[01]$/)
    assert.equal(headers.get('ratelimit'), `"5-in-60s";r=0;t=${headers.get('retry-after')}`)
  })

  it(formatTitle({ rule: 'is rejected before 100 Continue', source: 'RFC 9110 §10.1.1' }), async () => {
    const { port } = await limited({})
    await statuses(
      port,
      times(LIMIT, () => request()),
    )
    const wire = new Wire(port)
    wire.send(request(['Content-Type: application/json', 'Content-Length: 100000', 'Expect: 100-continue'], 'POST'))
    // `read` skips a 100, so this checks that the bytes begin with the 429.
    while (wire.rest === '') await new Promise((resolve) => setImmediate(resolve))
    assert.match(wire.rest, /^HTTP\/1\.1 429 /)
    wire.destroy()
  })
})

describe('rate limits of other methods', () => {
  after(closeApps)

  it(
    formatTitle({
      rule: 'count HEAD, but not OPTIONS and preflights',
      source: 'RFC 9110 §9.3.2',
    }),
    async () => {
      const { port } = await limited({})
      const preflight = ['Origin: https://a.example', 'Access-Control-Request-Method: GET']
      const free = times(20, (at) => request(at % 2 === 0 ? [] : preflight, 'OPTIONS'))
      const options = await pipeline(port, free)
      assert.ok(options.every(({ status, headers }) => status === 204 && !headers.has('ratelimit')))
      assert.equal(
        through(
          await statuses(
            port,
            times(LIMIT, () => request([], 'HEAD')),
          ),
        ),
        LIMIT,
      )
      assert.deepEqual(await statuses(port, [request(), request([], 'HEAD')]), [429, 429])
    },
  )
})
