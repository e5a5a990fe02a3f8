/** A route with decorators above its methods, and one with the same decorators in its contracts. */
import { decorator, HttpError, Route, type Input } from 'verbena'
import { log, version } from 'verbena/decorators'
import * as z from 'zod'
import { Users as UserStore } from './model.js'

const store = new UserStore()
const User = z.object({ id: z.string(), name: z.string() }).meta({ id: 'User' })

/** Names of the methods that `audit` was called for. */
export const audited: string[] = []
const audit = decorator(() => ({
  around: (_input, proceed, { method, path }) => {
    audited.push(`${method} ${path}`)
    return proceed()
  },
}))

export class Users extends Route {
  static readonly get = this.contract({ query: z.object({ id: z.string() }), returns: User, errors: [404] })

  @log
  @audit
  @version('>=1.2.3')
  async get({ query }: Input<typeof Users.get>) {
    return { id: query.id, name: store.find(query.id) ?? notFound() }
  }
}

export class Things extends Route {
  static readonly get = this.contract({ returns: z.array(User), decorators: [log, audit, version('>=1.2.3')] })

  async get() {
    return [{ id: '1', name: 'Ada', secret: 'x' }]
  }
}

function notFound(): never {
  throw new HttpError(404)
}
