import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { Duplex } from 'node:stream'
import { describe, it } from 'node:test'
import { createApp } from 'verbena'
import { captureLog } from '#test/apps.js'
import { onCleanup } from '#test/cleanup.js'
import { Client, exchangeBytes, formatRequest, textAnswer, withServer } from '#test/wire.js'
import type { Exchange } from '#src/http/exchange.js'
import { ensureErrorListener, guarded } from '#src/http/guarded.js'

describe('guarded()', () => {
  it('runs a callback, and keeps the socket open', () => {
    const socket = new Duplex()
    let calls = 0
    guarded(socket, assert.fail, () => calls++)
    assert.deepEqual([calls, socket.destroyed], [1, false])
  })

  it('reports an error and destroys the socket', () => {
    const socket = new Duplex()
    const reported: unknown[] = []
    const failure = new Error('no')
    const report = (error: unknown, message: string): void => void reported.push(error, message)
    guarded(socket, report, () => {
      throw failure
    })
    assert.deepEqual([reported, socket.destroyed], [[failure, 'Connection destroyed after an internal error'], true])
  })
})

describe('ensureErrorListener()', () => {
  it('adds one listener, also if others were added in between', () => {
    const socket = new Duplex()
    ensureErrorListener(socket)
    socket.on('error', () => {})
    ensureErrorListener(socket)
    assert.equal(socket.listenerCount('error'), 2)
  })

  it('destroys a socket if there is no other listener', () => {
    const socket = new Duplex()
    ensureErrorListener(socket)
    socket.emit('error', new Error('no'))
    assert.equal(socket.destroyed, true)
  })

  it('leaves an error to another listener', () => {
    const socket = new Duplex()
    const seen: unknown[] = []
    ensureErrorListener(socket)
    socket.on('error', (error) => seen.push(error))
    const failure = new Error('no')
    socket.emit('error', failure)
    assert.deepEqual([seen, socket.destroyed], [[failure], false])
  })
})

describe('errors outside of a request', () => {
  it('closes the connection of a request that throws, but does not end the process', async () => {
    const reported: unknown[] = []
    const failure = new Error('no')
    const serve = (exchange: Exchange): void => {
      if (exchange.url === '/broken') throw failure
      exchange.send(textAnswer('fine'), null)
    }
    const report = (error: unknown): void => void reported.push(error)
    await withServer(
      serve,
      async ({ port }) => {
        assert.equal(await exchangeBytes(port, formatRequest('GET /broken')), '')
        assert.match(await exchangeBytes(port, formatRequest('GET /')), /fine$/)
      },
      { report },
    )
    assert.deepEqual(reported, [failure])
  })

  it('closes the connection of a queued request that throws', async () => {
    const reported: unknown[] = []
    const failure = new Error('no')
    const serve = (exchange: Exchange): void => {
      if (exchange.url === '/broken') throw failure
      setImmediate(() => exchange.send(textAnswer('fine'), null))
    }
    const report = (error: unknown): void => void reported.push(error)
    await withServer(
      serve,
      async ({ port }) => {
        const pipeline = formatRequest('GET /', { Connection: 'keep-alive' }) + formatRequest('GET /broken')
        assert.match(await new Client(port).write(pipeline).all(), /^HTTP\/1\.1 200 [^]*fine$/)
      },
      { report },
    )
    assert.deepEqual(reported, [failure])
  })

  it('logs an error of a socket with the logger of the app', (t) => {
    const { logger, lines } = captureLog()
    const app = createApp({ routes: {}, logger, signals: false })
    const server = createServer()
    app.attach(server)
    onCleanup(t, () => app.close())
    const failure = new Error('no')
    class Broken extends Duplex {
      override end(): never {
        throw failure
      }
    }
    const socket = new Broken()
    server.emit('clientError', new Error('malformed'), socket)
    assert.equal(socket.destroyed, true)
    const [line] = lines.filter(({ level }) => level === 'error')
    assert.deepEqual([line?.message, line?.fields['err']], ['Connection destroyed after an internal error', failure])
  })
})
