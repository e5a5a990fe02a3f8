import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { headersView, mediaView } from '#src/reference/media-view.js'
import { createModel, plainText } from '#test/reference.js'

const MODEL = createModel({ Tick: { type: 'object', properties: { at: { type: 'integer' } } } })
const TICK = { $ref: '#/components/schemas/Tick' }
const view = (content: Record<string, object>) => {
  const medias = Object.entries(content).map(([type, about]) => ({ type, about: { ...about } }))
  return plainText(mediaView(MODEL, medias))
}

describe('mediaView()', () => {
  it('shows the type and fields of JSON, once for media types with the same schema', () => {
    assert.equal(
      view({ 'application/json': { schema: TICK }, 'application/xml': { schema: TICK } }),
      'application/json or application/xml Tick at integer',
    )
    assert.equal(
      view({ 'application/json': { schema: TICK }, 'text/plain': { schema: { type: 'string' } } }),
      'application/json Tick at integer text/plain string',
    )
    assert.equal(view({ 'text/plain': {} }), 'text/plain')
  })

  it('describes event streams of OpenAPI 3.1 and 3.2', () => {
    const text =
      'text/event-stream Tick An event stream: the server sends events until one side closes the connection. The data of each event is: at integer'
    assert.equal(view({ 'text/event-stream': { schema: { type: 'string', contentSchema: TICK } } }), text)
    assert.equal(view({ 'text/event-stream': { itemSchema: TICK } }), text)
    const itemSchema = { properties: { data: { type: 'string', contentSchema: TICK } } }
    assert.equal(
      view({ 'text/event-stream; charset=utf-8': { itemSchema } }),
      text.replace('stream', 'stream; charset=utf-8'),
    )
  })

  it('describes lines, forms and files', () => {
    assert.equal(
      view({ 'application/jsonl': { itemSchema: TICK } }),
      'application/jsonl Tick A stream of JSON values, one in each line. at integer',
    )
    assert.equal(
      view({ 'application/x-ndjson': { schema: TICK } }),
      'application/x-ndjson Tick A stream of JSON values, one in each line. at integer',
    )
    assert.equal(
      view({ 'multipart/form-data': { schema: TICK } }),
      'multipart/form-data Tick A form, which can contain files. at integer',
    )
    assert.equal(view({ 'image/png': {} }), 'image/png The bytes of a file.')
    assert.equal(
      view({ 'image/png': { schema: { type: 'string', format: 'binary' } } }),
      'image/png The bytes of a file.',
    )
  })
})

describe('headersView()', () => {
  it('lists headers, which can be references', () => {
    const model = createModel({}, { headers: { Limit: { schema: { type: 'integer' }, description: 'How many' } } })
    assert.equal(
      plainText(headersView(model, { 'X-Limit': { $ref: '#/components/headers/Limit' } })),
      'Headers X-Limit integer How many',
    )
    assert.equal(headersView(model, undefined), null)
  })
})
