/** `file()`: a file as the documented response of a GET. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createApp, HttpError, reply, Route, stream, type Input, type Result } from 'verbena'
import { createClient } from 'verbena/client'
import { file, sendFile } from 'verbena/files'
import { testApp, TestFailure } from 'verbena/testing'
import * as z from 'zod'
import { assertSetupError, captureLog, createUntypedApp, looseContract, sendRequest } from '#test/apps.js'
import { findOperation, readDocument, validateDocument } from '#test/openapi.js'
import { createDirectory } from '#test/temp-directory.js'

const folder = createDirectory({
  'a.txt': 'abcdefghij',
  'a.pdf': '%PDF',
  'part.json': '{"whole":true}',
  'big.bin': 'x'.repeat(200_000),
})
const path = (name: string): string => join(folder, name)

/** Returns the class of a GET whose contract returns this, and whose method returns that. */
function classOf(returns: unknown, value: () => unknown, contract: object = {}) {
  class Probe extends Route {
    static readonly get = looseContract(this, { returns, ...contract })
    get() {
      return value()
    }
  }
  return Probe
}

/** Returns the response, and the error in the log. */
async function answered(returns: unknown, value: () => unknown, init: RequestInit = {}) {
  const { logger, lines } = captureLog()
  const app = createUntypedApp({ routes: { Probe: classOf(returns, value) }, logger })
  const answer = await sendRequest(app, '/probe', init)
  return { ...answer, why: String(Object(lines.find(({ level }) => level === 'error')?.fields['err']).message) }
}

/** Returns the message of the `TestFailure`, or the status. */
async function judged(Probe: ReturnType<typeof classOf>, headers: Record<string, string>): Promise<string | number> {
  const test = await testApp(createUntypedApp({ routes: { Probe } }), { patience: 10 })
  try {
    const response = await test.fetch('/probe', { headers })
    await response.text()
    return response.status
  } catch (error) {
    assert.ok(error instanceof TestFailure, String(error))
    return error.message
  } finally {
    // A rejected response is not read, which `close` reports.
    await test.close().catch(() => {})
  }
}

describe('file(): responses', () => {
  it('sends the file of sendFile(), also with headers of the reply', async () => {
    const answer = await answered(file(), () => sendFile(path('a.txt')).with({ 'x-own': '1' }))
    assert.deepEqual([answer.status, answer.text, answer.headers.get('x-own')], [200, 'abcdefghij', '1'])
  })

  it('rejects every other value', async () => {
    async function* generated() {
      yield Buffer.from('a')
    }
    const values = [() => 'text', () => new Uint8Array(1), () => reply(200, 'text'), generated, () => undefined]
    for (const value of [...values, () => new Response('text')]) {
      const { status, why } = await answered(file(), value)
      assert.equal(status, 500)
      assert.match(why, /"file\(\)" does not accept .*Return "sendFile\(…\)"/)
    }
  })

  it('ends a stream that it rejects', async () => {
    let isEnded = false
    async function* generated() {
      try {
        yield 'a'
        yield 'b'
      } finally {
        isEnded = true
      }
    }
    const started = generated()
    await started.next()
    assert.equal((await answered(file(), () => started)).status, 500)
    assert.equal(isEnded, true)
  })

  it('accepts only files of its media types, with or without parameters', async () => {
    const rows: readonly (readonly [types: string[], value: () => unknown, status: number])[] = [
      [['text/plain'], () => sendFile(path('a.txt')), 200],
      [['application/pdf', 'text/*'], () => sendFile(path('a.txt')), 200],
      [['Text/Plain'], () => sendFile(path('a.txt')), 200],
      [['application/pdf'], () => sendFile(path('a.txt')), 500],
      [['application/pdf'], () => sendFile(path('a.txt'), { type: 'application/pdf' }), 200],
      [['application/pdf'], () => sendFile(path('a.pdf')).with({ 'content-type': 'text/html' }), 500],
      [['text/html'], () => sendFile(path('a.pdf')).with({ 'content-type': 'text/html; charset=utf-8' }), 200],
    ]
    for (const [types, value, status] of rows) assert.equal((await answered(file({ types }), value)).status, status)
    const { why } = await answered(file({ types: ['application/pdf', 'image/*'] }), () => sendFile(path('a.txt')))
    assert.match(why, /its media type is "text\/plain", not application\/pdf or image\/\*/)
  })

  it('closes a file that it rejects', async () => {
    const openFiles = () => readdirSync('/proc/self/fd').length
    await answered(file({ types: ['image/png'] }), () => sendFile(path('big.bin')))
    const before = openFiles()
    for (let count = 0; count < 20; count++)
      await answered(file({ types: ['image/png'] }), () => sendFile(path('big.bin')))
    assert.ok(openFiles() <= before + 2, `${openFiles()} descriptors, ${before} before`)
  })

  it('validates the headers of its schema', async () => {
    const headers = z.object({ 'x-checksum': z.string() })
    const good = await answered(file({ headers }), () => sendFile(path('a.txt')).with({ 'x-checksum': 'abc' }))
    const bad = await answered(file({ headers }), () => sendFile(path('a.txt')))
    assert.deepEqual([good.status, bad.status], [200, 500])
    assert.match(bad.why, /x-checksum/)
  })

  it('can be one of several statuses', async () => {
    const returns = { 200: file(), 202: z.object({ wait: z.int() }) }
    const ready = await answered(returns, () => sendFile(path('a.txt')))
    const later = await answered(returns, () => reply(202, { wait: 5 }))
    assert.deepEqual([ready.status, later.status, later.body], [200, 202, { wait: 5 }])
  })
})

const CONDITIONS: readonly (readonly [about: string, headers: Record<string, string>, status: number])[] = [
  ['a file', {}, 200],
  ['a range', { range: 'bytes=0-1' }, 206],
  ['several ranges', { range: 'bytes=0-1,4-5' }, 206],
  ['an unchanged file', { 'if-modified-since': new Date().toUTCString() }, 304],
  ['a precondition that fails', { 'if-match': '"other"' }, 412],
  ['a range outside the file', { range: 'bytes=999999-' }, 416],
]

describe('strict: responses of sendFile()', () => {
  for (const [about, headers, status] of CONDITIONS) {
    it(`accepts ${about} for file(), for stream(), and without "returns"`, async () => {
      for (const name of ['a.txt', 'part.json']) {
        const value = () => sendFile(path(name))
        assert.equal(await judged(classOf(file(), value), headers), status)
        assert.equal(await judged(classOf(stream(), value), headers), status)
        assert.equal(await judged(classOf(undefined, value), headers), status)
        assert.equal(
          await judged(
            classOf(stream(), async () => value()),
            headers,
          ),
          status,
        )
      }
    })
  }

  it('rejects these statuses if they are not of a file', async () => {
    async function* generated() {
      yield 'a'
    }
    const refuse = (status: number) => () => {
      throw new HttpError(status)
    }
    const part = () => reply(206, generated())
    assert.match(String(await judged(classOf(stream(), part), {})), /no response with status 206/)
    for (const status of [412, 416])
      assert.match(
        String(await judged(classOf(stream(), refuse(status)), {})),
        new RegExp(`no response with status ${status}`),
      )
  })

  it('rejects other errors and undocumented headers of a file', async () => {
    const missing = () => sendFile(path('none.txt'))
    assert.match(String(await judged(classOf(stream(), missing), {})), /no response with status 404/)
    const own = () => sendFile(path('a.txt')).with({ 'x-own': '1' })
    for (const headers of [{}, { range: 'bytes=0-1' }])
      assert.match(String(await judged(classOf(stream(), own), headers)), /header "x-own" is not documented/)
  })
})

describe('file(): the document', () => {
  const documentOf = (returns: unknown, contract: object = {}) =>
    readDocument({ Probe: classOf(returns, () => undefined, contract) })

  it('has the statuses of a file, its media types, and the request headers that a file reads', async () => {
    const document = documentOf(file({ types: ['application/pdf', 'image/*'] }))
    assert.deepEqual(await validateDocument(document), [])
    const { responses, parameters = [] } = findOperation(document, '/probe', 'get')
    assert.deepEqual(Object.keys(responses), ['200', '206', '304', '412', '416', 'default'])
    const content = { 'application/pdf': {}, 'image/*': {} }
    assert.deepEqual(responses['200'], { description: 'OK', content })
    const range = { description: 'The range that the body contains', schema: { type: 'string' } }
    assert.deepEqual(responses['206'], {
      description: 'Partial Content',
      headers: { 'Content-Range': range },
      content: { ...content, 'multipart/byteranges': {} },
    })
    assert.deepEqual(responses['304'], { description: 'Not Modified' })
    const names = parameters.map((parameter) => ('name' in parameter ? `${parameter.in} ${parameter.name}` : ''))
    assert.deepEqual(names, [
      ...['header Range', 'header If-Range', 'header If-None-Match', 'header If-Modified-Since'],
      ...['header If-Match', 'header If-Unmodified-Since'],
    ])
  })

  it('has any media type without types, and the headers of the schema', () => {
    const headers = z.object({ 'x-checksum': z.string() })
    const { responses } = findOperation(documentOf(file({ headers })), '/probe', 'get')
    const described = { 'x-checksum': { required: true, schema: { type: 'string' } } }
    assert.deepEqual(responses['200'], { description: 'OK', headers: described, content: { '*/*': {} } })
    assert.deepEqual(Object.keys(Object(Object(responses['206']).headers)), ['x-checksum', 'Content-Range'])
  })

  it('keeps other statuses, and declared problems of the same status', () => {
    const document = documentOf({ 200: file(), 202: null }, { errors: { 412: 'Changed' } })
    const { responses } = findOperation(document, '/probe', 'get')
    assert.deepEqual(Object.keys(responses), ['200', '202', '206', '304', '412', '416', 'default'])
    assert.equal(Object(responses['412']).description, 'Changed')
  })

  it('does not change for sendFile() in stream()', () => {
    const { responses, parameters } = findOperation(documentOf(stream()), '/probe', 'get')
    assert.deepEqual([Object.keys(responses), parameters], [['200', 'default'], undefined])
  })
})

describe('file(): setup errors', () => {
  const rows: readonly (readonly [about: string, contract: object, said: string])[] = [
    ['a body', { body: file() }, '"file(…)" is only valid in "returns"'],
    ['another status', { returns: file(), status: 201 }, '"file(…)" responds with 200, not 201'],
    ['a record with another status', { returns: { 206: file() } }, '"file(…)" responds with 200, not 206'],
  ]
  for (const [about, contract, said] of rows) {
    it(`rejects ${about}`, () => {
      class Probe extends Route {}
      assertSetupError(() => looseContract(Probe, contract), 'CONTRACT_INVALID', said)
    })
  }

  it('rejects other methods than GET, and "etag"', () => {
    class Upload extends Route {
      static readonly post = looseContract(this, { returns: { 200: file(), 404: null } })
      post() {}
    }
    const notGet = '"file(…)" is only valid for GET'
    assertSetupError(() => createUntypedApp({ routes: { Upload } }), 'CONTRACT_INVALID', 'Upload.post', notGet)
    const routes = { Probe: classOf(file(), () => undefined, { etag: true }) }
    assertSetupError(() => createUntypedApp({ routes }), 'CONTRACT_INVALID', 'Remove "etag"')
  })

  it('rejects other options, and invalid types', () => {
    const [limit, types]: object[] = [{ limit: 1 }, { types: ['pdf'] }]
    assertSetupError(() => file(limit), 'OPTION_INVALID', '"limit" of file()', 'unknown')
    assertSetupError(() => file(types), 'OPTION_INVALID', '"types" of file()')
  })
})

describe('file(): the typed client', () => {
  it('receives the file, or the range that it requests', async () => {
    class Report extends Route {
      static readonly path = '/reports/{name}'
      static readonly get = this.contract({ returns: file({ types: ['text/plain'] }), errors: [404] })
      async get({ params }: Input<typeof Report.get>): Result<typeof Report.get> {
        return sendFile(params.name, { root: folder })
      }
    }
    const app = createApp({ routes: { Report }, logger: false })
    const api = createClient<typeof app>('http://localhost', { fetch: (request) => app.fetch(request) })
    const params = { name: 'a.txt' }
    const whole = await api('/reports/{name}').get({ params, as: 'stream' })
    const part = await api('/reports/{name}').get({ params, as: 'stream', headers: { range: 'bytes=2-4' } })
    const texts = [whole, part].map(async (answer) => {
      assert.ok(answer.ok)
      const chunks: Uint8Array[] = []
      for await (const chunk of answer.body) chunks.push(chunk)
      return Buffer.concat(chunks).toString()
    })
    assert.deepEqual([whole.status, part.status, await Promise.all(texts)], [200, 206, ['abcdefghij', 'cde']])
  })
})
