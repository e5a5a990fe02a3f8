import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Route, type Input } from 'verbena'
import { idempotency } from 'verbena/idempotency'
import { jsonLines, type JsonLinesOptions } from 'verbena/lines'
import * as z from 'zod'
import { assertSetupError, createUntypedApp, looseContract } from '#test/apps.js'
import { findOperation, readDocument, validateDocument } from '#test/openapi.js'

const Point = z.object({ x: z.number() })

function create(spec: object, verb: 'get' | 'post' = 'post') {
  class Probe extends Route {
    static readonly [verb] = looseContract(this, spec);
    [verb]() {}
  }
  return createUntypedApp({ routes: { Probe }, signals: false })
}

describe('jsonLines() in a contract', () => {
  it('rejects wrong options and schemas', () => {
    const wrong: readonly [options: object, name: string][] = [
      [{ line: 0 }, 'line'],
      [{ count: 1.5 }, 'count'],
      [{ limit: -1 }, 'limit'],
      [{ heartbeat: 0 }, 'heartbeat'],
      [{ project: 'no' }, 'project'],
      [{ types: ['text/plain'] }, 'types'],
    ]
    for (const [options, name] of wrong) {
      // Proof: wrong on purpose.
      assertSetupError(
        () => jsonLines(Point, options as JsonLinesOptions),
        'OPTION_INVALID',
        `"${name}" of jsonLines()`,
      )
    }
    // @ts-expect-error - not a schema
    assertSetupError(() => jsonLines({}), 'SCHEMA_INVALID', 'jsonLines(…)')
  })

  it('rejects options of bodies in responses, and of responses in bodies', () => {
    assertSetupError(() => create({ returns: jsonLines(Point, { count: 5 }) }), 'CONTRACT_INVALID', '"count"')
    const body = (options: JsonLinesOptions) => () => create({ body: jsonLines(Point, options) })
    assertSetupError(body({ project: false }), 'CONTRACT_INVALID', '"project: false"')
    assertSetupError(body({ headers: Point }), 'CONTRACT_INVALID', '"headers"')
  })

  it('allows neither "etag" nor "idempotency"', () => {
    assertSetupError(
      () => create({ returns: jsonLines(Point), etag: true }, 'get'),
      'CONTRACT_INVALID',
      'ETag of a stream',
    )
    const once = idempotency({ by: () => 'all', ttl: 1000 })
    const response = { returns: jsonLines(Point), idempotency: once }
    assertSetupError(() => create(response), 'CONTRACT_INVALID', '"idempotency" cannot store a stream')
    const body = { body: jsonLines(Point), returns: null, idempotency: once }
    assertSetupError(() => create(body), 'CONTRACT_INVALID', '"jsonLines(…)" does not keep them')
  })

  it('is in the OpenAPI document as a string of lines', async () => {
    class Probe extends Route {
      static readonly post = this.contract({ body: jsonLines(Point), returns: jsonLines(Point) })
      async *post({ body }: Input<typeof Probe.post>) {
        yield* body
      }
    }
    const document = readDocument({ Probe })
    const { requestBody, responses } = findOperation(document, '/probe', 'post')
    const media = (schema: string) => ({
      schema: {
        type: 'string',
        description: 'Lines; each is JSON that follows contentSchema',
        contentMediaType: 'application/jsonl',
        contentSchema: { $ref: `#/components/schemas/${schema}` },
      },
    })
    assert.deepEqual(Object(responses['200']).content, { 'application/jsonl': media('ProbePostResponse') })
    const { content } = Object(requestBody)
    const types = ['application/x-ndjson', 'application/ndjson', 'application/jsonlines', 'application/x-jsonlines']
    assert.deepEqual(Object.keys(content), ['application/jsonl', ...types])
    assert.deepEqual(content['application/x-ndjson'], media('ProbePostResponse'))
    for (const status of ['400', '413', '415', '422']) assert.ok(status in responses, status)
    assert.deepEqual(await validateDocument(document), [])
  })
})
