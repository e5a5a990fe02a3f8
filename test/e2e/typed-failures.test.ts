/** Declared errors and headers of a contract in the typed client, over a socket and in process. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, group, HttpError, json, reply, Route, stream, type Input, type Result } from 'verbena'
import { createClient } from 'verbena/client'
import * as z from 'zod'

const Taken = z.object({ seat: z.string(), until: z.date() })
const Tagged = z.object({ ETag: z.string() })

abstract class SignedIn extends Route {
  static readonly errors = { 401: z.object({ code: z.enum(['missing', 'expired']) }) }
}
class Seats extends SignedIn {
  static readonly path = '/seats/{id}'
  static readonly get = this.contract({ returns: json(z.string(), { headers: Tagged }), errors: { 409: Taken } })
  async get({ params }: Input<typeof Seats.get>): Result<typeof Seats.get> {
    if (params.id === '0') throw HttpError.of(Seats.get, 401, undefined, { code: 'missing' })
    if (params.id !== '1') throw HttpError.of(Seats.get, 409, 'Taken', { seat: params.id, until: new Date(0) })
    return reply(200, 'free', { ETag: '"1"' })
  }
  static readonly post = this.contract({ returns: stream({ headers: Tagged }), errors: { 409: Taken } })
  async *post({ params }: Input<typeof Seats.post>) {
    if (params.id !== '1') throw HttpError.of(Seats.post, 409, undefined, { seat: params.id, until: new Date(0) })
    yield 'never'
  }
}
const routes = { '/v1': group({ errors: { 418: 'Tea only' }, routes: { section: { Seats } } }) }

describe('typed failures', () => {
  const app = createApp({ routes, logger: false, signals: false })

  for (const transport of ['over a socket', 'in memory']) {
    it(`passes declared errors and headers to the typed client: ${transport}`, async () => {
      const served = createApp({ routes, logger: false, signals: false })
      const { url } = transport === 'in memory' ? { url: 'http://localhost' } : await served.listen()
      const inMemory = { fetch: (request: Request) => app.fetch(request) }
      const api = createClient<typeof app>(url, transport === 'in memory' ? inMemory : {})

      const free = await api('/v1/seats/{id}').get({ params: { id: 1 } })
      assert.ok(free.ok)
      assert.deepEqual([free.body, free.headers.get('ETag')], ['free', '"1"'])

      const taken = await api('/v1/seats/{id}').get({ params: { id: '12A' } })
      assert.ok(taken.status === 409)
      const { seat, until, detail } = taken.body
      assert.deepEqual([seat, until, detail], ['12A', '1970-01-01T00:00:00.000Z', 'Taken'])

      const unknown = await api('/v1/seats/{id}').get({ params: { id: '0' } })
      assert.ok(unknown.status === 401)
      assert.equal(unknown.body.code, 'missing')

      const streamed = await api('/v1/seats/{id}').post({ params: { id: '2' }, as: 'stream' })
      assert.ok(streamed.status === 409)
      assert.equal(streamed.body.seat, '2')

      const head = await (transport === 'in memory' ? app : { fetch }).fetch(
        new Request(`${url}/v1/seats/12A`, { method: 'HEAD' }),
      )
      assert.deepEqual([head.status, await head.text()], [409, ''])
      await served.close()
    })
  }
})
