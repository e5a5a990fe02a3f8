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

/** Parts of a form, and the status, the part that the problem names, and its text or its issues. */
const REFUSED: readonly (readonly [
  about: string,
  body: unknown,
  parts: WrittenPart[],
  expected: readonly unknown[],
])[] = [
  ['fields of another form', FORM, [field('n', 'x')], [422, undefined, ['/n', /number/]]],
  [
    'a file where a field is',
    FORM,
    [file('n', 'a', '7')],
    [422, undefined, ['/n', /number/], ['/n', /^No file is expected here$/]],
  ],
  [
    'a field where a file is',
    FORM,
    [field('n', '7'), field('image', 'a')],
    [422, undefined, ['/image', /^Expected a file$/]],
  ],
  [
    'files of a name that is not known',
    FORM,
    [field('n', '7'), file('~/', 'a', 'b'), file('~/', 'a', 'b')],
    [422, undefined, ['/~0~1', /^No file/]],
  ],
  [
    'two files where one is',
    FORM,
    [field('n', '7'), file('image', 'a', 'b', 'image/a'), file('image', 'a', 'b', 'image/a')],
    [422, undefined, ['/image', /^Expected one file$/]],
  ],
  [
    'more files than it takes',
    FORM,
    [field('n', '7'), ...[1, 2, 3].map(() => file('pages', 'a', 'b'))],
    [422, undefined, ['/pages', /^Expected at most 2 files$/]],
  ],
  [
    'a form without its files',
    NEEDED,
    [field('n', '7')],
    [422, undefined, ['/image', /^Expected a file$/], ['/pages', /^Expected a file or more$/]],
  ],
  [
    'a file of another type',
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
    'a file of a list that is too large',
    FORM,
    [file('pages', 'a', '12345'), file('pages', 'a', '123456')],
    [413, 'pages', /"pages" is larger than 5 bytes/],
  ],
  [
    'a field that is no UTF-8',
    FORM,
    [field('n', Buffer.from([0xff]))],
    [400, 'n', /^The field "n" is not valid UTF-8$/],
  ],
  [
    'a field of another charset',
    FORM,
    [field('n', '7', '\r\nContent-Type: text/plain; charset=latin1')],
    [415, 'n', /^Send the field "n" in UTF-8$/],
  ],
  ['a part without a name', FORM, [{ head: 'A: b', data: Buffer.from('') }], [400, undefined, /has no name/]],
]

describe('multipart()', () => {
  it('gives fields by its schema, and files by name, each with its name and its type', async () => {
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

  it('gives the texts by name where it has no schema, and files of any type', async () => {
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

  it('takes a file input without a file for no file', async () => {
    const empty = file('image', '', '', 'application/octet-stream')
    const { status, body } = await sendParts(taking(FORM), field('n', '7'), empty, file('other', '', ''))
    assert.deepEqual([status, body], [200, { fields: { n: 7 }, files: { image: [], pages: [] } }])
  })

  it('takes forms of FormData', async () => {
    const form = new FormData()
    form.append('n', '7')
    form.append('list', 'a\r\n"b"')
    form.append('image', new File(['picture'], 'a"\nä.png', { type: 'image/png' }))
    const { body, text } = await sendRequest(taking(FORM), '/probe', { method: 'POST', body: form })
    const files = { image: [['a"\nä.png', 'image/png', 'picture']], pages: [] }
    assert.deepEqual(body, { fields: { n: 7, list: ['a\r\n"b"'] }, files }, text)
  })

  for (const [about, form, sent, [status, part, ...expected]] of REFUSED) {
    it(`refuses ${about}, and names the part`, async () => {
      const answer = await sendParts(taking(form), ...sent)
      // Proof: an answer with such a status is a problem.
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

  it('refuses a request without a body where something is needed, and takes it where nothing is', async () => {
    const optional = multipart({ files: { image: { optional: true } } })
    const nothing = await sendRequest(taking(optional), '/probe', { method: 'POST' })
    assert.deepEqual(nothing.body, { fields: {}, files: { image: [] } })
    for (const form of [FORM, NEEDED]) {
      const { status, text } = await sendRequest(taking(form), '/probe', { method: 'POST' })
      assert.equal(status, 400)
      assert.match(text, /This request needs a body/)
    }
  })

  it('refuses another media type, one without a boundary, and an encoding', async () => {
    const app = taking(FORM)
    assert.equal((await send(app, 'n=7', 'application/x-www-form-urlencoded')).status, 415)
    for (const type of [
      'multipart/form-data',
      'multipart/form-data; boundary=""',
      'multipart/form-data; boundary="a "',
    ]) {
      const { status, text } = await send(app, 'n=7', type)
      assert.equal(status, 400)
      assert.match(text, /has no boundary/)
    }
    const headers = { 'content-type': TYPE, 'content-encoding': 'gzip' }
    assert.equal((await sendRequest(app, '/probe', { method: 'POST', headers, body: 'a' })).status, 415)
  })

  it('refuses a body that ends early, a malformed boundary and a head that is too large', async () => {
    const whole = writeForm(BOUNDARY, [field('n', '7')]).toString()
    const rows = [
      [whole.slice(0, -4), /ended before its last boundary/],
      ['', /This request needs a body/],
      [whole.replace('x-x\r\n', 'x-xx\r\n'), /boundary of the body is malformed/],
      [whole.replace('Content', `X: ${'a'.repeat(8_192)}\r\nContent`), /head of a part is larger than 8192 bytes/],
    ] as const
    for (const [body, why] of rows) {
      const { status, text } = await send(taking(FORM), body)
      assert.equal(status, 400, text)
      assert.match(text, why)
    }
  })

  it('bounds parts, fields and the whole body', async () => {
    const app = taking(multipart({ files: { image: { limit: 20 } } }), { limits: { body: 500, keys: 2 } })
    const image = file('image', 'a', 'b'.repeat(20))
    assert.equal((await sendParts(app, field('a', ''), field('b', ''), image)).status, 200)
    const many = await sendParts(app, field('a', ''), field('b', ''), field('c', ''), image)
    assert.match(many.text, /^.*"status":400,"detail":"The body has more than 3 parts"/)
    const roomy = taking(multipart({ total: 5_000 }), { limits: { body: 500 } })
    const large = await sendParts(roomy, field('a', 'c'.repeat(300)), field('b', 'c'.repeat(200)), field('c', 'c'))
    assert.match(large.text, /"status":413,"detail":"With \\"c\\" the fields of the body are larger than 500 bytes"/)
    const whole = await sendParts(app, field('a', 'c'.repeat(500)), image)
    assert.match(whole.text, /"status":413,"detail":"The body is larger than 520 bytes"/)
    const total = await sendParts(taking(multipart({ total: 100 })), field('a', 'c'.repeat(100)))
    assert.match(total.text, /"status":413,"detail":"The body is larger than 100 bytes"/)
  })

  it('has a limit for all files that name none', async () => {
    const app = taking(multipart({ limit: 3, files: { a: {}, b: { limit: 4, optional: true } } }))
    assert.equal((await sendParts(app, file('a', 'a', '123'), file('b', 'a', '1234'))).status, 200)
    assert.match((await sendParts(app, file('a', 'a', '1234'))).text, /\\"a\\" is larger than 3 bytes/)
  })
})

describe('options of multipart()', () => {
  const use =
    (...given: unknown[]) =>
    () =>
      Reflect.apply(multipart, null, given)
  const code = (expected: string, message: RegExp) => (error: unknown) =>
    error instanceof SetupError && error.code === expected && message.test(error.message)

  const rows: readonly (readonly [given: unknown[], code: string, message: RegExp])[] = [
    [[{ most: 3 }], 'OPTION_INVALID', /the option "most" of multipart\(\): it is unknown/],
    [['a'], 'OPTION_INVALID', /its options are no record/],
    [['a', {}], 'SCHEMA_INVALID', /its first argument is not a schema/],
    [[{ limit: -1 }], 'OPTION_INVALID', /the option "limit" of multipart\(\)/],
    [[{ total: 1.5 }], 'OPTION_INVALID', /the option "total"/],
    [[{ folder: '' }], 'OPTION_INVALID', /Give a path/],
    [[{ memory: 5 }], 'OPTION_INVALID', /there is no "folder"/],
    [[{ files: [] }], 'OPTION_INVALID', /Give a record/],
    [[{ files: { image: 5 } }], 'OPTION_INVALID', /Cannot use the file "image" of multipart\(\)/],
    [[{ files: { image: { type: 'a/b' } } }], 'OPTION_INVALID', /"type" of the file "image".*Did you mean "types"/],
    [[{ files: { image: { types: ['png'] } } }], 'OPTION_INVALID', /"types" of the file "image"/],
    [[{ files: { image: { optional: 1 } } }], 'OPTION_INVALID', /Give true or false/],
    [[{ files: { image: { count: 0 } } }], 'OPTION_INVALID', /Give a whole number from 1 up/],
  ]
  for (const [given, expected, message] of rows) {
    it(`are refused: ${JSON.stringify(given)}`, () => {
      assert.throws(use(...given), code(expected, message))
    })
  }

  it('may be left out', () => {
    assert.doesNotThrow(use())
    assert.doesNotThrow(use(z.object({})))
  })

  it('refuse a file with the name of a field', () => {
    const body = multipart(z.object({ a: z.string() }), { files: { a: {} } })
    assert.throws(() => taking(body), code('CONTRACT_INVALID', /body of Probe\.post: "a" is a file and a field/))
  })

  it('refuse it as an answer, and beside a provider that needs the bytes', () => {
    for (const kind of [multipart(), parts()]) {
      class Probe extends Route {}
      assert.throws(
        () => looseContract(Probe, { returns: kind }),
        code('CONTRACT_INVALID', /is a kind of body, not of answer/),
      )
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
      code('USES_INVALID', /comes in parts or is taken as a stream is not kept/),
    )
  })
})
