/** Sources of the version of a request, and the default for requests without a version. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HttpError, Route, type Reply } from 'verbena'
import { version } from 'verbena/decorators'
import { sendRequest, captureLog, createUntypedApp, type Answer } from '#test/apps.js'

class UsersV1 extends Route {
  static readonly path = '/users'
  @version('>=1 <2')
  async get() {
    return 'one'
  }
}
class UsersV2 extends Route {
  static readonly path = '/users'
  @version('>=2')
  async get() {
    return 'two'
  }
}

function app(options: object): ReturnType<typeof createUntypedApp> {
  return createUntypedApp({ version: '1.5.0', routes: { UsersV1, UsersV2 }, ...options })
}

async function asked(headers: Record<string, string>, options: object): Promise<Answer> {
  return sendRequest(app(options), '/users', { headers })
}

function headersOf({ headers }: Answer): (string | null)[] {
  return [headers.get('vary'), headers.get('api-version')]
}

describe('app option versioning', () => {
  it('reads a custom header, case-insensitively', async () => {
    const options = { versioning: { from: 'X-API-Version' } }
    const got = await asked({ 'x-api-version': '2', 'accept-version': '1' }, options)
    assert.deepEqual([got.text, ...headersOf(got)], ['two', 'x-api-version', '2.0.0'])
    const refused = await asked({ 'x-api-version': '?' }, options)
    assert.match(Object(refused.body).detail, /in the header x-api-version is malformed/)
  })

  it('reads a parameter of the media types in Accept', async () => {
    const options = { versioning: { from: { mediaType: 'Version' } } }
    for (const [accept, answer] of [
      ['text/plain;version=2', 'two'],
      ['text/plain;VERSION="2.1"', 'two'],
      ['text/html;version=1;q=0.5, text/plain;version=2', 'two'],
      ['text/plain', 'one'],
      ['*/*', 'one'],
    ] as const) {
      const got = await asked({ accept }, options)
      assert.deepEqual([got.text, got.headers.get('vary')], [answer, 'accept'], accept)
    }
    const refused = await asked({ accept: 'text/plain;version=x' }, options)
    assert.equal(refused.status, 400)
    assert.match(Object(refused.body).detail, /^The version in the parameter "version" of accept is malformed/)
  })

  it('reads the version with a function and sets Vary to *', async () => {
    const from = ({ url, headers }: { url: string; headers: Record<string, string | undefined> }) =>
      new URLSearchParams(url.split('?')[1]).get('v') ?? headers['x-v']
    const one = app({ versioning: { from } })
    const byQuery = await sendRequest(one, '/users?v=2')
    const byHeader = await sendRequest(one, '/users', { headers: { 'x-v': '2.3' } })
    const byNone = await sendRequest(one, '/users')
    assert.deepEqual([byQuery.text, ...headersOf(byQuery)], ['two', '*', '2.0.0'])
    assert.deepEqual([byHeader.text, ...headersOf(byHeader)], ['two', '*', '2.3.0'])
    assert.deepEqual([byNone.text, ...headersOf(byNone)], ['one', '*', '1.5.0'])
    const refused = await sendRequest(one, '/users?v=x')
    assert.equal(Object(refused.body).detail, 'The version is malformed. Send a version such as 1.4.0')
  })

  it('responds to errors of the function through middleware', async () => {
    const { logger, lines } = captureLog()
    const middleware = [async (_context: unknown, next: () => Promise<Reply>) => (await next()).with({ 'x-seen': '1' })]
    for (const [from, status] of [
      [() => Promise.reject(new HttpError(403)), 500],
      [() => 7, 500],
      [
        () => {
          // oxlint-disable-next-line no-throw-literal -- anything may be thrown
          throw undefined
        },
        500,
      ],
      [
        () => {
          throw new HttpError(403, 'no')
        },
        403,
      ],
    ] as const) {
      const got = await asked({ 'accept-version': '1' }, { logger, middleware, versioning: { from } })
      assert.deepEqual([got.status, got.headers.get('x-seen'), got.headers.get('vary')], [status, '1', '*'])
    }
    const causes = lines.map(({ fields }) => String(fields['err']))
    assert.match(causes[0] ?? '', /"versioning.from": it must be a string or undefined/)
    assert.match(lines[1]?.message ?? '', /^Promise returned by "versioning.from" rejected/)
    assert.equal(causes.length, 4)
  })

  it('uses the default version for requests without a version', async () => {
    for (const [options, answer] of [
      [{ version: '2.5.0' }, 'two'],
      [{ version: '2.5.0', versioning: { default: '1' } }, 'one'],
      [{ version: '2.5.0', versioning: { default: undefined } }, 'two'],
      [{ version: '1.0.0', versioning: { from: 'x-v', default: '2' } }, 'two'],
    ] as const) {
      const got = await asked({}, options)
      assert.equal(got.text, answer)
    }
  })

  it('compares dates if constraints are dates', async () => {
    class Old extends Route {
      static readonly path = '/reports'
      @version('<2026-01-01')
      async get() {
        return 'old'
      }
    }
    class New extends Route {
      static readonly path = '/reports'
      @version('>=2026-01-01')
      async get() {
        return 'new'
      }
    }
    const reports = createUntypedApp({ version: '3.1.0', versioning: { default: '2025-06-30' }, routes: { Old, New } })
    const get = (text: string) => sendRequest(reports, '/reports', { headers: { 'accept-version': text } })
    for (const [text, status, answer] of [
      ['2025-12-31', 200, 'old'],
      ['2026-01-01', 200, 'new'],
      ['2026-02-30', 400, undefined],
      ['3.1', 406, undefined],
    ] as const) {
      const got = await get(text)
      assert.equal(got.status, status)
      if (answer !== undefined) assert.deepEqual([got.text, got.headers.get('api-version')], [answer, text])
    }
    assert.match(Object((await get('x')).body).detail, /Send a date such as 2026-01-31$/)
    assert.equal((await sendRequest(reports, '/reports')).headers.get('api-version'), '2025-06-30')
  })
})
