/** Streams in documents of OpenAPI 3.1 and 3.2. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Input, OpenApiDocument } from 'verbena'
import { events, Route } from 'verbena'
import { jsonLines } from 'verbena/lines'
import { breaking } from 'verbena/openapi'
import { looseContract } from '#test/apps.js'
import { findOperation, ownComponents, readDocument, validateDocument } from '#test/openapi.js'
import * as z from 'zod'

const Price = z.object({ symbol: z.string(), price: z.number() }).meta({ id: 'Price' })
const PRICE = { $ref: '#/components/schemas/Price' }

function made(returns: unknown, version: string): OpenApiDocument {
  class Prices extends Route {
    static readonly get = looseContract(this, { returns })
    get() {}
  }
  return readDocument({ Prices }, { openapi: { version } })
}

function contentOf(document: OpenApiDocument, status = '200'): unknown {
  return Object(findOperation(document, '/prices').responses[status]).content
}

const FAILURE = 'A failure is the last event: its name is "error", and its data is a problem'

describe('openapi: streams', () => {
  it('describes each event with itemSchema in OpenAPI 3.2', async () => {
    const document = made(events(Price), '3.2')
    const properties = {
      data: { type: 'string', contentMediaType: 'application/json', contentSchema: PRICE },
      event: { type: 'string' },
      id: { type: 'string' },
      retry: { type: 'integer', minimum: 0 },
    }
    const itemSchema = { type: 'object', description: FAILURE, properties, required: ['data'] }
    assert.deepEqual(contentOf(document), { 'text/event-stream': { itemSchema } })
    assert.deepEqual(ownComponents(document), ['Price'])
    assert.deepEqual(await validateDocument(document), [])
  })

  it('describes the data of events as the content of a string in OpenAPI 3.1', async () => {
    const document = made(events(Price), '3.1')
    const schema = {
      type: 'string',
      description: `Events; the data of each is JSON that follows contentSchema. ${FAILURE}`,
      contentMediaType: 'text/event-stream',
      contentSchema: PRICE,
    }
    assert.deepEqual(contentOf(document), { 'text/event-stream': { schema } })
    assert.deepEqual(ownComponents(document), ['Price'])
    assert.deepEqual(await validateDocument(document), [])
  })

  it('names components like a document of OpenAPI 3.1', () => {
    const returns = { 200: events(z.object({ a: z.string() })), 202: events(z.object({ b: z.string() })) }
    const [old, current] = [made(returns, '3.1'), made(returns, '3.2')]
    assert.deepEqual(ownComponents(current), ownComponents(old))
    assert.deepEqual(current.components, old.components)
  })

  it('describes each line of bodies and responses', async () => {
    class Prices extends Route {
      static readonly post = this.contract({ body: jsonLines(Price), returns: jsonLines(Price) })
      async *post({ body }: Input<typeof Prices.post>) {
        yield* body
      }
    }
    const media = {
      '3.1': {
        schema: {
          type: 'string',
          description: 'Lines; each is JSON that follows contentSchema',
          contentMediaType: 'application/jsonl',
          contentSchema: PRICE,
        },
      },
      '3.2': { itemSchema: PRICE },
    }
    for (const version of ['3.1', '3.2'] as const) {
      const document = readDocument({ Prices }, { openapi: { version } })
      const { requestBody, responses } = findOperation(document, '/prices', 'post')
      const contents = [requestBody, responses['200']].map((part) => Object(part).content['application/jsonl'])
      assert.deepEqual(contents, [media[version], media[version]])
      assert.deepEqual(await validateDocument(document), [])
    }
  })

  it('describes the same lines in both versions for breaking()', () => {
    const [old, current] = ['3.1', '3.2'].map((version) => made(jsonLines(Price), version))
    const changed = made(jsonLines(Price.extend({ price: z.string() })), '3.2')
    assert.ok(old !== undefined && current !== undefined)
    assert.deepEqual([breaking(old, current), breaking(current, old)], [[], []])
    assert.deepEqual(
      breaking(old, changed).map(({ message }) => message),
      ['GET /prices: "/price" of the 200 response may now be a string'],
    )
  })
})
