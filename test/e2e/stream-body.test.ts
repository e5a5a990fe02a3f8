import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { createApp, HttpError, Route, SetupError, stream, type App, type Input } from 'verbena'

class Upload extends Route {
  static readonly post = this.contract({ body: stream({ limit: 1000 }) })
  async post({ body }: Input<typeof Upload.post>) {
    let size = 0
    for await (const chunk of body) size += chunk.length
    return { size }
  }
}

class Refused extends Route {
  static readonly post = this.contract({ body: stream({ limit: 1_000_000 }) })
  post(): never {
    throw new HttpError(403)
  }
}

function app(): App {
  return createApp({ routes: { Upload, Refused }, logger: false, signals: false })
}

async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  await once(socket, 'close')
  return Buffer.concat(chunks).toString('latin1')
}

const HEAD = 'POST /upload HTTP/1.1\r\nHost: a\r\nContent-Type: application/octet-stream\r\n'
const LAST = 'GET /none HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

describe('a body read as a stream', () => {
  for (const [framing, request] of [
    ['a length', `${HEAD}Content-Length: 3\r\n\r\nabc`],
    ['chunks', `${HEAD}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`],
  ] as const) {
    it(`keeps the connection open if sent with ${framing} (RFC 9112 section 9.3)`, async () => {
      await using served = app()
      const { port } = await served.listen()
      const answers = await exchange(port, request + request + LAST)
      assert.deepEqual(answers.match(/HTTP\/1\.1 \d+|\{"size":\d+\}/g), [
        ...['HTTP/1.1 200', '{"size":3}', 'HTTP/1.1 200', '{"size":3}'],
        'HTTP/1.1 404',
      ])
    })
  }

  it('sends 100 Continue only if the method reads the body (RFC 9110 section 10.1.1)', async () => {
    await using served = app()
    const { port } = await served.listen()
    const head = HEAD.replace('/upload', '/refused')
    const answer = await exchange(port, `${head}Expect: 100-continue\r\nContent-Length: 100000\r\n\r\n`)
    assert.match(answer, /^HTTP\/1\.1 403 /)
  })
})

describe('listen()', () => {
  it('rejects options that are not an object, and TLS without a certificate', async () => {
    await using served = app()
    for (const options of [null, 5, [], { tls: {} }]) {
      // Proof: wrong on purpose; the test passes values that the types reject.
      await assert.rejects(served.listen(options as never), (error) => {
        return error instanceof SetupError && error.code === 'OPTION_INVALID'
      })
    }
  })

  it('reports an invalid certificate', async () => {
    await using served = app()
    await assert.rejects(served.listen({ tls: { key: 'x', cert: 'y' } }), (error) => {
      assert.ok(error instanceof SetupError)
      assert.ok(error.cause instanceof Error && error.message.includes(error.cause.message))
      return error.code === 'LISTEN_FAILED' && error.message.includes('"key"')
    })
  })
})
