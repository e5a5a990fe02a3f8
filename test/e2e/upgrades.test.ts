/** Upgrades over each kind of server, with the package `ws` and as raw bytes. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { bearer, createApp, group, Route, type App, type Input } from 'verbena'
import { upgrade } from 'verbena/upgrade'
import { WebSocket, WebSocketServer, type RawData } from 'ws'
import * as z from 'zod'
import { captureLog } from '#test/apps.js'
import { onCleanup } from '#test/cleanup.js'
import { requestUpgrade, hail, Raw, SERVED, parseStatus, SWITCHING, type ServedUpgrade } from '#test/upgrades.js'

const user = bearer((token) => (token === 'ada' || token === 'ben') && token)
const admin = bearer((token) => token === 'root')
const sockets = new WebSocketServer({ noServer: true })

const chat = upgrade({ uses: { user } }, ({ user, params, signal }, socket, head, request) => {
  sockets.handleUpgrade(request, socket, head, (talk) => {
    signal.addEventListener('abort', () => talk.close(1001, 'closing'))
    talk.on('message', (text: RawData) => talk.send(`${user} in ${params['room']}: ${String(text)}`))
  })
})

/** Echoes the bytes after the request, and then all further bytes. */
const echo = upgrade({}, (_input, socket, head) => {
  socket.write(SWITCHING)
  socket.write(head)
  socket.pipe(socket)
})

class Chat extends Route {
  static readonly path = '/rooms/{room}'
  static readonly get = this.contract({})
  get({ params }: Input<typeof Chat.get>) {
    return `the room ${params.room}`
  }
}

class Notes extends Route {
  static readonly post = this.contract({ body: z.object({ a: z.number() }) })
  post({ body }: Input<typeof Notes.post>) {
    return body
  }

  get() {
    return 'notes'
  }
}

class Slow extends Route {
  async get() {
    await sleep(30)
    return 'slow'
  }
}

class Large extends Route {
  async *get() {
    for (let at = 0; at < 40; at++) yield 'x'.repeat(100_000)
  }
}

async function open(t: TestContext, served: ServedUpgrade): Promise<{ readonly app: App; readonly port: number }> {
  const guarded = group({
    uses: { admin },
    routes: { '/live': upgrade({}, (_, socket) => socket.end(SWITCHING)) },
  })
  const app = createApp({
    routes: { Chat, Notes, Slow, Large, '/rooms/{room}': chat, Echo: echo, '/admin': guarded },
    logger: captureLog().logger,
    signals: false,
    devConsole: false,
    ...served.options,
  })
  const port = await served.open(app)
  onCleanup(t, () => app.close())
  return { app, port }
}

const BEARER = { headers: { authorization: 'Bearer ada' } }

for (const served of SERVED) {
  const { scheme } = served
  const url = (port: number, path: string): string => `${scheme}://127.0.0.1:${port}${path}`
  const all = { rejectUnauthorized: false }

  describe(`upgrades over ${served.name}`, () => {
    it('passes the connection to the upgrade handler after the guards', async (t) => {
      const { port } = await open(t, served)
      const talk = new WebSocket(url(port, '/rooms/blue'), { ...all, ...BEARER })
      await once(talk, 'open')
      talk.send('hello')
      const [said] = await once(talk, 'message')
      assert.equal(String(said), 'ada in blue: hello')
      talk.close()
      await once(talk, 'close')
    })

    it('rejects an upgrade with problem details, and closes the connection', async (t) => {
      const { port } = await open(t, served)
      const refused = await requestUpgrade(port, hail('/rooms/blue'), scheme)
      assert.match(refused, /^HTTP\/1\.1 401 Unauthorized\r\n/)
      assert.match(refused, /\r\nwww-authenticate: Bearer\r\n/)
      assert.match(refused, /\r\nx-request-id: \S+\r\n/)
      assert.match(refused, /\r\nconnection: close\r\n[^]*"status":401/)
      assert.equal(
        parseStatus(await requestUpgrade(port, hail('/admin/live', 'Authorization: Bearer ada\r\n'), scheme)),
        401,
      )
      assert.match(
        await requestUpgrade(port, hail('/admin/live', 'Authorization: Bearer root\r\n'), scheme),
        /^HTTP\/1\.1 101/,
      )
    })

    it('passes on all bytes sent with the upgrade request and after it', async (t) => {
      const { port } = await open(t, served)
      const raw = new Raw(port, scheme).write(`${hail('/echo')}at once, `)
      await raw.until('at once, ')
      raw.write('later')
      await raw.until('later')
      assert.equal(raw.text, `${SWITCHING}at once, later`)
      raw.socket.end()
      await raw.closed
    })

    it('accepts an upgrade request that arrives byte by byte', async (t) => {
      const { port } = await open(t, served)
      const raw = new Raw(port, scheme)
      raw.socket.setNoDelay(true)
      for (const byte of `${hail('/echo')}tail`) raw.write(byte)
      await raw.until('tail')
      raw.socket.destroy()
    })

    it('accepts an upgrade after a completed request on the same connection', async (t) => {
      const { port } = await open(t, served)
      const raw = new Raw(port, scheme).write('GET /notes HTTP/1.1\r\nHost: a\r\n\r\n')
      await raw.until('notes')
      raw.write(`${hail('/echo')}tail`)
      await raw.until(`${SWITCHING}tail`)
      raw.socket.destroy()
    })

    it('passes requests without an upgrade to the class of the path', async (t) => {
      const { port } = await open(t, served)
      const plain = 'Host: a\r\nConnection: close\r\n\r\n'
      assert.match(
        await requestUpgrade(port, `GET /rooms/blue HTTP/1.1\r\n${plain}`, scheme),
        /^HTTP\/1\.1 200 [^]*the room blue$/,
      )
      const head = await requestUpgrade(port, `HEAD /rooms/blue HTTP/1.1\r\n${plain}`, scheme)
      assert.match(head, /^HTTP\/1\.1 200 [^]*\r\n\r\n$/)
    })

    it('responds 426 to requests without an upgrade if the path has no class', async (t) => {
      const { port } = await open(t, served)
      const proxied = hail('/echo').replace('Connection:', 'Proxy-Connection:')
      assert.equal(parseStatus(await requestUpgrade(port, proxied, scheme)), 426)
      const get = await requestUpgrade(port, 'GET /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', scheme)
      assert.match(get, /^HTTP\/1\.1 426 Upgrade Required\r\n/)
      assert.match(get, /\r\nupgrade: websocket\r\nconnection: upgrade\r\n/)
      const head = await requestUpgrade(port, 'HEAD /echo HTTP/1.0\r\n\r\n', scheme)
      assert.match(head, /^HTTP\/1\.1 426 [^]*\r\n\r\n$/)
      const kept = new Raw(port, scheme).write('GET /echo HTTP/1.1\r\nHost: a\r\n\r\n')
      await kept.until('"status":426')
      kept.write('POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
      const second = (await kept.closed).slice(kept.text.lastIndexOf('HTTP/1.1 '))
      assert.match(second, /^HTTP\/1\.1 405 [^]*\r\nallow: GET, HEAD, OPTIONS\r\n/)
    })

    it('handles upgrade requests to other paths as plain requests', async (t) => {
      const { port } = await open(t, served)
      const bodied =
        'POST /notes HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: x\r\nUpgrade: h2c\r\n' +
        'Content-Type: application/json\r\n'
      const texts = [
        await requestUpgrade(port, hail('/notes'), scheme),
        await requestUpgrade(port, hail('/none'), scheme),
        await requestUpgrade(port, `${bodied}Content-Length: 7\r\n\r\n{"a":1}`, scheme),
        await requestUpgrade(
          port,
          `${bodied}Transfer-Encoding: chunked\r\n\r\n3\r\n{"a\r\n4\r\n":2}\r\n0\r\n\r\n`,
          scheme,
        ),
      ]
      assert.deepEqual(texts.map(parseStatus), [200, 404, 200, 200])
      for (const text of texts) assert.match(text, /\r\nconnection: close\r\n/)
      assert.deepEqual(
        texts.slice(2).map((text) => text.slice(text.indexOf('\r\n\r\n') + 4)),
        ['{"a":1}', '{"a":2}'],
      )
    })

    it('handles an upgrade after a request in progress as a plain request', async (t) => {
      const { port } = await open(t, served)
      const slow = 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n'
      const room = hail('/rooms/blue', 'Authorization: Bearer ada\r\n')
      const both = await requestUpgrade(port, slow + room, scheme)
      assert.match(both, /^HTTP\/1\.1 200 [^]*slowHTTP\/1\.1 200 [^]*\r\nconnection: close\r\n[^]*the room blue$/)
      const three = await requestUpgrade(port, slow + slow + hail('/echo'), scheme)
      assert.match(three, /slowHTTP\/1\.1 200 [^]*slowHTTP\/1\.1 426 /)
      const post =
        'POST /notes HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: h2c\r\nContent-Type: application/json\r\n'
      const raw = new Raw(port, scheme).write(`${slow}${post}Content-Length: 7\r\n\r\n{"a"`)
      await sleep(10)
      assert.match(await raw.write(':1}').closed, /slowHTTP\/1\.1 200 [^]*\{"a":1\}$/)
    })

    it('responds to no request after the last response, and does not crash', async (t) => {
      const { port } = await open(t, served)
      const get = 'GET /notes HTTP/1.1\r\nHost: a\r\n\r\n'
      const slow = 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n'
      const unread = 'PUT /notes HTTP/1.1\r\nHost: a\r\n'
      const chunked = `${unread}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`
      const LAST = {
        chunked,
        'chunked without an end': chunked.slice(0, -5),
        expect: `${unread}Expect: 100-continue\r\nContent-Length: 3\r\n\r\nabc`,
        'large body': `${unread}Content-Length: 100000\r\n\r\n${'x'.repeat(100_000)}`,
        close: get.replace('Host', 'Connection: close\r\nHost'),
      }
      for (const [name, last] of Object.entries(LAST)) {
        for (const before of ['', get, slow]) {
          for (const after of ['', get, slow + get]) {
            const text = await requestUpgrade(port, before + last + after + hail('/echo'), scheme)
            const responses = text.split('HTTP/1.1 ').slice(1)
            const isLast = responses.map((response) => /\r\nconnection: close\r\n/i.test(response))
            assert.equal(isLast.indexOf(true), responses.length - 1, `${name}: ${text}`)
            assert.doesNotMatch(text, /HTTP\/1\.1 101 /, name)
          }
        }
      }
      assert.match(await requestUpgrade(port, hail('/notes'), scheme), /^HTTP\/1\.1 200 /)
    })

    it('keeps reading a connection that is closing', async (t) => {
      const { port } = await open(t, served)
      const last = 'PUT /notes HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'
      for (const request of [hail('/echo'), hail('/notes'), 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n']) {
        const times = []
        for (let attempt = 0; attempt < 3; attempt++) {
          const begin = performance.now()
          const raw = new Raw(port, scheme).write(last + request, 'x'.repeat(3_000_000))
          assert.match(await raw.closed, /^HTTP\/1\.1 405 /)
          times.push(performance.now() - begin)
        }
        // A connection that is not read ends after 2 s.
        assert.ok(Math.min(...times) < 1500, times.join())
      }
    })

    it('sends a response in progress completely before an upgrade request', async (t) => {
      const { port } = await open(t, served)
      const text = await requestUpgrade(port, `GET /large HTTP/1.1\r\nHost: a\r\n\r\n${hail('/notes')}`, scheme)
      assert.ok(text.length > 4_000_000, `only ${text.length} bytes came`)
      assert.match(text.slice(-400), /\r\n0\r\n\r\nHTTP\/1\.1 200 [^]*notes$/)
    })

    it('ends upgraded connections with the app, after their close frames', async (t) => {
      const { app, port } = await open(t, served)
      const talks = ['ada', 'ben'].map(
        (name) => new WebSocket(url(port, '/rooms/blue'), { ...all, headers: { authorization: `Bearer ${name}` } }),
      )
      await Promise.all(talks.map((talk) => once(talk, 'open')))
      const raw = new Raw(port, scheme).write(hail('/echo'))
      await raw.until(SWITCHING)
      const ended = Promise.all(talks.map((talk) => once(talk, 'close')))
      await app.close()
      const said = (await ended).map(([code, reason]) => `${code} ${String(reason)}`)
      assert.deepEqual(said, ['1001 closing', '1001 closing'])
      assert.equal(await raw.closed, SWITCHING)
    })
  })
}

describe('an app without upgrades', () => {
  it('responds to upgrade requests as to plain requests', async () => {
    const app = createApp({ routes: { Notes }, logger: false, signals: false })
    const { port } = await app.listen()
    assert.match(await requestUpgrade(port, hail('/notes')), /^HTTP\/1\.1 200 [^]*\r\nconnection: close\r\n/)
    await app.close()
  })
})
