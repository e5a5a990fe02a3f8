import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bytes, form, json as jsonBody, Route, stream, text } from 'verbena'
import { sendRequest, looseContract, createUntypedApp } from '#test/apps.js'
import * as z from 'zod'

/** An app whose endpoint shows the body that it was given. */
function taking(body: unknown, options: object = {}) {
  class Probe extends Route {
    async post({ body, rawBody }: { body: unknown; rawBody?: Uint8Array }) {
      const shown = body instanceof Uint8Array ? `bytes ${Buffer.from(body).toString()}` : await collected(body)
      return { shown, raw: rawBody && Buffer.from(rawBody).toString() }
    }
  }
  Object.defineProperty(Probe, 'post', { value: looseContract(Probe, { body }) })
  return createUntypedApp({ routes: { Probe }, ...options })
}

async function collected(body: unknown): Promise<unknown> {
  if (typeof body !== 'object' || body === null || !(Symbol.asyncIterator in body)) return body
  const chunks: Uint8Array[] = []
  // Proof: the chunks of a body are bytes.
  for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(chunk)
  return `chunks ${Buffer.concat(chunks).toString()}`
}

const FORM = form(z.object({ n: z.int(), on: z.boolean().optional(), list: z.array(z.string()).optional() }))
const RAW = jsonBody(z.object({ a: z.int() }), { raw: true, limit: 20, types: ['application/vnd.a+json'] })

type Row = readonly [
  about: string,
  body: unknown,
  type: string | undefined,
  content: string | Buffer | undefined,
  expected: unknown,
]

const WWW = 'application/x-www-form-urlencoded'
const BIN = 'application/octet-stream'

const ROWS: readonly Row[] = [
  ['text', text(), 'text/plain', 'ä', { shown: 'ä' }],
  ['text with a charset', text(), 'text/plain; charset=utf-8', 'ä', { shown: 'ä' }],
  ['a missing text', text(), undefined, undefined, { shown: '' }],
  ['text of another type', text({ types: ['text/*'] }), 'text/csv', 'a,b', { shown: 'a,b' }],
  ['bytes', bytes(), BIN, Buffer.from('ab'), { shown: 'bytes ab' }],
  ['missing bytes', bytes(), undefined, undefined, { shown: 'bytes ' }],
  ['a stream', stream(), BIN, Buffer.from('ab'), { shown: 'chunks ab' }],
  ['a missing stream', stream(), undefined, undefined, { shown: 'chunks ' }],
  ['a form', FORM, WWW, 'n=7&on=true&list=a&list=b+c%21', { shown: { n: 7, on: true, list: ['a', 'b c!'] } }],
  ['JSON with its bytes', RAW, 'application/vnd.a+json', '{ "a": 7 }', { shown: { a: 7 }, raw: '{ "a": 7 }' }],
  ['missing JSON with its bytes', jsonBody(z.int().optional(), { raw: true }), undefined, undefined, { raw: '' }],
  ['JSON', jsonBody(z.int()), 'application/json', '7', { shown: 7 }],
  ['text that is not UTF-8', text(), 'text/plain', Buffer.from([0xff]), 400],
  ['a form that is not UTF-8', FORM, WWW, Buffer.from([0xff]), 400],
  ['a form that does not decode', FORM, WWW, 'n=%zz', 400],
  [
    'bytes without a type where any is accepted',
    bytes({ types: ['*/*'] }),
    undefined,
    Buffer.from('ab'),
    { shown: 'bytes ab' },
  ],
  [
    'JSON without a type where any is accepted',
    jsonBody(z.int(), { types: ['*/*'] }),
    undefined,
    Buffer.from('7'),
    { shown: 7 },
  ],
  [
    'a stream without a type where any is accepted',
    stream({ types: ['a/b', '*/*'] }),
    undefined,
    Buffer.from('a'),
    { shown: 'chunks a' },
  ],
  ['bytes without a type', bytes(), undefined, Buffer.from('ab'), 415],
  [
    'bytes without a type where a family is accepted',
    bytes({ types: ['application/*'] }),
    undefined,
    Buffer.from('ab'),
    415,
  ],
  ['bytes of a malformed type where any is accepted', bytes({ types: ['*/*'] }), 'binary', Buffer.from('ab'), 415],
  ['a form that violates its schema', FORM, WWW, 'n=x', 422],
  ['a missing form', FORM, undefined, undefined, 400],
  ['text of a type that is not accepted', text(), 'application/json', '"a"', 415],
  ['bytes of a type that is not accepted', bytes({ types: ['image/*'] }), BIN, 'a', 415],
  ['a stream of a type that is not accepted', stream(), 'text/plain', 'a', 415],
  ['JSON instead of a form', FORM, 'application/json', '{"n":7}', 415],
  ['JSON of a type that is not listed', RAW, 'application/json', '{"a":7}', 415],
  ['JSON above the limit of the contract', RAW, 'application/vnd.a+json', `{"a":7${' '.repeat(20)}}`, 413],
  ['text above the limit of the contract', text({ limit: 2 }), 'text/plain', 'abc', 413],
]

describe('readBody()', () => {
  for (const [about, body, type, content, expected] of ROWS) {
    it(`${typeof expected === 'number' ? `responds ${expected} to` : 'reads'} ${about}`, async () => {
      const init = { method: 'POST', headers: type === undefined ? {} : { 'content-type': type } }
      const sent =
        content === undefined ? {} : { body: typeof content === 'string' ? content : new Uint8Array(content) }
      const answer = await sendRequest(taking(body), '/probe', { ...init, ...sent })
      if (typeof expected === 'number') assert.equal(answer.status, expected, answer.text)
      else assert.deepEqual([answer.status, answer.body], [200, expected], answer.text)
    })
  }

  it('lists the accepted types in a 415', async () => {
    const { headers, text: said } = await sendRequest(taking(text({ types: ['text/csv', 'text/plain'] })), '/probe', {
      method: 'POST',
      headers: { 'content-type': 'image/png' },
      body: 'a',
    })
    assert.equal(headers.get('accept'), 'text/csv, text/plain')
    assert.match(said, /text\/csv, text\/plain/)
  })

  it('limits a stream while it is read', async () => {
    const init = { method: 'POST', headers: { 'content-type': BIN }, body: 'x'.repeat(100) }
    assert.equal((await sendRequest(taking(stream({ limit: 10 })), '/probe', init)).status, 413)
  })
})
