/** `compression`: compressed and uncompressed types, and its order after ETags and preconditions, and before HEAD. */
import assert from 'node:assert/strict'
import { get as httpGet } from 'node:http'
import { describe, it } from 'node:test'
import {
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  gunzipSync,
  zstdDecompressSync,
} from '#test/decoders.js'
import { events, group, HttpError, precondition, reply, Route, stream, text, type App, type Middleware } from 'verbena'
import * as z from 'zod'
import { sendRequest, assertSetupError, captureLog, createGate, createUntypedApp, looseContract } from '#test/apps.js'
import { askWire } from '#test/e2e.js'

const LONG = 'green tea '.repeat(400)

/** Creates a route that responds with the result of `get`. */
function routeOf(get: () => unknown, spec: object = {}): typeof Route {
  return class extends Route {
    static readonly path = '/x'
    static readonly get = looseContract({ name: 'X' }, spec)
    get() {
      return get()
    }
  } as unknown as typeof Route
}

interface Asked {
  readonly compression?: object
  readonly spec?: object
  readonly middleware?: readonly Middleware[]
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: string
}

function appOf(get: () => unknown, { compression = {}, spec = {}, middleware = [] }: Asked = {}): App {
  return createUntypedApp({ routes: { X: routeOf(get, spec) }, compression, middleware })
}

/** Returns the headers of a response that compression changes, and its bytes. */
async function asked(get: () => unknown, how: Asked = {}) {
  const { method = 'GET', headers = { 'accept-encoding': 'br' } } = how
  const response = await appOf(get, how).fetch(new Request('http://localhost/x', { method, headers }))
  const body = Buffer.from(await response.arrayBuffer())
  const { status, headers: fields } = response
  return { status, coding: fields.get('content-encoding'), vary: fields.get('vary'), headers: fields, body }
}

async function codingOf(get: () => unknown, how: Asked = {}): Promise<string | null> {
  return (await asked(get, how)).coding
}

describe('compression', () => {
  it('compresses strings, JSON, bytes of a textual type and problems, and sets their length', async () => {
    const values: readonly (readonly [get: () => unknown, plain: string])[] = [
      [() => LONG, LONG],
      [() => ({ LONG }), JSON.stringify({ LONG })],
      [() => reply(200, Buffer.from(LONG), { 'content-type': 'image/svg+xml; charset=utf-8' }), LONG],
      [() => 'ä'.repeat(1000), 'ä'.repeat(1000)],
    ]
    for (const [get, plain] of values) {
      const { status, coding, vary, headers, body } = await asked(get)
      assert.deepEqual([status, coding, vary], [200, 'br', 'accept-encoding'])
      assert.equal(headers.get('content-length'), String(body.length))
      assert.equal(brotliDecompressSync(body).toString(), plain)
    }
    const problem = await asked(() => {
      throw new HttpError(409, LONG)
    })
    assert.deepEqual([problem.status, problem.coding], [409, 'br'])
  })

  it('compresses responses of groups and 404 responses, over a socket for the HTTP clients of Node', async () => {
    class Home extends Route {
      get() {
        return LONG
      }
    }
    const app = createUntypedApp({ routes: { '/api': group({ routes: { Home } }) }, compression: {}, signals: false })
    const { url, port } = await app.listen()
    const fetched = await fetch(`${url}/api/home`)
    assert.ok(['br', 'gzip', 'zstd'].includes(String(fetched.headers.get('content-encoding'))))
    assert.equal(await fetched.text(), LONG)
    const missing = await askWire(port, { target: '/x', headers: { 'accept-encoding': 'br' } })
    assert.deepEqual([missing.status, missing.headers.has('content-encoding')], [404, false])
    await app.close()
  })

  const CHOICES: readonly (readonly [
    accept: string | undefined,
    coding: string | null,
    encodings?: readonly string[],
  ])[] = [
    [undefined, null],
    ['', null],
    ['identity', null],
    ['deflate', null],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip, br', 'br'],
    ['gzip, br', 'gzip', ['gzip', 'br']],
    ['gzip, br', 'gzip', ['gzip']],
    ['gzip;q=0.9, br;q=0.8', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br', ['br', 'gzip']],
    ['br;q=0, *', 'gzip', ['br', 'gzip']],
    ['*;q=0', null],
    ['gzip;q=0.5, identity', null],
    ['gzip;q=0.5, identity;q=0.4', 'gzip'],
    ['gzip;q=0.001, identity;q=0', 'gzip'],
    ['identity;q=0', null],
    ['br;q=2', null],
  ]
  for (const [accept, coding, encodings] of CHOICES) {
    it(`responds to ${accept ?? 'nothing'} with ${coding ?? 'identity'}${encodings === undefined ? '' : ` of ${encodings.join()}`}`, async () => {
      const headers: Record<string, string> = accept === undefined ? {} : { 'accept-encoding': accept }
      const found = await asked(() => LONG, { headers, compression: { encodings: encodings ?? ['br', 'gzip'] } })
      assert.deepEqual([found.coding, found.vary], [coding, 'accept-encoding'])
      if (coding === null) assert.equal(found.body.toString(), LONG)
      if (coding === 'gzip') assert.equal(gunzipSync(found.body).toString(), LONG)
    })
  }

  it('prefers Zstandard if Node supports it, and skips it otherwise', async () => {
    const { coding, body } = await asked(() => LONG, { headers: { 'accept-encoding': 'gzip, br, zstd' } })
    assert.equal(coding, zstdDecompressSync === null ? 'br' : 'zstd')
    if (zstdDecompressSync !== null) assert.equal(zstdDecompressSync(body).toString(), LONG)
    const only = await codingOf(() => LONG, {
      compression: { encodings: ['zstd'] },
      headers: { 'accept-encoding': 'zstd' },
    })
    assert.equal(only, zstdDecompressSync === null ? null : 'zstd')
  })

  it('compresses responses that have at least the threshold in bytes', async () => {
    assert.equal(await codingOf(() => 'x'.repeat(1023)), null)
    assert.equal(await codingOf(() => 'x'.repeat(1024)), 'br')
    assert.equal(await codingOf(() => 'ä'.repeat(512)), 'br')
    assert.equal(await codingOf(() => 'x', { compression: { threshold: 1 } }), 'br')
    const small = await asked(() => 'x')
    assert.equal(small.vary, null)
  })

  const NEVER: readonly (readonly [about: string, get: () => unknown])[] = [
    ['a 206', () => reply(206, LONG, { 'content-range': 'bytes 0-1/2' })],
    ['an encoded response', () => reply(200, LONG, { 'content-encoding': 'gzip' })],
    ['a response with no-transform', () => reply(200, LONG, { 'cache-control': 'max-age=1, No-Transform' })],
    ['a compressed media type', () => reply(200, LONG, { 'content-type': 'image/png' })],
    ['bytes without a type', () => Buffer.from(LONG)],
    ['a stream of bytes', () => new Blob([LONG]).stream()],
    [
      'a short stream',
      () => reply(200, new Blob(['x']).stream(), { 'content-type': 'text/plain', 'content-length': '1' }),
    ],
    ['a response without content', () => undefined],
    ['a 205', () => reply(205)],
  ]
  for (const [about, get] of NEVER) {
    it(`does not compress ${about}`, async () => {
      const { coding, vary } = await asked(get)
      assert.deepEqual([coding === 'br', vary], [false, null])
    })
  }

  it('compresses only the configured types', async () => {
    const png = () => reply(200, LONG, { 'content-type': 'image/png' })
    assert.equal(await codingOf(png, { compression: { types: ['image/*'] } }), 'br')
    assert.equal(await codingOf(() => LONG, { compression: { types: ['image/*'] } }), null)
    assert.equal(await codingOf(() => LONG, { compression: { types: ['text/plai'] } }), null)
  })

  it('skips endpoints with compression: false', async () => {
    const found = await asked(() => LONG, { spec: { compression: false } })
    assert.deepEqual([found.coding, found.vary, found.body.toString()], [null, null, LONG])
    assertSetupError(
      () => looseContract({ name: 'X' }, { compression: true }),
      'OPTION_INVALID',
      '"compression: false"',
    )
  })

  it('compresses after middleware, and appends to its Vary', async () => {
    const shouting: Middleware = async (_, next) => {
      const answer = await next()
      return reply(200, String(answer.body).toUpperCase(), { vary: 'Cookie' })
    }
    const { coding, vary, body } = await asked(() => LONG, { middleware: [shouting] })
    assert.deepEqual([coding, vary], ['br', 'Cookie, accept-encoding'])
    assert.equal(brotliDecompressSync(body).toString(), LONG.toUpperCase())
  })

  it('responds to HEAD with the headers of GET except the length', async () => {
    const values = [() => LONG, () => reply(200, new Blob([LONG]).stream(), { 'content-type': 'text/plain' })]
    for (const get of values) {
      const app = createUntypedApp({
        routes: { X: routeOf(get, { etag: get === values[0] }) },
        compression: {},
        signals: false,
      })
      const { port } = await app.listen()
      const headers = { 'accept-encoding': 'br' }
      const [head, full] = [
        await askWire(port, { target: '/x', method: 'HEAD', headers }),
        await askWire(port, { target: '/x', headers: { ...headers, connection: 'close' } }),
      ]
      for (const name of ['content-type', 'content-encoding', 'vary', 'etag']) {
        assert.equal(head.headers.get(name), full.headers.get(name), name)
      }
      assert.deepEqual([head.headers.get('content-encoding'), head.headers.has('content-length')], ['br', false])
      await app.close()
    }
    const found = await asked(() => LONG, { method: 'HEAD' })
    assert.deepEqual([found.coding, found.headers.get('content-length'), found.body.length], ['br', null, 0])
  })
})

describe('compression: ETag', () => {
  const etagged: Asked = { spec: { etag: true } }

  it('uses a separate ETag for each coding, and keeps it strong or weak', async () => {
    const [br, gzip, plain] = await Promise.all(
      ['br', 'gzip', 'identity'].map(async (coding) => {
        const { headers } = await asked(() => LONG, { ...etagged, headers: { 'accept-encoding': coding } })
        return headers.get('etag') ?? ''
      }),
    )
    assert.match(plain ?? '', /^"[\w-]+"$/)
    assert.deepEqual([br, gzip], [plain?.replace(/"$/, ';br"'), plain?.replace(/"$/, ';gzip"')])
    const weak = await asked(() => reply(200, LONG, { etag: 'W/"1"' }))
    assert.equal(weak.headers.get('etag'), 'W/"1;br"')
  })

  it('responds 304 with the ETag of the client for an accepted coding', async () => {
    const tagFor = async (known: string, coding: string) => {
      const headers = { 'if-none-match': known, 'accept-encoding': coding }
      const found = await asked(() => reply(200, LONG, { etag: '"1"' }), { ...etagged, headers })
      return [found.status, found.headers.get('etag'), found.vary, found.coding]
    }
    assert.deepEqual(await tagFor('"1;br"', 'br'), [304, '"1;br"', 'accept-encoding', null])
    assert.deepEqual(await tagFor('W/"1;gzip", "1;br"', 'gzip, br;q=0.5'), [304, '"1;gzip"', 'accept-encoding', null])
    assert.deepEqual(await tagFor('"1"', 'br'), [304, '"1"', 'accept-encoding', null])
    assert.deepEqual(await tagFor('*', 'br'), [304, '"1"', 'accept-encoding', null])
    assert.equal((await tagFor('"2;br"', 'br'))[0], 200)
    const own = await asked(() => reply(304))
    assert.deepEqual([own.status, own.vary, own.headers.has('etag')], [304, 'accept-encoding', false])
  })

  it('accepts the ETag of a compressed response in If-Match', async () => {
    const doc = { revision: 1 }
    const revision = precondition({}, () => doc.revision, { required: true })
    class Doc extends Route {
      static readonly get = this.contract({ uses: { revision } })
      get() {
        return LONG
      }
      static readonly put = this.contract({ uses: { revision } })
      put() {
        doc.revision++
      }
    }
    const app = createUntypedApp({ routes: { Doc }, compression: {} })
    const { headers } = await sendRequest(app, '/doc', { headers: { 'accept-encoding': 'br' } })
    const etag = headers.get('etag') ?? ''
    assert.equal(etag, '"1;br"')
    const put = () => sendRequest(app, '/doc', { method: 'PUT', headers: { 'if-match': etag } })
    assert.deepEqual([(await put()).status, (await put()).status], [204, 412])
  })
})

describe('compression: streams', () => {
  class Lines extends Route {
    static readonly get = this.contract({ returns: text() })
    async *lines() {
      yield 'one '
      yield ''
      yield Buffer.from('two ')
      yield LONG
    }
    get() {
      return reply(200, this.lines() as never, { 'content-type': 'text/plain' })
    }
  }
  class Raw extends Lines {
    static override readonly get = this.contract({ returns: stream() }) as never
  }

  it('compresses the whole stream of generators and contracts', async () => {
    const app = createUntypedApp({ routes: { Raw }, compression: { types: ['*/*'] } })
    for (const [coding, decode] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const response = await app.fetch(new Request('http://localhost/raw', { headers: { 'accept-encoding': coding } }))
      assert.equal(response.headers.get('content-encoding'), coding)
      const body = Buffer.from(await response.arrayBuffer())
      assert.equal(decode(body).toString(), `one two ${LONG}`)
    }
  })

  it('sends large chunks completely if the source is faster than the client', async () => {
    const big = Buffer.alloc(3_000_000, 'abcdefghij0123456789')
    for (let at = 0; at < big.length; at += 7) big[at] = (at * 7919) % 251
    async function* twice() {
      yield big
      yield big
    }
    const { body } = await asked(() => reply(200, twice(), { 'content-type': 'text/plain' }), {
      headers: { 'accept-encoding': 'gzip' },
    })
    assert.ok(gunzipSync(body).equals(Buffer.concat([big, big])))
  })

  it('flushes each item before the next is available', async () => {
    for (const [coding, decoder] of [
      ['br', createBrotliDecompress],
      ['gzip', createGunzip],
    ] as const) {
      const more = createGate()
      class Ticks extends Route {
        static readonly get = this.contract({ returns: events(z.number()) })
        async *get() {
          yield { data: 1 }
          await more.opened
          yield { data: 2 }
        }
      }
      const app = createUntypedApp({ routes: { Ticks }, compression: {}, signals: false })
      const { url } = await app.listen()
      const texts: string[] = []
      await new Promise<void>((resolve, reject) => {
        httpGet(`${url}/ticks`, { headers: { 'accept-encoding': coding } }, (response) => {
          assert.equal(response.headers['content-encoding'], coding)
          response
            .pipe(decoder())
            .on('data', (chunk: Buffer) => {
              texts.push(chunk.toString())
              more.open()
            })
            .on('end', resolve)
            .on('error', reject)
        })
      })
      assert.equal(texts[0], 'data: 1\n\n')
      assert.equal(texts.join(''), 'data: 1\n\ndata: 2\n\n')
      await app.close()
    }
  })

  it('ends the source if the client disconnects, and interrupts the response if the source fails', async () => {
    const left = createGate()
    async function* endless() {
      try {
        for (;;) yield LONG
      } finally {
        left.open()
      }
    }
    const get = () => reply(200, endless(), { 'content-type': 'text/plain' })
    const init = { headers: { 'accept-encoding': 'br' } }
    const response = await appOf(get).fetch(new Request('http://localhost/x', init))
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    await left.opened

    async function* failing() {
      yield LONG
      throw new Error('as it happens')
    }
    const broken = await appOf(() => reply(200, failing(), { 'content-type': 'text/plain' })).fetch(
      new Request('http://localhost/x', init),
    )
    await assert.rejects(broken.text(), /as it happens/)
  })
})

describe('compression errors', () => {
  it('sends the response uncompressed and logs the error', async () => {
    class Faulty extends Uint8Array {
      #isRead = false
      override get buffer() {
        if (this.#isRead) return super.buffer
        this.#isRead = true
        throw new Error('as it happens')
      }
    }
    const { logger, lines } = captureLog()
    const data = reply(200, new Faulty(2000), { 'content-type': 'text/plain', etag: '"1"' })
    const app = createUntypedApp({ routes: { X: routeOf(() => data) }, compression: {}, logger })
    const { status, headers } = await sendRequest(app, '/x', { headers: { 'accept-encoding': 'br' } })
    assert.deepEqual([status, headers.get('content-encoding'), headers.get('etag')], [200, null, '"1"'])
    assert.deepEqual(
      lines.map(({ level, message }) => [level, message]),
      [['error', 'Failed to compress a response']],
    )
  })
})
