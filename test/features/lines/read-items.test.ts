import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Route, type Input } from 'verbena'
import { jsonLines, type JsonLinesOptions } from 'verbena/lines'
import * as z from 'zod'
import { createGate, createUntypedApp } from '#test/apps.js'
import { askBytes, Client, exchangeBytes, formatRequest } from '#test/wire.js'

const Item = z.object({ x: z.coerce.number() })

/** Creates an app whose `POST /probe` returns the items of its body. */
function createReader(kind: JsonLinesOptions = {}, { schema = z.unknown() as z.ZodType, app = {} } = {}) {
  class Probe extends Route {
    static readonly post = this.contract({ body: jsonLines(schema, kind) })
    async post({ body }: Input<typeof Probe.post>) {
      const items: unknown[] = []
      for await (const item of body) items.push(item)
      return items
    }
  }
  return createUntypedApp({ routes: { Probe }, signals: false, ...app })
}

type Chunk = string | readonly number[]

/** Sends a body in chunks, and returns the status and the parsed body of the response. */
async function sendChunks(app: ReturnType<typeof createReader>, chunks: readonly Chunk[], type = 'application/jsonl') {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) {
        controller.enqueue(typeof chunk === 'string' ? new TextEncoder().encode(chunk) : Uint8Array.from(chunk))
      }
      controller.close()
    },
  })
  const init = { method: 'POST', headers: { 'content-type': type }, body, duplex: 'half' } as const
  const response = await app.fetch(new Request('http://localhost/probe', init))
  return { status: response.status, body: (await response.json()) as unknown }
}

/** Returns the status, the detail and the issues of a rejected body. */
async function sendInvalid(
  chunks: readonly Chunk[],
  kind?: JsonLinesOptions,
  options?: Parameters<typeof createReader>[1],
) {
  const { status, body } = await sendChunks(createReader(kind, options), chunks)
  const { detail, errors } = Object(body)
  return [status, detail, errors]
}

const issue = (pointer: string, message: string) => [{ in: 'body', pointer, message }]

describe('jsonLines() as a body', () => {
  it('passes each line to the handler, as its schema returns it', async () => {
    const { body } = await sendChunks(createReader({}, { schema: Item }), ['{"x":"1"}\n{"x":2,"y":3}\n'])
    assert.deepEqual(body, [{ x: 1 }, { x: 2 }])
  })

  it('accepts CRLF, a missing last line break, and no lines', async () => {
    const app = createReader()
    assert.deepEqual((await sendChunks(app, ['1\r\n[2]\r\n'])).body, [1, [2]])
    assert.deepEqual((await sendChunks(app, ['1\n2'])).body, [1, 2])
    assert.deepEqual((await sendChunks(app, ['1\n2\r'])).body, [1, 2])
    assert.deepEqual((await sendChunks(app, [])).body, [])
    const response = await app.fetch(new Request('http://localhost/probe', { method: 'POST' }))
    assert.deepEqual(await response.json(), [])
  })

  it('accepts chunks that end anywhere, such as inside a character or a line break', async () => {
    const bytes = [...new TextEncoder().encode('"a€😀"\r\n"日本"\r\n{"x":"é"}\n')]
    const expected = ['a€😀', '日本', { x: 'é' }]
    for (let size = 1; size <= bytes.length; size++) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.slice(at * size, at * size + size),
      )
      assert.deepEqual((await sendChunks(createReader(), chunks)).body, expected)
    }
  })

  it('accepts all media types of JSON Lines, and no other', async () => {
    const types = [
      'application/jsonl',
      'application/x-ndjson',
      'application/ndjson',
      'application/jsonlines',
      'application/x-jsonlines',
    ]
    for (const type of types)
      assert.equal((await sendChunks(createReader(), ['1\n'], `${type}; charset=utf-8`)).status, 200)
    for (const type of ['application/json', 'text/plain'])
      assert.equal((await sendChunks(createReader(), ['1\n'], type)).status, 415)
  })

  it('rejects an invalid line with its number', async () => {
    const invalid = (number: number) => `Line ${number} of the body is invalid`
    const cases: readonly (readonly [chunks: readonly Chunk[], number: number, message: string])[] = [
      [['1\n\n2\n'], 2, 'The line is empty'],
      [['\r\n'], 1, 'The line is empty'],
      [['1\n2\n{"a":\n'], 3, 'The line is not valid JSON'],
      [['1\n{"a"'], 2, 'The line is not valid JSON'],
      [[[0xef, 0xbb, 0xbf], '1\n'], 1, 'The line begins with a byte order mark'],
      [['1\n', [0x22, 0xff, 0x22, 0x0a]], 2, 'The line is not valid UTF-8'],
      [['{"__proto__":{"a":1}}\n'], 1, 'The line contains a "__proto__" key'],
      [['{"constructor":{"prototype":{}}}\n'], 1, 'The line contains a "constructor.prototype" key'],
    ]
    for (const [chunks, number, message] of cases) {
      assert.deepEqual(await sendInvalid(chunks), [422, invalid(number), issue(`/${number}`, message)])
    }
    const limits = { app: { limits: { depth: 3 } } }
    assert.deepEqual((await sendChunks(createReader({}, limits), ['[[[1]]]\n'])).body, [[[[1]]]])
    const deep = await sendInvalid(['1\n[[[[1]]]]\n'], {}, limits)
    assert.deepEqual(deep, [422, invalid(2), issue('/2', 'The line is nested deeper than 3 levels')])
  })

  it('rejects an item that does not match its schema, with pointers into the line', async () => {
    const schema = z.object({ x: z.number(), tags: z.array(z.string()) })
    const [status, , errors] = await sendInvalid(['{"x":1,"tags":[]}\n{"x":"1","tags":[2]}\n'], {}, { schema })
    assert.equal(status, 422)
    assert.deepEqual(
      Object(errors).map(({ pointer }: { pointer: string }) => pointer),
      ['/2/x', '/2/tags/0'],
    )
    const few = await sendChunks(createReader({}, { schema, app: { limits: { issues: 1 } } }), ['{}\n'])
    assert.deepEqual([Object(few.body).errors.length, Object(few.body).omitted], [1, 1])
  })

  it('waits for asynchronous schemas', async () => {
    const schema = z.int().refine(async (n) => (await sleep(1)) === undefined && n < 3)
    assert.deepEqual((await sendChunks(createReader({}, { schema }), ['1\n2\n'])).body, [1, 2])
    assert.equal((await sendChunks(createReader({}, { schema }), ['1\n3\n'])).status, 422)
  })

  it('accepts a line of exactly "line" bytes, and responds with 413 to one more', async () => {
    for (const end of ['\n', '\r\n', '', '\r']) {
      assert.deepEqual((await sendChunks(createReader({ line: 6 }), [`"éé"${end}`])).body, ['éé'])
      const rejected = await sendInvalid([`1${'\n'}`, `"éé"`, ` ${end}`], { line: 6 })
      assert.deepEqual(rejected, [413, 'Line 2 of the body is larger than 6 bytes', undefined])
    }
    const [status, detail] = await sendInvalid(['1\n', '"1234', '567', '89"\n'], { line: 6 })
    assert.deepEqual([status, detail], [413, 'Line 2 of the body is larger than 6 bytes'])
  })

  it('accepts exactly "count" lines, and responds with 413 to one more', async () => {
    assert.deepEqual((await sendChunks(createReader({ count: 2 }), ['1\n2\n'])).body, [1, 2])
    const rejected = await sendInvalid(['1\n2\n3'], { count: 2 })
    assert.deepEqual(rejected, [413, 'The body has more than 2 lines', undefined])
  })

  it('accepts a body of exactly "limit" bytes, and responds with 413 to one more', async () => {
    assert.deepEqual((await sendChunks(createReader({ limit: 4 }), ['1\n2\n'])).body, [1, 2])
    assert.equal((await sendInvalid(['1\n2\n', '3'], { limit: 4 }))[0], 413)
    const ofApp = { app: { limits: { body: 4 } } }
    assert.equal((await sendInvalid(['1\n2\n', '3'], {}, ofApp))[0], 413)
  })

  it('responds with 400 to a body that the client does not complete', async () => {
    const app = createReader()
    const { port } = await app.listen()
    const client = new Client(port)
    client.write(formatRequest('POST /probe', { 'Content-Type': 'application/jsonl', 'Content-Length': '50' }, '1\n'))
    await sleep(30)
    client.socket.end()
    await client.closed
    await app.close()
    assert.match(client.text, /^(?:HTTP\/1.1 400 |$)/)
  })

  it('does not read the rest of a body after an invalid line, and closes the connection', async () => {
    const app = createReader({ limit: 100_000_000 })
    const { port } = await app.listen()
    const head = { 'Content-Type': 'application/jsonl', 'Content-Length': '50000000', Connection: null }
    const answer = await askBytes(port, formatRequest('POST /probe', head, 'wrong\n1\n'))
    assert.equal(answer.status, 422)
    await app.close()
  })

  it('stops the client if the handler is slow, and continues when it reads', async () => {
    let count = 0
    const slow = createGate()
    class Probe extends Route {
      static readonly post = this.contract({ body: jsonLines(z.string(), { limit: 100_000_000 }) })
      async post({ body }: Input<typeof Probe.post>) {
        for await (const _ of body) {
          count++
          await slow.opened
        }
        return count
      }
    }
    const app = createUntypedApp({ routes: { Probe }, signals: false })
    const { port } = await app.listen()
    const socket = connect(port, '127.0.0.1')
    const line = `"${'x'.repeat(9_997)}"\n`
    const total = 3_000
    socket.write(
      formatRequest('POST /probe', { 'Content-Type': 'application/jsonl', 'Content-Length': `${total * line.length}` }),
    )
    let sent = 0
    const send = (): void => {
      while (sent < total) {
        sent++
        if (!socket.write(line)) return void socket.once('drain', send)
      }
    }
    send()
    let stopped = -1
    while (sent !== stopped) {
      stopped = sent
      await sleep(200)
    }
    assert.ok(stopped < total, `${stopped}`)
    slow.open()
    let text = ''
    for await (const bytes of socket) text += String(bytes)
    assert.match(text, /\r\n3000$/)
    await app.close()
  })
})

describe('jsonLines() in both directions', () => {
  function createEcho() {
    class Probe extends Route {
      static readonly post = this.contract({ body: jsonLines(Item), returns: jsonLines(Item) })
      async *post({ body }: Input<typeof Probe.post>) {
        for await (const { x } of body) yield { x: 2 * x }
      }
    }
    return createUntypedApp({ routes: { Probe }, signals: false })
  }

  it('responds with 422 if the first line is invalid, and cuts the response at a later one', async () => {
    const app = createEcho()
    const { port } = await app.listen()
    const post = (body: string): Promise<string> => {
      const head = { 'Content-Type': 'application/jsonl', 'Content-Length': String(body.length) }
      return exchangeBytes(port, formatRequest('POST /probe', head, body))
    }
    assert.match(await post('{"x":1}\n{"x":2}\n'), /^HTTP\/1.1 200 [^]*\{"x":2\}\n\{"x":4\}\n\r\n0\r\n\r\n$/)
    assert.match(await post('{"x":"a"}\n'), /^HTTP\/1.1 422 [^]*"pointer":"\/1\/x"/)
    assert.match(await post('{"x":1}\nwrong\n'), /^HTTP\/1.1 200 [^]*\{"x":2\}\n\r\n$/)
    await app.close()
  })

  it('responds while the body arrives', async () => {
    const app = createEcho()
    const { port } = await app.listen()
    const client = new Client(port)
    client.write(
      formatRequest(
        'POST /probe',
        { 'Content-Type': 'application/jsonl', 'Transfer-Encoding': 'chunked' },
        '8\r\n{"x":1}\n\r\n',
      ),
    )
    while (!client.text.includes('{"x":2}')) await sleep(5)
    client.write('8\r\n{"x":5}\n\r\n0\r\n\r\n')
    await client.closed
    assert.match(client.text, /\{"x":10\}\n\r\n0\r\n\r\n$/)
    await app.close()
  })
})
