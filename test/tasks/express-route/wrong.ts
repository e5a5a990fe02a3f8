/** The response is not the response of Express, which has a method `json`. */
import { createApp, HttpError, Route, type Input } from 'verbena'
import * as z from 'zod'

const User = z.object({ id: z.string(), name: z.string() })
const users = new Map([['1', { id: '1', name: 'Ada', password: 'a1b2' }]])

class UserById extends Route<{ users: typeof users }> {
  static readonly path = '/users/{id}'
  static readonly get = this.contract({ returns: User, errors: [404] })
  async get({ params, response }: Input<typeof UserById.get>) {
    const user = this.users.get(params.id)
    if (user === undefined) throw new HttpError(404, 'This user does not exist')
    response.header('cache-control', 'max-age=60')
    // @ts-expect-error - the mistake: a method returns its response
    return response.json({ id: user.id, name: user.name })
  }
}

export const app = createApp({ services: { users }, routes: { UserById } })
