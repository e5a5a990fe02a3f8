/** An app with every kind of endpoint and complete descriptions, whose OpenAPI document is checked by linters. */
import {
  anyOf,
  apiKey,
  basic,
  bearer,
  bytes,
  cursor,
  events,
  form,
  group,
  json,
  optional,
  precondition,
  provide,
  reply,
  Route,
  stream,
  text,
  type App,
  type Input,
  type Result,
} from 'verbena'
import { deprecated, version } from 'verbena/decorators'
import { multipart } from 'verbena/multipart'
import * as z from 'zod'
import { createUntypedApp } from '#test/apps.js'

const said = { summary: 'One line', description: 'More.' }
const Thing = z.object({ id: z.string(), at: z.iso.datetime().optional() }).meta({ id: 'Thing' })
interface Kids {
  readonly kids: readonly Kids[]
}
const Tree: z.ZodType<Kids> = z.object({ kids: z.array(z.lazy(() => Tree)) })

const token = bearer((given) => given === 'a', { format: 'JWT' })
const other = bearer((given) => given === 'a', { scheme: 'Token', format: 'JWT' })
const key = apiKey({ in: 'header', name: 'X-Key' }, (given) => given === 'a')
const session = apiKey({ in: 'cookie', name: 'session' }, (given) => given === 'a')
const admin = provide({ uses: { token }, errors: [403] }, () => true)
const revision = precondition({ params: z.object({ id: z.string() }) }, () => '"1"', { required: true })
const pages = cursor(z.object({ id: z.int() }), { query: z.object({ tag: z.string().optional() }) })
const image = { types: ['image/png'], limit: 1000 }

class Things extends Route {
  static readonly path = '/things/{id}'
  static readonly get = this.contract({
    ...said,
    params: z.object({ id: z.int().describe('Its number') }),
    query: pages.query,
    uses: { token: optional(token, { invalid: 'ignore' }) },
    returns: {
      200: json(z.array(Thing), { headers: z.object({ etag: z.string() }) }),
      404: z.object({ missing: z.int() }),
    },
  })
  async get({ params }: Input<typeof Things.get>): Result<typeof Things.get> {
    return reply(404, { missing: params.id })
  }
  static readonly post = this.contract({
    ...said,
    body: json(Thing),
    uses: { caller: anyOf(token, key, session) },
    returns: Thing,
    status: 201,
    errors: { 409: z.object({ by: z.string() }), 422: z.object({ errors: z.record(z.string(), z.array(z.string())) }) },
  })
  async post({ body }: Input<typeof Things.post>): Result<typeof Things.post> {
    return body
  }
  static readonly put = this.contract({
    ...said,
    body: form(z.object({ a: z.string() })),
    uses: { revision, admin },
    returns: null,
    errors: [404],
  })
  put() {}
  static readonly patch = this.contract({
    ...said,
    body: bytes({ types: ['image/*'] }),
    returns: bytes(),
    uses: { other },
  })
  patch({ body }: Input<typeof Things.patch>) {
    return body
  }
  static readonly delete = this.contract({
    ...said,
    public: true,
    headers: z.object({ 'x-a': z.string().optional() }),
    cookies: z.object({ c: z.string().optional() }),
    returns: null,
  })
  delete() {}
}

class Files extends Route {
  static readonly path = '/files/{rest...}'
  static readonly get = this.contract({ ...said, public: true, returns: events(Tree) })
  async *get() {
    yield { data: { kids: [] } }
  }
  static readonly post = this.contract({ ...said, uses: { session }, body: stream(), returns: text() })
  post() {
    return 'a'
  }
  static readonly put = this.contract({
    ...said,
    uses: { operator: basic({ ada: 'x' }) },
    body: text({ types: ['text/csv'] }),
    returns: stream(),
  })
  async *put({ body }: Input<typeof Files.put>) {
    yield body
  }
  static readonly patch = this.contract({
    ...said,
    uses: { key },
    body: multipart(z.object({ title: z.string() }), { files: { image } }),
    returns: Tree,
  })
  patch() {
    return { kids: [] }
  }
}

class PriceV1 extends Route {
  static readonly path = '/price'
  static readonly get = this.contract({ ...said, public: true, returns: Thing.nullable(), timeout: 50, etag: true })
  @version('1.x')
  @deprecated({ since: '2026-01-31', sunset: '2130-01-31' })
  async get() {
    return null
  }
}
class PriceV2 extends Route {
  static readonly path = '/price'
  static readonly get = this.contract({ ...said, public: true, returns: Thing.describe('The dear one') })
  @version('2.x')
  async get() {
    return { id: '1' }
  }
}

/** Versions that clients can request. */
export const VERSIONS: readonly string[] = ['1.0.0', '2.0.0']

/**
 * Creates the app.
 *
 * @param options override the options of the app
 */
export function fullApp(options: object = {}): App {
  const tags = ['Things', 'Files', 'PriceV1', 'PriceV2', 'grouped'].map((name) => ({ name, description: `Of ${name}` }))
  const info = {
    description: 'Everything',
    contact: { name: 'Its authors', email: 'authors@example.com' },
    license: { name: 'MIT', identifier: 'MIT' },
  }
  const routes = { Things, Files, PriceV1, PriceV2, '/group': group({ tags: ['grouped'], routes: { Files } }) }
  return createUntypedApp({ routes, version: '2.0.0', openapi: { info, tags }, ...options })
}
