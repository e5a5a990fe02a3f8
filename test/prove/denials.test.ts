// own process: it changes environment variables, because proofs refuse to run in production
/** Denials of `authorization`: guards with each kind of credentials, and guards that accept invalid credentials. */
import assert from 'node:assert/strict'
import { createHmac, createSecretKey } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { describe, it } from 'node:test'
import { listFindings, MatrixFile } from '#test/proof.js'
import {
  anyOf,
  apiKey,
  basic,
  bearer,
  createApp,
  HttpError,
  jwt,
  optional,
  provide,
  Route,
  type Provider,
  type Input,
} from 'verbena'
import { Denials } from '#src/prove/denials.js'
import { ProofApp } from '#src/prove/proof-app.js'
import { session, signedIn } from 'verbena/session'
import { override } from 'verbena/testing'
import type { ActorOption } from 'verbena/prove'

/** A route with one guard on a GET and a POST, whose methods must not run. */
function routeWith(guard: Provider<unknown>) {
  return class Guarded extends Route {
    static readonly uses = { guard }
    get() {
      assert.fail('the method ran')
    }
    post() {
      assert.fail('the method ran')
    }
  }
}

function appWith(guard: Provider<unknown>) {
  return createApp({ routes: { Guarded: routeWith(guard) }, openapi: false })
}

interface Outcome {
  readonly rows: readonly string[]
  readonly findings: readonly string[]
  readonly tried: number
  readonly notTried: object
}

async function proveGuard(guard: Provider<unknown>, ada: ActorOption): Promise<Outcome> {
  using file = new MatrixFile()
  let report = { tried: 0, notTried: {} }
  const run = file.update(appWith(guard), { actors: { ada, nobody: {} } }).then(({ denials }) => (report = denials))
  const findings = await listFindings(run)
  return { rows: file.rows, findings, ...report }
}

const GUARDED = ['reached  401      GET /guarded', 'reached  401      POST /guarded']
const SECRET = createSecretKey(Buffer.alloc(32, 7))

/** A JWT as another program creates it. */
function sign(claims: object, key = SECRET): string {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
}

const CLAIMS = { iss: 'https://id.example', aud: 'api', sub: 'ada', exp: 4_000_000_000 }

describe('authorization(): denials', () => {
  const visitor = session({ keys: ['a text of 32 bytes that nobody knows'] })
  const SOUND: readonly (readonly [about: string, guard: Provider<unknown>, actor: ActorOption, tried: number])[] = [
    ['bearer', bearer((token) => token === 't-ada'), { bearer: 't-ada' }, 14],
    ['basic', basic({ ada: 'correct horse' }), { basic: { username: 'ada', password: 'correct horse' } }, 12],
    [
      'apiKey in a header',
      apiKey({ in: 'header', name: 'X-API-Key' }, (key) => key === 'k-31'),
      { headers: { 'X-API-Key': 'k-31' } },
      12,
    ],
    [
      'apiKey in the query',
      apiKey({ in: 'query', name: 'key' }, (key) => key === 'k-31'),
      { query: { key: 'k-31' } },
      12,
    ],
    [
      'apiKey in a cookie',
      apiKey({ in: 'cookie', name: 'key' }, (key) => key === 'k-31'),
      { cookies: { key: 'k-31' } },
      10,
    ],
    [
      'apiKey without letters',
      apiKey({ in: 'query', name: 'key' }, (key) => key === '***'),
      { query: { key: '***' } },
      12,
    ],
    [
      'basic with other letters',
      basic({ ada: 'schlüssel 🔑' }),
      { basic: { username: 'ada', password: 'schlüssel 🔑' } },
      12,
    ],
    [
      'anyOf',
      anyOf(
        bearer((token) => token === 't-ada'),
        apiKey({ in: 'query', name: 'key' }, (key) => key === 'k-31'),
      ),
      { bearer: 't-ada', query: { key: 'k-31' } },
      24,
    ],
    [
      'jwt',
      bearer(jwt({ algorithms: ['HS256'], keys: SECRET, issuer: CLAIMS.iss, audience: CLAIMS.aud })),
      { bearer: sign(CLAIMS) },
      14,
    ],
  ]
  for (const [about, guard, ada, tried] of SOUND) {
    it(`passes ${about}`, async () => {
      const outcome = await proveGuard(guard, ada)
      assert.deepEqual(outcome, { rows: GUARDED, findings: [], tried, notTried: { expired: 2, foreign: 2 } })
    })
  }

  it('tries expired and foreign credentials', async () => {
    const verify = jwt({ algorithms: ['HS256'], keys: SECRET, issuer: CLAIMS.iss, audience: CLAIMS.aud })
    const invalid = {
      expired: { bearer: sign({ ...CLAIMS, exp: 1_000 }) },
      foreign: { bearer: sign(CLAIMS, createSecretKey(Buffer.alloc(32, 8))) },
    }
    const outcome = await proveGuard(bearer(verify), { bearer: sign(CLAIMS), ...invalid })
    assert.deepEqual(outcome, { rows: GUARDED, findings: [], tried: 18, notTried: {} })
    const lax = bearer((token) => token.split('.')[1] === sign(CLAIMS).split('.')[1])
    const { findings } = await proveGuard(lax, { bearer: sign(CLAIMS), foreign: invalid.foreign })
    assert.match(String(findings), /ada with credentials of another issuer for the guard "guard": reached/)
  })

  it('passes sessions, whose actor signs in with a request', async () => {
    using file = new MatrixFile()
    const user = signedIn(visitor, (name) => name === 'ada')
    class Login extends Route {
      static readonly post = this.contract({ uses: { visitor } })
      async post({ visitor }: Input<typeof Login.post>) {
        visitor.start('ada')
      }
    }
    class Me extends Route {
      static readonly uses = { user }
      get() {
        assert.fail('the method ran')
      }
      post() {
        assert.fail('the method ran')
      }
    }
    const app = createApp({ routes: { Login, Me }, openapi: false })
    const actors: Record<string, ActorOption> = { ada: ({ fetch }) => fetch('/login', { method: 'POST' }), nobody: {} }
    const { denials } = await file.update(app, { actors })
    assert.deepEqual(file.rows, [
      'reached  reached  POST /login',
      'reached  401      GET /me',
      'reached  401      POST /me',
    ])
    assert.deepEqual(denials, { tried: 10, notTried: { expired: 2, foreign: 2 } })
  })

  const WEAK: readonly (readonly [about: string, guard: Provider<unknown>, actor: ActorOption, finding: RegExp])[] = [
    [
      'a token compared by its start',
      bearer((token) => token.startsWith('t-a')),
      { bearer: 't-ada' },
      /one changed byte/,
    ],
    ['a token compared by its end', bearer((token) => token.endsWith('da')), { bearer: 't-ada' }, /one changed byte/],
    [
      'a user without a password',
      basic(({ username }) => username === 'ada'),
      { basic: { username: 'ada', password: 'x1' } },
      /one changed byte/,
    ],
    [
      'any token',
      provide(
        { security: { type: 'http', scheme: 'bearer' }, errors: [401] },
        ({ request }) => request.headers['authorization'] !== undefined,
      ),
      { bearer: 't-ada' },
      /empty credentials .*: reached/,
    ],
    [
      'another scheme',
      provide(
        { security: { type: 'http', scheme: 'bearer' } },
        ({ request }) => request.headers['authorization']?.endsWith(' t-ada') === true,
      ),
      { bearer: 't-ada' },
      /another scheme .*: reached/,
    ],
    [
      'repeated credentials',
      provide(
        { security: { type: 'http', scheme: 'bearer' } },
        ({ request }) => request.headers['authorization']?.startsWith('Bearer t-ada') === true,
      ),
      { bearer: 't-ada' },
      /repeated credentials .*: reached/,
    ],
    [
      'a token in the query',
      provide({ security: { type: 'http', scheme: 'bearer' } }, ({ request }) =>
        [
          request.headers['authorization']?.slice(7),
          new URL(request.url, 'http://a').searchParams.get('access_token'),
        ].includes('t-ada'),
      ),
      { bearer: 't-ada' },
      /credentials in another place .*: reached/,
    ],
    [
      'missing credentials of one client',
      provide({ security: { type: 'http', scheme: 'bearer' } }, ({ request }) => {
        if (request.headers['x-tenant'] === 'acme') return true
        throw new HttpError(401, 'No', { headers: { 'www-authenticate': 'Bearer' } })
      }),
      { bearer: 't-ada', headers: { 'x-tenant': 'acme' } },
      /missing credentials .*: reached/,
    ],
    [
      'a 401 with the challenge of another scheme',
      provide({ security: { type: 'http', scheme: 'bearer' } }, ({ request }) => {
        if (request.headers['authorization'] === 'Bearer t-ada') return true
        throw new HttpError(401, 'No', { headers: { 'www-authenticate': 'Basic realm="x"' } })
      }),
      { bearer: 't-ada' },
      /401 with the challenge "Basic realm="x"", which must be bearer/,
    ],
    [
      'a 401 without a challenge',
      provide({ security: { type: 'apiKey', in: 'header', name: 'x-key' }, errors: [403] }, ({ request }) => {
        if (request.headers['x-key'] === 'k-31') return true
        const headers = request.headers['x-key'] === undefined ? { 'www-authenticate': 'Key' } : {}
        throw new HttpError(401, 'No', { headers })
      }),
      { headers: { 'x-key': 'k-31' } },
      /^(?:(?!missing).)*empty credentials .*: 401 with no challenge/s,
    ],
    [
      'a status that is not a rejection',
      provide({ security: { type: 'http', scheme: 'bearer' }, errors: [400] }, ({ request }) => {
        const { authorization } = request.headers
        if (authorization === undefined || authorization === 'Bearer t-ada') return authorization !== undefined
        throw new HttpError(400)
      }),
      { bearer: 't-ada' },
      /one changed byte .*: 400, which must be 401 or 403/,
    ],
    [
      'a cookie in the rejection',
      provide({ security: { type: 'http', scheme: 'bearer' } }, ({ request, response }) => {
        response.cookie('tracker', 'x')
        return request.headers['authorization'] === 'Bearer t-ada'
      }),
      { bearer: 't-ada' },
      /the response sets the cookie "tracker"/,
    ],
  ]
  for (const [about, guard, ada, finding] of WEAK) {
    it(`finds a guard with ${about}`, async () => {
      const { findings } = await proveGuard(guard, ada)
      assert.match(findings.join('\n'), finding)
    })
  }

  it('does not change credentials for optional guards and for overrides', async () => {
    const user = bearer((token) => token === 't-ada' && { name: 'ada' })
    const outcome = await proveGuard(optional(user), { bearer: 't-ada' })
    assert.deepEqual(outcome.rows, ['reached  reached  GET /guarded', 'reached  reached  POST /guarded'])
    assert.equal(outcome.tried, 0)
    using file = new MatrixFile()
    const overrides = { override: [override(user, () => ({ name: 'ada' }))] }
    const { denials } = await file.update(appWith(user), { actors: { ada: { bearer: 't-ada' } }, overrides })
    assert.deepEqual([file.rows, denials.tried], [['reached  GET /guarded', 'reached  POST /guarded'], 0])
  })

  it('tries no credentials of a scheme that has no place in the request', async () => {
    const schemes = [{ type: 'mutualTLS' }, { type: 'apiKey', in: 'path', name: 'key' }] as const
    for (const security of schemes) {
      const outcome = await proveGuard(
        provide({ security }, () => 'ada'),
        { bearer: 't-ada' },
      )
      assert.deepEqual([outcome.findings, outcome.tried], [[], 0])
    }
  })

  it('moves a key whose name is not the name of a header', async () => {
    const guard = apiKey({ in: 'query', name: 'api key' }, (key) => key === 'k-1')
    const outcome = await proveGuard(guard, { query: { 'api key': 'k-1' } })
    assert.deepEqual([outcome.rows, outcome.findings], [GUARDED, []])
  })

  it('accepts a 403, and reports a body that was read before it', async () => {
    const guard = provide({ security: { type: 'http', scheme: 'bearer' }, errors: [403] }, ({ request }) => {
      if (request.headers['authorization'] !== 'Bearer t-ada') throw new HttpError(403)
      return 'ada'
    })
    const outcome = await proveGuard(guard, { bearer: 't-ada' })
    assert.deepEqual(outcome.findings, [])

    const app = new ProofApp(appWith(guard), {})
    const [target] = app.endpoints
    assert.ok(target)
    const input = {
      method: 'GET',
      path: '/guarded',
      sources: { params: {}, query: {}, headers: {}, cookies: {} },
      body: null,
    }
    const actors = [
      {
        name: 'ada',
        credentials: [{ in: 'header', name: 'authorization', value: 'Bearer t-ada' }] as const,
        invalid: { expired: null, foreign: null },
      },
    ]
    const call = async (sent: Request) => {
      const result = await app.call(target.endpoint, sent)
      result.exchange.collect(10, () => {})
      return result
    }
    const [line] = await new Denials().check({ target, call, input, actors, status: undefined })
    assert.equal(line, 'ada with missing credentials for the guard "guard": 403, but the body was read')
    await app.close()
  })

  it('repeats a header as it arrives over a socket', async () => {
    const seen: unknown[] = []
    const guard = provide({ security: { type: 'http', scheme: 'bearer' } }, ({ request }) => {
      seen.push(request.headers['authorization'])
      return request.headers['authorization'] === 'Bearer t-ada'
    })
    await proveGuard(guard, { bearer: 't-ada' })
    const repeated = 'Bearer t-ada, Bearer t-ada'
    assert.ok(seen.includes(repeated))
    seen.length = 0
    const app = createApp({ routes: { Guarded: routeWith(guard) }, logger: false, signals: false, devConsole: false })
    const { port } = await app.listen({ port: 0 })
    const headers = ['authorization', 'Bearer t-ada', 'authorization', 'Bearer t-ada']
    const sent = request({ port, path: '/guarded', headers: ['host', 'localhost', ...headers] }).end()
    const [response] = await once(sent, 'response')
    response.resume()
    assert.deepEqual([response.statusCode, seen], [401, [repeated]])
    await app.close()
  })
})
