/** `types` of `text()`, `bytes()` and `stream()` in `returns`: the document, the default, and the check of the sent type. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { bytes, reply, Route, stream, text, type Input } from 'verbena'
import { sendFile } from 'verbena/files'
import { captureLog, createUntypedApp, looseContract, sendRequest } from '#test/apps.js'
import { findOperation, readDocument } from '#test/openapi.js'
import { createDirectory } from '#test/temp-directory.js'

const folder = createDirectory({ 'a.csv': 'a,b', 'a.txt': 'a' })

async function* lines() {
  yield 'a,b\n'
}
const typed = (body: unknown, type: string) => () => reply(200, body, { 'content-type': type })

function classOf(returns: unknown, value: (input: Input) => unknown) {
  class Probe extends Route {
    static readonly get = looseContract(this, { returns })
    get(input: Input) {
      return value(input)
    }
  }
  return Probe
}

async function answered(returns: unknown, value: (input: Input) => unknown, options: object = {}) {
  const { logger, lines: logged } = captureLog()
  const app = createUntypedApp({ routes: { Probe: classOf(returns, value) }, logger, ...options })
  const answer = await sendRequest(app, '/probe')
  const error = logged.find(({ level }) => level === 'error')?.fields['err']
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    why: String(Object(error).message),
    text: answer.text,
  }
}

const CSV = ['text/csv']
const IMAGES = ['image/*']
const PNG = ['image/png', 'image/jpeg']
const data = Buffer.from('a')

type Row = readonly [about: string, returns: unknown, value: (input: Input) => unknown, type: string]

const ACCEPTED: readonly Row[] = [
  ['the first type by default: text', text({ types: CSV }), () => 'a', 'text/csv; charset=utf-8'],
  ['the first type by default: bytes', bytes({ types: PNG }), () => data, 'image/png'],
  ['the first type by default: a stream', stream({ types: CSV }), lines, 'text/csv'],
  ['the first type without a wildcard', bytes({ types: ['image/*', 'a/b'] }), () => data, 'a/b'],
  ['another declared type of the reply', bytes({ types: PNG }), typed(data, 'image/jpeg'), 'image/jpeg'],
  ['a type that matches a range', stream({ types: IMAGES }), typed(lines(), 'image/webp'), 'image/webp'],
  [
    'a type with parameters',
    stream({ types: CSV }),
    typed(lines(), 'text/csv; charset=utf-8'),
    'text/csv; charset=utf-8',
  ],
  [
    'a type set through response',
    bytes({ types: IMAGES }),
    ({ response }) => {
      response.header('content-type', 'image/gif')
      return data
    },
    'image/gif',
  ],
  ['a file', stream({ types: CSV }), () => sendFile(join(folder, 'a.csv')), 'text/csv; charset=utf-8'],
  ['one of several statuses', { 200: bytes({ types: PNG }), 404: text() }, typed(data, 'image/png'), 'image/png'],
]

const REJECTED: readonly (readonly [about: string, returns: unknown, value: (input: Input) => unknown])[] = [
  ['another type of the reply', bytes({ types: PNG }), typed(data, 'text/html')],
  ['a range without a type', bytes({ types: IMAGES }), () => data],
  ['a range without a type: text', text({ types: IMAGES }), () => 'a'],
  ['another type of a file', stream({ types: CSV }), () => sendFile(join(folder, 'a.txt'))],
  ['a malformed type', stream({ types: IMAGES }), typed(lines(), 'image')],
  [
    'another type set through response',
    text({ types: CSV }),
    ({ response }) => {
      response.header('content-type', 'text/html')
      return 'a'
    },
  ],
]

describe('types of a response', () => {
  for (const [about, returns, value, type] of ACCEPTED) {
    it(`sends ${about}`, async () => {
      const answer = await answered(returns, value)
      assert.deepEqual([answer.status, answer.type], [200, type], answer.why)
    })
  }

  for (const [about, returns, value] of REJECTED) {
    it(`responds 500 to ${about}, also with validateResponses: false`, async () => {
      for (const options of [{}, { validateResponses: false }]) {
        const answer = await answered(returns, value, options)
        assert.equal(answer.status, 500)
        assert.match(answer.why, /its media type is ".*", not /)
      }
    })
  }

  it('ends a stream of another type', async () => {
    let isEnded = false
    async function* open() {
      try {
        yield 'a'
        yield 'b'
      } finally {
        isEnded = true
      }
    }
    assert.equal((await answered(stream({ types: CSV }), typed(open(), 'text/html'))).status, 500)
    assert.equal(isEnded, true)
  })

  it('is documented', () => {
    const string = { schema: { type: 'string' } }
    const rows: readonly (readonly [returns: unknown, content: object])[] = [
      [bytes({ types: PNG }), { 'image/png': {}, 'image/jpeg': {} }],
      [stream({ types: IMAGES }), { 'image/*': {} }],
      [text({ types: ['text/csv', 'text/markdown'] }), { 'text/csv': string, 'text/markdown': string }],
    ]
    for (const [returns, content] of rows) {
      const { responses } = findOperation(readDocument({ Probe: classOf(returns, () => undefined) }), '/probe', 'get')
      assert.deepEqual(responses['200'], { description: 'OK', content })
    }
  })
})
