import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyOf, bearer, HttpError, jwt, Route, service, type App, type CredentialsProvider } from 'verbena'
import { sendRequest, assertSetupError, captureLog, createUntypedApp, type Answer } from '#test/apps.js'
import { CLAIMS, NOW, SECRET, signToken } from '#test/tokens.js'

/** Creates an app whose only endpoint returns the value of the provider. */
function appOf(provider: CredentialsProvider<unknown, never>, services: object = {}): App {
  class Home extends Route {
    static readonly get = this.contract({ uses: { user: provider } })
    get({ user }: { user: unknown }) {
      return { user }
    }
  }
  return createUntypedApp({ routes: { Home }, services })
}

const asking = (app: App, authorization?: string): Promise<Answer> =>
  sendRequest(app, '/home', authorization === undefined ? {} : { headers: { authorization } })

describe('bearer()', () => {
  const app = appOf(bearer((token) => (token === 'right' ? { id: 'ada' } : null)))

  it('provides the value that the function returns for a token', async () => {
    for (const header of ['Bearer right', 'bearer right', 'BEARER   right']) {
      assert.deepEqual((await asking(app, header)).body, { user: { id: 'ada' } })
    }
  })

  it('responds 401 with a challenge without an error if the token is missing (RFC 6750 section 3)', async () => {
    for (const header of [undefined, 'Basic YTpi', 'Bearers right', 'right']) {
      const { status, headers, body } = await asking(app, header)
      assert.equal(status, 401)
      assert.equal(headers.get('www-authenticate'), 'Bearer')
      assert.equal(headers.get('content-type'), 'application/problem+json')
      // Proof: a problem is an object.
      assert.equal(
        (body as Record<string, unknown>)['detail'],
        'This request requires credentials, but they are missing',
      )
    }
  })

  it('responds 401 with an error to an invalid token, and does not repeat the token', async () => {
    for (const header of ['Bearer wrong', 'Bearer', 'Bearer right, Bearer right', 'Bearer "right"', 'Bearer =']) {
      const { status, headers, text } = await asking(app, header)
      assert.equal(status, 401)
      assert.equal(
        headers.get('www-authenticate'),
        'Bearer error="invalid_token", error_description="The token is not valid"',
      )
      assert.doesNotMatch(text, /wrong|right/)
    }
  })

  it('sends the realm in every challenge, with and without an error', async () => {
    const own = appOf(bearer(() => false, { realm: 'Ada\'s "notes"' }))
    const realm = String.raw`Bearer realm="Ada's \"notes\""`
    assert.equal((await asking(own)).headers.get('www-authenticate'), realm)
    const wrong = await asking(own, 'Bearer a')
    assert.ok(wrong.headers.get('www-authenticate')?.startsWith(`${realm}, error="invalid_token"`))
  })

  it('does not call the function for a malformed token', async () => {
    let asked = 0
    const own = appOf(bearer(() => ++asked))
    for (const header of ['Bearer', 'Bearer ', 'Bearer a b', 'Bearer ä']) {
      assert.equal((await asking(own, header)).status, 401)
    }
    assert.equal(asked, 0)
    assert.equal((await asking(own, 'Bearer a.b-c_d~e+f/g==')).status, 200)
  })

  for (const refusal of [null, undefined, false, '', 0, 0n, Number.NaN]) {
    it(`rejects the token if the function returns ${typeof refusal} ${String(refusal)}, or a promise of it`, async () => {
      assert.equal((await asking(appOf(bearer(() => refusal)), 'Bearer a')).status, 401)
      assert.equal((await asking(appOf(bearer(async () => refusal)), 'Bearer a')).status, 401)
    })
  }

  it('awaits any thenable that the function returns, such as a query builder', async () => {
    const thenable = (value: unknown) => ({
      // oxlint-disable-next-line unicorn/no-thenable -- that is what is tested
      then: (resolve: (value: unknown) => void) => resolve(value),
    })
    assert.equal((await asking(appOf(bearer(() => thenable(null))), 'Bearer a')).status, 401)
    assert.deepEqual((await asking(appOf(bearer(() => thenable('ada'))), 'Bearer a')).body, { user: 'ada' })
  })

  it('passes the services to the function, including async ones', async () => {
    const sessions = service(async () => new Map([['a', 'ada']]))
    const own = appOf(
      bearer((token, { sessions }: { sessions: Map<string, string> }) => sessions.get(token)),
      { sessions },
    )
    assert.deepEqual((await asking(own, 'Bearer a')).body, { user: 'ada' })
    assert.equal((await asking(own, 'Bearer b')).status, 401)
  })

  it('responds 500 and logs an error if the function throws', async () => {
    const { logger, lines } = captureLog()
    class Home extends Route {
      static readonly uses = {
        user: bearer(() => {
          throw new Error('the database is down')
        }),
      }
      get() {
        return 'in'
      }
    }
    const own = createUntypedApp({ routes: { Home }, logger })
    const { status, text } = await asking(own, 'Bearer a')
    assert.equal(status, 500)
    assert.doesNotMatch(text, /database/)
    assert.ok(lines.some(({ level }) => level === 'error'))
  })

  it('provides the claims of jwt(), and sends its reason for a rejection', async () => {
    const own = appOf(bearer(jwt({ algorithms: ['HS256'], keys: SECRET, audience: 'api', now: () => NOW })))
    assert.deepEqual((await asking(own, `Bearer ${await signToken('HS256')}`)).body, { user: CLAIMS })
    const { status, headers } = await asking(own, `Bearer ${await signToken('HS256', { ...CLAIMS, exp: 0 })}`)
    assert.equal(status, 401)
    assert.equal(
      headers.get('www-authenticate'),
      'Bearer error="invalid_token", error_description="The token has expired"',
    )
  })

  it('describes its security scheme and its 401', () => {
    const provider = loose(() => 1, { format: 'JWT' })
    assert.deepEqual(Reflect.get(Object(provider), 'needs'), {
      security: [{ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' }],
      errors: [401],
    })
    assert.deepEqual(Reflect.get(Object(loose(() => 1)), 'needs').security, [{ type: 'http', scheme: 'bearer' }])
  })

  const REFUSED: readonly (readonly [about: string, given: readonly unknown[], says: string])[] = [
    ['a missing function', [], '"verify" of bearer(): it must be a function'],
    ['a token in place of a function', ['secret'], '"verify" of bearer(): it must be a function'],
    ['a string for options', [() => 1, 'realm'], 'the options of bearer(): they must be an object'],
    ['null for options', [() => 1, null], 'the options of bearer(): they must be an object'],
    ['an unknown option', [() => 1, { relm: 'a' }], '"relm" of bearer(): it is unknown. Did you mean "realm"?'],
    [
      'a realm of two lines',
      [() => 1, { realm: 'a\r\nb' }],
      '"realm" of bearer(): it must be a string of one or more printable ASCII',
    ],
    ['an empty realm', [() => 1, { realm: '' }], '"realm" of bearer(): it must be a string'],
    ['a realm that is not a string', [() => 1, { realm: 1 }], '"realm" of bearer(): it must be a string'],
    [
      'a scheme of two words',
      [() => 1, { scheme: 'My Token' }],
      '"scheme" of bearer(): it must be one word, not "My Token". Write "scheme: \'Token\'"',
    ],
    ['an empty scheme', [() => 1, { scheme: '' }], '"scheme" of bearer(): it must be one word'],
  ]
  for (const [about, given, says] of REFUSED) {
    it(`rejects ${about}`, () => assertSetupError(() => loose(...given), 'OPTION_INVALID', says))
  }

  it('ignores an option that is undefined', () => {
    assert.doesNotThrow(() => loose(() => 1, { realm: undefined }))
  })
})

describe('bearer() with a custom scheme', () => {
  const options = { scheme: 'Token', realm: 'notes' }
  const app = appOf(bearer((token) => token === 'right' && { id: 'ada' }, options))

  it('accepts the token only with the custom scheme, in any case', async () => {
    for (const header of ['Token right', 'token right', 'TOKEN  right']) {
      assert.deepEqual((await asking(app, header)).body, { user: { id: 'ada' } })
    }
    for (const header of [undefined, 'Bearer right', 'Tokens right', 'right']) {
      const { status, headers } = await asking(app, header)
      assert.deepEqual([status, headers.get('www-authenticate')], [401, 'Token realm="notes"'])
    }
  })

  it('sends a challenge with the custom scheme, without the error parameter of Bearer', async () => {
    for (const header of ['Token wrong', 'Token', 'Token a b']) {
      const { status, headers, body } = await asking(app, header)
      assert.deepEqual([status, headers.get('www-authenticate')], [401, 'Token realm="notes"'])
      assert.equal(Object(body).detail, 'The token is not valid')
    }
  })

  it('replaces the Bearer challenge of jwt() and keeps its detail; passes other errors on unchanged', async () => {
    const verify = jwt({ algorithms: ['HS256'], keys: SECRET, audience: 'api', now: () => NOW })
    const own = appOf(bearer(verify, options))
    assert.deepEqual((await asking(own, `Token ${await signToken('HS256')}`)).body, { user: CLAIMS })
    const late = await asking(own, `Token ${await signToken('HS256', { ...CLAIMS, exp: 0 })}`)
    assert.deepEqual([late.status, late.headers.get('www-authenticate')], [401, 'Token realm="notes"'])
    assert.equal(Object(late.body).detail, 'The token has expired')
    for (const [error, status, challenge] of [
      [new HttpError(401, 'Ask again', { headers: { 'www-authenticate': 'Login' } }), 401, 'Login'],
      [new HttpError(401, 'Nobody'), 401, null],
      [new HttpError(403, 'Banned'), 403, null],
      [new Error('the database is down'), 500, null],
    ] as const) {
      const failing = appOf(
        bearer(() => {
          throw error
        }, options),
      )
      const { headers, ...answer } = await asking(failing, 'Token a')
      assert.deepEqual([answer.status, headers.get('www-authenticate')], [status, challenge])
    }
  })

  it('describes its security scheme, and the format of the tokens in its description', () => {
    const needsOf = (given: object): unknown => Reflect.get(Object(loose(() => 1, given)), 'needs').security
    assert.deepEqual(needsOf({ scheme: 'Token', format: 'JWT' }), [
      { type: 'http', scheme: 'Token', description: 'Authorization: Token <JWT>' },
    ])
    assert.deepEqual(needsOf({ scheme: 'Token' }), [
      { type: 'http', scheme: 'Token', description: 'Authorization: Token <token>' },
    ])
    assert.deepEqual(needsOf({ scheme: 'BEARER' }), [{ type: 'http', scheme: 'bearer' }])
  })

  it('combines with Bearer in anyOf(), but not with the same scheme in different case', async () => {
    const other = bearer((token) => token === 'other' && { id: 'bob' })
    const both = appOf(
      anyOf(
        bearer((token) => token === 'right' && { id: 'ada' }, options),
        other,
      ),
    )
    assert.deepEqual((await asking(both, 'Token right')).body, { user: { id: 'ada' } })
    assert.deepEqual((await asking(both, 'Bearer other')).body, { user: { id: 'bob' } })
    const { headers } = await asking(both)
    assert.equal(headers.get('www-authenticate'), 'Token realm="notes", Bearer')
    const [one, two] = ['Token', 'TOKEN'].map((scheme) => bearer(() => 1, { scheme }))
    assert.ok(one && two)
    assertSetupError(() => anyOf(one, two), 'PROVIDER_INVALID', 'two of its providers read "Authorization: Token"')
  })
})

/** Calls `bearer` with arguments that the compiler would reject. */
function loose(...given: readonly unknown[]): unknown {
  const make: unknown = bearer
  // Proof: only the types narrow the parameters; at run time the function checks any argument.
  return (make as (...args: readonly unknown[]) => unknown)(...given)
}
