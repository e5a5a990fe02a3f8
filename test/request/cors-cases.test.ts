/** The cases of the folder `cors/` of the web platform tests, as data: what a server says, and what a browser makes of it. */
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

describe('origin.htm: what is allowed', () => {
  const allowed: readonly CorsOptions['origins'][] = ['*', HERE, ['http://other.test', HERE], 'http://*.test:8000']
  for (const origins of allowed) {
    it(`shows the answer to ${HERE} with ${JSON.stringify(origins)}`, async () => {
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
    it(`shows nothing with ${origins}`, async () => {
      assert.equal(await statusFor({ origins }, {}), null)
    })
  }

  /** What is no origin at all is found when the app is made. */
  const flawed = [
    ...[`//${host}`, `://${host}`, `http:://${host}`, `http:/${host}`, `http:${host}`, host, `${HERE}?`, `${HERE}/`],
    ...[`${HERE} /`, `${HERE}#`, `${HERE}%23`, `${HERE}:80`, `${HERE}, *`, `${HERE}\0`, HERE.toUpperCase()],
    ...[`HTTP://${host}`, '-', '**', '\0*', '*\0', "'*'", '"*"', '* *', '* null', `*http://*`, `*${HERE}`, `* ${HERE}`],
    ...[`*, ${HERE}`, `\0${HERE}`, `null ${HERE}`, 'null *', '', `${HERE}/cors/origin.htm`, `${HERE}/cors`],
    ...['platform.test:8000', '.platform.test', '*.platform.test', 'http://.', ' *  ', '\t*', ` ${HERE}`, `${HERE} `],
    ...['http://a.*.test', 'http://user@web-platform.test', 'http://*', 'https://a.test:443', 'http://ä.test'],
  ]
  for (const origins of flawed) {
    it(`refuses to be made with ${JSON.stringify(origins)}`, () => {
      assert.throws(() => appWith({ origins }), SetupError)
    })
  }
})

describe('credentials-flag.htm: cookies', () => {
  it('are for the origins that are named, where the server says so', async () => {
    assert.equal(await statusFor({ credentials: true }, {}, true), 200)
    assert.equal(await statusFor({ credentials: false }, {}, true), null)
    assert.equal(await statusFor({ origins: '*' }, {}, true), null)
  })
})

describe('request-headers.htm: fields of requests', () => {
  const ROWS: readonly (readonly [
    about: string,
    headers: Record<string, string>,
    cors: object,
    status: number | null,
  ])[] = [
    ['takes any without a list', { 'x-print': 'unicorn', 'y-print': 'narwhal' }, {}, 200],
    ['takes one of the list', { 'x-print': 'unicorn' }, { headers: ['x-print'] }, 200],
    ['compares without regard to case', { 'x-print': 'unicorn' }, { headers: ['Y-LOL', 'x-PriNT'] }, 200],
    ['refuses one that is not of the list', { 'x-print': 'a', 'y-print': 'b' }, { headers: ['x-print'] }, null],
    ['needs no list for those that are simple', { accept: 'test', 'content-type': 'text/plain' }, { headers: [] }, 200],
    ['takes the name of credentials from a list', { authorization: 'x' }, { headers: ['authorization'] }, 200],
    ['does not take that for any', { authorization: 'x' }, { origins: '*', headers: ['*'] }, null],
    ['takes any other for any', { 'x-print': 'x' }, { origins: '*', headers: ['*'] }, 200],
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
    it(`for ${JSON.stringify(headers)}`, async () => {
      const page = { origin: HERE }
      const { preflight, status } = await askAsPage(appWith({}), page, { target: '/made/200', headers })
      assert.deepEqual([preflight, status], [null, 200])
    })
  }
})

describe('response-headers.htm: what scripts may read', () => {
  it('is what is exposed, and what always is', async () => {
    const app = appWith({ expose: ['x-custom', 'X-Second'] })
    const { readable } = await askAsPage(app, { origin: HERE }, { target: '/made/200' })
    assert.deepEqual(readable, ['cache-control', 'content-length', 'content-type', 'x-custom', 'x-second'])
  })

  it('is no more than that without a list', async () => {
    const { readable } = await askAsPage(appWith({}), { origin: HERE }, { target: '/made/200' })
    assert.deepEqual(readable, ['cache-control', 'content-length', 'content-type'])
  })

  it('is all with a star, unless there are cookies', async () => {
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
    it(`shows ${status} for ${method}, with a preflight and without`, async () => {
      for (const headers of [{}, { 'x-nonsimple': 'true' }]) {
        assert.equal(await statusFor({}, { method, target: `/made/${status}`, headers }), status)
      }
    })
  }

  it('refuses a method that nobody knows, or that is not written as it is', async () => {
    assert.equal(await statusFor({}, { method: 'CHICKEN' }), null)
    assert.equal(await statusFor({}, { method: 'chicken' }), null)
  })
})

describe('preflight-cache.htm: how long a preflight holds', () => {
  const question = { origin: HERE, 'access-control-request-method': 'PUT' }
  for (const [maxAge, seconds] of [
    [undefined, '600'],
    [0, '0'],
    [999, '0'],
    [5_000, '5'],
    [86_400_000, '86400'],
  ] as const) {
    it(`says ${seconds} s for ${maxAge} ms`, async () => {
      const app = appWith(maxAge === undefined ? {} : { maxAge })
      const init = { method: 'OPTIONS', headers: question }
      const { headers } = await app.fetch(new Request('http://localhost/made/200', init))
      assert.equal(headers.get('access-control-max-age'), seconds)
    })
  }
})

describe('preflight-failure.htm and redirect-preflight.htm: a preflight that is answered by anything but 2xx', () => {
  it('does not happen: what would refuse or redirect does not see it', async () => {
    const away = async () => reply(307, null, { location: 'http://elsewhere.test/' })
    const app = createUntypedApp({ routes: { Made }, cors: { origins: HERE }, middleware: [away] })
    const asked = { target: '/made/200', method: 'PUT', headers: { 'x-test': 'test' } }
    const { preflight, status } = await askAsPage(app, { origin: HERE }, asked)
    assert.deepEqual([preflight, status], [204, 307])
  })
})
