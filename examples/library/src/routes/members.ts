/** `/members`. */
import type { Input, Result } from 'verbena'
import * as z from 'zod'
import { Member, Page } from '../contracts.js'
import { ApiRoute } from './api-route.js'

export class Members extends ApiRoute {
  static readonly get = this.contract({ query: Page, returns: z.array(Member), summary: 'List members' })
  async get({ query }: Input<typeof Members.get>): Result<typeof Members.get> {
    return this.catalog.members(query.limit)
  }
}
