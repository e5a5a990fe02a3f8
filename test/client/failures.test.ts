/** What the client takes as a failure, and how it reads one. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  createApp,
  events,
  HttpError,
  reply,
  Route,
  stream,
  text,
  type Input,
  type Problem,
  type Result,
} from 'verbena'
import { createClient } from 'verbena/client'
import * as z from 'zod'

const Item = z.object({ name: z.string() })
class Errors extends Route {
  static readonly path = '/errors/{status}'
  static readonly get = this.contract({
    returns: { 200: stream(), 404: Item, 409: text(), 410: stream(), 422: null, 503: events(Item) },
  })
  async get({ params }: Input<typeof Errors.get>): Result<typeof Errors.get> {
    if (params.status === '404') return reply(404, { name: 'none' })
    if (params.status === '409') return reply(409, 'taken')
    if (params.status === '410') return reply(410, new Blob(['gone']).stream())
    if (params.status === '422') return reply(422)
    throw new HttpError(Number(params.status))
  }
}

class Plain extends Route {
  get() {
    return 'plain'
  }
}

const app = createApp({ routes: { Errors }, logger: false })
const api = createClient<typeof app>('http://localhost', { fetch: (request) => app.fetch(request) })

describe('createClient()', () => {
  it('takes an answer as a failure from status 400 on, and reads what its contract declares', async () => {
    const get = (status: number) => api('/errors/{status}').get({ params: { status }, as: 'stream' })
    for (const [status, body] of [
      [404, { name: 'none' }],
      [409, 'taken'],
      [422, null],
    ] as const) {
      const answer = await get(status)
      assert.deepEqual([answer.ok, answer.status, answer.body], [false, status, body])
    }
    const gone = await get(410)
    assert.ok(gone.status === 410)
    const chunks: Uint8Array[] = []
    for await (const chunk of gone.body) chunks.push(chunk)
    assert.equal(Buffer.concat(chunks).toString(), 'gone')
    const undeclared = await get(418)
    assert.deepEqual([undeclared.ok, Object(undeclared.body).title], [false, 'Client Error'])
  })

  it('reads a failure in the format of the app', async () => {
    const schema = z.object({ code: z.number() })
    const write = ({ status }: Problem) => ({ code: status })
    const given = createApp({ routes: { Plain }, errorFormat: { mediaType: 'application/json', schema, write } })
    const client = createClient<typeof given>('http://localhost/none', { fetch: (request) => given.fetch(request) })
    const answer = await client('/plain').get()
    assert.deepEqual([answer.ok, answer.status, !answer.ok && answer.body.code], [false, 404, 404])
  })
})
