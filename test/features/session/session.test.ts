// own process: hooks of createVisitor() are for all tests of the process
/** `session()`: changes of a session in one request, and the session in the next. */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { createApp, HttpError, provide, Route, type Input } from 'verbena'
import { session } from 'verbena/session'
import { captureLog } from '#test/apps.js'
import { KEY, notingStore, setCookies, createVisitor } from '#test/browser-client.js'
import * as z from 'zod'

const { logger, lines } = captureLog()
const calls: string[] = []
const store = notingStore(calls)
const Value = z.object({ name: z.string(), visits: z.number().default(0) })
const visitor = session({ schema: Value, keys: [KEY], store })
interface Visited {
  visitor: Input<typeof Signing.get>['visitor']
}

/** A transaction, which may fail when it is committed. */
const transaction = provide({ headers: z.object({ 'x-commit': z.string().optional() }) }, function* ({ headers }) {
  yield null
  if (headers['x-commit'] === 'fails') throw new HttpError(409)
})

class Signing extends Route {
  static readonly path = '/session'
  static readonly uses = { visitor, transaction }
  static readonly get = this.contract({})
  async get({ visitor, request }: Input<typeof Signing.get>) {
    if (request.headers['x-fail'] === 'yes') throw new HttpError(404)
    return visitor.value ?? null
  }
  static readonly post = this.contract({ body: z.object({ name: z.string(), status: z.string().optional() }) })
  async post({ visitor, body }: Input<typeof Signing.post>) {
    visitor.start({ name: body.name })
    if (body.status !== undefined) throw new HttpError(Number(body.status))
    return visitor.value
  }
  static readonly put = this.contract({ body: z.unknown() })
  async put({ visitor, body }: Input<typeof Signing.put>) {
    // Proof: the test sends valid and invalid values on purpose.
    visitor.set(body as { name: string })
    return visitor.value
  }
  static readonly delete = this.contract({ query: z.object({ status: z.number().optional() }) })
  async delete({ visitor, query }: Input<typeof Signing.delete>) {
    visitor.end()
    assert.equal(visitor.value, undefined)
    if (query.status === 500) throw new Error('after the end')
    if (query.status !== undefined) throw new HttpError(query.status)
  }
}

class Both extends Route {
  static readonly uses = { visitor }
  post({ visitor }: Visited) {
    visitor.end()
    visitor.start({ name: 'again' })
    visitor.set({ name: 'and again', visits: 3 })
    return visitor.value
  }
  put({ visitor }: Visited) {
    visitor.start({ name: 'for a moment' })
    visitor.end()
    return visitor.value ?? null
  }
  patch({ visitor }: Visited) {
    visitor.end()
    visitor.set({ name: 'ended' })
  }
  delete({ visitor }: Visited) {
    visitor.end()
    visitor.start({ name: 'again' })
    throw new HttpError(400)
  }
}

const late: { visitor: Visited['visitor'] | null } = { visitor: null }
class Late extends Route {
  static readonly uses = { visitor }
  async *get({ visitor }: Visited) {
    late.visitor = visitor
    yield visitor.value?.name ?? 'nobody'
    for (const change of [() => visitor.start({ name: 'x' }), () => visitor.set({ name: 'x' }), () => visitor.end()]) {
      try {
        change()
        yield ' changed'
      } catch (error) {
        yield `, ${String(error)}`
      }
    }
  }
}

const app = createApp({ logger, routes: { Signing, Both, Late } })
const ada = createVisitor(app)
const clearLines = () => {
  lines.length = 0
}

/** Returns the calls of the store during a task, in order. */
async function asked(task: () => Promise<unknown>): Promise<string[]> {
  calls.length = 0
  await task()
  return [...calls]
}
const signIn = (name = 'ada') => ada.ask('POST', '/session', { body: { name } })
const me = async (): Promise<unknown> => JSON.parse((await ada.ask('GET', '/session')).body)

describe('session()', () => {
  beforeEach(clearLines)

  it('does not call the store or set a cookie before a session starts', async () => {
    assert.deepEqual(await asked(() => ada.ask('GET', '/session')), [])
    const { headers, body } = await ada.ask('GET', '/session')
    assert.deepEqual([body, headers.get('set-cookie'), headers.get('vary')], ['null', undefined, 'cookie'])
  })

  it('starts a session that the next requests find, including HEAD', async () => {
    const answer = await signIn()
    assert.equal(answer.body, '{"name":"ada","visits":0}')
    const [line = ''] = setCookies(answer)
    const attributes = /; Path=\/; Max-Age=86400; SameSite=Lax; Secure; HttpOnly$/
    assert.match(line, new RegExp(`^__Host-session=[\\w-]{94}${attributes.source}`))
    assert.deepEqual(await me(), { name: 'ada', visits: 0 })
    const again = await ada.ask('GET', '/session')
    assert.equal(again.headers.get('set-cookie'), undefined)
    assert.deepEqual(await asked(() => ada.ask('GET', '/session')), ['get'])
    assert.equal((await ada.ask('HEAD', '/session')).headers.get('content-length'), String(again.body.length))
  })

  it('changes the value of a session only to values that match the schema', async () => {
    await signIn()
    assert.equal((await ada.ask('PUT', '/session', { body: { name: 'ben', visits: 2 } })).status, 200)
    assert.deepEqual(await me(), { name: 'ben', visits: 2 })
    for (const body of [{ name: 7 }, 'ada', null]) {
      lines.length = 0
      const { status, body: text } = await ada.ask('PUT', '/session', { body })
      assert.deepEqual([status, text.includes('schema')], [500, false])
      assert.match(
        String(lines[0]?.fields['err']),
        /^TypeError: Cannot set the session: the JSON form of the value does not match the schema at/,
      )
    }
    assert.deepEqual(await me(), { name: 'ben', visits: 2 })
  })

  it('responds 500 to set() without a session', async () => {
    assert.equal((await ada.ask('PUT', '/session', { body: { name: 'ada' } })).status, 500)
    assert.match(String(lines[0]?.fields['err']), /Cannot set the session: the request has no session\. Call "start"$/)
    await signIn()
    assert.equal((await ada.ask('PATCH', '/both')).status, 500)
    assert.equal(await me(), null)
  })

  it('deletes the session from the store and its cookie from the browser', async () => {
    await signIn()
    const [[name = '', value = '']] = [...ada.cookies] as [[string, string]]
    assert.deepEqual(await asked(() => ada.ask('DELETE', '/session')), ['get', 'delete'])
    assert.equal(ada.cookies.size, 0)
    assert.equal((await ada.ask('GET', '/session', { headers: { cookie: `${name}=${value}` } })).body, 'null')
    const { status, headers } = await ada.ask('DELETE', '/session')
    assert.deepEqual([status, headers.get('set-cookie')?.includes('Max-Age=0')], [204, true])
  })

  it('starts a new session with a new id and deletes the previous one', async () => {
    await signIn()
    const before = ada.cookies.get('__Host-session')
    assert.deepEqual(await asked(() => signIn('ben')), ['get', 'set new', 'delete'])
    assert.notEqual(ada.cookies.get('__Host-session'), before)
    assert.equal((await ada.ask('GET', '/session', { headers: { cookie: `__Host-session=${before}` } })).body, 'null')
    assert.deepEqual(await me(), { name: 'ben', visits: 0 })
  })

  it('applies the last of several changes and sets one cookie', async () => {
    await signIn()
    const { body, headers } = await ada.ask('POST', '/both')
    assert.deepEqual([body, headers.get('set-cookie')?.includes('\n')], ['{"name":"and again","visits":3}', false])
    assert.deepEqual(await me(), { name: 'and again', visits: 3 })
    assert.deepEqual(await asked(() => ada.ask('PUT', '/both')), ['get', 'delete'])
    assert.equal(await me(), null)
  })

  it('rejects changes after the response headers are sent, but allows reads', async () => {
    await signIn()
    const { body } = await ada.ask('GET', '/late')
    const error =
      'Error: Cannot change the session: the response headers are complete. Change it before the method returns'
    assert.equal(body.split(error).length, 4, body)
    assert.match(body, /^ada, /)
    assert.throws(() => late.visitor?.start({ name: 'x' }), /Cannot change the session/)
    assert.deepEqual(await me(), { name: 'ada', visits: 0 })
  })

  it('works with app.fetch()', async () => {
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: '{"name":"ada"}' }
    const answer = await app.fetch(new Request('https://localhost/session', init))
    const [cookie = ''] = answer.headers.getSetCookie()[0]?.split(';') ?? []
    const found = await app.fetch(new Request('https://localhost/session', { headers: { cookie } }))
    assert.deepEqual(await found.json(), { name: 'ada', visits: 0 })
  })
})

describe('session: failed requests', () => {
  beforeEach(clearLines)

  it('does not start or change a session if the request fails', async () => {
    for (const status of ['400', '401', '500']) {
      const answer = await ada.ask('POST', '/session', { body: { name: 'ada', status } })
      assert.deepEqual([answer.status, setCookies(answer)], [Number(status), []])
    }
    await signIn()
    const fails = { 'x-commit': 'fails' }
    assert.equal((await ada.ask('PUT', '/session', { body: { name: 'ben' }, headers: fails })).status, 409)
    assert.equal((await ada.ask('POST', '/session', { body: { name: 'ben' }, headers: fails })).status, 409)
    assert.deepEqual(await me(), { name: 'ada', visits: 0 })
    assert.deepEqual(await asked(() => ada.ask('GET', '/session', { headers: { 'x-fail': 'yes' } })), ['get'])
  })

  it('ends a session and deletes its cookie even if the request fails', async () => {
    for (const status of [401, 403, 500]) {
      await signIn()
      const cookie = ada.cookies.get('__Host-session')
      const answer = await ada.ask('DELETE', `/session?status=${status}`)
      assert.deepEqual([answer.status, ada.cookies.size], [status, 0])
      assert.equal((await ada.ask('GET', '/session', { headers: { cookie: `__Host-session=${cookie}` } })).body, 'null')
    }
    await signIn()
    assert.equal((await ada.ask('DELETE', '/both')).status, 400)
    assert.deepEqual([ada.cookies.size, await me()], [0, null])
  })
})
