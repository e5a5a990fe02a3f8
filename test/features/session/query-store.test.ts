/** Results of a session store: which cookies they cause, and what happens if a store returns anything but a boolean. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, Route, type App, type Input } from 'verbena'
import { session, type SessionStore } from 'verbena/session'
import { memorySessions } from '#src/features/stores/memory/sessions.js'
import { sendRequest, captureLog } from '#test/apps.js'
import { KEY, readCookie } from '#test/browser-client.js'

const MINUTE = 60_000
const { logger, lines } = captureLog()

function createUsersApp(store: SessionStore, idle = 60 * MINUTE): App {
  const visitor = session({ keys: [KEY], store, idle })
  class Users extends Route {
    static readonly path = '/'
    static readonly uses = { visitor }
    static readonly get = this.contract({})
    async get({ visitor }: Input<typeof Users.get>) {
      return visitor.value ?? null
    }
    static readonly post = this.contract({})
    async post({ visitor }: Input<typeof Users.post>) {
      visitor.start('ada')
    }
    static readonly put = this.contract({})
    async put({ visitor }: Input<typeof Users.put>) {
      visitor.set('ben')
    }
    static readonly delete = this.contract({})
    async delete({ visitor }: Input<typeof Users.delete>) {
      visitor.end()
    }
  }
  return createApp({ routes: { Users }, logger })
}

/** Sends a request with a session that is due for renewal. `results` replaces methods of the store after the sign-in. */
async function send(method: string, results: object): Promise<{ status: number; cookies: readonly string[] }> {
  const memory = memorySessions()
  const { headers } = await sendRequest(createUsersApp(memory, 30 * MINUTE), '/', { method: 'POST' })
  const { name, value } = readCookie(headers.getSetCookie()[0] ?? '')
  const app = createUsersApp({ ...memory, ...results })
  lines.length = 0
  const response = await sendRequest(app, '/', { method, headers: { cookie: `${name}=${value}` } })
  return { status: response.status, cookies: response.headers.getSetCookie() }
}

/** Updates of an existing session: request method, store method, and its name in the error. */
const UPDATES = [
  ['GET', 'touch', 'touch'],
  ['PUT', 'set', 'set with "changed"'],
] as const

describe('session: results of the store', () => {
  for (const [method, update, call] of UPDATES) {
    for (const isAsync of [false, true]) {
      const returning = (result: unknown): object => ({ [update]: () => (isAsync ? Promise.resolve(result) : result) })

      it(`sends a cookie only if ${call} returns ${isAsync ? 'a promise of ' : ''}true`, async () => {
        const renewed = await send(method, returning(true))
        assert.deepEqual([renewed.status < 300, renewed.cookies.length], [true, 1])
        const ended = await send(method, returning(false))
        assert.deepEqual([ended.status < 300, ended.cookies], [true, []])
        assert.deepEqual(lines, [])
      })

      const others: readonly (readonly [value: unknown, kind: string])[] = [
        [undefined, 'undefined'],
        [null, 'null'],
        [1, 'a number'],
        ['OK', 'a string'],
        [new Map(), 'a plain object'],
      ]
      for (const [value, kind] of others) {
        it(`responds 503 if ${call} returns ${isAsync ? 'a promise of ' : ''}${kind}, and logs the fix`, async () => {
          assert.deepEqual(await send(method, returning(value)), { status: 503, cookies: [] })
          const { cause } = Object(lines[0]?.fields['err'])
          assert.equal(lines.length, 1)
          assert.equal(
            String(cause),
            `TypeError: Cannot use the session store: ${call} returned ${kind}. ` +
              'Return true if the session exists, false if not, or a promise of it',
          )
        })
      }
    }
  }

  it('ignores the results of set for a new session and of delete', async () => {
    const memory = memorySessions()
    const set: unknown = (key: string, text: string, end: number) => void memory.set(key, text, end, 'new')
    // Proof: the test returns a value that the types forbid.
    const app = createUsersApp({ ...memory, set: set as SessionStore['set'], delete: (key) => void memory.delete(key) })
    const signedIn = await sendRequest(app, '/', { method: 'POST' })
    const { name, value } = readCookie(signedIn.headers.getSetCookie()[0] ?? '')
    const cookie = `${name}=${value}`
    assert.equal((await sendRequest(app, '/', { headers: { cookie } })).text, 'ada')
    assert.equal((await sendRequest(app, '/', { method: 'DELETE', headers: { cookie } })).status, 204)
    assert.equal((await sendRequest(app, '/', { headers: { cookie } })).text, 'null')
  })

  it('deletes the cookie of an ended session even if the store is unavailable', async () => {
    const { status, cookies } = await send('DELETE', { delete: () => Promise.reject(new Error('down')) })
    assert.deepEqual([status, cookies.map((line) => readCookie(line).value)], [503, ['']])
  })
})
