/** Types that an editor shows for an input or a response; `test/type-errors.test.ts` reads them. */
import { createApp, json, Route, type Input, type Returns } from 'verbena'
import { createClient } from 'verbena/client'
import * as z from 'zod'

const User = z.object({ id: z.string(), name: z.string().optional() })

export class Shown extends Route {
  static readonly prefix = '/orgs/{org}'
  static readonly path = '/users/{id}'
  static readonly get = this.contract({ query: z.object({ limit: z.coerce.number() }), summary: 'Read' })
  async get({ params, query }: Input<typeof Shown.get>) {
    return params.id + String(query.limit)
  }

  static readonly put = this.contract({ body: User, returns: { 200: User, 404: null } })
  async put(input: Input<typeof Shown.put>) {
    const { body } = input
    return body
  }

  async post({ query: rawQuery, body: rawBody }: Input) {
    return [rawQuery, rawBody]
  }
}

class Seats extends Route {
  static readonly post = this.contract({
    returns: json(User, { headers: z.object({ etag: z.string() }) }),
    errors: { 404: 'None', 409: z.object({ seat: z.string() }) },
  })
  async post() {
    return { id: '1' }
  }
}
const app = createApp({ routes: { Seats } })

export async function call() {
  const answer = await createClient<typeof app>('http://localhost')('/seats').post()
  if (answer.status !== 409) return undefined
  const { body: conflict } = answer
  return conflict.seat
}

export declare const replies: Returns<typeof Shown.put>
