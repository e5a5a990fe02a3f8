import { createApp, HttpError, Route, type Input, type Result } from 'verbena'
import { version } from 'verbena/decorators'
import * as z from 'zod'

class UserV1 extends Route {
  static readonly path = '/users/{id}'
  static readonly get = this.contract({ returns: z.object({ name: z.string() }), errors: [404] })
  @version('1.x')
  async get({ params }: Input<typeof UserV1.get>): Result<typeof UserV1.get> {
    if (params.id !== '7') throw new HttpError(404, 'This user does not exist')
    return { name: 'Ada Lovelace' }
  }
}

class UserV2 extends Route {
  static readonly path = '/users/{id}'
  static readonly get = this.contract({ returns: z.object({ first: z.string(), last: z.string() }), errors: [404] })
  @version('2.x')
  async get({ params }: Input<typeof UserV2.get>): Result<typeof UserV2.get> {
    if (params.id !== '7') throw new HttpError(404, 'This user does not exist')
    return { first: 'Ada', last: 'Lovelace' }
  }
}

export const app = createApp({ versioning: { default: '1' }, routes: { UserV1, UserV2 } })
