/** Testing: a fake must have the type of the replaced value, and `invoke` requires the input of the contract. */
import { bearer, createApp, optional, provide, Route, service, text, type App, type Input, type Result } from 'verbena'
import { invoke, override, testApp } from 'verbena/testing'
import * as z from 'zod'
import { sameType } from './same-type.js'

interface Database {
  find(id: string): Promise<{ id: string } | undefined>
}
interface Mailer {
  send(to: string): Promise<void>
}
declare const db: Database
declare const mailer: Mailer

const currentUser = bearer((token, { db }: { db: Database }) => db.find(token))
const notify = provide({ uses: { user: currentUser } }, ({ user }, { mailer }: { mailer: Mailer }) => ({
  mail: () => mailer.send(user.id),
}))

abstract class SignedIn extends Route<{ db: Database }> {
  static readonly uses = { user: currentUser }
}
export class Users extends SignedIn {
  static readonly path = '/users/{id}'
  static readonly get = this.contract({ query: z.object({ limit: z.number() }), returns: z.object({ id: z.string() }) })
  async get({ params, query }: Input<typeof Users.get>): Result<typeof Users.get> {
    return { id: params.id + String(query.limit) }
  }
  static readonly post = this.contract({ body: text(), uses: { notify, maybe: optional(currentUser) } })
  post({ body }: Input<typeof Users.post>) {
    return body.length
  }
}
export class Plain extends Route {
  get() {
    return 1
  }
  put({ body }: Input) {
    return body
  }
}
const app = createApp({ services: { db: service(() => db), mailer }, routes: { Users, Plain } })

export async function apps() {
  const { api, fetch, services } = await testApp(app, {
    services: { db: { find: async (id) => ({ id: id.trim() }) }, mailer: service(() => mailer) },
    override: [override(currentUser, () => ({ id: 'a' })), override(notify, async () => ({ mail: async () => {} }))],
    strict: { headers: ['x-any'] },
  })
  sameType<typeof services.db, Database>()
  await api('/users/{id}').get({ params: { id: 'a' }, query: { limit: 1 } })
  await fetch('/plain', { method: 'PUT' })
  await testApp(app, { services: { db } })
  await testApp(app)
  // @ts-expect-error - a service of another name
  await testApp(app, { services: { dbb: 1 } })
  // @ts-expect-error - not a database
  await testApp(app, { services: { db: { find: 1 } } })
  // @ts-expect-error - an option that does not exist
  await testApp(app, { overrides: [] })
  // @ts-expect-error - not a path of the app
  api('/nope')
  // @ts-expect-error - not an app
  await testApp({})
}

export async function annotated(given: App) {
  const { fetch } = await testApp(given)
  await fetch('/anything')
}

export function overrides() {
  override(optional(currentUser), () => undefined)
  // @ts-expect-error - another value
  override(currentUser, () => ({ nope: 1 }))
  // @ts-expect-error - another value, async
  override(currentUser, async () => undefined)
  // @ts-expect-error - a value, and no function
  override(currentUser, { id: 'a' })
  // @ts-expect-error - not a provider
  override(db, () => db)
}

export async function methods() {
  const given = { params: { id: 'a' }, query: { limit: 1 }, uses: { user: { id: 'a' } }, services: { db } }
  const got = await invoke(Users, 'get', given)
  sameType<typeof got, Awaited<Result<typeof Users.get>>>()
  const posted = await invoke(Users, 'post', {
    ...{ params: { id: 'a' }, body: 'text', services: { db } },
    uses: { user: { id: 'a' }, notify: { mail: async () => {} }, maybe: undefined },
  })
  sameType<typeof posted, number>()
  const one = await invoke(Plain, 'get')
  sameType<typeof one, number>()
  await invoke(Plain, 'put', { body: 1, request: new Request('http://a/') })
  // @ts-expect-error - the query is missing
  await invoke(Users, 'get', { params: { id: 'a' }, uses: { user: { id: 'a' } }, services: { db } })
  // @ts-expect-error - the user is missing
  await invoke(Users, 'get', { params: { id: 'a' }, query: { limit: 1 }, services: { db } })
  // @ts-expect-error - the service is missing
  await invoke(Users, 'get', { params: { id: 'a' }, query: { limit: 1 }, uses: { user: { id: 'a' } } })
  // @ts-expect-error - all is missing
  await invoke(Users, 'get')
  // @ts-expect-error - no such method
  await invoke(Plain, 'delete')
  // @ts-expect-error - not a text
  await invoke(Users, 'get', { ...given, params: { id: 1 } })
}
