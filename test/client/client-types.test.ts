/** Clients of one version of an app that has two versions on one path. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, Route, type App, type Versioning } from 'verbena'
import { createClient } from 'verbena/client'
import { version } from 'verbena/decorators'
import * as z from 'zod'

class UsersV1 extends Route {
  static readonly path = '/users'
  static readonly get = this.contract({
    returns: z.object({ name: z.string() }),
    decorators: [version('1.x')],
  })
  async get() {
    return { name: 'Ada Lovelace' }
  }
}
class UsersV2 extends Route {
  static readonly path = '/users'
  static readonly get = this.contract({ returns: z.object({ first: z.string() }) })
  @version('>=2.1')
  async get() {
    return { first: 'Ada' }
  }
}
class Status extends Route {
  async get() {
    return 'fine'
  }
}
const v1 = { UsersV1, Status }
const v2 = { UsersV2, Status }

const SOURCES: readonly [
  about: string,
  from: Versioning['from'] | undefined,
  headers: (version: string) => Readonly<Record<string, string>>,
][] = [
  ['the default header', undefined, (asked) => ({ 'accept-version': asked })],
  ['another header', 'x-api-version', (asked) => ({ 'x-api-version': asked })],
  ['the media type', { mediaType: 'version' }, (asked) => ({ accept: `application/json;version=${asked}` })],
]

describe('createClient(): versions', () => {
  for (const [about, from, headersFor] of SOURCES) {
    it(`sends the version in ${about} with each request`, async () => {
      const versioning = { require: true, ...(from !== undefined && { from }) } as const
      await using app = createApp({ versioning, routes: { ...v1, ...v2 }, logger: false, signals: false })
      const { url } = await app.listen()

      const first = createClient<App<typeof v1>>(url, { headers: headersFor('1.4') })
      const old = await first('/users').get()
      assert.ok(old.ok)
      assert.deepEqual([old.body.name, old.headers.get('api-version')], ['Ada Lovelace', '1.4.0'])

      const second = createClient<App<typeof v2>>(url, { headers: headersFor('2.1') })
      for (let call = 0; call < 2; call++) {
        const users = await second('/users').get()
        assert.ok(users.ok)
        assert.deepEqual([users.body.first, users.headers.get('api-version')], ['Ada', '2.1.0'])
      }
      assert.equal((await second('/status').get()).body, 'fine')

      const other = await second('/users').get({ headers: headersFor('1') })
      assert.deepEqual(other.body, { name: 'Ada Lovelace' })
      const missing = await createClient<App<typeof v2>>(url)('/users').get()
      assert.deepEqual([missing.ok, missing.status], [false, 400])
    })
  }
})
