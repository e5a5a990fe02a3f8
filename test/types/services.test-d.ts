/** Services: asked for by classes, checked where the app is made. */
import { createApp, group, Route, service, type Input, type Logger, type LoggerOptions } from 'verbena'
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

abstract class ApiRoute extends Route<{ db: Database }> {}

export class Users extends ApiRoute {
  static readonly path = '/users/{id}'
  static readonly get = this.contract({ returns: z.object({ id: z.string() }) })
  readonly found = this.db.find('1')
  async get({ params }: Input<typeof Users.get>) {
    sameType<typeof this.db, Database>()
    // @ts-expect-error - this class has not asked for it
    void this.mailer
    return (await this.db.find(params.id)) ?? { id: '' }
  }
}
export class Mails extends Route<{ mailer: Mailer }> {
  async post() {
    await this.mailer.send('a')
  }
}
export class Plain extends Route {
  async get() {
    return 1
  }
}

createApp({ routes: { Plain } })
createApp({ services: {}, routes: { Plain } })
createApp({ services: { extra: 1 }, routes: { Plain } })
createApp({ services: { db }, routes: { Users } })
createApp({ services: { db, mailer, extra: 1 }, routes: { Users, Mails } })
createApp({ services: { db, mailer }, routes: [Users, Mails, Plain] })
createApp({ services: { db }, routes: { '/v1': { inner: group({ routes: { Users } }) } } })
// Written inline the types of its parameters come from the interface.
createApp({ services: { db: { find: async (id) => ({ id: id.toUpperCase() }) } }, routes: { Users, '/v1': { Plain } } })
createApp({
  services: { db: { find: async (id) => ({ id }) }, mailer: { send: async (to) => void to.length } },
  routes: { Users, '/v1': { deep: { deeper: { Mails } }, open: group({ routes: { '/x': { Plain } } }) } },
})

// @ts-expect-error - no services at all
createApp({ routes: { Users } })
// @ts-expect-error - db is missing
createApp({ services: {}, routes: { Users } })
// @ts-expect-error - mailer is missing
createApp({ services: { db }, routes: { Users, Mails } })
// @ts-expect-error - mailer is missing, whatever the order
createApp({ services: { db }, routes: { Mails, Users } })
// @ts-expect-error - db is missing, whatever else asks for nothing
createApp({ routes: { Users, Plain } })
// @ts-expect-error - mailer is missing in an array, whatever the order
createApp({ services: { db }, routes: [Mails, Users, Plain] })
// @ts-expect-error - db is needed inside of a section
createApp({ routes: { '/v1': { Users } } })
// @ts-expect-error - db is needed inside of a group
createApp({ routes: { '/v1': group({ routes: { Users } }) } })
// @ts-expect-error - mailer is needed by a class of an array
createApp({ services: { db }, routes: [Users, Mails] })
// @ts-expect-error - not a database
createApp({ services: { db: 1 }, routes: { Users } })
// @ts-expect-error - a database whose method takes something else
createApp({ services: { db: { find: async (id: number) => ({ id: String(id) }) } }, routes: { Users } })

// `create` receives the log next to earlier services.
const logged = service(({ log, db }: { log: Logger; db: Database }) => {
  log.info({}, 'ready')
  return db
})
createApp({ services: { db: logged }, routes: { Users } })

const level: LoggerOptions = { level: undefined }
createApp({ routes: { Plain }, logger: level })
createApp({ routes: { Plain }, logger: { level: 'warn' }, accessLog: true, requestId: { header: true } })
// @ts-expect-error - no such level
createApp({ routes: { Plain }, logger: { level: 'trace' } })
// @ts-expect-error - options of the logger need a level
createApp({ routes: { Plain }, logger: {} })
