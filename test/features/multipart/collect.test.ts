/** Fields of `multipart` that are sent as JSON. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { toJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { createApp, Route, type Input } from 'verbena'
import { createClient } from 'verbena/client'
import { multipart } from 'verbena/multipart'
import { testApp } from 'verbena/testing'
import * as z from 'zod'
import { createUntypedApp, looseContract, sendRequest } from '#test/apps.js'
import { field, writeForm, type WrittenPart } from '#test/multipart.js'

const Address = z.object({ city: z.string(), since: z.iso.date().optional() })
const Fields = z.object({
  title: z.string(),
  tags: z.array(z.string()).optional(),
  address: Address.optional(),
  lines: z.array(z.object({ sku: z.string(), count: z.int() })).optional(),
  grid: z.array(z.array(z.int())).optional(),
  labels: z.record(z.string(), z.string()).optional(),
  either: z.union([Address, z.array(Address)]).optional(),
})

class Orders extends Route {
  static readonly post = this.contract({
    body: multipart(Fields, { files: { image: { optional: true } } }),
    returns: Fields.extend({ image: z.string().nullable() }),
  })
  async post({ body: { fields, files } }: Input<typeof Orders.post>) {
    return { ...fields, image: files.image?.name ?? null }
  }
}

class Records extends Route {
  static readonly post = this.contract({ body: multipart(z.record(z.string(), Address)) })
  async post({ body }: Input<typeof Records.post>) {
    return body.fields
  }
}

class Parsed extends Route {
  static readonly post = this.contract({
    body: multipart(z.object({ address: z.preprocess((value) => JSON.parse(String(value)), Address) })),
  })
  async post({ body }: Input<typeof Parsed.post>) {
    return body.fields
  }
}

class Texts extends Route {
  static readonly post = this.contract({
    body: multipart(z.object({ either: z.union([Address, z.string()]), any: z.unknown() })),
  })
  async post({ body }: Input<typeof Texts.post>) {
    return body.fields
  }
}

const app = createApp({
  routes: { Orders, Records, Parsed, Texts },
  logger: false,
  signals: false,
  limits: { body: 1000, depth: 8 },
})
const TYPE = 'multipart/form-data; boundary=x-x'
const JSON_PART = '\r\nContent-Type: application/json'
const TEXT_PART = '\r\nContent-Type: text/plain'
const jsonPart = (name: string, value: unknown, rest = JSON_PART): WrittenPart =>
  field(name, typeof value === 'string' ? value : JSON.stringify(value), rest)

async function send(target: string, ...parts: WrittenPart[]) {
  const body = new Uint8Array(writeForm('x-x', parts))
  const { status, text } = await sendRequest(app, target, { method: 'POST', headers: { 'content-type': TYPE }, body })
  return { status, body: JSON.parse(text) }
}

const title = field('title', 'Ada')
const ada = { city: 'London' }
const line = { sku: 'a', count: 1 }

const ACCEPTED: readonly (readonly [title: string, parts: readonly WrittenPart[], fields: object])[] = [
  ['an object', [jsonPart('address', ada)], { address: ada }],
  [
    'an object in a part with a file name',
    [jsonPart('address', ada, `; filename="a.json"${JSON_PART}`)],
    { address: ada },
  ],
  [
    'an object in a part with an empty file name',
    [jsonPart('address', ada, `; filename=""${JSON_PART}`)],
    { address: ada },
  ],
  ['an object with a charset', [jsonPart('address', ada, `${JSON_PART}; charset=UTF-8`)], { address: ada }],
  [
    'an object with a structured suffix',
    [jsonPart('address', ada, '\r\nContent-Type: application/ld+json')],
    { address: ada },
  ],
  ['a list in one part', [jsonPart('lines', [line, line])], { lines: [line, line] }],
  ['an empty list', [jsonPart('lines', [])], { lines: [] }],
  ['a list with a part for each item', [jsonPart('lines', line), jsonPart('lines', line)], { lines: [line, line] }],
  ['a list with a part for its only item', [jsonPart('lines', line)], { lines: [line] }],
  ['a list of lists in one part', [jsonPart('grid', [[1, 2], []])], { grid: [[1, 2], []] }],
  ['a list of lists with a part for each item', [jsonPart('grid', [1]), jsonPart('grid', [2])], { grid: [[1], [2]] }],
  ['a record', [jsonPart('labels', { a: 'b' })], { labels: { a: 'b' } }],
  ['an object for a union of object and list', [jsonPart('either', ada)], { either: ada }],
  ['a list for a union of object and list', [jsonPart('either', ada), jsonPart('either', ada)], { either: [ada, ada] }],
  [
    'text fields and a JSON field',
    [field('tags', 'a'), field('tags', 'b'), jsonPart('address', ada)],
    { tags: ['a', 'b'], address: ada },
  ],
]

const REJECTED: readonly (readonly [title: string, parts: readonly WrittenPart[], status: number, message: RegExp])[] =
  [
    ['another media type', [jsonPart('address', ada, '\r\nContent-Type: text/html')], 415, /as application\/json/],
    ['a malformed media type', [jsonPart('address', ada, '\r\nContent-Type: text')], 415, /as application\/json/],
    [
      'a file without a media type',
      [jsonPart('address', ada, '; filename="a.json"')],
      415,
      /Send the field "address" as application\/json/,
    ],
    ['text in another charset', [jsonPart('address', ada, `${TEXT_PART}; charset=latin1`)], 415, /json/],
    [
      'a file that is not JSON',
      [jsonPart('address', ada, '; filename="a.txt"\r\nContent-Type: text/plain')],
      415,
      /json/,
    ],
    ['a charset other than UTF-8', [jsonPart('address', ada, `${JSON_PART}; charset=latin1`)], 415, /json/],
    ['a part that is not JSON', [jsonPart('address', '{')], 400, /The field "address" is not valid JSON/],
    ['an empty part', [jsonPart('address', '')], 400, /The field "address" is not valid JSON/],
    [
      'bytes that are not UTF-8',
      [field('address', Buffer.from([0x22, 0xff, 0x22]), JSON_PART)],
      400,
      /not valid UTF-8/,
    ],
    [
      'a dangerous key',
      [jsonPart('address', '{"__proto__":{}}')],
      400,
      /The field "address" contains a "__proto__" key/,
    ],
    ['a nested dangerous key', [jsonPart('labels', '{"constructor":{"prototype":1}}')], 400, /"constructor.prototype"/],
    ['too deep nesting', [jsonPart('grid', `${'['.repeat(9)}${']'.repeat(9)}`)], 400, /is nested deeper than 8 levels/],
    ['too many bytes', [jsonPart('labels', { a: 'x'.repeat(1001) })], 413, /larger than 1000 bytes/],
    ['several values', [jsonPart('address', ada), jsonPart('address', ada)], 422, /"\/address".*Expected one value/],
    ['an object that does not match the schema', [jsonPart('address', { city: 1 })], 422, /"\/address\/city"/],
    ['a JSON string', [jsonPart('address', '"a"')], 422, /"\/address"/],
    [
      'an item that does not match the schema',
      [jsonPart('lines', line), jsonPart('lines', { sku: 'a' })],
      422,
      /"\/lines\/1\/count"/,
    ],
  ]

/** The ways of generated clients, browsers and `curl -F` to send a field. */
const TEXTS: readonly (readonly [title: string, head: string])[] = [
  ['a part without a media type', ''],
  ['a text/plain part', TEXT_PART],
  ['a text/plain part with a charset', `${TEXT_PART}; charset=UTF-8`],
]

/** Returns a part with another media type. */
function retype({ head, data }: WrittenPart, type: string): WrittenPart {
  return { head: head.replaceAll(/\r\nContent-Type: .*/g, type), data }
}

describe('multipart(): JSON fields', () => {
  for (const [about, parts, fields] of ACCEPTED) {
    it(`accepts ${about}`, async () => {
      const { status, body } = await send('/orders', title, ...parts)
      assert.deepEqual([status, body], [200, { title: 'Ada', ...fields, image: null }])
    })
  }

  for (const [about, parts, expected, message] of REJECTED) {
    it(`rejects ${about}`, async () => {
      const { status, body } = await send('/orders', title, ...parts)
      assert.equal(status, expected)
      assert.match(JSON.stringify(body).replaceAll('\\"', '"'), message)
      if (status !== 422) assert.equal(body.part, parts[0]?.head.match(/name="(\w+)"/)?.[1])
    })
  }

  for (const [about, type] of TEXTS) {
    it(`accepts and rejects ${about} like a JSON part`, async () => {
      const isPlain = ({ head }: WrittenPart) => head.endsWith(JSON_PART) && !head.includes('filename')
      const [accepted, rejected] = [ACCEPTED, REJECTED].map((rows) => rows.filter(([, parts]) => parts.every(isPlain)))
      assert.deepEqual([accepted?.length, rejected?.length], [10, 11])
      for (const [row, parts] of [...(accepted ?? []), ...(rejected ?? [])]) {
        const asJson = await send('/orders', title, ...parts)
        const asText = await send('/orders', title, ...parts.map((part) => retype(part, type)))
        const { requestId: _one, ...expected } = asJson.body
        const { requestId: _two, ...received } = asText.body
        assert.deepEqual([asText.status, received], [asJson.status, expected], row)
      }
    })
  }

  it('parses text as JSON with valibot and arktype', async () => {
    const schemas = {
      valibot: v.object({ home: v.object({ city: v.string() }), note: v.string() }),
      arktype: type({ home: { city: 'string' }, note: 'string' }),
    }
    for (const [vendor, schema] of Object.entries(schemas)) {
      class Homes extends Route {
        static readonly post = looseContract(this, { body: multipart(schema) })
        post({ body }: { body: { fields: object } }) {
          return body.fields
        }
      }
      const own = createUntypedApp({ routes: { Homes }, jsonSchema: { valibot: toJsonSchema }, logger: false })
      const body = new FormData()
      body.append('home', '{"city":"London"}')
      body.append('note', '{}')
      const response = await own.fetch(new Request('http://localhost/homes', { method: 'POST', body }))
      assert.deepEqual(await response.json(), { home: ada, note: '{}' }, vendor)
    }
  })

  it('reads text as a string if the schema also accepts strings', async () => {
    const sent = await send('/texts', field('either', '{"city":"London"}'), field('any', '{}'))
    assert.deepEqual(sent, { status: 200, body: { either: '{"city":"London"}', any: '{}' } })
  })

  it('accepts JSON fields of curl -F and of a FormData', async (t) => {
    const own = createApp({ routes: { Orders }, logger: false, signals: false })
    const { url } = await own.listen()
    t.after(() => own.close())
    const lines = JSON.stringify([line])
    const form = new FormData()
    for (const [name, value] of Object.entries({ title: 'Ada', address: '{"city":"London"}', lines }))
      form.append(name, value)
    const expected = { title: 'Ada', address: ada, lines: [line], image: null }
    const response = await fetch(`${url}/orders`, { method: 'POST', body: form })
    assert.deepEqual([response.status, await response.json()], [200, expected])
    const args = ['-s', '-F', 'title=Ada', '-F', 'address={"city":"London"}', '-F', `lines=${lines}`, `${url}/orders`]
    const { stdout } = await promisify(execFile)('curl', args)
    assert.deepEqual(JSON.parse(stdout), expected)
  })

  it('reports all issues of text fields, JSON fields and files together', async () => {
    const { status, body } = await send('/orders', jsonPart('address', {}), field('other', 'x', '; filename="a"'))
    assert.equal(status, 422)
    assert.deepEqual(body.errors.map(({ pointer }: { pointer: string }) => pointer).toSorted(), [
      '/address/city',
      '/other',
      '/title',
    ])
  })

  it('accepts JSON fields with any name if the schema is a record of objects', async () => {
    assert.deepEqual(await send('/records', jsonPart('a', ada), jsonPart('b', ada)), {
      status: 200,
      body: { a: ada, b: ada },
    })
    assert.deepEqual(await send('/records', field('a', '{"city":"London"}')), { status: 200, body: { a: ada } })
    assert.equal((await send('/records', field('a', 'London'))).status, 400)
  })

  it('accepts a text field if the schema parses it', async () => {
    assert.deepEqual(await send('/parsed', field('address', JSON.stringify(ada))), {
      status: 200,
      body: { address: ada },
    })
    const content = Object(app.openapi().paths['/parsed']?.['post']?.requestBody).content['multipart/form-data']
    assert.equal(content.encoding, undefined)
  })

  it('counts the bytes of JSON fields and text fields together', async () => {
    const { status, body } = await send(
      '/orders',
      field('title', 'x'.repeat(600)),
      jsonPart('labels', { a: 'x'.repeat(500) }),
    )
    assert.deepEqual([status, body.part], [413, 'labels'])
  })

  it('documents only JSON fields and files with a media type', () => {
    const content = Object(app.openapi().paths['/orders']?.['post']?.requestBody).content['multipart/form-data']
    const types = Object.entries(Object(content.encoding)).map(([name, encoding]) => [
      name,
      Object(encoding).contentType,
    ])
    assert.deepEqual(Object.fromEntries(types), {
      image: '*/*',
      ...{ address: 'application/json', lines: 'application/json', grid: 'application/json' },
      ...{ labels: 'application/json', either: 'application/json' },
    })
  })

  it('accepts JSON fields from the typed client', async () => {
    const fields = {
      title: 'Ada',
      tags: ['a', 'b'],
      address: { city: 'London', since: '2026-01-01' },
      lines: [line, line],
      grid: [[1], [2, 3]],
      labels: {},
      either: [ada],
    }
    const own = createApp({ routes: { Orders }, logger: false, signals: false })
    const { url } = await own.listen()
    await using test = await testApp(own)
    for (const api of [test.api, createClient<typeof own>(url)]) {
      const { status, body } = await api('/orders').post({
        body: { fields, files: { image: new File(['a'], 'a.png') } },
        headers: { 'content-type': 'multipart/form-data' },
      })
      assert.deepEqual([status, body], [200, { ...fields, image: 'a.png' }])
    }
    await own.close()
  })

  it('accepts dates and strings as text fields from the typed client', async () => {
    const body = { fields: { title: Object(new Date(0)), tags: Object([null, undefined, 'a']).slice(2) } }
    await using test = await testApp(app)
    const answer = await test.api('/orders').post({ body, headers: { 'content-type': 'multipart/form-data' } })
    assert.deepEqual(answer.body, { title: '1970-01-01T00:00:00.000Z', tags: ['a'], image: null })
  })
})
