/** Types of upgrades: input, parameters, services, and rejected options. */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { bearer, createApp, group, provide, Route, type Input, type Logger, type RequiredServices } from 'verbena'
import { createClient } from 'verbena/client'
import { upgrade, type UpgradeHandler, type UpgradeInput, type UpgradeNeeds } from 'verbena/upgrade'
import * as z from 'zod'
import { sameType } from './same-type.js'

interface Db {
  find(token: string): Promise<{ name: string } | undefined>
}

const user = bearer((token, { db }: { db: Db }) => db.find(token))
const plain = provide({}, () => 3)

const chat = upgrade({ path: '/{room}/{part...}', uses: { user, plain } }, (input, socket, head, request) => {
  sameType<typeof input.params, { room: string; part: string }>()
  sameType<typeof input.user.name, string>()
  sameType<typeof input.plain, number>()
  sameType<typeof input.log, Logger>()
  sameType<typeof input.signal, AbortSignal>()
  sameType<typeof socket, Duplex>()
  sameType<typeof head, Buffer>()
  sameType<typeof request, IncomingMessage>()
  // @ts-expect-error - the path has no such parameter
  void input.params.rooms
  // @ts-expect-error - no schema describes the query
  void input.query
  // @ts-expect-error - such a request has no body
  input.body.toString()
})

// Without a path here, the names are not known.
upgrade({}, ({ params }) => sameType<(typeof params)['room'], string>())
upgrade({ params: z.object({ id: z.number() }), query: z.object({ since: z.number() }) }, ({ params, query }) => {
  sameType<typeof params.id, number>()
  sameType<typeof query.since, number>()
})
upgrade({ origins: ['https://app.example'], protocol: 'chat', tags: ['live'] }, async () => {})
upgrade({ origins: (origin) => origin.endsWith('.example') }, () => {})

// @ts-expect-error - a handler has to be there
upgrade({})
// @ts-expect-error - unknown key
upgrade({ use: { user } }, () => {})
// @ts-expect-error - such a request has no body
upgrade({ body: z.string() }, () => {})
// @ts-expect-error - such a request has no body
upgrade({ rawBody: true }, () => {})
// @ts-expect-error - not a provider
upgrade({ uses: { user: 1 } }, () => {})
// @ts-expect-error - the name is taken by the context
upgrade({ uses: { params: plain } }, () => {})

// A handler in a separate function.
const needs = { path: '/{room}', uses: { user } } as const satisfies UpgradeNeeds
const enter: UpgradeHandler<typeof needs> = ({ params, user: { name } }, socket) => socket.end(params.room + name)
const named = ({ params }: UpgradeInput<typeof needs>): string => params.room
upgrade(needs, enter)
upgrade(needs, (input) => named(input))

class Live extends Route {
  static readonly path = '/live/{id}'
  static readonly get = this.contract({ returns: z.object({ id: z.string() }) })
  get({ params }: Input<typeof Live.get>) {
    return { id: params.id }
  }
}

const routes = { Live, '/live/{id}': upgrade({}, () => {}), '/v1': group({ routes: { '/chat': chat } }), s: { chat } }
declare const db: Db
const app = createApp({ routes, services: { db } })
sameType<RequiredServices<typeof routes>, { db: Db }>()

// @ts-expect-error - the service that its guard needs is missing
createApp({ routes: { '/chat': chat } })
// @ts-expect-error - the service is another
createApp({ routes: { '/chat': chat }, services: { db: 1 } })
createApp({ routes: { '/plain': upgrade({ uses: { plain } }, () => {}) } })
// @ts-expect-error - it stands under a path, or a name
createApp({ routes: [chat], services: { db } })

// The client has the class at its path, but not the upgrade.
const api = createClient<typeof app>('http://localhost')
const answer = await api('/live/{id}').get({ params: { id: '1' } })
if (answer.ok) sameType<typeof answer.body.id, string>()
// @ts-expect-error - no class has this path
api('/v1/chat')
// @ts-expect-error - nor this one
api('/s/chat')
