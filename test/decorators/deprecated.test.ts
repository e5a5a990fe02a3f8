import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import { createApp, HttpError, Route, type Input } from 'verbena'
import { deprecated, type DeprecatedOptions } from 'verbena/decorators'
import { sendRequest, assertSetupError, createUntypedApp } from '#test/apps.js'
import * as z from 'zod'

/** Returns the headers `deprecation`, `sunset` and `link` of an endpoint with these options. */
async function fieldsOf(options: DeprecatedOptions): Promise<(string | null)[]> {
  class Users extends Route {
    @deprecated(options) get() {}
  }
  const { headers } = await sendRequest(createApp({ routes: { Users }, logger: false }), '/users')
  return ['deprecation', 'sunset', 'link'].map((name) => headers.get(name))
}

describe('@deprecated', () => {
  it('sends the headers Deprecation, Sunset and Link', async () => {
    const link = 'https://example.com/news'
    assert.deepEqual(await fieldsOf({ since: '2024-06-30', sunset: '2999-01-01', link }), [
      '@1719705600',
      'Tue, 01 Jan 2999 00:00:00 GMT',
      `<${link}>; rel="deprecation", <${link}>; rel="sunset"`,
    ])
  })

  it('sends only the headers of its options', async () => {
    assert.deepEqual(await fieldsOf({}), [null, null, null])
    assert.deepEqual(await fieldsOf({ since: new Date(999) }), ['@0', null, null])
    assert.deepEqual(await fieldsOf({ since: '2026-01-31T12:00:30.500+02:00' }), ['@1769853630', null, null])
    assert.deepEqual(await fieldsOf({ since: '2999-01-31T12:00Z' }), ['@32474779200', null, null])
    assert.deepEqual(await fieldsOf({ link: '/news?a=1#b' }), [null, null, '</news?a=1#b>; rel="deprecation"'])
  })

  it('adds headers to every response of the endpoint, appends to other links, and works without options', async () => {
    class Users extends Route {
      static readonly get = this.contract({ query: z.object({ page: z.int() }) })
      @deprecated({ since: '2024-06-30', link: '/news' }) get({ response }: Input<typeof Users.get>) {
        response.append('link', '</users?page=2>; rel="next"')
        return []
      }
      @deprecated({ since: '2024-06-30' }) post() {
        throw new HttpError(409)
      }
      @deprecated put() {}
      delete() {}
    }
    const app = createApp({ routes: { Users }, logger: false })
    const fine = await sendRequest(app, '/users?page=1')
    assert.deepEqual(
      [fine.status, fine.headers.get('link')],
      [200, '</users?page=2>; rel="next", </news>; rel="deprecation"'],
    )
    const refused = await sendRequest(app, '/users?page=x')
    assert.deepEqual([refused.status, refused.headers.get('deprecation')], [422, '@1719705600'])
    const failed = await sendRequest(app, '/users', { method: 'POST' })
    assert.deepEqual([failed.status, failed.headers.get('deprecation')], [409, '@1719705600'])
    for (const method of ['PUT', 'DELETE', 'OPTIONS']) {
      const other = await sendRequest(app, '/users', { method })
      assert.deepEqual([other.status, other.headers.get('deprecation')], [204, null], method)
    }
  })

  it('responds 410 after the sunset, before any validation', async () => {
    class Users extends Route {
      static readonly get = this.contract({ query: z.object({ page: z.int() }), returns: z.array(z.string()) })
      @deprecated({ sunset: '2026-03-01T12:00:00Z', link: '/news' }) get() {
        return []
      }
    }
    const app = createApp({ routes: { Users }, logger: false })
    const sunset = Date.UTC(2026, 2, 1, 12)
    mock.timers.enable({ apis: ['Date'], now: sunset - 1 })
    try {
      assert.equal((await sendRequest(app, '/users?page=1')).status, 200)
      mock.timers.setTime(sunset)
      const { status, body, headers } = await sendRequest(app, '/users?page=x', { headers: { accept: 'text/html' } })
      assert.equal(status, 410)
      assert.equal(headers.get('content-type'), 'application/problem+json')
      assert.equal(Reflect.get(Object(body), 'detail'), 'This was withdrawn at 2026-03-01T12:00:00.000Z')
      assert.equal(headers.get('sunset'), 'Sun, 01 Mar 2026 12:00:00 GMT')
      assert.equal(headers.get('link'), '</news>; rel="deprecation", </news>; rel="sunset"')
      assert.equal((await sendRequest(app, '/users', { method: 'OPTIONS' })).status, 204)
      assert.equal((await sendRequest(app, '/users', { method: 'PUT' })).status, 405)
    } finally {
      mock.timers.reset()
    }
  })

  it('sets meta.deprecated even without dates', async () => {
    class Users extends Route {
      static readonly meta = { owner: 'us' }
      @deprecated get() {}
    }
    const metas: unknown[] = []
    const app = createApp({
      ...{ routes: { Users }, logger: false },
      middleware: [
        (context, next) => {
          metas.push(context.endpoint?.meta)
          return next()
        },
      ],
    })
    await sendRequest(app, '/users')
    assert.deepEqual(metas, [{ owner: 'us', deprecated: true }])
  })

  for (const [about, options, ...says] of [
    [
      'an unknown option',
      { until: '2026-01-01' },
      '"until" of @deprecated: it is unknown',
      'Valid options are since, sunset, link',
    ],
    [
      'a sunset before "since"',
      { since: '2026-02-01', sunset: '2026-01-31' },
      '"sunset" of @deprecated: it must not be before "since"',
    ],
    ['a day that does not exist', { since: '2026-02-30' }, '"since"', 'not "2026-02-30"'],
    ['a month that does not exist', { since: '2026-13-01' }, 'not "2026-13-01"'],
    ['an hour that does not exist', { since: '2026-01-01T25:00Z' }, 'must be a Date or a date'],
    ['a time without a zone', { sunset: '2026-01-31T12:00:00' }, '"sunset"', '2026-01-31T12:00:00Z'],
    ['words', { since: 'next week' }, 'not "next week"'],
    ['a number', { since: 1769817600 }, 'not 1769817600'],
    ['an invalid date', { since: new Date(NaN) }, 'from 1970 to 9999'],
    ['a date before 1970', { since: new Date(-1) }, 'from 1970 to 9999'],
    ['a year of five digits', { since: new Date(Date.UTC(10_000, 0)) }, 'from 1970 to 9999'],
    ['a link with a space', { link: '/a b' }, '"link" of @deprecated: it must be a URL'],
    ['a link that closes its angle bracket', { link: '/a>; rel="next"' }, '"link" of @deprecated: it must be a URL'],
    ['a link with a line feed', { link: '/a\n' }, '"link" of @deprecated: it must be a URL'],
    ['a link that is not a URL', { link: 'http://[' }, '"link" of @deprecated: it must be a URL'],
    ['a link that is not a string', { link: 7 }, '"link" of @deprecated: it must be a URL'],
  ] as const) {
    it(`rejects ${about}`, () => {
      // Proof: tests pass options that the types reject.
      assertSetupError(() => deprecated(options as object), 'OPTION_INVALID', 'of @deprecated', ...says)
    })
  }

  it('rejects a duplicate in static decorators', () => {
    class Users extends Route {
      static readonly decorators = [deprecated, deprecated]
      get() {}
    }
    assertSetupError(() => createUntypedApp({ routes: { Users } }), 'DECORATOR_REPEATED', '@deprecated')
  })
})
