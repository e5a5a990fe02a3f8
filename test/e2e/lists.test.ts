/** Lists in queries, headers and paths: as clients write them, over a socket, with three vendors. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { toJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { createApp, provide, Route, type Input } from 'verbena'
import { createClient } from 'verbena/client'
import * as z from 'zod'
import type { AnySchema } from '#src/validation/schema.js'

const item = z.union([z.int(), z.literal('all')])

class Items extends Route {
  static readonly path = '/items/{ids}/of/{owner}'
  static readonly get = this.contract({
    params: z.object({ ids: z.array(item), owner: z.string() }),
    query: z.object({ tag: z.array(item).optional() }),
    headers: z.object({ 'x-list': z.array(z.string()).optional(), 'x-ids': z.array(item).optional() }),
  })
  async get({ params, query, headers }: Input<typeof Items.get>) {
    return { ...params, ...query, ...headers }
  }
}

class Names extends Route {
  static readonly path = '/names/{names}'
  static readonly get = this.contract({ params: z.object({ names: z.array(z.string()) }) })
  async get({ params, request }: Input<typeof Names.get>): Promise<object> {
    return { names: params.names, href: request.href(Names, params) }
  }
}

/** Accepts a string and a list, so that nothing is split. */
class Either extends Route {
  static readonly path = '/either/{ids}'
  static readonly get = this.contract({
    params: z.object({ ids: z.union([z.string(), z.array(z.string())]) }),
    headers: z.object({ 'x-list': z.union([z.string(), z.array(z.string())]) }),
  })
  async get({ params, headers }: Input<typeof Either.get>) {
    return [params.ids, headers['x-list']]
  }
}

/** The provider reads a list of each path that uses it. */
const ids = provide({ params: z.object({ ids: z.array(z.int()) }) }, ({ params }) => params.ids)
const idGuard = provide({ guard: true, params: z.object({ ids: z.array(z.int()) }) }, ({ params }) => params.ids)
class Provided extends Route {
  static readonly path = '/deeper/path/{ids}'
  static readonly get = this.contract({ uses: { ids, idGuard } })
  async get(input: Input<typeof Provided.get>) {
    return { ids: input.ids, guard: input.idGuard }
  }
}

class Wildcard extends Route {
  static readonly path = '/rest/{rest...}'
  static readonly get = this.contract({ params: z.object({ rest: z.array(z.string()) }) })
  async get({ params }: Input<typeof Wildcard.get>) {
    return params.rest
  }
}

interface Sent {
  readonly status: number | undefined
  readonly body: ReturnType<typeof JSON.parse>
}

/** Returns a class that sends back its lists. */
function createRoute(path: string, schema: AnySchema, members: AnySchema) {
  return class Lists extends Route {
    static readonly path = path
    static readonly get = this.contract({ params: schema, headers: members, query: members })
    async get(input: object) {
      return [Reflect.get(input, 'params').k, Reflect.get(input, 'headers').l, Reflect.get(input, 'query').l]
    }
  }
}

const routes = { Items, Names, Either, Provided, Wildcard }
const app = createApp({ routes, logger: false })
const vendors = createApp({
  routes: {
    Zod: createRoute('/zod/{k}', z.object({ k: z.array(z.int()) }), z.object({ l: z.array(item) })),
    Valibot: createRoute(
      '/valibot/{k}',
      v.object({ k: v.array(v.number()) }),
      v.object({ l: v.array(v.union([v.number(), v.literal('all')])) }),
    ),
    Arktype: createRoute('/arktype/{k}', type({ k: 'number[]' }), type({ l: type("number | 'all'").array() })),
  },
  jsonSchema: { valibot: toJsonSchema },
  logger: false,
})

describe('lists', () => {
  let url = ''
  before(async () => {
    ;({ url } = await app.listen())
  })
  after(() => Promise.all([app.close(), vendors.close()]))

  /** Sends header lines as they are. */
  const send = (path: string, lines: readonly string[] = []): Promise<Sent> =>
    new Promise((resolve, reject) => {
      const headers = ['host', 'localhost', ...lines]
      const sent = request(url + path, { headers }, async (response) => {
        const chunks = await response.toArray()
        resolve({ status: response.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) })
      })
      sent.on('error', reject).end()
    })

  const HEADERS: readonly (readonly [title: string, lines: readonly string[], items: unknown])[] = [
    ['commas', ['x-list', 'a,b'], { 'x-list': ['a', 'b'] }],
    ['blanks', ['x-list', 'a ,\tb , c'], { 'x-list': ['a', 'b', 'c'] }],
    ['empty members', ['x-list', ',a,, ,b,'], { 'x-list': ['a', 'b'] }],
    ['only empty members', ['x-list', ','], { 'x-list': [] }],
    ['one item', ['x-list', 'a'], { 'x-list': ['a'] }],
    ['two lines', ['x-list', 'a', 'x-list', 'b,c'], { 'x-list': ['a', 'b', 'c'] }],
    ['quotes, which have no meaning', ['x-list', '"a,b"'], { 'x-list': ['"a', 'b"'] }],
    ['numbers', ['x-ids', '1, all,2'], { 'x-ids': [1, 'all', 2] }],
  ]
  for (const [title, lines, items] of HEADERS) {
    it(`reads a list in headers: ${title}`, async () => {
      const { body } = await send('/items/1/of/ada', lines)
      assert.deepEqual(body, { ids: [1], owner: 'ada', ...Object(items) })
    })
  }

  it('reports the place of an item in a header', async () => {
    const { status, body } = await send('/items/1/of/ada', ['x-ids', '1,x'])
    assert.equal(status, 422)
    assert.deepEqual([body.errors[0].in, body.errors[0].pointer], ['headers', '/x-ids/1'])
  })

  it('splits a path at commas before it decodes each item once', async () => {
    const namesOf = async (text: string): Promise<unknown> => (await send(`/names/${text}`)).body.names
    assert.deepEqual(await namesOf('a,b'), ['a', 'b'])
    assert.deepEqual(await namesOf('a%2Cb,c'), ['a,b', 'c'])
    assert.deepEqual(await namesOf('a%252Cb,%C3%A9'), ['a%2Cb', 'é'])
    assert.deepEqual(await namesOf('a%2C'), ['a,'])
    assert.deepEqual(await namesOf('a b'.replace(' ', '%20')), ['a b'])
    assert.deepEqual((await send('/items/1,all,3/of/a,b')).body, { ids: [1, 'all', 3], owner: 'a,b' })
  })

  it('rejects an empty item in a path', async () => {
    for (const [text, at] of [
      ['a,,b', 1],
      [',a', 0],
      ['a,', 1],
      [',', 0],
    ] as const) {
      const { status, body } = await send(`/names/${text}`)
      assert.equal(status, 422)
      assert.deepEqual(body.errors, [{ in: 'params', pointer: `/names/${at}`, message: 'Expected no empty item' }])
    }
  })

  it('does not split a value that can be a string, or a wildcard', async () => {
    assert.deepEqual((await send('/either/a,b', ['x-list', 'a,b'])).body, ['a,b', 'a,b'])
    assert.deepEqual((await send('/rest/a,b/c')).body, ['a,b/c'])
  })

  it('splits the paths of providers', async () => {
    assert.deepEqual((await send('/deeper/path/1,2')).body, { ids: [1, 2], guard: [1, 2] })
    assert.equal((await send('/deeper/path/1,')).status, 422)
  })

  it('writes a path that it reads as the same list', async () => {
    const { body } = await send('/names/a%2Cb,c')
    assert.deepEqual(body, { names: ['a,b', 'c'], href: '/names/a%2Cb,c' })
  })

  it('reads the lists of the typed client', async () => {
    const api = createClient<typeof app>(url)
    const params = { ids: [1, 'all', 2] as const, owner: 'a,b' }
    const answer = await api('/items/{ids}/of/{owner}').get({
      params: { ...params, ids: [...params.ids] },
      query: { tag: [1, 2] },
      headers: { 'x-list': ['a', 'b c'], 'x-ids': [1, 'all'] },
    })
    assert.ok(answer.ok)
    assert.deepEqual(answer.body, { ...params, tag: [1, 2], 'x-list': ['a', 'b c'], 'x-ids': [1, 'all'] })
    const named = await api('/names/{names}').get({ params: { names: ['a,b', 'é'] } })
    assert.ok(named.ok)
    assert.deepEqual(Object(named.body).names, ['a,b', 'é'])
  })

  for (const vendor of ['zod', 'valibot', 'arktype']) {
    it(`${vendor}: reads lists in a path, headers and a query`, async () => {
      const response = await vendors.fetch(
        new Request(`http://localhost/${vendor}/1,2?l=3&l=all`, { headers: { l: '5,all' } }),
      )
      assert.deepEqual(await response.json(), [
        [1, 2],
        [5, 'all'],
        [3, 'all'],
      ])
    })
  }
})
