/** The nginx configurations and the store of the guides, unchanged, with a real nginx and a real Redis. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createApp, Route, type Input, type AdditionalServices } from 'verbena'
import type { RedisClient } from 'verbena/redis'
import { session } from 'verbena/session'
import { upgrade } from 'verbena/upgrade'
import { createClient } from 'redis'
import { WebSocket, WebSocketServer } from 'ws'
import * as z from 'zod'
import { importGuide } from '../../postgres/test/guide.js'
import { freePort } from '../../postgres/test/own-server.js'
import { Nginx, singleWorker } from '../stack/nginx.js'
import { RedisServer } from './redis-server.js'
import { ask, until } from './support.js'

const GUIDES = join(import.meta.dirname, '..', '..', '..', 'docs', 'guides')

/** Returns the nginx configuration in a guide. */
function nginxOf(page: string): string {
  const [, block] = /^```nginx\n(.*?)^```/ms.exec(readFileSync(join(GUIDES, page), 'utf8')) ?? []
  return block ?? assert.fail(`${page} has no configuration of nginx`)
}

/** Creates a key and a certificate for 127.0.0.1. */
function createCertificate(folder: string): void {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const options = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key, '-out', cert]
  const { status, stderr } = spawnSync('openssl', ['req', '-x509', ...options, '-subj', '/CN=127.0.0.1', '-days', '2'])
  assert.equal(status, 0, String(stderr))
}

const visitor = session({ schema: z.object({ name: z.string() }), keys: ['k'.repeat(43)] })

class SignIn extends Route {
  static readonly post = this.contract({ uses: { visitor }, returns: z.string() })
  async post({ visitor, request }: Input<typeof SignIn.post>) {
    visitor.start({ name: 'ada' })
    return request.ip
  }
}

function createChat(trustProxy: readonly string[]) {
  const sockets = new WebSocketServer({ noServer: true })
  const rooms = upgrade({ path: '/{room}' }, (_input, socket, head, incoming) => {
    sockets.handleUpgrade(incoming, socket, head, (talk) => talk.send('welcome'))
  })
  const options = { logger: false, signals: false, trustProxy } as const
  return createApp({ routes: { '/rooms': rooms, SignIn }, ...options })
}

describe('nginx as in the guides', () => {
  const folder = mkdtempSync(join(tmpdir(), 'verbena-guides-'))
  let app: ReturnType<typeof createChat>
  let nginx: Nginx
  let tls: number

  before(async () => {
    createCertificate(folder)
    app = createChat(['127.0.0.1'])
    const { port } = await app.listen()
    tls = await freePort()
    nginx = new Nginx({ folder, sockets: [], port: 0 }, (_settings, plain) => configuration(plain, port))
    await nginx.start()
  })
  after(async () => {
    await nginx.stop('SIGTERM')
    await app.close()
    rmSync(folder, { recursive: true })
  })

  function configuration(plain: number, port: number): string {
    return singleWorker(
      folder,
      `
        upstream app { server 127.0.0.1:${port}; }
        server {
          listen 127.0.0.1:${plain};
          listen 127.0.0.1:${tls} ssl;
          ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem;
          ${nginxOf('upgrades.md')}
          ${nginxOf('limits.md')}
        }`,
    )
  }

  const origins = () => [new URL(nginx.url).origin, `https://127.0.0.1:${tls}`]

  /** Returns the first message, or the error with the status. */
  async function connect(to: string, origin: string): Promise<string> {
    const socket = new WebSocket(`${to.replace('http', 'ws')}/rooms/blue`, { origin, rejectUnauthorized: false })
    const [first] = await once(socket, 'message').catch((error: Error) => [error.message])
    socket.close()
    return String(first)
  }

  it('lets pages of this host connect, with any port, over HTTP and TLS', async () => {
    for (const origin of origins()) assert.equal(await connect(origin, origin), 'welcome', origin)
  })

  it('keeps pages of other hosts, ports and schemes out', async () => {
    const [plain = '', secure = ''] = origins()
    for (const [to, origin] of [
      [plain, 'http://127.0.0.1'],
      [plain, plain.replace('http', 'https')],
      [plain, 'http://evil.example'],
      [secure, plain],
      [secure, secure.replace('https', 'http')],
    ] as const) {
      assert.equal(await connect(to, origin), 'Unexpected server response: 403', `${origin} at ${to}`)
    }
  })

  it('lets forms of this host sign in, and no others', async () => {
    for (const to of origins()) {
      const send = (origin: string) => (to.startsWith('https') ? sendSecure(to, origin) : sendPlain(to, origin))
      const forged = { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example;for=192.0.2.1' }
      assert.deepEqual(await send(to), [200, '"127.0.0.1"'], to)
      assert.equal((await send('http://evil.example'))[0], 403)
      assert.equal((await sendPlain(nginx.url, 'http://evil.example', forged))[0], 403)
    }
  })

  it('does not let the client choose its address', async () => {
    const [status, body] = await sendPlain(nginx.url, nginx.url, {
      'x-forwarded-for': '192.0.2.66',
      forwarded: 'for=192.0.2.66',
    })
    assert.deepEqual([status, body], [200, '"127.0.0.1"'])
  })

  async function sendPlain(to: string, origin: string, headers = {}): Promise<unknown[]> {
    const { status, body } = await ask(to, '/sign-in', { method: 'POST', headers: { origin, ...headers } })
    return [status, body]
  }

  async function sendSecure(to: string, origin: string): Promise<unknown[]> {
    const sent = request(`${to}/sign-in`, { method: 'POST', headers: { origin }, rejectUnauthorized: false }).end()
    const [response] = await once(sent, 'response')
    let body = ''
    for await (const chunk of response) body += String(chunk)
    return [response.statusCode, body]
  }
})

/** Connects a client, as the guide declares it. */
async function connectTo(url: string) {
  const client = createClient({ url })
  client.on('error', () => {})
  await client.connect()
  return client satisfies RedisClient
}

describe('the store of the idempotency guide', () => {
  it('runs a method once for two processes, and again when the response is gone', async (t) => {
    const redis = new RedisServer()
    await redis.start()
    const client = await connectTo(redis.url)
    process.env['REDIS_URL'] = redis.url
    Object.assign(globalThis, { connect: connectTo })
    const { once: idempotency, services } = await importGuide('idempotency.md', 'redisIdempotency(redis')
    const made: string[] = []
    class Payments extends Route {
      // Proof: the guide exports the result of `idempotency()`.
      static readonly post = this.contract({ idempotency: idempotency as never, returns: z.number() })
      async post() {
        return made.push('payment')
      }
    }
    // Proof: the guide exports the services of its store.
    const options = {
      routes: { Payments },
      services: services as AdditionalServices,
      logger: false,
      signals: false,
    } as const
    const apps = [1, 2].map(() => createApp(options))
    t.after(async () => {
      await Promise.all(apps.map((app) => app.close()))
      await client.close()
      await redis.remove()
    })
    const pay = async (app = apps[0]): Promise<string | undefined> => {
      const headers = { authorization: 'Bearer ada', 'idempotency-key': '"8e03978e"' }
      return (await app?.fetch(new Request('http://localhost/payments', { method: 'POST', headers })))?.text()
    }
    for (const app of apps) assert.equal(await pay(app), '1')
    assert.ok((await client.keys('shop:idempotency:*')).length > 0)
    await client.flushAll()
    assert.equal(await pay(), '2')
    await until(() => made.length === 2, 'the second run')
  })
})
