import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyOf, bearer, HttpError, jwt, Route, service, type App, type CredentialsProvider } from 'verbena'
import { sendRequest, assertSetupError, captureLog, createUntypedApp, type Answer } from '#test/apps.js'
import { CLAIMS, NOW, SECRET, signToken } from '#test/tokens.js'

/** An app whose one endpoint tells what the provider gives. */
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

  it('gives what its function gives for a token', async () => {
    for (const header of ['Bearer right', 'bearer right', 'BEARER   right']) {
      assert.deepEqual((await asking(app, header)).body, { user: { id: 'ada' } })
    }
  })

  it('answers 401 with a bare challenge when there is no token (RFC 6750 section 3)', async () => {
    for (const header of [undefined, 'Basic YTpi', 'Bearers right', 'right']) {
      const { status, headers, body } = await asking(app, header)
      assert.equal(status, 401)
      assert.equal(headers.get('www-authenticate'), 'Bearer')
      assert.equal(headers.get('content-type'), 'application/problem+json')
      // Proof: a problem is an object.
      assert.equal((body as Record<string, unknown>)['detail'], 'This needs credentials, and there are none')
    }
  })

  it('answers 401 with an error when the token is wrong, and does not repeat it', async () => {
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

  it('names its realm in both', async () => {
    const own = appOf(bearer(() => false, { realm: 'Ada\'s "notes"' }))
    const realm = String.raw`Bearer realm="Ada's \"notes\""`
    assert.equal((await asking(own)).headers.get('www-authenticate'), realm)
    const wrong = await asking(own, 'Bearer a')
    assert.ok(wrong.headers.get('www-authenticate')?.startsWith(`${realm}, error="invalid_token"`))
  })

  it('does not ask its function about what cannot be a token', async () => {
    let asked = 0
    const own = appOf(bearer(() => ++asked))
    for (const header of ['Bearer', 'Bearer ', 'Bearer a b', 'Bearer ä']) {
      assert.equal((await asking(own, header)).status, 401)
    }
    assert.equal(asked, 0)
    assert.equal((await asking(own, 'Bearer a.b-c_d~e+f/g==')).status, 200)
  })

  for (const refusal of [null, undefined, false, '', 0, 0n, Number.NaN]) {
    it(`takes ${typeof refusal} ${String(refusal)} for a refusal, now and later`, async () => {
      assert.equal((await asking(appOf(bearer(() => refusal)), 'Bearer a')).status, 401)
      assert.equal((await asking(appOf(bearer(async () => refusal)), 'Bearer a')).status, 401)
    })
  }

  it('waits for promises that are not of JavaScript, as query builders give them', async () => {
    const thenable = (value: unknown) => ({
      // oxlint-disable-next-line unicorn/no-thenable -- that is what is tested
      then: (resolve: (value: unknown) => void) => resolve(value),
    })
    assert.equal((await asking(appOf(bearer(() => thenable(null))), 'Bearer a')).status, 401)
    assert.deepEqual((await asking(appOf(bearer(() => thenable('ada'))), 'Bearer a')).body, { user: 'ada' })
  })

  it('gets the services, made when the app starts', async () => {
    const sessions = service(async () => new Map([['a', 'ada']]))
    const own = appOf(
      bearer((token, { sessions }: { sessions: Map<string, string> }) => sessions.get(token)),
      { sessions },
    )
    assert.deepEqual((await asking(own, 'Bearer a')).body, { user: 'ada' })
    assert.equal((await asking(own, 'Bearer b')).status, 401)
  })

  it('answers 500 when its function fails: nobody is let in, and nobody is blamed', async () => {
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

  it('passes on what jwt() gives and why it refuses', async () => {
    const own = appOf(bearer(jwt({ algorithms: ['HS256'], keys: SECRET, audience: 'api', now: () => NOW })))
    assert.deepEqual((await asking(own, `Bearer ${await signToken('HS256')}`)).body, { user: CLAIMS })
    const { status, headers } = await asking(own, `Bearer ${await signToken('HS256', { ...CLAIMS, exp: 0 })}`)
    assert.equal(status, 401)
    assert.equal(
      headers.get('www-authenticate'),
      'Bearer error="invalid_token", error_description="The token has expired"',
    )
  })

  it('has its scheme and its 401 as data', () => {
    const provider = loose(() => 1, { format: 'JWT' })
    assert.deepEqual(Reflect.get(Object(provider), 'needs'), {
      security: [{ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' }],
      errors: [401],
    })
    assert.deepEqual(Reflect.get(Object(loose(() => 1)), 'needs').security, [{ type: 'http', scheme: 'bearer' }])
  })

  const REFUSED: readonly (readonly [about: string, given: readonly unknown[], says: string])[] = [
    ['no function', [], 'it is not given a function'],
    ['a token', ['secret'], 'it is not given a function'],
    ['options that are none', [() => 1, 'realm'], 'its options are no record'],
    ['null for options', [() => 1, null], 'its options are no record'],
    ['an unknown option', [() => 1, { relm: 'a' }], 'unknown option "relm". Did you mean "realm"?'],
    ['a realm of two lines', [() => 1, { realm: 'a\r\nb' }], '"realm" is not a text of visible ASCII'],
    ['an empty realm', [() => 1, { realm: '' }], '"realm" is not a text'],
    ['a realm that is no text', [() => 1, { realm: 1 }], '"realm" is not a text'],
    ['a scheme of two words', [() => 1, { scheme: 'My Token' }], '"scheme" is not one word. Write "scheme: \'Token\'"'],
    ['an empty scheme', [() => 1, { scheme: '' }], '"scheme" is not a text'],
  ]
  for (const [about, given, says] of REFUSED) {
    it(`refuses ${about}`, () => assertSetupError(() => loose(...given), 'PROVIDER_INVALID', 'by bearer', says))
  }

  it('takes an option that is undefined for absent', () => {
    assert.doesNotThrow(() => loose(() => 1, { realm: undefined }))
  })
})

describe('bearer() of another scheme', () => {
  const options = { scheme: 'Token', realm: 'notes' }
  const app = appOf(bearer((token) => token === 'right' && { id: 'ada' }, options))

  it('takes the token behind that word, in any case, and behind no other', async () => {
    for (const header of ['Token right', 'token right', 'TOKEN  right']) {
      assert.deepEqual((await asking(app, header)).body, { user: { id: 'ada' } })
    }
    for (const header of [undefined, 'Bearer right', 'Tokens right', 'right']) {
      const { status, headers } = await asking(app, header)
      assert.deepEqual([status, headers.get('www-authenticate')], [401, 'Token realm="notes"'])
    }
  })

  it('challenges in that scheme, without what belongs to Bearer', async () => {
    for (const header of ['Token wrong', 'Token', 'Token a b']) {
      const { status, headers, body } = await asking(app, header)
      assert.deepEqual([status, headers.get('www-authenticate')], [401, 'Token realm="notes"'])
      assert.equal(Object(body).detail, 'The token is not valid')
    }
  })

  it('says why jwt() refuses, and passes on what else its function throws', async () => {
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

  it('has its scheme as data, and the form of its tokens in words', () => {
    const needsOf = (given: object): unknown => Reflect.get(Object(loose(() => 1, given)), 'needs').security
    assert.deepEqual(needsOf({ scheme: 'Token', format: 'JWT' }), [
      { type: 'http', scheme: 'Token', description: 'Authorization: Token <JWT>' },
    ])
    assert.deepEqual(needsOf({ scheme: 'Token' }), [
      { type: 'http', scheme: 'Token', description: 'Authorization: Token <token>' },
    ])
    assert.deepEqual(needsOf({ scheme: 'BEARER' }), [{ type: 'http', scheme: 'bearer' }])
  })

  it('stands beside Bearer, and is told from itself in another case', async () => {
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

/** `bearer` for what the compiler would refuse. */
function loose(...given: readonly unknown[]): unknown {
  const make: unknown = bearer
  // Proof: the parameters are what the types narrow; at run time it takes any.
  return (make as (...args: readonly unknown[]) => unknown)(...given)
}
