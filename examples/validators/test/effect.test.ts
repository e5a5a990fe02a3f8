/** Effect's validator reads decoded values, and its JSON Schema describes the encoded ones. Codecs make both agree. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Schema } from 'effect'
import { createApp, Route, type Input } from 'verbena'

/** A schema with validator and JSON Schema. */
function standard<Codec extends Schema.Codec<unknown, unknown>>(schema: Codec) {
  return Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(schema))
}

const Event = Schema.Struct({ at: Schema.Date, count: Schema.BigInt })
const json = { 'content-type': 'application/json' }
const body = JSON.stringify({ at: '2026-01-31T12:00:00.000Z', count: '7' })

describe('Effect', () => {
  it('rejects every body with a Date or BigInt, which check() reports', async () => {
    class Events extends Route {
      static readonly post = this.contract({ body: standard(Event), returns: null })
      async post() {}
    }
    const app = createApp({ routes: { Events }, logger: false })
    const found = app.check().filter(({ code }) => code === 'INPUT_IMPOSSIBLE')
    assert.deepEqual(
      found.map(({ message }) => message),
      [
        'The schema of "body" accepts only a Date at "/at", but JSON and strings cannot contain one',
        'The schema of "body" accepts only a bigint at "/count", but JSON and strings cannot contain one',
      ],
    )
    const request = new Request('http://localhost/events', { method: 'POST', headers: json, body })
    assert.equal((await app.fetch(request)).status, 422)
  })

  it('accepts the body of the document with toCodecJson, and a query with toCodecStringTree', async () => {
    class Events extends Route {
      static readonly post = this.contract({ body: standard(Schema.toCodecJson(Event)) })
      async post({ body }: Input<typeof Events.post>) {
        return body.at.getTime() + Number(body.count)
      }
      static readonly get = this.contract({
        query: standard(Schema.toCodecStringTree(Schema.Struct({ since: Schema.Date, limit: Schema.Number }))),
      })
      async get({ query }: Input<typeof Events.get>) {
        return query.since.getTime() + query.limit
      }
    }
    const app = createApp({ routes: { Events }, logger: false })
    assert.deepEqual(
      app.check().filter(({ code }) => code === 'INPUT_IMPOSSIBLE'),
      [],
    )
    const sent = await app.fetch(new Request('http://localhost/events', { method: 'POST', headers: json, body }))
    assert.deepEqual([sent.status, await sent.json()], [200, Date.parse('2026-01-31T12:00:00Z') + 7])
    const read = await app.fetch(new Request('http://localhost/events?since=2026-01-31T12:00:00.000Z&limit=5'))
    assert.deepEqual([read.status, await read.json()], [200, Date.parse('2026-01-31T12:00:00Z') + 5])
  })
})
