/** Which requests a server hands over, and how the others are given back to it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, IncomingMessage, type Server } from 'node:http'
import { Socket, type AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createGate } from '#test/apps.js'
import { onCleanup } from '#test/cleanup.js'
import { requestUpgrade, hail, Raw, parseStatus, SWITCHING } from '#test/upgrades.js'
import { parseResponse, SETTINGS, textAnswer } from '#test/wire.js'
import type { ServerSettings } from '#src/http/connection.js'
import { attachServer, closeServer, type OwnServer } from '#src/http/server.js'
import { UpgradeExchange } from '#src/http/upgrade-exchange.js'
import { serveUpgrades } from '#src/http/upgrades.js'
import type { Serve } from '#src/http/node-exchange.js'
import type { TestContext } from 'node:test'

interface Opened {
  readonly server: Server
  readonly port: number
  /** Targets of requests that were answered without an upgrade, with the fields that ask for one. */
  readonly plain: string[]
}

const takes = ({ url }: IncomingMessage): boolean => url === '/live'

/** A server whose `/live` takes upgrades; it answers all other requests with their target. */
async function open(
  t: TestContext,
  serve: Serve,
  before: (server: Server) => void = () => {},
  settings: Partial<ServerSettings> = {},
): Promise<Opened> {
  const server = createServer()
  before(server)
  const plain: string[] = []
  const own = attachServer(
    server,
    (exchange) => {
      plain.push(`${exchange.url} ${exchange.header('connection')} ${exchange.header('upgrade')}`)
      const isLast = exchange.header('x-last') !== undefined
      const payload = { type: 'text/plain', data: exchange.url }
      exchange.send(parseResponse(payload, 200, isLast ? { connection: 'close' } : {}), null)
    },
    { ...SETTINGS, ...settings },
  )
  serveUpgrades(own, takes, serve)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onCleanup(t, () => closeServer(own, 0))
  // Proof: it listens on a port.
  return { server, port: (server.address() as AddressInfo).port, plain }
}

/** A server with another `upgrade` listener, which ignores all requests. `/slow` is answered after some time in ms. */
async function openIgnored(t: TestContext, ms = 0): Promise<{ port: number; own: OwnServer }> {
  const server = createServer().on('upgrade', () => {})
  const own = attachServer(
    server,
    (exchange) => {
      setTimeout(() => exchange.send(textAnswer(exchange.url), null), ms)
    },
    SETTINGS,
  )
  serveUpgrades(own, takes, accept)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onCleanup(t, () => closeServer(own, 0))
  // Proof: it listens on a port.
  return { port: (server.address() as AddressInfo).port, own }
}

const accept: Serve = (exchange) => {
  assert.ok(exchange instanceof UpgradeExchange)
  exchange.handOver()
  exchange.socket.end(SWITCHING + String(exchange.rest))
  exchange.send({ ...textAnswer(''), status: 101 }, null)
}

describe('serveUpgrades()', () => {
  it('hands over accepted upgrades, and handles other requests without an upgrade', async (t) => {
    const { port, plain } = await open(t, accept)
    assert.equal(await requestUpgrade(port, `${hail('/live')}rest`), `${SWITCHING}rest`)
    assert.match(await requestUpgrade(port, hail('/other')), /^HTTP\/1\.1 200 [^]*\/other$/)
    assert.match(plain.join(), /^\/other .* websocket$/)
  })

  it('preserves other connection options of a request without an upgrade', async (t) => {
    const { port, plain } = await open(t, accept)
    const other = hail('/other').replace('Connection: Upgrade', 'Connection: close ,  UPGRADE,x-a')
    await requestUpgrade(port, other)
    assert.match(plain.join(), /^\/other close ?,\s*(?:UPGRADE,)?x-a websocket$/)
  })

  it('handles an upgrade request with Proxy-Connection once, without an upgrade', async (t) => {
    const { server, port, plain } = await open(t, accept)
    let times = 0
    server.on('connection', () => times++)
    const answer = await requestUpgrade(port, hail('/other').replace('Connection:', 'Proxy-Connection:'))
    assert.equal(parseStatus(answer), 200)
    assert.equal(plain.length, 1)
    assert.ok(times <= 2, `${times} times`)
  })

  it('closes a connection that is handed over ten times', async (t) => {
    const { server, port } = await open(t, accept)
    // No known request makes the parser do this, so the test emits the event.
    const again = 'GET /other HTTP/1.1\r\nHost: a\r\n\r\n'
    server.on('request', (request) => {
      for (let times = 0; times < 11; times++) server.emit('upgrade', request, request.socket, Buffer.from(''))
    })
    const raw = new Raw(port).write(again)
    await raw.closed
    assert.equal(raw.socket.destroyed, true)
  })

  it('handles headers of the maximum size without an upgrade', async (t) => {
    const { port } = await open(t, accept, (server) => Reflect.set(server, 'maxHeaderSize', 16 * 1024))
    const narrow = 'GET /other HTTP/1.1\r\nHost:a\r\nConnection:upgrade\r\nUpgrade:x\r\n'
    const many = 'A:b\r\n'.repeat(190)
    // The parser counts a little differently than we write: what matters is that nothing becomes longer.
    const padding = `P:${'p'.repeat(16 * 1024 - narrow.length - many.length - 200)}\r\n`
    assert.equal(parseStatus(await requestUpgrade(port, `${narrow}${many}${padding}\r\n`)), 200)
  })

  it('leaves other upgrades to existing listeners', async (t) => {
    const seen: string[] = []
    const { port, plain } = await open(t, accept, (server) => {
      server.on('upgrade', (request, socket) => {
        if (takes(request)) return
        seen.push(String(request.url))
        socket.end('theirs')
      })
    })
    assert.equal(await requestUpgrade(port, hail('/other')), 'theirs')
    assert.equal(await requestUpgrade(port, hail('/live')), SWITCHING)
    assert.deepEqual([seen, plain], [['/other'], []])
  })

  it('leaves a readable socket to existing listeners after queued requests', async (t) => {
    const { port } = await open(t, accept, (server) => {
      server.on('upgrade', (request, socket) => {
        if (!takes(request)) socket.on('data', (part) => socket.end(`${SWITCHING}${String(part)}`))
      })
    })
    const raw = new Raw(port).write(
      `GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n${hail('/other')}`,
    )
    await raw.until('/2')
    assert.match(await raw.write('theirs').closed, /theirs$/)
  })

  it('responds 404 to an upgrade that no other listener takes, and closes the connection', async (t) => {
    const { port, own } = await openIgnored(t)
    const text = await requestUpgrade(port, hail('/other'))
    assert.match(text, /^HTTP\/1\.1 404 [^]*Connection: close\r\n[^]*"status":404/)
    while (own.sockets.size > 0) await turn()
  })

  it('responds 404 to such an upgrade after the responses to earlier requests', async (t) => {
    const { port } = await openIgnored(t, 10)
    const text = await requestUpgrade(port, `GET /slow HTTP/1.1\r\nHost: a\r\n\r\n${hail('/other')}`)
    assert.match(text, /^HTTP\/1\.1 200 [^]*\/slowHTTP\/1\.1 404 /)
  })

  for (const [what, takeIt] of [
    ['writes', (socket) => void socket.write(SWITCHING)],
    ['reads', (socket) => void socket.on('data', () => {})],
    ['waits for readable', (socket) => void socket.on('readable', () => {})],
    ['ends', (socket) => void socket.end()],
  ] satisfies [string, (socket: Duplex) => void][]) {
    it(`does not respond if another listener ${what} before the time limit`, async (t) => {
      t.mock.timers.enable({ apis: ['setTimeout'] })
      const { port, own } = await openIgnored(t)
      const raw = new Raw(port).write(hail('/other'))
      const [, socket] = (await once(own.server, 'upgrade')) as [IncomingMessage, Duplex]
      t.mock.timers.tick(1999)
      takeIt(socket)
      t.mock.timers.tick(1)
      if (what === 'ends') await raw.closed
      else socket.end('end')
      await raw.closed
      assert.doesNotMatch(raw.text, /404/)
    })
  }

  it('aborts a request in progress if its client disconnects while an upgrade waits', async (t) => {
    const aborted = createGate()
    const server = createServer()
    const own = attachServer(server, (exchange) => exchange.onAbort(() => aborted.open()), SETTINGS)
    serveUpgrades(own, takes, accept)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onCleanup(t, () => closeServer(own, 0))
    // Proof: it listens on a port.
    const { port } = server.address() as AddressInfo
    const raw = new Raw(port).write(`GET /first HTTP/1.1\r\nHost: a\r\n\r\n${hail('/live')}`)
    await once(server, 'upgrade')
    raw.socket.end()
    await aborted.opened
    await raw.closed
  })

  it('responds to a client that has ended its side while its upgrade waited', async (t) => {
    const server = createServer()
    const serve: Serve = (exchange) => {
      const respond = (): void => exchange.send(textAnswer(exchange.url), null)
      if (exchange.url === '/slow') setTimeout(respond, 30)
      else respond()
    }
    const own = attachServer(server, serve, SETTINGS)
    serveUpgrades(own, takes, accept)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onCleanup(t, () => closeServer(own, 0))
    // Proof: it listens on a port.
    const { port } = server.address() as AddressInfo
    const raw = new Raw(port).write(`GET /slow HTTP/1.1\r\nHost: a\r\n\r\n${hail('/live')}`)
    raw.socket.end()
    assert.match(await raw.closed, /\/slowHTTP\/1\.1 200 [^]*\/live$/)
  })

  it('decides with shouldUpgradeCallback, and calls the original callback if other listeners exist', async (t) => {
    const asks: unknown[] = []
    const own = function (this: unknown, request: IncomingMessage): boolean {
      asks.push(this)
      return request.url === '/theirs'
    }
    const name = 'shouldUpgradeCallback'
    const { server } = await open(t, accept, (made) => Reflect.set(made, name, own))
    const ask = (url: string): unknown => {
      const request = new IncomingMessage(new Socket())
      request.url = url
      return Reflect.get(server, name)(request)
    }
    assert.deepEqual(['/live', '/theirs', '/none'].map(ask), [true, false, false])
    assert.deepEqual(asks, [])
    server.on('upgrade', () => {})
    assert.deepEqual(['/live', '/theirs', '/none'].map(ask), [true, true, false])
    assert.deepEqual(asks, [server, server])
  })

  it('accepts no upgrade after the last response of a connection', async (t) => {
    let calls = 0
    const { port } = await open(t, () => void calls++)
    for (const fields of ['Connection: close\r\n', 'X-Last: 1\r\n']) {
      const raw = new Raw(port).write(`GET /first HTTP/1.1\r\nHost: a\r\n${fields}\r\n${hail('/live')}`)
      assert.match(await raw.closed, /^HTTP\/1\.1 200 [^]*\/first$/)
    }
    assert.equal(calls, 0)
  })

  it('reports an error of its callback and destroys the socket', async (t) => {
    const reported: unknown[] = []
    const failure = new Error('no')
    const fail = (): never => {
      throw failure
    }
    const { port } = await open(t, fail, () => {}, { report: (error) => reported.push(error) })
    assert.equal(await requestUpgrade(port, hail('/live')), '')
    assert.deepEqual(reported, [failure])
    assert.match(
      await requestUpgrade(port, 'GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
      /^HTTP\/1\.1 200 /,
    )
  })

  it('removes the idle timeout of a connection', async (t) => {
    const times: unknown[] = []
    const { port } = await open(t, (exchange) => {
      assert.ok(exchange instanceof UpgradeExchange)
      times.push(exchange.socket.timeout)
      accept(exchange)
    })
    const raw = new Raw(port).write(`GET /first HTTP/1.1\r\nHost: a\r\n\r\n${hail('/live')}`)
    await raw.closed
    assert.deepEqual(times, [0])
  })
})
