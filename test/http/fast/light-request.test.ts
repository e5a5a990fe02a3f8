import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { PassThrough } from 'node:stream'
import { describe, it } from 'node:test'
import { LeanRequest } from '#src/http/fast/light-request.js'
import { Client, formatPost, readAnswers, formatRequest } from '#test/wire.js'

const KEEP = { Connection: 'keep-alive' }
const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20))

/** What somebody may do with a request; each gives what it was told by it. */
const WAYS: Readonly<Record<string, (request: IncomingMessage) => unknown>> = {
  'reads it by an iterator': (request) => text(request),
  'reads it by events': async (request) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    await once(request, 'end')
    return [body, request.complete, request.readableEnded]
  },
  'calls read()': async (request) => {
    const chunks: string[] = []
    request.on('readable', () => {
      for (let chunk = request.read(); chunk !== null; chunk = request.read()) chunks.push(String(chunk))
    })
    await once(request, 'end')
    return chunks.join('')
  },
  'pipes it': (request) => text(request.pipe(new PassThrough())),
  'begins late': async (request) => {
    await later()
    return [await text(request), request.complete, request.destroyed]
  },
  'pauses it first': async (request) => {
    request.pause()
    await later()
    return [request.readableFlowing, await text(request)]
  },
  'reads its state, but not its body': ({ destroyed, readableFlowing, readableEnded, aborted }) => [
    ...[destroyed, readableFlowing, readableEnded, aborted],
  ],
  'does nothing': () => 'nothing',
  'only waits for its end': async (request) => {
    request.resume()
    await once(request, 'close')
    return [request.readableEnded, request.destroyed]
  },
  'reads its headers': ({ headers, headersDistinct, trailers, method, url, httpVersion }) => [
    ...[{ ...headers }, { ...headersDistinct }, { ...trailers }],
    ...[method, url, httpVersion],
  ],
}

async function answersOf(requestClass: typeof IncomingMessage, listener: RequestListener): Promise<unknown> {
  const server = createServer({ IncomingMessage: requestClass }, listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Proof: it listens on a port.
  const { port } = server.address() as AddressInfo
  const packets = [
    formatPost('body', KEEP),
    formatRequest('GET /', KEEP),
    formatPost('x'.repeat(200_000), KEEP),
    formatRequest('GET /'),
  ]
  const client = new Client(port)
  for (const packet of packets) {
    client.write(packet.slice(0, -2))
    await later()
    client.write(packet.slice(-2))
    await later()
  }
  const answers = readAnswers(await client.all(), ['POST', 'GET', 'POST', 'GET'])
  server.close()
  return answers.map(({ body }) => body)
}

/** Answers with what the way gives. */
function telling(way: (request: IncomingMessage) => unknown): RequestListener {
  const tell = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.end(JSON.stringify(await way(request)))
  }
  return (request, response) => void tell(request, response)
}

// Proof: a lean request is one of Node's, with more.
const Lean = LeanRequest as unknown as typeof IncomingMessage

describe('LeanRequest', () => {
  for (const [name, way] of Object.entries(WAYS)) {
    it(`behaves like IncomingMessage for a listener that ${name}`, async () => {
      const [lean, usual] = await Promise.all([answersOf(Lean, telling(way)), answersOf(IncomingMessage, telling(way))])
      assert.deepEqual(lean, usual)
    })
  }

  it('fails like IncomingMessage if the client disconnects', async () => {
    const failures: unknown[] = []
    const read = async (request: IncomingMessage): Promise<void> => {
      await later()
      await text(request).catch((error: Error) => failures.push(error.message, request.aborted, request.destroyed))
    }
    for (const requestClass of [Lean, IncomingMessage]) {
      const server = createServer({ IncomingMessage: requestClass }, (request) => void read(request)).listen(
        0,
        '127.0.0.1',
      )
      await once(server, 'listening')
      // Proof: it listens on a port.
      const client = new Client((server.address() as AddressInfo).port).write(formatPost('body').slice(0, -2))
      await later()
      await later()
      client.socket.destroy()
      server.close()
      await once(server, 'close')
      await later()
    }
    assert.deepEqual(failures.slice(0, 3), ['aborted', true, true])
    assert.deepEqual(failures.slice(3), failures.slice(0, 3))
  })

  it('creates a stream only if the body is read', async () => {
    const seen: unknown[] = []
    await answersOf(Lean, (request, response) => {
      response.end('done')
      response.once('close', () => seen.push(request instanceof LeanRequest && [request.method, request.isStream]))
    })
    // Node reads bodies away that nobody has read.
    assert.deepEqual(seen, [
      ['POST', true],
      ['GET', false],
      ['POST', true],
      ['GET', false],
    ])
  })
})
