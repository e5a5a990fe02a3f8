/** Cases of the directory `cors/` of the web platform tests, as data: headers of a server, and the decision of a browser. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HttpError, reply, Route, SetupError, type App, type CorsOptions } from 'verbena'
import { createUntypedApp } from '#test/apps.js'
import { askAsPage, type PageRequest } from '#test/cross-origin.js'

const HERE = 'http://web-platform.test:8000'

class Made extends Route {
  static readonly path = '/made/{status}'
  get(input: { readonly params: { readonly status: string } }) {
    return this.answer(Number(input.params.status))
  }
  post(input: { readonly params: { readonly status: string } }) {
    return this.answer(Number(input.params.status))
  }
  put(input: { readonly params: { readonly status: string } }) {
    return this.answer(Number(input.params.status))
  }
  answer(status: number) {
    if (status >= 400) throw new HttpError(status)
    const headers = { 'x-custom': 'test', 'x-second': 'flyingpig', 'x-hidden': '1', 'cache-control': 'no-cache' }
    return status === 204 ? reply(204).with(headers) : reply(status, 'made', headers)
  }
}

function appWith(cors: Partial<CorsOptions>): App {
  return createUntypedApp({ routes: { Made }, cors: { origins: [HERE], ...cors } })
}

async function statusFor(cors: Partial<CorsOptions>, asked: Partial<PageRequest>, credentials = false) {
  const { status } = await askAsPage(appWith(cors), { origin: HERE, credentials }, { target: '/made/200', ...asked })
  return status
}

describe('origin.htm: allowed origins', () => {
  const allowed: readonly CorsOptions['origins'][] = ['*', HERE, ['http://other.test', HERE], 'http://*.test:8000']
  for (const origins of allowed) {
    it(`shares the response with ${HERE} for origins: ${JSON.stringify(origins)}`, async () => {
      assert.equal(await statusFor({ origins }, {}), 200)
    })
  }

  const [, host = ''] = HERE.split('//')
  /** Origins that are others, though they look alike. */
  const others = [
    ...[`http://www1.${host}`, `ftp://${host}`, 'http://web-platform.test', `https://${host}`],
    ...['http://web-platform.test:8001', 'http://example.net', 'null', 'http://test:8000', `http://*.${host}`],
  ]
  for (const origins of others) {
    it(`does not share the response for origins: ${origins}`, async () => {
      assert.equal(await statusFor({ origins }, {}), null)
    })
  }

  /** Strings that are not an origin throw a setup error. */
  const flawed = [
    ...[`//${host}`, `://${host}`, `http:://${host}`, `http:/${host}`, `http:${host}`, host, `${HERE}?`, `${HERE}/`],
    ...[`${HERE} /`, `${HERE}#`, `${HERE}%23`, `${HERE}:80`, `${HERE}, *`, `${HERE}\0`, HERE.toUpperCase()],
    ...[`HTTP://${host}`, '-', '**', '\0*', '*\0', "'*'", '"*"', '* *', '* null', `*http://*`, `*${HERE}`, `* ${HERE}`],
    ...[`*, ${HERE}`, `\0${HERE}`, `null ${HERE}`, 'null *', '', `${HERE}/cors/origin.htm`, `${HERE}/cors`],
    ...['platform.test:8000', '.platform.test', '*.platform.test', 'http://.', ' *  ', '\t*', ` ${HERE}`, `${HERE} `],
    ...['http://a.*.test', 'http://user@web-platform.test', 'http://*', 'https://a.test:443', 'http://ä.test'],
  ]
  for (const origins of flawed) {
    it(`rejects origins: ${JSON.stringify(origins)}`, () => {
      assert.throws(() => appWith({ origins }), SetupError)
    })
  }
})

describe('credentials-flag.htm: cookies', () => {
  it('allows cookies only for listed origins with credentials: true', async () => {
    assert.equal(await statusFor({ credentials: true }, {}, true), 200)
    assert.equal(await statusFor({ credentials: false }, {}, true), null)
    assert.equal(await statusFor({ origins: '*' }, {}, true), null)
  })
})

describe('request-headers.htm: request headers', () => {
  const ROWS: readonly (readonly [
    about: string,
    headers: Record<string, string>,
    cors: object,
    status: number | null,
  ])[] = [
    ['accepts any request header without a list', { 'x-print': 'unicorn', 'y-print': 'narwhal' }, {}, 200],
    ['accepts a listed request header', { 'x-print': 'unicorn' }, { headers: ['x-print'] }, 200],
    ['compares request headers case-insensitively', { 'x-print': 'unicorn' }, { headers: ['Y-LOL', 'x-PriNT'] }, 200],
    ['rejects an unlisted request header', { 'x-print': 'a', 'y-print': 'b' }, { headers: ['x-print'] }, null],
    [
      'accepts CORS-safelisted request headers with an empty list',
      { accept: 'test', 'content-type': 'text/plain' },
      { headers: [] },
      200,
    ],
    ['accepts a listed Authorization header', { authorization: 'x' }, { headers: ['authorization'] }, 200],
    ['does not accept Authorization with a star', { authorization: 'x' }, { origins: '*', headers: ['*'] }, null],
    ['accepts any other request header with a star', { 'x-print': 'x' }, { origins: '*', headers: ['*'] }, 200],
  ]
  for (const [about, headers, cors, status] of ROWS) {
    it(about, async () => {
      assert.equal(await statusFor(cors, { headers }), status)
    })
  }
})

describe('simple-requests.htm: no preflight', () => {
  const SIMPLE: readonly Readonly<Record<string, string>>[] = [
    ...[{ accept: 'test' }, { 'accept-language': 'test' }, { 'content-language': 'test' }],
    ...[{ 'content-type': 'application/x-www-form-urlencoded' }, { 'content-type': 'text/plain; parameter=extra' }],
  ]
  for (const headers of SIMPLE) {
    it(`needs no preflight for ${JSON.stringify(headers)}`, async () => {
      const page = { origin: HERE }
      const { preflight, status } = await askAsPage(appWith({}), page, { target: '/made/200', headers })
      assert.deepEqual([preflight, status], [null, 200])
    })
  }
})

describe('response-headers.htm: readable headers', () => {
  it('exposes listed headers and CORS-safelisted headers', async () => {
    const app = appWith({ expose: ['x-custom', 'X-Second'] })
    const { readable } = await askAsPage(app, { origin: HERE }, { target: '/made/200' })
    assert.deepEqual(readable, ['cache-control', 'content-length', 'content-type', 'x-custom', 'x-second'])
  })

  it('exposes only CORS-safelisted headers without a list', async () => {
    const { readable } = await askAsPage(appWith({}), { origin: HERE }, { target: '/made/200' })
    assert.deepEqual(readable, ['cache-control', 'content-length', 'content-type'])
  })

  it('exposes all headers with a star, and rejects a star with credentials', async () => {
    const { readable } = await askAsPage(appWith({ expose: ['*'] }), { origin: HERE }, { target: '/made/200' })
    assert.ok(readable.includes('x-hidden'))
    assert.throws(() => appWith({ expose: ['*'], credentials: true }), SetupError)
  })
})

describe('status.htm and status-preflight.htm: statuses', () => {
  const STATUSES: readonly (readonly [method: string, status: number])[] = [
    ...(['GET', 'HEAD', 'POST', 'PUT'] as const).flatMap((method) =>
      [200, 204, 400, 401, 404, 501, 599].map((status) => [method, status] as const),
    ),
  ]
  for (const [method, status] of STATUSES) {
    it(`shares ${status} for ${method} with and without a preflight`, async () => {
      for (const headers of [{}, { 'x-nonsimple': 'true' }]) {
        assert.equal(await statusFor({}, { method, target: `/made/${status}`, headers }), status)
      }
    })
  }

  it('rejects unknown and lowercase methods', async () => {
    assert.equal(await statusFor({}, { method: 'CHICKEN' }), null)
    assert.equal(await statusFor({}, { method: 'chicken' }), null)
  })
})

describe('preflight-cache.htm: maximum age of a preflight', () => {
  const question = { origin: HERE, 'access-control-request-method': 'PUT' }
  for (const [maxAge, seconds] of [
    [undefined, '600'],
    [0, '0'],
    [999, '0'],
    [5_000, '5'],
    [86_400_000, '86400'],
  ] as const) {
    it(`sets a maximum age of ${seconds} s for ${maxAge} ms`, async () => {
      const app = appWith(maxAge === undefined ? {} : { maxAge })
      const init = { method: 'OPTIONS', headers: question }
      const { headers } = await app.fetch(new Request('http://localhost/made/200', init))
      assert.equal(headers.get('access-control-max-age'), seconds)
    })
  }
})

describe('preflight-failure.htm and redirect-preflight.htm: preflights without a 2xx response', () => {
  it('responds 204 to a preflight even if middleware would redirect the request', async () => {
    const away = async () => reply(307, null, { location: 'http://elsewhere.test/' })
    const app = createUntypedApp({ routes: { Made }, cors: { origins: HERE }, middleware: [away] })
    const asked = { target: '/made/200', method: 'PUT', headers: { 'x-test': 'test' } }
    const { preflight, status } = await askAsPage(app, { origin: HERE }, asked)
    assert.deepEqual([preflight, status], [204, 307])
  })
})
