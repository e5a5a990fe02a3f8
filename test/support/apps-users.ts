/** The users app of the specification: a route class, its database, and the app. */
import { createApp, Route, type App, type Input, type Result } from 'verbena'
import * as z from 'zod'

export const NewUser = z.object({ name: z.string() })
export const User = NewUser.extend({ id: z.string() })

/** The database that the routes use as `this.db`. */
export interface Database {
  get_users(): Promise<{ id: string; name: string }[]>
  create_user(user: { name: string }): Promise<{ id: string; name: string }>
  get_user(id: string): Promise<{ id: string; name: string } | undefined>
}

/** Contains one user. */
export const db: Database = {
  get_users: async () => [{ id: '1', name: 'Ada' }],
  create_user: async (user) => ({ id: '2', ...user }),
  get_user: async (id) => (id === '1' ? { id, name: 'Ada' } : undefined),
}

/** The path `/user-profiles` is derived from the class name. */
export class UserProfiles extends Route<{ db: Database }> {
  static readonly get = this.contract({ returns: z.array(User) })
  async get(): Result<typeof UserProfiles.get> {
    return this.db.get_users()
  }

  static readonly post = this.contract({ body: NewUser, returns: User })
  async post({ body }: Input<typeof UserProfiles.post>): Result<typeof UserProfiles.post> {
    return this.db.create_user(body)
  }

  async get_by_id(user_id: string) {
    return this.db.get_user(user_id)
  }
}

/** Creates an app with `UserProfiles` as its only route. */
export const users = (): App => createApp({ routes: { UserProfiles }, services: { db }, logger: false })
