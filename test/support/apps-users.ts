/** The users of the specification's examples: a class, its database, an app. */
import { createApp, Route, type App, type Input, type Result } from 'verbena'
import * as z from 'zod'

/** A user before it has an id. */
export const NewUser = z.object({ name: z.string() })
/** A user. */
export const User = NewUser.extend({ id: z.string() })

/** What the examples ask of `self.db`. */
export interface Database {
  get_users(): Promise<{ id: string; name: string }[]>
  create_user(user: { name: string }): Promise<{ id: string; name: string }>
  get_user(id: string): Promise<{ id: string; name: string } | undefined>
}

/** One user is in it. */
export const db: Database = {
  get_users: async () => [{ id: '1', name: 'Ada' }],
  create_user: async (user) => ({ id: '2', ...user }),
  get_user: async (id) => (id === '1' ? { id, name: 'Ada' } : undefined),
}

/** `/user-profiles`, by its name. */
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

/** An app of this one class. */
export const users = (): App => createApp({ routes: { UserProfiles }, services: { db }, logger: false })
