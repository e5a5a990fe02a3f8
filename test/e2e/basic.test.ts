import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { basic, Route, type App, type CredentialsProvider, type UserPassword } from 'verbena'
import { sendRequest, assertSetupError, createUntypedApp, type Answer } from '#test/apps.js'

function appOf(provider: CredentialsProvider<unknown, never>): App {
  class Home extends Route {
    static readonly get = this.contract({ uses: { user: provider } })
    get({ user }: { user: unknown }) {
      return { user }
    }
  }
  return createUntypedApp({ routes: { Home } })
}

const asking = (app: App, authorization?: string): Promise<Answer> =>
  sendRequest(app, '/home', authorization === undefined ? {} : { headers: { authorization } })
const base64 = (text: string | Uint8Array): string => Buffer.from(text).toString('base64')
const login = (app: App, text: string | Uint8Array): Promise<Answer> => asking(app, `Basic ${base64(text)}`)

describe('basic()', () => {
  const app = appOf(basic({ ada: 'lovelace', grace: 'a:b:c', jürgen: 'Straße' }))

  it('accepts the passwords in an object', async () => {
    for (const [name, password] of [
      ['ada', 'lovelace'],
      ['grace', 'a:b:c'],
      ['jürgen', 'Straße'],
    ] as const) {
      assert.deepEqual((await login(app, `${name}:${password}`)).body, { user: { username: name } })
    }
  })

  it('responds 401 to missing and invalid credentials (RFC 7617 section 2)', async () => {
    const wrong = [
      'ada:Lovelace',
      'ada:',
      'ada: lovelace',
      'Ada:lovelace',
      'eve:lovelace',
      'eve:undefined',
      ':lovelace',
    ]
    const strange = ['ada', '', 'toString:x', '__proto__:x', 'ada:lovelace\n', 'ada:love\u0000lace']
    const answers = await Promise.all([asking(app), ...[...wrong, ...strange].map((text) => login(app, text))])
    for (const { status, headers, text } of answers) {
      assert.equal(status, 401)
      assert.equal(headers.get('www-authenticate'), 'Basic realm="api", charset="UTF-8"')
      assert.doesNotMatch(text, /\bada\b|lovelace/i) // words: the request id is random
    }
  })

  it('normalizes passwords (RFC 8265 section 4.2)', async () => {
    const cafe = appOf(basic({ ada: 'cafe\u0301\u00a0', grace: 'caf\u00e9' }))
    for (const text of ['ada:caf\u00e9 ', 'ada:cafe\u0301\u2003', 'grace:caf\u00e9', 'grace:cafe\u0301']) {
      assert.equal((await login(cafe, text)).status, 200, text)
    }
    for (const text of ['ada:cafe ', 'grace:cafe', 'grace:CAF\u00c9'])
      assert.equal((await login(cafe, text)).status, 401)
  })

  it('accepts only canonical base64 of UTF-8', async () => {
    const shown: UserPassword[] = []
    const own = appOf(basic((credentials) => shown.push(credentials), { realm: 'a' }))
    const sent = base64('ada:love??>')
    assert.ok(sent.includes('/') && sent.endsWith('='))
    for (const text of [sent.replaceAll('=', ''), sent.replaceAll('/', '_'), `${sent}=`, `~${sent}`, `${sent} x`]) {
      assert.equal((await asking(own, `Basic ${text}`)).status, 401, text)
    }
    for (const bytes of [Buffer.of(0x61, 0x3a, 0xff), Buffer.of(0x61, 0x3a, 0xc3)]) {
      assert.equal((await login(own, bytes)).status, 401)
    }
    assert.equal((await asking(own, 'Basic')).status, 401)
    assert.deepEqual(shown, [])
    assert.equal((await asking(own, `basic  ${sent}`)).status, 200)
    assert.deepEqual(shown, [{ username: 'ada', password: 'love??>' }])
  })

  it('accepts an async function that verifies, and passes it the services', async () => {
    class Home extends Route {
      static readonly get = this.contract({
        uses: {
          user: basic(async ({ username, password }, { users }: { users: Map<string, string> }) =>
            users.get(username) === password ? username : undefined,
          ),
        },
      })
      get({ user }: { user: unknown }) {
        return { user }
      }
    }
    const own = createUntypedApp({ routes: { Home }, services: { users: new Map([['ada', 'x']]) } })
    assert.deepEqual((await login(own, 'ada:x')).body, { user: 'ada' })
    assert.equal((await login(own, 'ada:y')).status, 401)
  })

  it('describes its security scheme', () => {
    assert.deepEqual(Reflect.get(Object(loose({ ada: 'x' })), 'needs'), {
      security: [{ type: 'http', scheme: 'basic' }],
      errors: [401],
    })
  })

  const REFUSED: readonly (readonly [about: string, given: readonly unknown[], says: string])[] = [
    ['missing arguments', [], '"verify" of basic(): it must be a function'],
    ['null', [null], '"users" of basic(): it is empty'],
    ['an empty object', [{}], '"users" of basic(): it is empty'],
    ['a colon in a user name', [{ 'a:b': 'x' }], 'its names must not contain ":"'],
    ['an empty password', [{ ada: '' }], 'the password of "ada" must be a non-empty string'],
    ['an undefined password', [{ ada: undefined }], 'the password of "ada" must be a non-empty string'],
    [
      'a realm with other characters than ASCII',
      [{ ada: 'x' }, { realm: 'ä' }],
      '"realm" of basic(): it must be a string of one or more printable ASCII',
    ],
    ['an unknown option', [{ ada: 'x' }, { format: 'x' }], '"format" of basic(): it is unknown'],
  ]
  for (const [about, given, says] of REFUSED) {
    it(`rejects ${about}`, () => assertSetupError(() => loose(...given), 'OPTION_INVALID', says))
  }
})

/** Calls `basic` with arguments that the compiler would reject. */
function loose(...given: readonly unknown[]): unknown {
  const make: unknown = basic
  // Proof: only the types narrow the parameters; at run time the function checks any argument.
  return (make as (...args: readonly unknown[]) => unknown)(...given)
}
