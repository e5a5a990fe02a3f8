/** Attacks on the handshake: bytes that are no TLS, TLS where there is none, handshakes that stop half way. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { connect as connectTls } from 'node:tls'
import type { App } from 'verbena'
import { probeApp } from '#test/probe.js'
import { assertAlive, rowBytes, formatTitle, type Rule } from '#test/rows.js'
import { parseAnswers } from '#test/strict-parser.js'

const FOLDER = 'test/fixtures/tls'
const CERTIFICATE = { key: readFileSync(`${FOLDER}/key.pem`), cert: readFileSync(`${FOLDER}/cert.pem`) }

/** The record of a ClientHello of 512 bytes (RFC 8446 section 4.1.2), and no more than its beginning. */
const HALF_A_HELLO = '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'
const REQUEST = rowBytes({ target: '/alive' })

/** All that comes until the other side ends the connection; a reset is an end too. */
async function allOf(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {})
  await once(socket, 'close')
  return Buffer.concat(chunks)
}

/** Asks over TLS; the certificate is made for tests, and nobody vouches for it. */
async function assertAliveOverTls(port: number): Promise<void> {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
  socket.write(REQUEST)
  const [answer, ...more] = parseAnswers(await allOf(socket))
  assert.deepEqual([answer?.status, answer?.body.toString(), more.length], [200, 'alive', 0])
}

interface HandshakeRow extends Rule {
  /** Each character a byte. */
  readonly send: string
  /** How the client leaves; it waits for the server unless told otherwise. */
  readonly leaves?: 'end' | 'reset'
}

const HANDSHAKES: readonly HandshakeRow[] = [
  { rule: 'gives no answer to plain HTTP', source: 'RFC 8446 §5.1: no such record', send: REQUEST },
  { rule: 'gives no answer to a record of no type', source: 'RFC 8446 §5.1', send: '\x00\x01\x02\x03\x04\x05' },
  { rule: 'gives no answer to a record longer than any', source: 'RFC 8446 §5.2', send: '\x16\x03\x01\xff\xff\x01' },
  { rule: 'gives no answer to SSL 2', source: 'RFC 6176', send: '\x80\x2e\x01\x00\x02\x00\x15\x00\x00\x00\x10' },
  { rule: 'gives no answer to data before a handshake', source: 'RFC 8446 §5.1', send: '\x17\x03\x03\x00\x01x' },
  { rule: 'ends with a client that ends half way', source: 'RFC 8446 §6.1', send: HALF_A_HELLO, leaves: 'end' },
  { rule: 'ends with a client that is gone half way', source: 'RFC 9293 §3.5.2', send: HALF_A_HELLO, leaves: 'reset' },
  { rule: 'gives a half handshake up after timeouts.headers', source: 'slow handshakes', send: HALF_A_HELLO },
  { rule: 'gives a silent client up after timeouts.headers', source: 'slow handshakes', send: '' },
]

describe('a port with TLS', { concurrency: true }, () => {
  const app = probeApp({ timeouts: { headers: 1500 } })
  let port = 0
  before(async () => {
    ;({ port } = await app.listen({ tls: CERTIFICATE }))
  })
  after(() => app.close())

  for (const { rule, source, send, leaves } of HANDSHAKES) {
    it(formatTitle({ rule, source }), { timeout: 30_000 }, async () => {
      const socket = connect({ port, host: '127.0.0.1' })
      const all = allOf(socket)
      await new Promise((resolve) => socket.write(send, 'latin1', resolve))
      if (leaves === 'end') socket.end()
      if (leaves === 'reset') socket.resetAndDestroy()
      assert.doesNotMatch((await all).toString('latin1'), /HTTP/)
      await assertAliveOverTls(port)
    })
  }
})

describe('a port without TLS', () => {
  const app = probeApp()
  let port = 0
  before(async () => {
    ;({ port } = await app.listen())
  })
  after(() => app.close())

  it(formatTitle({ rule: 'refuses a handshake', source: 'RFC 9112 §9.5' }), async () => {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    const [error] = (await once(socket, 'error')) as readonly unknown[]
    assert.ok(error instanceof Error)
    await assertAlive(port)
  })

  it(formatTitle({ rule: 'answers 400 to half a handshake', source: 'RFC 9112 §9.5' }), async () => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.write(HALF_A_HELLO, 'latin1')
    const [answer, ...more] = parseAnswers(await allOf(socket))
    assert.deepEqual([answer?.status, answer?.headers.get('connection'), more.length], [400, ['close'], 0])
    await assertAlive(port)
  })
})

describe('app.close() with TLS', () => {
  /** Closes while connections stand; none may outlive it, nor make it wait for its deadline. */
  async function closed(app: App, sockets: readonly Socket[]): Promise<void> {
    const ends = sockets.map(allOf)
    await app.close()
    await Promise.all(ends)
  }

  it(formatTitle({ rule: 'ends half handshakes at once', source: 'a deploy that hangs' }), async () => {
    const lines: unknown[] = []
    const note = (...line: unknown[]): void => void lines.push(line)
    const logger = { debug: note, info: note, warn: note, error: note }
    const app = probeApp({ timeouts: { close: 5000 }, logger })
    const { port } = await app.listen({ tls: CERTIFICATE })
    await assertAliveOverTls(port)
    const half = connect({ port, host: '127.0.0.1' })
    half.write(HALF_A_HELLO, 'latin1')
    const silent = connect({ port, host: '127.0.0.1' })
    const idle = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    await Promise.all([once(half, 'connect'), once(silent, 'connect'), once(idle, 'secureConnect')])
    await closed(app, [half, silent, idle])
    assert.doesNotMatch(JSON.stringify(lines), /before all work was done/)
  })
})
