/** Attacks on the TLS handshake: bytes that are not TLS, TLS on a plain port, and incomplete handshakes. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { connect as connectTls } from 'node:tls'
import type { App } from 'verbena'
import { probeApp } from '#test/probe.js'
import { assertAlive, rowBytes, formatTitle, type Rule } from '#test/attack-rows.js'
import { parseAnswers } from '#test/strict-parser.js'

const FOLDER = 'test/fixtures/tls'
const CERTIFICATE = { key: readFileSync(`${FOLDER}/key.pem`), cert: readFileSync(`${FOLDER}/cert.pem`) }

/** The first bytes of a ClientHello of 512 bytes (RFC 8446 section 4.1.2). */
const HALF_A_HELLO = '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'
const REQUEST = rowBytes({ target: '/alive' })

/** Returns all bytes received until the connection ends or is reset. */
async function allOf(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {})
  await once(socket, 'close')
  return Buffer.concat(chunks)
}

/** Sends a request over TLS. The test certificate is self-signed, so it is not verified. */
async function assertAliveOverTls(port: number): Promise<void> {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
  socket.write(REQUEST)
  const [answer, ...more] = parseAnswers(await allOf(socket))
  assert.deepEqual([answer?.status, answer?.body.toString(), more.length], [200, 'alive', 0])
}

interface HandshakeRow extends Rule {
  /** Each character is one byte. */
  readonly send: string
  /** How the client disconnects; by default it waits for the server. */
  readonly leaves?: 'end' | 'reset'
}

const HANDSHAKES: readonly HandshakeRow[] = [
  { rule: 'sends no response to plain HTTP', source: 'RFC 8446 §5.1: not a record', send: REQUEST },
  {
    rule: 'sends no response to a record with an invalid type',
    source: 'RFC 8446 §5.1',
    send: '\x00\x01\x02\x03\x04\x05',
  },
  { rule: 'sends no response to a record that is too long', source: 'RFC 8446 §5.2', send: '\x16\x03\x01\xff\xff\x01' },
  { rule: 'sends no response to SSL 2', source: 'RFC 6176', send: '\x80\x2e\x01\x00\x02\x00\x15\x00\x00\x00\x10' },
  { rule: 'sends no response to data before a handshake', source: 'RFC 8446 §5.1', send: '\x17\x03\x03\x00\x01x' },
  {
    rule: 'closes the connection if the client ends during the handshake',
    source: 'RFC 8446 §6.1',
    send: HALF_A_HELLO,
    leaves: 'end',
  },
  {
    rule: 'closes the connection if the client resets during the handshake',
    source: 'RFC 9293 §3.5.2',
    send: HALF_A_HELLO,
    leaves: 'reset',
  },
  { rule: 'closes an incomplete handshake after timeouts.headers', source: 'slow handshakes', send: HALF_A_HELLO },
  { rule: 'closes a silent connection after timeouts.headers', source: 'slow handshakes', send: '' },
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

  it(formatTitle({ rule: 'rejects a TLS handshake', source: 'RFC 9112 §9.5' }), async () => {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    const [error] = (await once(socket, 'error')) as readonly unknown[]
    assert.ok(error instanceof Error)
    await assertAlive(port)
  })

  it(formatTitle({ rule: 'responds 400 to an incomplete TLS handshake', source: 'RFC 9112 §9.5' }), async () => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.write(HALF_A_HELLO, 'latin1')
    const [answer, ...more] = parseAnswers(await allOf(socket))
    assert.deepEqual([answer?.status, answer?.headers.get('connection'), more.length], [400, ['close'], 0])
    await assertAlive(port)
  })
})

describe('app.close() with TLS', () => {
  /** Closes an app with open connections, and waits for their ends. No connection may delay it until the deadline. */
  async function closed(app: App, sockets: readonly Socket[]): Promise<void> {
    const ends = sockets.map(allOf)
    await app.close()
    await Promise.all(ends)
  }

  it(formatTitle({ rule: 'closes incomplete handshakes immediately', source: 'a deploy that hangs' }), async () => {
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
    assert.doesNotMatch(JSON.stringify(lines), /before all requests and tasks were done/)
  })
})
