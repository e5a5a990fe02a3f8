/** `app.handler` behind `serverless-http`, whose requests and responses have no socket. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import serverless from 'serverless-http'
import { createApp, Route, type Context, type Input } from 'verbena'

class Home extends Route {
  get({ request, response }: Context) {
    response.cookie('a', '1')
    response.cookie('b', '2')
    return { ip: request.ip, url: request.url }
  }
}

class Streams extends Route {
  static readonly path = '/streams/{end}'
  async *get({ params }: Input) {
    yield 'one '
    yield 'two'
    if (params['end'] === 'fails') throw new Error('broken')
  }
}

const app = createApp({ routes: { Home, Streams }, logger: false, signals: false })
const handle = serverless(app.handler)

async function get(path: string) {
  const requestContext = { identity: { sourceIp: '192.0.2.1' } }
  const event = { httpMethod: 'GET', path, headers: { Host: 'a.example' }, body: null, requestContext }
  const result: unknown = await handle({ ...event, multiValueHeaders: {}, isBase64Encoded: false }, {})
  const { statusCode, body, multiValueHeaders } = Object(result)
  return { statusCode, body, cookies: Object(multiValueHeaders)['set-cookie'] }
}

describe('app.handler with serverless-http', () => {
  it('responds', async () => {
    const { statusCode, body, cookies } = await get('/home')
    assert.deepEqual([statusCode, JSON.parse(body), cookies.length], [200, { ip: '192.0.2.1', url: '/home' }, 2])
    assert.equal((await get('/streams/ends')).body, 'one two')
    assert.equal((await get('/none')).statusCode, 404)
  })

  it('rejects the promise of a stream that fails', async () => {
    await assert.rejects(get('/streams/fails'), /^Error: The response ended early/)
  })
})
