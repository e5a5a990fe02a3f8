/** The method reads the header, and no response says so to caches. */
import { createApp, HttpError, Route, type Input, type Result } from 'verbena'
import * as z from 'zod'

class Users extends Route {
  static readonly path = '/users/{id}'
  static readonly get = this.contract({
    headers: z.object({ 'accept-version': z.string().default('1') }),
    returns: z.union([z.object({ name: z.string() }), z.object({ first: z.string(), last: z.string() })]),
    errors: [404, 406],
  })
  async get({ params, headers }: Input<typeof Users.get>): Result<typeof Users.get> {
    const [major] = headers['accept-version'].split('.')
    if (major !== '1' && major !== '2') throw new HttpError(406, 'Use version 1 or 2')
    if (params.id !== '7') throw new HttpError(404, 'This user does not exist')
    return major === '1' ? { name: 'Ada Lovelace' } : { first: 'Ada', last: 'Lovelace' }
  }
}

export const app = createApp({ routes: { Users } })
