import { createApp, HttpError, Route, type Input, type Result } from 'verbena'
import * as z from 'zod'

const User = z.object({ id: z.string(), name: z.string() })
const users = new Map([['1', { id: '1', name: 'Ada', password: 'a1b2' }]])

class UserById extends Route<{ users: typeof users }> {
  static readonly path = '/users/{id}'
  static readonly get = this.contract({ returns: User, errors: [404] })
  async get({ params, response }: Input<typeof UserById.get>): Result<typeof UserById.get> {
    const user = this.users.get(params.id)
    if (user === undefined) throw new HttpError(404, 'This user does not exist')
    response.header('cache-control', 'max-age=60')
    return user
  }
}

export const app = createApp({ services: { users }, routes: { UserById } })
