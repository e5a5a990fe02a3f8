import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, provide, Route, SetupError, type CommonOptions, type Input } from 'verbena'
import { multipart, parts } from 'verbena/multipart'
import { sendRequest, createUntypedApp, looseContract } from '#test/apps.js'
import { field, file, writeForm, type WrittenPart } from '#test/multipart.js'
import * as z from 'zod'

const BOUNDARY = 'x-x'
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`

/** An app whose endpoint shows the form that it was given. */
function taking(body: unknown, options: CommonOptions = {}) {
  class Probe extends Route {
    async post({ body }: { body: { fields: unknown; files: Record<string, File | File[] | undefined> } }) {
      const files = Object.entries(body.files).map(async ([name, given]) => {
        const shown = (given === undefined ? [] : [given].flat()).map(async (each) => {
          return [each.name, each.type, Buffer.from(await each.arrayBuffer()).toString()]
        })
        return [name, await Promise.all(shown)]
      })
      return { fields: body.fields, files: Object.fromEntries(await Promise.all(files)) }
    }
  }
  Object.defineProperty(Probe, 'post', { value: looseContract(Probe, { body }) })
  return createUntypedApp({ routes: { Probe }, ...options })
}

const send = (app: ReturnType<typeof taking>, body: string | Uint8Array<ArrayBuffer>, type = TYPE) =>
  sendRequest(app, '/probe', { method: 'POST', headers: { 'content-type': type }, body })
const sendParts = (app: ReturnType<typeof taking>, ...given: WrittenPart[]) =>
  send(app, new Uint8Array(writeForm(BOUNDARY, given)))

const FORM = multipart(z.object({ n: z.int(), on: z.boolean().optional(), list: z.array(z.string()).optional() }), {
  files: {
    image: { types: ['image/*', 'text/csv'], limit: 10, optional: true },
    pages: { count: 2, limit: 5, optional: true },
  },
})
const NEEDED = multipart({ files: { image: {}, pages: { count: 2 } } })

/** Parts of a form, and the expected status, `part` and detail or issues. */
const REFUSED: readonly (readonly [
  about: string,
  body: unknown,
  parts: WrittenPart[],
  expected: readonly unknown[],
])[] = [
  ['fields that do not match the schema', FORM, [field('n', 'x')], [422, undefined, ['/n', /number/]]],
  [
    'a file with the name of a field',
    FORM,
    [file('n', 'a', '7')],
    [422, undefined, ['/n', /number/], ['/n', /^Unexpected file$/]],
  ],
  [
    'a field with the name of a file',
    FORM,
    [field('n', '7'), field('image', 'a')],
    [422, undefined, ['/image', /^Expected a file$/]],
  ],
  [
    'files with an unknown name',
    FORM,
    [field('n', '7'), file('~/', 'a', 'b'), file('~/', 'a', 'b')],
    [422, undefined, ['/~0~1', /^Unexpected file/]],
  ],
  [
    'two files for the name of one file',
    FORM,
    [field('n', '7'), file('image', 'a', 'b', 'image/a'), file('image', 'a', 'b', 'image/a')],
    [422, undefined, ['/image', /^Expected one file$/]],
  ],
  [
    'more files than the maximum',
    FORM,
    [field('n', '7'), ...[1, 2, 3].map(() => file('pages', 'a', 'b'))],
    [422, undefined, ['/pages', /^Expected at most 2 files$/]],
  ],
  [
    'a form without required files',
    NEEDED,
    [field('n', '7')],
    [422, undefined, ['/image', /^Expected a file$/], ['/pages', /^Expected at least one file$/]],
  ],
  [
    'a file with another media type',
    FORM,
    [file('image', 'a', 'b', 'text/html')],
    [415, 'image', /^Send the file "image" as image\/\*, text\/csv$/],
  ],
  [
    'a file that is too large',
    FORM,
    [file('image', 'a', '12345678901', 'image/a')],
    [413, 'image', /^The file "image" is larger than 10 bytes$/],
  ],
  [
    'a file in a list that is too large',
    FORM,
    [file('pages', 'a', '12345'), file('pages', 'a', '123456')],
    [413, 'pages', /"pages" is larger than 5 bytes/],
  ],
  [
    'a field that is not UTF-8',
    FORM,
    [field('n', Buffer.from([0xff]))],
    [400, 'n', /^The field "n" is not valid UTF-8$/],
  ],
  [
    'a field with another charset',
    FORM,
    [field('n', '7', '\r\nContent-Type: text/plain; charset=latin1')],
    [415, 'n', /^Send the field "n" in UTF-8$/],
  ],
  ['a part without a name', FORM, [{ head: 'A: b', data: Buffer.from('') }], [400, undefined, /has no name/]],
]

describe('multipart()', () => {
  it('passes fields converted by the schema, and files with name and type', async () => {
    const sent = [
      field('n', '7'),
      field('list', 'a'),
      field('list', 'b €'),
      file('image', '../a.png', 'picture', 'IMAGE/png; charset=x'),
      file('pages', 'b', '1'),
      file('pages', 'c', '2'),
    ]
    const { status, body, text } = await sendParts(taking(FORM), ...sent)
    assert.equal(status, 200, text)
    assert.deepEqual(body, {
      fields: { n: 7, list: ['a', 'b €'] },
      files: {
        image: [['a.png', 'image/png; charset=x', 'picture']],
        pages: [
          ['b', 'text/plain', '1'],
          ['c', 'text/plain', '2'],
        ],
      },
    })
  })

  it('passes fields as strings without a schema, and files of any type', async () => {
    const app = taking(NEEDED)
    const sent = [
      ...['1', '2', '3'].map((text) => field('__proto__', text)),
      file('image', '', 'a'),
      file('pages', 'b', '', ''),
    ]
    const { body } = await sendParts(app, ...sent)
    assert.deepEqual(body, {
      fields: JSON.parse('{ "__proto__": ["1", "2", "3"] }'),
      files: { image: [['', 'text/plain', 'a']], pages: [['b', 'application/octet-stream', '']] },
    })
  })

  it('ignores an empty file input', async () => {
    const empty = file('image', '', '', 'application/octet-stream')
    const { status, body } = await sendParts(taking(FORM), field('n', '7'), empty, file('other', '', ''))
    assert.deepEqual([status, body], [200, { fields: { n: 7 }, files: { image: [], pages: [] } }])
  })

  it('accepts a FormData body', async () => {
    const form = new FormData()
    form.append('n', '7')
    form.append('list', 'a\r\n"b"')
    form.append('image', new File(['picture'], 'a"\nä.png', { type: 'image/png' }))
    const { body, text } = await sendRequest(taking(FORM), '/probe', { method: 'POST', body: form })
    const files = { image: [['a"\nä.png', 'image/png', 'picture']], pages: [] }
    assert.deepEqual(body, { fields: { n: 7, list: ['a\r\n"b"'] }, files }, text)
  })

  for (const [about, form, sent, [status, part, ...expected]] of REFUSED) {
    it(`rejects ${about} and names the part`, async () => {
      const answer = await sendParts(taking(form), ...sent)
      // Proof: a response with such a status is a problem.
      const problem = answer.body as {
        detail: string
        part?: string
        errors?: { in: string; pointer: string; message: string }[]
      }
      assert.deepEqual([answer.status, problem.part], [status, part], answer.text)
      const found = problem.errors ?? [problem.detail]
      assert.equal(found.length, expected.length, answer.text)
      for (const [at, wanted] of expected.entries()) {
        const each = found[at]
        if (typeof each === 'string') assert.match(each, wanted as RegExp)
        else {
          const [pointer, message] = wanted as [string, RegExp]
          assert.deepEqual([each?.in, each?.pointer], ['body', pointer])
          assert.match(each?.message ?? '', message)
        }
      }
    })
  }

  it('rejects a request without a body, unless all files are optional', async () => {
    const optional = multipart({ files: { image: { optional: true } } })
    const nothing = await sendRequest(taking(optional), '/probe', { method: 'POST' })
    assert.deepEqual(nothing.body, { fields: {}, files: { image: [] } })
    for (const form of [FORM, NEEDED]) {
      const { status, text } = await sendRequest(taking(form), '/probe', { method: 'POST' })
      assert.equal(status, 400)
      assert.match(text, /This request needs a body/)
    }
  })

  it('rejects another media type, a missing or invalid boundary, and a content encoding', async () => {
    const app = taking(FORM)
    assert.equal((await send(app, 'n=7', 'application/x-www-form-urlencoded')).status, 415)
    for (const type of [
      'multipart/form-data',
      'multipart/form-data; boundary=""',
      'multipart/form-data; boundary="a "',
    ]) {
      const { status, text } = await send(app, 'n=7', type)
      assert.equal(status, 400)
      assert.match(text, /"boundary\\" parameter of Content-Type is missing or invalid/)
    }
    const headers = { 'content-type': TYPE, 'content-encoding': 'gzip' }
    assert.equal((await sendRequest(app, '/probe', { method: 'POST', headers, body: 'a' })).status, 415)
  })

  it('rejects an incomplete body, a malformed boundary and too large headers of a part', async () => {
    const whole = writeForm(BOUNDARY, [field('n', '7')]).toString()
    const rows = [
      [whole.slice(0, -4), /ended before its last boundary/],
      ['', /This request needs a body/],
      [whole.replace('x-x\r\n', 'x-xx\r\n'), /boundary of the body is malformed/],
      [whole.replace('Content', `X: ${'a'.repeat(8_192)}\r\nContent`), /headers of a part are larger than 8192 bytes/],
    ] as const
    for (const [body, why] of rows) {
      const { status, text } = await send(taking(FORM), body)
      assert.equal(status, 400, text)
      assert.match(text, why)
    }
  })

  it('limits the number of parts, the size of all fields and the size of the body', async () => {
    const app = taking(multipart({ files: { image: { limit: 20 } } }), { limits: { body: 500, keys: 2 } })
    const image = file('image', 'a', 'b'.repeat(20))
    assert.equal((await sendParts(app, field('a', ''), field('b', ''), image)).status, 200)
    const many = await sendParts(app, field('a', ''), field('b', ''), field('c', ''), image)
    assert.match(many.text, /^.*"status":400,"detail":"The body has more than 3 parts"/)
    const roomy = taking(multipart({ total: 5_000 }), { limits: { body: 500 } })
    const large = await sendParts(roomy, field('a', 'c'.repeat(300)), field('b', 'c'.repeat(200)), field('c', 'c'))
    assert.match(large.text, /"status":413,"detail":"The fields up to \\"c\\" are larger than 500 bytes in total"/)
    const whole = await sendParts(app, field('a', 'c'.repeat(500)), image)
    assert.match(whole.text, /"status":413,"detail":"The body is larger than 520 bytes"/)
    const total = await sendParts(taking(multipart({ total: 100 })), field('a', 'c'.repeat(100)))
    assert.match(total.text, /"status":413,"detail":"The body is larger than 100 bytes"/)
  })

  it('applies "limit" to all files without their own limit', async () => {
    const app = taking(multipart({ limit: 3, files: { a: {}, b: { limit: 4, optional: true } } }))
    assert.equal((await sendParts(app, file('a', 'a', '123'), file('b', 'a', '1234'))).status, 200)
    assert.match((await sendParts(app, file('a', 'a', '1234'))).text, /\\"a\\" is larger than 3 bytes/)
  })
})

describe('multipart() options', () => {
  const use =
    (...given: unknown[]) =>
    () =>
      Reflect.apply(multipart, null, given)
  const code = (expected: string, message: RegExp) => (error: unknown) =>
    error instanceof SetupError && error.code === expected && message.test(error.message)

  const rows: readonly (readonly [given: unknown[], code: string, message: RegExp])[] = [
    [[{ most: 3 }], 'OPTION_INVALID', /the option "most" of multipart\(\): it is unknown/],
    [['a'], 'OPTION_INVALID', /the options of multipart\(\): they must be an object/],
    [['a', {}], 'SCHEMA_INVALID', /the first argument must be a schema/],
    [[{ limit: -1 }], 'OPTION_INVALID', /the option "limit" of multipart\(\)/],
    [[{ total: 1.5 }], 'OPTION_INVALID', /the option "total"/],
    [[{ folder: '' }], 'OPTION_INVALID', /must be a non-empty path/],
    [[{ memory: 5 }], 'OPTION_INVALID', /no effect without "folder"/],
    [[{ files: [] }], 'OPTION_INVALID', /"files" .* must be an object/],
    [[{ files: { image: 5 } }], 'OPTION_INVALID', /"files\.image" of multipart\(\): it must be an object/],
    [[{ files: { image: { type: 'a/b' } } }], 'OPTION_INVALID', /"files\.image\.type" .*Did you mean "types"/],
    [[{ files: { image: { types: ['png'] } } }], 'OPTION_INVALID', /"files\.image\.types"/],
    [[{ files: { image: { optional: 1 } } }], 'OPTION_INVALID', /must be true or false/],
    [[{ files: { image: { count: 0 } } }], 'OPTION_INVALID', /must be a positive integer/],
  ]
  for (const [given, expected, message] of rows) {
    it(`rejects the arguments ${JSON.stringify(given)}`, () => {
      assert.throws(use(...given), code(expected, message))
    })
  }

  it('accepts no options, or only a schema', () => {
    assert.doesNotThrow(use())
    assert.doesNotThrow(use(z.object({})))
  })

  it('rejects a file with the name of a field', () => {
    const body = multipart(z.object({ a: z.string() }), { files: { a: {} } })
    assert.throws(() => taking(body), code('CONTRACT_INVALID', /body of Probe\.post: "a" is both a file and a field/))
  })

  it('rejects multipart() and parts() in "returns", and multipart() with a provider that needs the raw body', () => {
    for (const kind of [multipart(), parts()]) {
      class Probe extends Route {}
      assert.throws(() => looseContract(Probe, { returns: kind }), code('CONTRACT_INVALID', /is only valid as "body"/))
    }
    const raw = provide({ rawBody: true }, () => 1)
    class Probe extends Route {
      static readonly post = this.contract({ uses: { raw }, body: multipart() })
      async post({ body }: Input<typeof Probe.post>) {
        return body.fields
      }
    }
    assert.throws(
      () => createApp({ routes: { Probe } }),
      code('USES_INVALID', /the bytes of streams and multipart bodies are not stored/),
    )
  })
})
