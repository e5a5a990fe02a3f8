/** Validation issues in the console, for schemas of any library. */
import '#test/development.js'
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type } from 'arktype'
import * as v from 'valibot'
import { createApp, Route, type Schema } from 'verbena'
import * as z from 'zod'
import { toJsonSchema } from '@valibot/to-json-schema'
import type { RequestRecord } from '#src/devconsole/wire/request-types.js'
import type { RouteList } from '#src/devconsole/wire/view-types.js'
import { newestRecord, post, read } from '#test/console.js'

const SCHEMAS: readonly (readonly [vendor: string, schema: Schema, code: string])[] = [
  ['zod', z.object({ size: z.number() }), 'invalid_type'],
  ['valibot', v.object({ size: v.number() }), 'number'],
  ['arktype', type({ size: 'number' }), 'domain'],
]

async function recordOf(schema: Schema, size: unknown): Promise<RequestRecord> {
  class Boxes extends Route {
    static readonly post = this.contract({ body: schema, returns: schema })
    async post() {
      return JSON.parse('{"size":"small","password":"hunter2"}')
    }
  }
  const jsonSchema = { valibot: toJsonSchema }
  // Proof: the schemas of a table have no types that the method could keep to.
  const routes = { Boxes } as unknown as Record<string, typeof Route>
  await using app = createApp({ routes, logger: false, devConsole: true, jsonSchema })
  const { url } = await app.listen()
  const answer = await post(`${url}/boxes`, { size })
  assert.ok(!(await answer.text()).includes('"code"'))
  return await newestRecord(url, 1)
}

describe('console: validation issues', () => {
  for (const [vendor, schema, code] of SCHEMAS) {
    it(`shows field, code and value of request and response issues of ${vendor}`, async () => {
      const asked = await recordOf(schema, 'large')
      assert.deepEqual(
        asked.issues.map((issue) => [issue.side, issue.where, issue.code, issue.received]),
        [['request', 'body.size', code, '"large"']],
      )
      const answered = await recordOf(schema, 5)
      assert.deepEqual(
        answered.issues.map((issue) => [issue.side, issue.where, issue.code, issue.received]),
        [['response', 'body.size', code, '"small"']],
      )
      assert.deepEqual([asked.vendor, answered.vendor], [vendor, vendor])
    })
  }
})

describe('console: routes', () => {
  class Users extends Route {
    static readonly path = '/users/{id}/posts'
    static readonly get = this.contract({ returns: z.object({ at: z.symbol() }) })
    async get() {
      return { at: Symbol('at') }
    }
    getById(): void {}
  }
  class Pages extends Route {
    static readonly path = '/users/me/{page}'
    get(): string {
      return 'page'
    }
  }

  it('lists warnings for likely mistakes, and notes for surprises', async () => {
    await using app = createApp({ routes: { Users, Pages }, logger: false, devConsole: true })
    const { url } = await app.listen()
    const { routes } = await read<RouteList>(`${url}/__dev__/api/routes`)
    const [users, pages] = routes
    assert.match(users?.warnings.join('\n') ?? '', /^The response schema cannot be converted to JSON Schema: [^\n]+$/)
    assert.match(pages?.warnings.join('\n') ?? '', /"\/users\/\{id\}\/posts" and "\/users\/me\/\{page\}" both match/)
    assert.match(users?.notes.join('\n') ?? '', /^"getById" is not an endpoint[^\n]+$/)
    assert.deepEqual(pages?.notes, [])
  })
})
