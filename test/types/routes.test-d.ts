/** Routes: records, sections, groups and arrays. The contract of each method checks its types. */
import { createApp, group, Route, type App, type Input, type Result } from 'verbena'
import * as z from 'zod'

const User = z.object({ id: z.string(), name: z.string() })

export class Plain extends Route {
  async get() {
    return 1
  }
  helper() {
    return 2
  }
}
export class Users extends Route {
  static readonly get = this.contract({ returns: User })
  async get(): Result<typeof Users.get> {
    return { id: '1', name: 'Ann' }
  }
}
export class Wrong extends Route {
  static readonly put = this.contract({ body: User, returns: User })
  static readonly post = this.contract({ query: User, returns: z.number() })
  async put({ body }: Input<typeof Wrong.put>) {
    return body
  }
  async post({ body }: Input<typeof Wrong.put>) {
    return body.name.length
  }
}
export class WithoutMethod extends Route {
  static readonly get = this.contract({ returns: User })
}
export class NoRoute {
  name = 'x'
}

export const app: App = createApp({
  name: 'users',
  version: '1.0.0',
  routes: {
    Users,
    '/': Plain,
    '/v1': { Plain, members: group({ tags: ['members'], public: true, routes: { Users } }), deep: { Users } },
  },
})
createApp({ routes: [Users, Plain] })
createApp({ routes: {} })
export const described: { method: string; path: string }[] = app.routes()

// @ts-expect-error - post is typed by the contract of put
createApp({ routes: { Wrong } })
// @ts-expect-error - so it is beside others
createApp({ routes: { Users, Plain, Wrong } })
// @ts-expect-error - in a section
createApp({ routes: { '/v1': { Wrong } } })
// @ts-expect-error - in a section of a section
createApp({ routes: { '/v1': { deep: { Wrong } } } })
// @ts-expect-error - in a group
createApp({ routes: { '/v1': group({ routes: { Wrong } }) } })
// @ts-expect-error - in a section of a group
group({ routes: { deep: { Wrong } } })
// @ts-expect-error - in an array
createApp({ routes: [Users, Wrong] })
// @ts-expect-error - a contract whose method is not there
createApp({ routes: { WithoutMethod } })
// @ts-expect-error - not a class
createApp({ routes: { Users: 1 } })
// @ts-expect-error - an instance, not a class
createApp({ routes: { Users: new Users() } })
// @ts-expect-error - a class of something else
createApp({ routes: { NoRoute } })
// @ts-expect-error - routes are required
createApp({ name: 'empty' })
// @ts-expect-error - an option that does not exist
createApp({ routes: { Users }, verison: '1.0.0' })
// @ts-expect-error - an option of a group that does not exist
group({ routes: { Users }, middlewares: [] })
