/** Guards without a security scheme: the places in which they run, and the headers that a rejected request retains. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { bearer, group, HttpError, provide, Route, type AnyProvider, type Middleware } from 'verbena'
import { override, testApp } from 'verbena/testing'
import { sendRequest, assertSetupError, createUntypedApp, type Answer } from '#test/apps.js'
import { askWire } from '#test/e2e.js'
import * as z from 'zod'

const events: string[] = []
const user = bearer((token) => {
  events.push('user')
  return token === 'ada' && { name: token }
})
const guardOf = (name: string): AnyProvider =>
  provide({ guard: true }, ({ response }) => {
    events.push(name)
    response.header(`x-${name}`, 'set')
  })
/** Sets a cookie for the outcome of the request. */
const ending = provide({ guard: true }, function* ({ response }) {
  try {
    yield 1
    response.cookie('end', 'well')
  } catch {
    response.cookie('end', 'badly')
  }
})
const plain = provide({}, ({ response }) => response.header('x-plain', 'set'))
const failing: Middleware = async ({ request }, next) => {
  const reply = await next()
  if (request.headers['x-fail'] === 'middleware') throw new HttpError(503)
  return reply
}

class Notes extends Route {
  static readonly uses = { attempts: guardOf('class') }
  static readonly middleware = [failing]
  static readonly post = this.contract({
    body: z.object({ text: z.string() }),
    uses: { plain, user, ending, last: guardOf('last') },
  })
  post({ body }: { body: { text: string } }) {
    if (body.text === 'fail') throw new Error('The handler failed')
    return body
  }
}

const app = createUntypedApp({
  routes: { limited: group({ uses: { outer: guardOf('group') }, routes: { Notes } }) },
  logger: false,
})
const signedIn = { authorization: 'Bearer ada', 'content-type': 'application/json' }
const post = (body: string, headers: Record<string, string>): Promise<Answer> =>
  sendRequest(app, '/notes', { method: 'POST', body, headers })

describe('guard without a security scheme', () => {
  it('runs guards in the order group, class, contract, with and without a scheme', async () => {
    events.length = 0
    assert.equal((await post('{"text":"a"}', signedIn)).status, 200)
    assert.deepEqual(events, ['group', 'class', 'user', 'last'])
  })

  it('runs before credentials are checked if it is listed before them', async () => {
    events.length = 0
    assert.equal((await post('{"text":"a"}', { authorization: 'Bearer ben' })).status, 401)
    assert.deepEqual(events, ['group', 'class', 'user'])
  })

  it('runs before the body is read', async () => {
    events.length = 0
    assert.equal((await post('{', signedIn)).status, 400)
    assert.equal((await post('text', { ...signedIn, 'content-type': 'text/plain' })).status, 415)
    assert.deepEqual(events, ['group', 'class', 'user', 'last', 'group', 'class', 'user', 'last'])
  })

  it('rejects a guard with "rawBody", and a "guard" option that is not true', () => {
    class Raw extends Route {
      static readonly uses = { raw: provide({ guard: true, rawBody: true }, () => 1) }
      post() {}
    }
    assertSetupError(() => createUntypedApp({ routes: { Raw } }), 'USES_INVALID', '"raw" needs "rawBody"')
    for (const guard of [false, 'true', null]) {
      // @ts-expect-error - only true is taken
      assertSetupError(() => provide({ guard }, () => 1), 'OPTION_INVALID', 'Write "guard: true"')
    }
  })

  it('runs as a guard if a test replaces it', async () => {
    let calls = 0
    const limit = provide({ guard: true }, () => 'real')
    class Limited extends Route {
      static readonly post = this.contract({ body: z.object({}), uses: { limit } })
      post() {}
    }
    const variant = await testApp(createUntypedApp({ routes: { Limited } }), {
      override: [override(limit, () => `stand-in ${++calls}`)],
    })
    const init = { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } }
    assert.deepEqual([(await variant.fetch('/limited', init)).status, calls], [400, 1])
  })
})

const OUTCOMES: readonly (readonly [about: string, status: number, body: string, headers: Record<string, string>])[] = [
  ['a later guard rejects the request', 401, '{"text":"a"}', {}],
  ['the body is not JSON', 400, '{', signedIn],
  ['the body is invalid', 422, '{"text":1}', signedIn],
  ['the handler fails', 500, '{"text":"fail"}', signedIn],
  ['middleware fails', 503, '{"text":"a"}', { ...signedIn, 'x-fail': 'middleware' }],
  ['the request succeeds', 200, '{"text":"a"}', signedIn],
]

describe('headers of a guard', () => {
  let port = 0
  before(async () => ({ port } = await app.listen()))
  after(() => app.close())

  for (const [about, status, body, headers] of OUTCOMES) {
    it(`keeps headers of guards if ${about}`, async () => {
      const onWire = await askWire(port, { method: 'POST', target: '/notes', headers, body })
      const answer = await post(body, headers)
      assert.deepEqual([answer.status, onWire.status], [status, status])
      const isUserIn = status !== 401
      for (const of of [
        (name: string) => answer.headers.get(name) ?? undefined,
        (name: string) => onWire.headers.get(name),
      ]) {
        assert.deepEqual([of('x-group'), of('x-class'), of('x-last')], ['set', 'set', isUserIn ? 'set' : undefined])
        const end = status === 200 || status === 503 ? 'end=well' : 'end=badly'
        assert.equal(String(of('set-cookie')).split(';')[0], isUserIn ? end : 'undefined')
        assert.equal(of('x-plain'), status === 200 ? 'set' : undefined)
      }
    })
  }
})
