/** Lines of JSON in both directions: parsing, errors, backpressure and memory. */
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { createApp, Route } from 'verbena'
import { createClient } from 'verbena/client'
import * as z from 'zod'
import { createGate } from '#test/apps.js'
import { eventually } from '#test/eventually.js'

/** Without a contract, it accepts any body. */
class Items extends Route {
  get() {
    return z.unknown()
  }
  post() {
    return 'ok'
  }
}
const app = createApp({ routes: { Items }, logger: false })

/** Returns the items that the client reads from these chunks. */
async function read(chunks: readonly (string | Uint8Array)[], type = 'application/jsonl'): Promise<unknown[]> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(Buffer.from(chunk))
      controller.close()
    },
  })
  const response = new Response(body, { headers: { 'content-type': type } })
  return collect(await getBody(async () => response))
}

async function getBody(
  fetch: (request: Request) => Promise<Response>,
  url = 'http://a',
): Promise<AsyncIterable<unknown>> {
  const { body } = await createClient<typeof app>(url, { fetch })('/items').get()
  assert.ok(Symbol.asyncIterator in Object(body))
  // Proof: checked above; the contract has no type for lines.
  return body as unknown as AsyncIterable<unknown>
}

async function collect(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const seen: unknown[] = []
  for await (const item of items) seen.push(item)
  return seen
}

/** Starts a server for one test. */
async function serve(handle: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const server = createServer((request, response) => void handle(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Proof: a server that listens on a port has an address object.
  const { port } = server.address() as { readonly port: number }
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close }
}

const headers = { 'content-type': 'application/jsonl' }

/** Returns the body of a request with these items. */
async function send(items: unknown, type = 'application/jsonl'): Promise<string> {
  const { opened, open } = createGate<Promise<string>>()
  const fetch = async (request: Request): Promise<Response> => {
    open(request.text())
    return new Response(null, { status: 204 })
  }
  await createClient<typeof app>('http://a', { fetch })('/items').post({
    body: items,
    headers: { 'content-type': type },
  })
  return opened
}

describe('createClient(): lines of a response', () => {
  const text = '{"a":1}\n\n[2]\r\n \r\n"ü\\n"\nnull\n4'
  const items = [{ a: 1 }, [2], 'ü\n', null, 4]

  it('yields the value of each line, for LF and CRLF, without blank lines and with the last line', async () => {
    for (const type of ['application/jsonl', 'application/x-ndjson; charset=utf-8', 'application/ndjson']) {
      assert.deepEqual(await read([text], type), items)
    }
    assert.deepEqual(await read([...Buffer.from(`\uFEFF${text}\n`)].map((byte) => Uint8Array.of(byte))), items)
    assert.deepEqual(await read([]), [])
  })

  it('throws for a line that is not JSON, with its number', async () => {
    await assert.rejects(read(['1\n\n{"a":\n']), /^SyntaxError: Cannot read line 3: it is not JSON/)
    await assert.rejects(read(['1\n{"a"']), /Cannot read line 2/)
  })

  it('throws if the response is cut, and does not yield the incomplete line', async () => {
    await using server = await serve((_request, response) => {
      response.writeHead(200, headers)
      response.write('1\n2', () => setTimeout(() => response.destroy(), 20))
    })
    const seen: unknown[] = []
    const body = await getBody(fetch, server.url)
    await assert.rejects(async () => {
      for await (const item of body) seen.push(item)
    }, TypeError)
    assert.deepEqual(seen, [1])
  })

  it('stops the source while the caller is slow, and cancels it when the caller stops', async () => {
    let sent = 0
    const { opened: closed, open: close } = createGate()
    await using server = await serve((_request, response) => {
      response.writeHead(200, headers).on('close', close)
      const line = `"${'x'.repeat(1000)}"\n`
      const write = (): void => {
        while (sent++ < 1_000_000 && response.write(line)) continue
      }
      response.on('drain', write)
      write()
    })
    const body = await getBody(fetch, server.url)
    let count = 0
    for await (const _ of body) {
      if (++count === 10) await eventually(async () => assert.equal(await isConstant(() => sent), true))
      if (count === 20) break
    }
    await closed
    assert.ok(sent < 100_000, `${sent} lines`)
  })
})

/** Whether a number stays the same for 200 ms. */
async function isConstant(get: () => number): Promise<boolean> {
  const before = get()
  await new Promise((resolve) => setTimeout(resolve, 200))
  return get() === before
}

describe('createClient(): lines of a request', () => {
  it('sends a line for each item of an iterable', async () => {
    async function* later() {
      yield* [{ a: 'ü\n' }, null, [1]]
    }
    const lines = '{"a":"ü\\n"}\nnull\n[1]\n'
    assert.equal(await send(later()), lines)
    assert.equal(await send([{ a: 'ü\n' }, null, [1]], 'application/x-ndjson'), lines)
    assert.equal(await send(new Set([1, 2])), '1\n2\n')
    assert.equal(await send([]), '')
    assert.equal(await send(Buffer.from('1\n')), '1\n')
  })

  it('fails for an item that JSON cannot represent, and stops the source', async () => {
    const { opened: stopped, open: stop } = createGate()
    function* faulty() {
      try {
        yield 1
        yield undefined
      } finally {
        stop()
      }
    }
    await assert.rejects(send(faulty()), /^TypeError: Cannot send item 2: JSON cannot represent undefined/)
    await stopped
    await assert.rejects(send([() => 1]), /Cannot send item 1: JSON cannot represent function/)
    await assert.rejects(send([1n]), /BigInt/)
    // An iterator without "return".
    await assert.rejects(
      send({ [Symbol.iterator]: () => ({ next: () => ({ done: false, value: undefined }) }) }),
      /item 1/,
    )
  })

  it('rejects with the cause if an item fails, and the server receives an incomplete body', async () => {
    const { opened: received, open: receive } = createGate()
    const { opened: closed, open: close } = createGate<boolean>()
    await using server = await serve((request) => {
      request.on('close', () => close(request.complete)).on('data', () => receive())
    })
    async function* faulty() {
      yield 1
      await received
      yield undefined
    }
    const posted = createClient<typeof app>(server.url)('/items').post({ body: faulty(), headers })
    const error: unknown = await posted.catch((thrown: unknown) => thrown)
    assert.match(`${Object(error).cause}`, /^TypeError: Cannot send item 2/)
    assert.equal(await closed, false)
  })

  it('stops the source while the server is slow, and when the request is aborted', async () => {
    let sent = 0
    const { opened: stopped, open: stop } = createGate()
    async function* source() {
      try {
        while (sent < 1_000_000) {
          sent++
          yield 'x'.repeat(1000)
        }
      } finally {
        stop()
      }
    }
    await using server = await serve((request) => request.pause())
    const controller = new AbortController()
    const call = createClient<typeof app>(server.url)('/items').post({
      body: source(),
      headers,
      signal: controller.signal,
    })
    await eventually(async () => assert.ok(sent > 0 && (await isConstant(() => sent))))
    assert.ok(sent < 100_000, `${sent} lines`)
    controller.abort(new Error('enough'))
    await assert.rejects(call, /enough/)
    await stopped
  })

  it('transfers 200,000 lines in each direction', async () => {
    const count = 200_000
    await using server = await serve(async (request, response) => {
      if (request.method === 'GET') {
        response.writeHead(200, headers)
        for (let n = 0; n < count; n++) if (!response.write(`{"n":${n}}\n`)) await once(response, 'drain')
        return response.end()
      }
      let lines = 0
      for await (const chunk of request) for (const byte of chunk) if (byte === 10) lines++
      return response.writeHead(200, headers).end(String(lines))
    })
    let next = 0
    // Proof: each line has a number; the contract has no type for lines.
    for await (const item of await getBody(fetch, server.url)) assert.equal(Object(item).n, next++)
    assert.equal(next, count)
    function* numbers() {
      for (let n = 0; n < count; n++) yield { n }
    }
    const { body } = await createClient<typeof app>(server.url)('/items').post({ body: numbers(), headers })
    assert.deepEqual(await collect(body as unknown as AsyncIterable<unknown>), [count])
  })
})
