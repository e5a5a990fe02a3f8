/** Cursor pagination: the query, and the link to the next page. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { createApp, cursor, Route, type AnySchema, type Input, type Result } from 'verbena'
import { createClient } from 'verbena/client'
import { testApp } from 'verbena/testing'
import * as z from 'zod'
import { sendRequest, assertSetupError } from '#test/apps.js'
import { validateDocument, findOperation } from '#test/openapi.js'

const Note = z.object({ id: z.int(), tag: z.string() })
const rows = Array.from({ length: 7 }, (_, at) => ({ id: at + 1, tag: at % 2 === 0 ? 'ä&b' : 'c' }))

const pages = cursor(z.object({ id: z.int() }), {
  limit: 2,
  most: 3,
  query: z.object({ tag: z.string().optional(), from: z.int().default(0) }),
})

class Notes extends Route {
  static readonly path = '/notes/{shelf}'
  static readonly get = this.contract({ query: pages.query, returns: z.array(Note) })
  async get({ query, request, response }: Input<typeof Notes.get>): Result<typeof Notes.get> {
    const behind = Math.max(query.from, query.cursor?.id ?? 0)
    const found = rows.filter(({ id, tag }) => id > behind && (query.tag ?? tag) === tag)
    const page = pages.page(found.slice(0, query.limit + 1), { query, request, response }, ({ id }) => ({ id }))
    return [...page]
  }
}

const app = createApp({ routes: { '/v1': { Notes } }, logger: false })
const text = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const nextIn = (headers: Headers): string | undefined => /^<([^>]*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]

async function idsFrom(start: string): Promise<number[][]> {
  const seen: number[][] = []
  for (let at: string | undefined = start; at !== undefined;) {
    const { status, headers, body } = await sendRequest(app, at)
    assert.equal(status, 200)
    assert.ok(Array.isArray(body))
    seen.push(body.map(({ id }) => id))
    at = nextIn(headers)
  }
  return seen
}

describe('cursor()', () => {
  it('links each page to the next, through the whole list', async () => {
    assert.deepEqual(await idsFrom('/v1/notes/a'), [[1, 2], [3, 4], [5, 6], [7]])
    assert.deepEqual(await idsFrom('/v1/notes/a?limit=3'), [[1, 2, 3], [4, 5, 6], [7]])
    assert.deepEqual(await idsFrom('/v1/notes/a?from=6'), [[7]])
  })

  it('adds no link to the last page, even if it is full', async () => {
    assert.deepEqual(await idsFrom('/v1/notes/a?tag=c&limit=3'), [[2, 4, 6]])
    assert.deepEqual(await idsFrom('/v1/notes/a?tag=none'), [[]])
  })

  it('preserves path and query of the request in the link, except for the cursor', async () => {
    const { headers } = await sendRequest(
      app,
      `/v1/notes/x%2Fy?tag=%C3%A4%26b&cursor=${text({ id: 1 })}&limit=1&more=a%20b`,
    )
    assert.equal(nextIn(headers), `/v1/notes/x%2Fy?tag=%C3%A4%26b&cursor=${text({ id: 3 })}&limit=1&more=a+b`)
  })

  const REFUSED: readonly (readonly [query: string, pointers: readonly string[]])[] = [
    ['cursor=', ['/cursor']],
    ['cursor=%20', ['/cursor']],
    ['cursor=bm9uZQ', ['/cursor']],
    [`cursor=${text({ id: 'a' })}`, ['/cursor']],
    [`cursor=${text({ id: 1 })}=`, ['/cursor']],
    [`cursor=${text({ id: 1 })}&cursor=${text({ id: 2 })}`, ['/cursor']],
    [`cursor=${Buffer.from('{"id":1,"__proto__":{"id":2}}').toString('base64url')}`, ['/cursor']],
    [`cursor=${Buffer.from(`${'['.repeat(2500)}${']'.repeat(2500)}`).toString('base64url')}`, ['/cursor']],
    [`cursor=${text([[[]]])}&limit=0&from=x`, ['/cursor', '/limit', '/from']],
    ['limit=4', ['/limit']],
    ['limit=1.5', ['/limit']],
    ['limit=', ['/limit']],
    ['limit=1&limit=2', ['/limit']],
  ]
  for (const [query, pointers] of REFUSED) {
    it(`rejects ${query.slice(0, 60)} with 422, and does not repeat the cursor`, async () => {
      const { status, body } = await sendRequest(app, `/v1/notes/a?${query}`)
      assert.equal(status, 422)
      const { errors } = Object(body)
      assert.deepEqual(
        errors.map(({ pointer }: { pointer: string }) => pointer),
        pointers,
      )
      assert.ok(!JSON.stringify(body).includes('bm9uZQ'))
    })
  }

  it('decodes a position exactly as it was encoded', async () => {
    const places = cursor(z.object({ at: z.coerce.date(), name: z.string() }))
    class Places extends Route {
      static readonly get = this.contract({ query: places.query })
      get({ query }: Input<typeof Places.get>) {
        return [query.cursor?.at.getTime(), query.cursor?.name, query.limit]
      }
    }
    const own = createApp({ routes: { Places } })
    const name = 'ü/+=&"\u2028'
    const written = places.write({ at: new Date(5), name })
    assert.match(written, /^[\w-]+$/)
    assert.deepEqual((await sendRequest(own, `/places?cursor=${written}&limit=100`)).body, [5, name, 100])
    assert.deepEqual((await sendRequest(own, '/places?other=1')).body, [null, null, 20])
    assert.equal((await sendRequest(own, '/places?limit=101')).status, 422)
  })

  it('supports async schemas, and reports the issues of both', async () => {
    const later = cursor(
      z.int().refine(async (value) => value > 0),
      {
        query: z.object({ a: z.string().refine(async (value) => value === 'b', 'It is b') }),
      },
    )
    class Later extends Route {
      static readonly get = this.contract({ query: later.query })
      get({ query }: Input<typeof Later.get>) {
        return query
      }
    }
    const own = createApp({ routes: { Later } })
    assert.deepEqual((await sendRequest(own, `/later?cursor=${text(1)}&a=b`)).body, { a: 'b', cursor: 1, limit: 20 })
    const { body } = await sendRequest(own, `/later?cursor=${text(0)}&a=c`)
    assert.deepEqual(
      Object(body)
        .errors.map(Object)
        .map(({ message }: { message: string }) => message),
      ['Expected a cursor from this list', 'It is b'],
    )
  })

  it('describes cursor, limit and the other keys in OpenAPI, including references', async () => {
    const Tag = z.string().meta({ id: 'Tag' })
    const tagged = cursor(z.int(), { limit: 150, query: z.object({ tag: Tag.optional(), sort: z.enum(['a', 'b']) }) })
    class Tagged extends Route {
      static readonly get = this.contract({ query: tagged.query, returns: z.array(z.int()) })
      get() {
        return []
      }
    }
    class Plain extends Route {
      static readonly get = this.contract({ query: cursor(z.int()).query, returns: null })
      get() {}
    }
    const own = createApp({ routes: { Tagged, Plain } })
    assert.deepEqual(own.check(), [])
    assert.deepEqual(await validateDocument(own.openapi()), [])
    const parameters = findOperation(own.openapi(), '/tagged').parameters ?? []
    const byName = Object.fromEntries(parameters.map(({ name, required, schema }) => [name, [required, schema]]))
    assert.deepEqual(Object.keys(byName).toSorted(), ['cursor', 'limit', 'sort', 'tag'])
    assert.deepEqual(byName['limit'], [undefined, { type: 'integer', minimum: 1, maximum: 150, default: 150 }])
    assert.deepEqual(byName['cursor'], [undefined, { type: 'string' }])
    assert.deepEqual(byName['tag'], [undefined, { $ref: '#/components/schemas/Tag' }])
    assert.deepEqual(byName['sort'], [true, { type: 'string', enum: ['a', 'b'] }])
    const names = (findOperation(own.openapi(), '/plain').parameters ?? []).map(({ name }) => name)
    assert.deepEqual(names, ['cursor', 'limit'])
  })

  it('accepts a query schema without JSON Schema, and reports it in app.check()', async () => {
    const Query = v.object({ n: v.number() })
    const listOf = (query: AnySchema) => {
      const list = cursor(v.number(), { query })
      class List extends Route {
        static readonly get = this.contract({ query: list.query })
        get({ query: given }: Input<typeof List.get>) {
          return given
        }
      }
      return createApp({ routes: { List } })
    }
    const asked = `/list?n=5&limit=7&cursor=${text(2)}`
    const plain = listOf(Query)
    assert.deepEqual((await sendRequest(plain, asked)).body, { n: 5, cursor: 2, limit: 7 })
    const [finding] = plain.check().filter(({ code }) => code !== 'RETURNS_MISSING')
    assert.equal(finding?.code, 'SCHEMA_UNDESCRIBED')
    assert.match(finding.message, /The schema of the other query keys does not provide JSON Schema/)
    const described = listOf(toStandardJsonSchema(Query))
    assert.deepEqual((await sendRequest(described, asked)).body, { n: 5, cursor: 2, limit: 7 })
    assert.deepEqual(
      described.check().map(({ code }) => code),
      ['RETURNS_MISSING'],
    )
  })

  it('implements Standard Schema and Standard JSON Schema', async () => {
    const { '~standard': standard } = pages.query
    assert.deepEqual(await standard.validate({ limit: 1 }), { value: { limit: 1, cursor: undefined, from: 0 } })
    assert.deepEqual(await standard.validate('no object'), { issues: [{ message: 'Expected an object' }] })
    const described = standard.jsonSchema?.output({ target: 'draft-2020-12' })
    assert.deepEqual(Object(described).allOf[0].properties.cursor, {})
  })

  it('types query and body in the client and in strict tests', async () => {
    await using test = await testApp(app)
    const { body, headers } = await test.api('/v1/notes/{shelf}').get({ params: { shelf: 'a' }, query: { limit: 1 } })
    assert.deepEqual(body, [{ id: 1, tag: 'ä&b' }])
    const given = new URL(nextIn(headers) ?? '', 'http://localhost').searchParams.get('cursor')
    assert.ok(given !== null)
    const api = createClient<typeof app>('http://localhost', { fetch: (request) => app.fetch(request) })
    const next = await api('/v1/notes/{shelf}').get({ params: { shelf: 'a' }, query: { limit: 1, cursor: given } })
    assert.deepEqual(next.body, [{ id: 2, tag: 'c' }])
  })

  it('adds the link to responses over a socket, also for HEAD', async () => {
    await using own = createApp({ routes: { Notes }, logger: false, signals: false })
    const { url } = await own.listen()
    for (const method of ['GET', 'HEAD']) {
      const { headers } = await fetch(`${url}/notes/a?limit=3`, { method })
      assert.equal(nextIn(headers), `/notes/a?limit=3&cursor=${text({ id: 3 })}`)
    }
  })

  const loose: unknown = cursor
  // Proof: at run time, the function accepts any arguments.
  const make = loose as (position: unknown, options?: unknown) => unknown
  const MISTAKES = [
    [undefined, {}, 'SCHEMA_INVALID', 'Cannot use cursor(…): its first argument must be a schema'],
    [z.int(), { limit: 0 }, 'OPTION_INVALID', 'the option "limit" of cursor(): it must be a positive integer'],
    [z.int(), { most: '9' }, 'OPTION_INVALID', 'the option "most" of cursor()'],
    [z.int(), { limit: 5, most: 4 }, 'OPTION_INVALID', 'it is greater than "most"'],
    [z.int(), { query: {} }, 'OPTION_INVALID', 'the option "query" of cursor(): it must be a schema'],
    [z.int(), { limits: 5 }, 'OPTION_INVALID', 'Did you mean "limit"?'],
  ] as const
  for (const [position, options, code, says] of MISTAKES) {
    it(`rejects the options ${JSON.stringify(options)}`, () =>
      assertSetupError(() => make(position, options), code, says))
  }
})
