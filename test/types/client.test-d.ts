/** The typed client: paths, parameters and responses of each endpoint. */
import {
  bearer,
  bytes,
  createApp,
  events,
  form,
  group,
  health,
  json,
  reply,
  Route,
  stream,
  text,
  type App,
  type Input,
  type Result,
} from 'verbena'
import {
  createClient,
  type Client,
  type EventStream,
  type Failure,
  type OtherFailure,
  type Success,
} from 'verbena/client'
import { version } from 'verbena/decorators'
import * as v from 'valibot'
import { type } from 'arktype'
import * as z from 'zod'
import { sameType } from './same-type.js'

const Thing = z.object({ id: z.string(), at: z.date().transform((date) => date.toISOString()) })
const user = bearer((token) => ({ id: token }))

export class Users extends Route {
  static readonly uses = { user }
  static readonly get = this.contract({ query: z.object({ limit: z.number() }), returns: z.array(Thing) })
  async get({ query, user }: Input<typeof Users.get>): Result<typeof Users.get> {
    return [{ id: String(query.limit) + user.id, at: new Date() }]
  }
  static readonly post = this.contract({ body: Thing, returns: { 201: Thing, 409: null } })
  async post({ body }: Input<typeof Users.post>): Result<typeof Users.post> {
    return body.id === '' ? reply(409) : reply(201, { id: body.id, at: new Date() })
  }
  static readonly delete = this.contract({ returns: null })
  async delete(): Result<typeof Users.delete> {}
  helper(): number {
    return 1
  }
}
abstract class OrgRoute extends Route {
  static readonly prefix = '/orgs/{org}'
}
export class Todo extends OrgRoute {
  static readonly path = '/todos/{id}'
  static readonly get = this.contract({ returns: Thing })
  async get({ params }: Input<typeof Todo.get>) {
    return { id: params.org + params.id, at: new Date() }
  }
}
export class OrgHome extends OrgRoute {
  async get() {
    return 'home'
  }
}
export class OrgRoot extends OrgRoute {
  static readonly path = '/'
  async put() {
    return 'root'
  }
}
export class OrgItems extends OrgRoute {
  get() {
    return [1]
  }
}
export class Plain extends Route {
  async get() {
    return 1
  }
  post({ body }: Input) {
    return { body, at: new Date(), none: undefined, call: () => 1 }
  }
  put() {
    return reply(201, { at: new Date() })
  }
  delete() {}
}
export class Files extends Route {
  static readonly path = '/files/{path...}'
  static readonly get = this.contract({ returns: bytes() })
  async get(): Result<typeof Files.get> {
    return new Uint8Array()
  }
  static readonly put = this.contract({ body: bytes(), returns: text() })
  async put({ body }: Input<typeof Files.put>): Result<typeof Files.put> {
    return String(body.length)
  }
  static readonly post = this.contract({ body: text({ types: ['text/csv'] }), returns: { 200: stream(), 404: null } })
  async post(): Result<typeof Files.post> {
    return reply(404)
  }
  static readonly patch = this.contract({
    body: form(z.object({ name: z.string(), at: z.coerce.date().optional() })),
    returns: events(Thing),
  })
  async *patch() {
    yield { data: { id: '1', at: new Date() } }
  }
}
export class Hook extends Route {
  static readonly post = this.contract({
    body: json(Thing, { raw: true }),
    headers: z.object({ 'x-signature': z.string(), 'x-retry': z.coerce.number().optional() }),
    returns: v.object({ at: v.date() }),
  })
  async post() {
    return { at: new Date() }
  }
  static readonly get = this.contract({ query: type({ 'limit?': 'number' }) })
  async *get() {
    yield 'text'
  }
}
export class NotesV1 extends Route {
  static readonly path = '/notes'
  static readonly get = this.contract({ query: z.object({ old: z.string() }), returns: z.object({ text: z.string() }) })
  @version('1.x')
  async get({ query }: Input<typeof NotesV1.get>) {
    return { text: query.old }
  }
}
export class NotesV2 extends Route {
  static readonly path = '/notes'
  static readonly get = this.contract({ query: z.object({ q: z.string() }), returns: z.object({ title: z.string() }) })
  @version('2.x')
  async get({ query }: Input<typeof NotesV2.get>) {
    return { title: query.q }
  }
  @version('2.x')
  post() {
    return null
  }
}
export class Page extends Route {
  static readonly path = '/pages/{path...}'
  static readonly fallback = true
  get() {
    return 1
  }
}
export class NoFallback extends Route {
  static readonly path = '/spare'
  static readonly fallback = false
  get() {
    return 1
  }
}
class RootPath extends Route {
  static readonly path = '/'
  get() {
    return 1
  }
}
class LoosePath extends Route {
  static path = '/loose'
  get() {
    return 1
  }
}

const app = createApp({
  routes: {
    '/': OrgHome,
    ...{
      Users,
      Plain,
      Hook,
      Files,
      LoosePath,
      Page,
      NoFallback,
      APIStatus: Plain,
      OAuth2Tokens: Plain,
      My_Thing: Plain,
    },
    '/v1': {
      '/': Plain,
      members: group({ uses: { user }, routes: { Todo, '/deep': { OrgItems } } }),
      open: group({ routes: { Plain } }),
    },
    '/v2': { RootPath, OrgRoot },
    // Versions share a path.
    ...{ NotesV1, NotesV2 },
  },
})
const api = createClient<typeof app>('http://localhost')

export async function go() {
  const r = await api('/users').get({ query: { limit: 3 } })
  sameType<typeof r, Failure | Success<200, { id: string; at: string }[]>>()
  if (r.ok) void r.body.map(({ at }) => at.length)
  const p = await api('/users').post({ body: { id: 'a', at: new Date() } })
  if (p.status === 201) void p.body.id
  sameType<typeof p, OtherFailure<409> | Success<201, { id: string; at: string }> | Failure<409, null>>()
  sameType<Awaited<ReturnType<ReturnType<typeof api<'/users'>>['delete']>>, Failure | Success<204, null>>()

  const t = await api('/v1/orgs/{org}/todos/{id}').get({ params: { org: 'a', id: 7 } })
  if (t.ok) {
    const id: string = t.body.id
    void id
  } else {
    const detail: string | undefined = t.body.detail
    void detail
  }
  const plain = await api('/plain').get()
  if (plain.ok) {
    const n: number = plain.body
    void n
  }
  await api('/plain').get({
    query: { any: ['a', 1] },
    headers: { accept: '*/*' },
    signal: AbortSignal.abort(),
    timeout: 5,
  })
}

export async function paths() {
  const home = await api('/orgs/{org}').get({ params: { org: 'a' } })
  sameType<typeof home, Failure | Success<200, string>>()
  await api('/v1').get()
  await api('/v2').get()
  const root = await api('/v2/orgs/{org}').put({ params: { org: 'a' } })
  sameType<typeof root, Failure | Success<200, string>>()
  // @ts-expect-error - no path ends with a slash
  api('/v2/')
  await api('/v1/plain').get()
  await api('/v1/deep/orgs/{org}/org-items').get({ params: { org: 'a' } })
  await api('/api-status').get()
  await api('/o-auth2-tokens').get()
  await api('/my-thing').get()
  await api('/files/{path...}').get({ params: { path: 'a/b' } })
}

export async function withoutContract() {
  const posted = await api('/plain').post({ body: { any: 1 } })
  sameType<typeof posted, Failure | Success<200, { body: unknown; at: string; none: undefined }>>()
  const put = await api('/plain').put()
  sameType<typeof put, Failure | Success<201, { at: string }>>()
  const none = await api('/plain').delete()
  sameType<typeof none, Failure | Success<204, null>>()
  const streamed = await api('/hook').get()
  sameType<typeof streamed, Failure | Success<200, string>>()
}

export async function kinds() {
  const params = { path: 'a' }
  const got = await api('/files/{path...}').get({ params, as: 'bytes' })
  sameType<typeof got, Failure | Success<200, Uint8Array>>()
  const bin = { 'content-type': 'application/octet-stream' }
  const put = await api('/files/{path...}').put({ params, body: new Uint8Array(), headers: bin })
  sameType<typeof put, Failure | Success<200, string>>()
  await api('/files/{path...}').put({ params, body: new Blob(['a'], { type: 'text/plain' }) })
  await api('/files/{path...}').put({ params, body: new FormData() })
  const post = await api('/files/{path...}').post({
    ...{ params, body: 'a,b', as: 'stream' },
    headers: { 'content-type': 'text/csv' },
  })
  sameType<typeof post, OtherFailure<404> | Success<200, AsyncIterable<Uint8Array>> | Failure<404, null>>()
  const patch = await api('/files/{path...}').patch({
    params,
    body: { name: 'a' },
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-any': 1 },
  })
  sameType<typeof patch, Failure | Success<200, EventStream<{ id: string; at: string }>>>()
  const hook = await api('/hook').post({
    body: { id: 'a', at: new Date() },
    headers: { 'x-signature': 'a', other: 'b' },
  })
  sameType<typeof hook, Failure | Success<200, { at: string }>>()
  // @ts-expect-error - a stream is asked for by name
  await api('/files/{path...}').post({ params, body: 'a,b', headers: { 'content-type': 'text/csv' } })
  // @ts-expect-error - without its media type a text would be sent as JSON
  await api('/files/{path...}').post({ params, body: 'a,b', as: 'stream' })
  // @ts-expect-error - so would a form
  await api('/files/{path...}').patch({ params, body: { name: 'a' } })
  // @ts-expect-error - a header of the contract is missing
  await api('/hook').post({ body: { id: 'a', at: new Date() } })
  // @ts-expect-error - an answer that is JSON is not taken as bytes
  await api('/users').get({ query: { limit: 3 }, as: 'bytes' })
}

export async function versions() {
  const notes = await api('/notes').get({ query: { old: 'a' }, headers: { 'accept-version': '1.0.0' } })
  sameType<typeof notes, Failure | Success<200, { text: string }> | Success<200, { title: string }>>()
  await api('/notes').get({ query: { q: 'a' } })
  const posted = await api('/notes').post()
  sameType<typeof posted, Failure | Success<200, null>>()
  // @ts-expect-error - neither version takes it
  await api('/notes').get({ query: { other: 'a' } })
}

export async function oneVersion() {
  const v2 = { NotesV2, Plain }
  const client = createClient<App<typeof v2>>('http://localhost', { headers: { 'accept-version': '2' } })
  const notes = await client('/notes').get({ query: { q: 'a' } })
  sameType<typeof notes, Failure | Success<200, { title: string }>>()
  await client('/plain').get()
  // @ts-expect-error - the query of another version
  await client('/notes').get({ query: { old: 'a' } })
  // @ts-expect-error - a route that this version does not have
  client('/users')
}

export async function mistakes() {
  // @ts-expect-error - no such path
  await api('/nope').get()
  // @ts-expect-error - a path that is no literal
  await api('/loose').get()
  // @ts-expect-error - a fallback
  await api('/pages/{path...}').get({ params: { path: 'a' } })
  await api('/spare').get()
  // @ts-expect-error - no such verb there
  await api('/plain').patch()
  // @ts-expect-error - a helper is no endpoint
  await api('/users').helper()
  // @ts-expect-error - a parameter is missing
  await api('/v1/orgs/{org}/todos/{id}').get({ params: { org: 'a' } })
  // @ts-expect-error - the query is missing
  await api('/users').get()
  // @ts-expect-error - wrong body
  await api('/users').post({ body: { id: 1 } })
  // @ts-expect-error - a contract without a body
  await api('/users').get({ query: { limit: 3 }, body: 1 })
  // @ts-expect-error - a misspelt option
  await api('/users').get({ query: { limit: 3 }, header: {} })
}

export async function ofTheFramework() {
  const healthy = createApp({ routes: { Plain, '/internal': health(), ...health() } })
  const client = createClient<typeof healthy>('http://localhost')
  await client('/internal/readyz').get()
  await client('/livez').get()
  await client('/plain').get()
  // @ts-expect-error - they keep the other paths from being any text
  await client('/internal/plain').get()
}

export async function arrays() {
  const listed = createApp({ routes: [Todo, Plain] })
  const client = createClient<typeof listed>('http://localhost')
  await client('/orgs/{org}/todos/{id}').get({ params: { org: 'a', id: 'b' } })
  // @ts-expect-error - the names of an array's classes are not known to types
  await client('/plain').get()
}

export function annotated(given: App) {
  const client = createClient<typeof given>('http://localhost')
  // @ts-expect-error - the annotation hides the routes
  client('/users')
  sameType<Client<string>, never>()
}
