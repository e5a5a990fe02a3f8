/** `signedCookie()` and `sealedCookie()`: values stored in the browser. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it, mock } from 'node:test'
import { createApp, HttpError, Route, type App, type Input, type SetupError } from 'verbena'
import { sealedCookie, signedCookie, type CookieValue } from 'verbena/session'
import { sendRequest, assertSetupError, captureLog, type Answer } from '#test/apps.js'
import { KEY, OTHER_KEY, readCookie } from '#test/browser-client.js'
import * as z from 'zod'

const MAKERS = { signedCookie, sealedCookie }
const HOUR = 3_600_000

interface Config {
  readonly keys: readonly string[]
}
interface Vault {
  read(): Promise<readonly string[]>
}
type Cookies = Readonly<Record<'signed' | 'sealed', CookieValue<string>>>

for (const [name, maker] of Object.entries(MAKERS)) {
  const appWith = (
    keys: string[] = [KEY],
    cookie = 'theme',
  ): { app: App; lines: ReturnType<typeof captureLog>['lines'] } => {
    const theme = maker(cookie, { keys, schema: z.object({ theme: z.string() }), lifetime: HOUR })
    class Theme extends Route {
      static readonly path = '/'
      static readonly get = this.contract({ uses: { theme }, headers: z.object({ 'x-fail': z.string().optional() }) })
      async get({ theme, headers }: Input<typeof Theme.get>) {
        if (headers['x-fail'] !== undefined) throw new HttpError(400)
        return theme.value ?? null
      }
      static readonly post = this.contract({ uses: { theme }, body: z.unknown() })
      async post({ theme, body }: Input<typeof Theme.post>) {
        // Proof: the test sends valid and invalid values on purpose.
        theme.set(body as { theme: string })
        if (theme.value?.theme === 'fail') throw new HttpError(400)
        return theme.value
      }
      static readonly delete = this.contract({ uses: { theme } })
      async delete({ theme }: Input<typeof Theme.delete>) {
        theme.end()
        throw new HttpError(403)
      }
    }
    const { logger, lines } = captureLog()
    return { app: createApp({ logger, routes: { Theme } }), lines }
  }
  const set = (app: App, body: unknown): Promise<Answer> =>
    sendRequest(app, '/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const lineOf = async (app: App, body: unknown): Promise<string> => {
    const { headers } = await set(app, body)
    return headers.getSetCookie()[0] ?? ''
  }
  const found = async (
    app: App,
    line: string,
    as = '__Host-theme',
  ): Promise<readonly [unknown, string | undefined]> => {
    const { body, headers } = await sendRequest(app, '/', { headers: { cookie: `${as}=${readCookie(line).value}` } })
    return [body, headers.getSetCookie()[0]]
  }

  describe(`${name}()`, () => {
    beforeEach(() => mock.timers.enable({ apis: ['Date'], now: 1_000_000_000_000 }))
    afterEach(() => mock.timers.reset())

    it('returns the value until it expires, from an HttpOnly cookie', async () => {
      const { app } = appWith()
      const line = await lineOf(app, { theme: 'dark' })
      assert.match(line, /^__Host-theme=[\w-]+; Path=\/; Max-Age=3600; SameSite=Lax; Secure; HttpOnly$/)
      assert.deepEqual(await found(app, line), [{ theme: 'dark' }, undefined])
      const { headers } = await sendRequest(app, '/')
      assert.deepEqual([headers.get('vary'), headers.getSetCookie()], ['cookie', []])
      mock.timers.tick(HOUR)
      assert.deepEqual(await found(app, line), [null, undefined])
    })

    it(`${name === 'sealedCookie' ? 'hides the value from' : 'shows the value to'} the browser`, async () => {
      const { value } = readCookie(await lineOf(appWith().app, { theme: 'dark' }))
      assert.equal(Buffer.from(value, 'base64url').includes('dark'), name === 'signedCookie')
    })

    it('ignores cookies with another name or an unknown key, and does not delete them', async () => {
      const line = await lineOf(appWith().app, { theme: 'dark' })
      const other = appWith([KEY], 'other').app
      assert.deepEqual((await found(other, line, '__Host-other'))[0], null)
      assert.deepEqual(await found(appWith([OTHER_KEY]).app, line), [null, undefined])
      assert.deepEqual(await found(appWith([OTHER_KEY, KEY]).app, line), [{ theme: 'dark' }, undefined])
    })

    it('does not set the cookie if the request fails, but deletes it after end()', async () => {
      const { app } = appWith()
      const failed = await set(app, { theme: 'fail' })
      assert.deepEqual([failed.status, failed.headers.getSetCookie()], [400, []])
      const ended = await sendRequest(app, '/', { method: 'DELETE' })
      assert.deepEqual([ended.status, ended.headers.getSetCookie().length], [403, 1])
      const forged = await sendRequest(app, '/', { headers: { cookie: '__Host-theme=x', 'x-fail': 'yes' } })
      assert.deepEqual([forged.status, forged.headers.getSetCookie()], [400, []])
    })

    it('responds 500 and logs an error if the value does not match the schema or is too large for a cookie', async () => {
      const { app, lines } = appWith()
      const cases: readonly (readonly [body: unknown, text: RegExp])[] = [
        [
          { theme: 7 },
          /^TypeError: Cannot set the cookie "__Host-theme": the JSON form of the value does not match the schema/,
        ],
        [
          { theme: 'x'.repeat(4096) },
          /^TypeError: Cannot set cookie "__Host-theme": it has \d{4} bytes with its attributes, and the maximum is 4096/,
        ],
      ]
      for (const [body, text] of cases) {
        lines.length = 0
        const answer = await set(app, body)
        assert.deepEqual([answer.status, answer.headers.getSetCookie()], [500, []])
        assert.match(String(lines[0]?.fields['err']), text)
        assert.ok(!answer.text.includes('cookie'))
      }
    })

    it('accepts a cookie of up to 4096 bytes with its attributes', async () => {
      const { app } = appWith()
      const sizes: number[] = []
      for (let length = 2_900; length < 3_100; length++) {
        const line = await lineOf(app, { theme: 'x'.repeat(length) })
        if (line !== '') sizes.push(line.length)
      }
      assert.ok(Math.max(...sizes) <= 4096 && Math.max(...sizes) >= 4094, String(Math.max(...sizes)))
    })

    it('accepts strings without a schema, with a default lifetime of 30 days', async () => {
      const plain = maker('plain', { keys: [KEY], insecure: true })
      class Plain extends Route {
        static readonly uses = { plain }
        put({ plain }: { plain: { set(text: string): void } }) {
          plain.set('a text')
        }
      }
      const app = createApp({ routes: { Plain }, logger: false })
      const { headers } = await sendRequest(app, '/plain', { method: 'PUT' })
      assert.match(headers.getSetCookie()[0] ?? '', /^plain=[\w-]+; Path=\/; Max-Age=2592000; SameSite=Lax; HttpOnly$/)
    })

    it('rejects invalid arguments', () => {
      const make: unknown = maker
      // Proof: at run time the function checks any argument.
      const loosely = make as (...given: unknown[]) => unknown
      const cases: readonly (readonly [given: unknown[], text: string | RegExp])[] = [
        [[], `the argument "name" of ${name}(): it must be a cookie name`],
        [
          ['a'],
          `Cannot use the options of ${name}(): they must be an object, not undefined. Write "{ keys: [current, previous] }"`,
        ],
        [['a', {}], `"keys" of ${name}(): it is missing`],
        [[undefined, { keys: [KEY] }], `"name" of ${name}(): it must be a cookie name`],
        [['a b', { keys: [KEY] }], `"name" of ${name}(): it must be a cookie name`],
        [['__Host-a', { keys: [KEY] }], `"name" of ${name}(): it must be a cookie name`],
        [['a', { keys: ['short'] }], `"keys" of ${name}(): it must be an array of strings of at least 32 bytes`],
        [['a', { keys: [KEY], lifetime: -1 }], `"lifetime" of ${name}(): it must be a positive integer of ms`],
        [['a', { keys: [KEY], age: 1 }], /"age" .* it is unknown.* lifetime/],
        [['a', { keys: [KEY], maxAge: 1 }], `"maxAge" of ${name}(): it is unknown`],
        [['a', { keys: [KEY], schema: 1 }], `"schema" of ${name}(): it must be a schema`],
        [['a', { keys: [KEY], path: '' }], `"path" of ${name}(): it must be a path`],
        [
          ['a', { keys: [KEY], partitioned: true, insecure: true }],
          `"partitioned" of ${name}(): it is true, which requires`,
        ],
      ]
      for (const [given, text] of cases) assertSetupError(() => loosely(...given), 'OPTION_INVALID', text)
    })
  })
}

describe('signedCookie() and sealedCookie()', () => {
  it('reads keys from the services of each app', async () => {
    const signed = signedCookie('signed', { keys: ({ config }: { config: Config }) => config.keys })
    const sealed = sealedCookie('sealed', { keys: async ({ vault }: { vault: Vault }) => vault.read() })
    class Both extends Route {
      static readonly uses = { signed, sealed }
      static readonly get = this.contract({})
      get({ signed, sealed }: Cookies) {
        return [signed.value ?? null, sealed.value ?? null]
      }
      static readonly put = this.contract({})
      put({ signed, sealed }: Cookies) {
        signed.set('a')
        sealed.set('b')
      }
    }
    const appWith = (keys: string[], sealedKeys = keys): App =>
      createApp({ services: { config: { keys }, vault: { read: async () => sealedKeys } }, routes: { Both } })
    const { headers } = await sendRequest(appWith([KEY]), '/both', { method: 'PUT' })
    const cookie = headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ')
    const readBy = async (app: App): Promise<unknown> => (await sendRequest(app, '/both', { headers: { cookie } })).body
    assert.deepEqual(await readBy(appWith([OTHER_KEY, KEY])), ['a', 'b'])
    assert.deepEqual(await readBy(appWith([OTHER_KEY], [KEY])), [null, 'b'])
    assert.deepEqual(await readBy(appWith([KEY], [OTHER_KEY])), ['a', null])
    const why = 'Cannot use the option "keys" of sealedCookie(): it must be an array of strings'
    await assert.rejects(appWith([KEY], []).start(), ({ code, message }: SetupError) => {
      return code === 'OPTION_INVALID' && message.startsWith(why)
    })
  })

  it('separates cookies of both functions with the same name and keys', async () => {
    const made = Object.values(MAKERS).map((maker) => {
      const value = maker('value', { keys: [KEY] })
      class Home extends Route {
        static readonly path = '/'
        static readonly uses = { value }
        get({ value }: { value: { value: string | undefined } }) {
          return value.value ?? 'nothing'
        }
        put({ value }: { value: { set(text: string): void } }) {
          value.set('set')
        }
      }
      return createApp({ routes: { Home }, logger: false })
    })
    for (const from of made) {
      const { headers } = await sendRequest(from, '/', { method: 'PUT' })
      const [cookie = ''] = headers.getSetCookie()[0]?.split(';') ?? []
      const read = await Promise.all(
        made.map(async (app) => (await sendRequest(app, '/', { headers: { cookie } })).body),
      )
      assert.deepEqual(
        read,
        made.map((app) => (app === from ? 'set' : 'nothing')),
      )
    }
  })
})
