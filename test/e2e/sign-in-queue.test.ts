import assert from 'node:assert/strict'
import { setMaxListeners } from 'node:events'
import { connect, type Socket } from 'node:net'
import { beforeEach, describe, it } from 'node:test'
import { basic, createApp, HttpError, Route, type Input } from 'verbena'
import { hashPassword, verifyPassword } from 'verbena/auth'
import { until } from '#test/e2e.js'

/** Hash with the lowest cost, so that the tests do not wait for it. */
const CHEAP = `$scrypt$ln=1,r=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`

/** On a busy machine, the average of earlier hashes could be so long that none may wait. */
const shortenAverage = async () => {
  for (let index = 0; index < 30; index++) await verifyPassword('guess', CHEAP)
}

/** Verifications of unknown users, each with the full work of a hash. */
class Verifications {
  started = 0
  readonly done: string[] = []
  readonly removed: unknown[] = []

  async run(name: string, signal: AbortSignal): Promise<boolean> {
    this.started++
    try {
      const isCorrect = await verifyPassword('guess', undefined, { signal })
      this.done.push(name)
      return isCorrect
    } catch (error) {
      this.removed.push(error)
      throw error
    }
  }
}

function signInApp(verifications: Verifications) {
  class SignIn extends Route {
    async post({ request, signal }: Input) {
      const name = request.headers['x-name'] ?? ''
      if (!(await verifications.run(name, signal))) throw new HttpError(401)
    }
  }
  const user = basic(({ username }, _services, { signal }) => verifications.run(username, signal))
  class Account extends Route {
    static readonly uses = { user }
    async post() {}
  }
  return createApp({ routes: { SignIn, Account }, logger: false })
}

const authorization = (name: string) => `Basic ${Buffer.from(`${name}:guess`).toString('base64')}`

describe('verifyPassword(): signal of a request', () => {
  beforeEach(shortenAverage)

  for (const [place, path, headersFor] of [
    ['a method', '/sign-in', (name: string) => ({ 'x-name': name })],
    ['the function of basic()', '/account', (name: string) => ({ authorization: authorization(name) })],
  ] as const) {
    it(`in ${place}, the hash of a client that disconnected does not delay the next sign-in`, async () => {
      const verifications = new Verifications()
      const app = signInApp(verifications)
      const { port, url } = await app.listen({ port: 0 })
      try {
        const sockets = Array.from({ length: 14 }, (_, index) => sendPost(port, path, headersFor(`left ${index}`)))
        await until(() => verifications.started === 14, 'all sign-ins have started')
        for (const socket of sockets) socket.resetAndDestroy()
        await until(() => verifications.removed.length >= 10, 'sign-ins were removed')
        const response = await fetch(`${url}${path}`, { method: 'POST', headers: headersFor('next') })
        assert.equal(response.status, 401)
        assert.equal(verifications.done.at(-1), 'next')
        assert.deepEqual(new Set(verifications.removed.map(String)), new Set(['AbortError: The client disconnected']))
      } finally {
        await app.close()
      }
    })
  }
})

function sendPost(port: number, path: string, headers: Readonly<Record<string, string>>): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n${lines.join('')}\r\n`)
  return socket
}

describe('queue of hashes', () => {
  beforeEach(shortenAverage)

  it('responds with 503 and Retry-After if it is full, and accepts hashes after the others were aborted', async () => {
    class SignIn extends Route {
      async post() {
        return (await verifyPassword('guess', undefined)) ? 'welcome' : 'wrong'
      }
    }
    const app = createApp({ routes: { SignIn }, logger: false })
    const controller = new AbortController()
    const { signal } = controller
    setMaxListeners(0, signal)
    const others = Array.from({ length: 103 }, () => verifyPassword('guess', undefined, { signal }))
    const settled = Promise.allSettled(others)
    const full = await app.fetch(new Request('http://localhost/sign-in', { method: 'POST' }))
    assert.equal(full.status, 503)
    assert.match(full.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
    await assert.rejects(hashPassword('guess', { signal }), { status: 503, source: 'framework' })
    controller.abort()
    const later = await app.fetch(new Request('http://localhost/sign-in', { method: 'POST' }))
    assert.equal(await later.text(), 'wrong')
    await settled
    await assert.rejects(hashPassword('guess', { signal }), { name: 'AbortError' })
  })
})
