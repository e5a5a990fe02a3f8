/** `signedCookie()` and `sealedCookie()`: values that the browser keeps. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it, mock } from 'node:test'
import { createApp, HttpError, Route, type App, type Input } from 'verbena'
import { sealedCookie, signedCookie } from 'verbena/session'
import { sendRequest, assertSetupError, captureLog, type Answer } from '#test/apps.js'
import { KEY, OTHER_KEY, readCookie } from '#test/visitors.js'
import * as z from 'zod'

const MAKERS = { signedCookie, sealedCookie }
const HOUR = 3_600_000

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
        // Proof: the test gives what it means to.
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

    it('gives what was set before, until its end, in a cookie that no script can read', async () => {
      const { app } = appWith()
      const line = await lineOf(app, { theme: 'dark' })
      assert.match(line, /^__Host-theme=[\w-]+; Path=\/; Max-Age=3600; SameSite=Lax; Secure; HttpOnly$/)
      assert.deepEqual(await found(app, line), [{ theme: 'dark' }, undefined])
      const { headers } = await sendRequest(app, '/')
      assert.deepEqual([headers.get('vary'), headers.getSetCookie()], ['cookie', []])
      mock.timers.tick(HOUR)
      assert.deepEqual(await found(app, line), [null, undefined])
    })

    it(`can${name === 'sealedCookie' ? 'not' : ''} be read by the browser`, async () => {
      const { value } = readCookie(await lineOf(appWith().app, { theme: 'dark' }))
      assert.equal(Buffer.from(value, 'base64url').includes('dark'), name === 'signedCookie')
    })

    it('ignores cookies of another name or with unknown keys, and does not delete them', async () => {
      const line = await lineOf(appWith().app, { theme: 'dark' })
      const other = appWith([KEY], 'other').app
      assert.deepEqual((await found(other, line, '__Host-other'))[0], null)
      assert.deepEqual(await found(appWith([OTHER_KEY]).app, line), [null, undefined])
      assert.deepEqual(await found(appWith([OTHER_KEY, KEY]).app, line), [{ theme: 'dark' }, undefined])
    })

    it('is not set when the request fails, and ended all the same', async () => {
      const { app } = appWith()
      const failed = await set(app, { theme: 'fail' })
      assert.deepEqual([failed.status, failed.headers.getSetCookie()], [400, []])
      const ended = await sendRequest(app, '/', { method: 'DELETE' })
      assert.deepEqual([ended.status, ended.headers.getSetCookie().length], [403, 1])
      const forged = await sendRequest(app, '/', { headers: { cookie: '__Host-theme=x', 'x-fail': 'yes' } })
      assert.deepEqual([forged.status, forged.headers.getSetCookie()], [400, []])
    })

    it('fails the request with a log line where it does not fit its schema, or is too large for a cookie', async () => {
      const { app, lines } = appWith()
      const cases: readonly (readonly [body: unknown, text: RegExp])[] = [
        [{ theme: 7 }, /^TypeError: Cannot set the cookie "__Host-theme": as JSON it does not fit its schema/],
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

    it('takes 4096 bytes with its attributes, and not one more', async () => {
      const { app } = appWith()
      const sizes: number[] = []
      for (let length = 2_900; length < 3_100; length++) {
        const line = await lineOf(app, { theme: 'x'.repeat(length) })
        if (line !== '') sizes.push(line.length)
      }
      assert.ok(Math.max(...sizes) <= 4096 && Math.max(...sizes) >= 4094, String(Math.max(...sizes)))
    })

    it('takes texts where it has no schema, and a month where nobody says how long', async () => {
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

    it('is refused where it cannot be made', () => {
      const make: unknown = maker
      // Proof: at run time it takes anything.
      const loosely = make as (...given: unknown[]) => unknown
      const cases: readonly (readonly [given: unknown[], text: string | RegExp])[] = [
        [[], 'it is given no options'],
        [['a'], `Cannot make a provider by ${name}: it is given no options. Write "${name}('name', { keys })"`],
        [['a', {}], 'it has no name, or no keys'],
        [[undefined, { keys: [KEY] }], 'it has no name, or no keys'],
        [['a b', { keys: [KEY] }], '"name" is no name'],
        [['__Host-a', { keys: [KEY] }], '"name" is no name'],
        [['a', { keys: ['short'] }], '"keys" is no list of texts of 32 bytes at least'],
        [['a', { keys: [KEY], lifetime: -1 }], '"lifetime" must be a positive integer of ms'],
        [['a', { keys: [KEY], age: 1 }], /unknown option "age".* lifetime/],
        [['a', { keys: [KEY], maxAge: 1 }], 'unknown option "maxAge"'],
        [['a', { keys: [KEY], schema: 1 }], '"schema" is not a schema'],
        [['a', { keys: [KEY], path: '' }], '"path" is no path'],
      ]
      for (const [given, text] of cases) assertSetupError(() => loosely(...given), 'PROVIDER_INVALID', text)
    })
  })
}

describe('values in cookies', () => {
  it('are not those of the other maker, with the same name and keys', async () => {
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
