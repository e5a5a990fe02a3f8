import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { after, before, beforeEach, describe, it } from 'node:test'
import { jwt, type JwtVerifier } from '#src/features/auth/jwt/jwt.js'
import { CLAIMS, EC, NOW, RSA, SECRET, readTokenError, signToken } from '#test/tokens.js'

const EC_JWK = { ...EC.publicKey.export({ format: 'jwk' }), kty: 'EC' }
const MINUTE = 60_000
const OUTAGE = {
  status: 503,
  detail: 'Cannot verify tokens: the key set is unavailable. Try again later',
  challenge: undefined,
}

describe('jwt() with keys at a URL', () => {
  let server: Server
  let url: URL
  let answer: RequestListener
  /** Number of requests for the keys. */
  let fetches = 0
  let now = NOW
  let failures: unknown[] = []

  const keySet =
    (kids: readonly string[], headers: Record<string, string> = {}): RequestListener =>
    (_request, response) =>
      void response.writeHead(200, headers).end(JSON.stringify({ keys: kids.map((kid) => ({ ...EC_JWK, kid })) }))
  const status =
    (code: number): RequestListener =>
    (_request, response) =>
      void response.writeHead(code).end('{"keys":[]}')
  const body =
    (text: string): RequestListener =>
    (_request, response) =>
      void response.end(text)

  const verifier = (timeout = 5_000): JwtVerifier =>
    jwt({
      algorithms: ['ES256', 'RS256'],
      keys: { url, timeout, onFailure: (error) => void failures.push(error) },
      expiry: 'optional',
      audience: 'api',
      now: () => now,
    })
  const { iat: _iat, nbf: _nbf, exp: _exp, ...timeless } = CLAIMS
  const named = (kid: string): Promise<string> => signToken('ES256', timeless, { kid })
  const accepts = async (verify: JwtVerifier, kid: string): Promise<boolean> => {
    const token = await named(kid)
    const refusal = await readTokenError(() => verify(token))
    assert.ok(refusal === null || refusal.status === 401, JSON.stringify(refusal))
    return refusal === null
  }

  before(async () => {
    server = createServer((request, response) => {
      fetches++
      answer(request, response)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    assert.ok(typeof address === 'object' && address !== null)
    url = new URL(`http://127.0.0.1:${address.port}/keys`)
  })
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  beforeEach(() => {
    fetches = 0
    now = NOW
    failures = []
  })

  it('fetches keys on first use, once for concurrent tokens, and verifies synchronously afterwards', async () => {
    answer = keySet(['a'])
    const verify = verifier()
    const token = await named('a')
    assert.equal(fetches, 0)
    const first = [verify(token), verify(token), verify(token)]
    for (const claims of first) assert.ok(claims instanceof Promise)
    assert.deepEqual(await Promise.all(first), [timeless, timeless, timeless])
    assert.deepEqual(verify(token), timeless)
    assert.equal(fetches, 1)
  })

  it('does not fetch keys for malformed tokens and algorithms that are not accepted', async () => {
    answer = keySet(['a'])
    const verify = verifier()
    assert.equal(
      (await readTokenError(async () => verify(await signToken('HS256', timeless, { kid: 'a' }))))?.status,
      401,
    )
    assert.equal((await readTokenError(() => verify('a.b.c')))?.status, 401)
    assert.equal(fetches, 0)
  })

  it('fetches keys again for an unknown kid, but at most every 30 s', async () => {
    answer = keySet(['a'])
    const verify = verifier()
    assert.equal(await accepts(verify, 'a'), true)
    answer = keySet(['a', 'b'])
    assert.equal(await accepts(verify, 'b'), false, 'it has just fetched')
    assert.equal(fetches, 1)
    now += 30_000
    const token = await named('b')
    assert.deepEqual(await Promise.all([verify(token), verify(token)]), [timeless, timeless])
    assert.equal(fetches, 2)
    for (let kid = 0; kid < 20; kid++) assert.equal(await accepts(verify, `made-up-${kid}`), false)
    assert.equal(fetches, 2)
    now += 30_000
    assert.equal(await accepts(verify, 'made-up'), false)
    assert.equal(fetches, 3)
    assert.equal(await accepts(verify, 'a'), true)
  })

  it('rejects a key that was removed from the set, after the cached set is stale', async () => {
    answer = keySet(['a', 'b'], { 'cache-control': 'public, Max-Age=300' })
    const verify = verifier()
    assert.equal(await accepts(verify, 'a'), true)
    answer = keySet(['b'])
    now += 5 * MINUTE - 1
    assert.equal(await accepts(verify, 'a'), true)
    assert.equal(fetches, 1)
    now += 1
    assert.equal(await accepts(verify, 'a'), false)
    assert.equal(await accepts(verify, 'b'), true)
    assert.equal(fetches, 2)
    answer = keySet([])
    now += 10 * MINUTE
    assert.equal(await accepts(verify, 'b'), false, 'an empty set is a set: all keys are revoked')
  })

  const LIVES: readonly (readonly [header: string | undefined, minutes: number])[] = [
    [undefined, 10],
    ['public', 10],
    ['max-age=soon', 10],
    ['max-age=3600, must-revalidate', 60],
    ['max-age=0', 1],
    ['max-age=-5', 1],
    ['max-age=1', 1],
    ['no-store, max-age=3600', 1],
    ['max-age=3600,no-cache', 1],
    ['max-age=99999999999', 24 * 60],
  ]
  for (const [header, minutes] of LIVES) {
    it(`caches keys for ${minutes} min with Cache-Control ${header ?? 'missing'}`, async () => {
      answer = keySet(['a'], header === undefined ? {} : { 'cache-control': header })
      const verify = verifier()
      assert.equal(await accepts(verify, 'a'), true)
      now += minutes * MINUTE - 1
      assert.equal(await accepts(verify, 'a'), true)
      assert.equal(fetches, 1)
      now += 1
      assert.equal(await accepts(verify, 'a'), true)
      assert.equal(fetches, 2)
    })
  }

  it('uses stale keys for a day if the URL is unavailable', async () => {
    answer = keySet(['a'])
    const verify = verifier()
    assert.equal(await accepts(verify, 'a'), true)
    answer = status(500)
    now += 10 * MINUTE
    const token = await named('a')
    assert.ok(verify(token) instanceof Promise, 'the first waits')
    assert.deepEqual(await verify(token), timeless)
    assert.deepEqual(verify(token), timeless, 'those who follow do not')
    assert.equal(fetches, 2)
    now += 30_000
    assert.deepEqual(verify(token), timeless, 'nor does the one that tries again')
    while (failures.length < 2) await new Promise(setImmediate)
    assert.equal(fetches, 3)
    now = NOW + 10 * MINUTE + 24 * 60 * MINUTE + 1
    assert.deepEqual(await readTokenError(() => verify(token)), OUTAGE)
    answer = keySet(['a'])
    now += 1_000
    assert.equal(await accepts(verify, 'a'), true)
    assert.equal(failures.length, 3)
  })

  it('throws a 503 without keys, and fetches again after a second', async () => {
    answer = status(404)
    const verify = verifier()
    const token = await named('a')
    assert.deepEqual(await readTokenError(() => verify(token)), OUTAGE)
    assert.deepEqual(await readTokenError(() => verify(token)), OUTAGE)
    assert.equal(fetches, 1)
    answer = keySet(['a'])
    now += 1_000
    assert.deepEqual(await verify(token), timeless)
    assert.equal(fetches, 2)
  })

  it('ignores an error thrown by onFailure', async () => {
    answer = status(500)
    const onFailure = (): never => {
      throw new Error('the listener')
    }
    const verify = jwt({ algorithms: ['ES256'], keys: { url, onFailure }, now: () => now })
    assert.deepEqual(await readTokenError(async () => verify(await named('a'))), OUTAGE)
  })

  const drip = (response: ServerResponse): void => void response.write(' ')
  const BROKEN: readonly (readonly [what: string, answer: RequestListener, why: RegExp])[] = [
    ['a server error', status(500), /status 500/],
    ['without a body', status(204), /status 204/],
    ['a redirect', (_, response) => void response.writeHead(302, { location: '/keys' }).end(), /fetch failed/],
    ['a connection reset', (request) => void request.socket.destroy(), /fetch failed/],
    ['not JSON', body('<html>'), /JSON/],
    ['JSON, but not a key set', body('[]'), /"keys" must be an array/],
    ['null', body('null'), /"keys" must be an array/],
    [
      'a set of too many keys',
      body(JSON.stringify({ keys: Array.from({ length: 101 }, () => EC_JWK) })),
      /more than 100 keys/,
    ],
    ['too large', body(' '.repeat(262_145)), /more than 262144 bytes/],
  ]
  for (const [what, broken, why] of BROKEN) {
    it(`passes the reason to onFailure if the response is ${what}`, async () => {
      answer = broken
      const verify = verifier()
      assert.deepEqual(await readTokenError(async () => verify(await named('a'))), OUTAGE)
      const [failure] = failures
      assert.ok(failure instanceof Error && failure.cause instanceof Error)
      assert.equal(failure.message, `Cannot read the keys at "${url.href}"`)
      assert.match(failure.cause.message, why)
    })
  }

  for (const [what, slow] of [
    ['does not start', (): void => undefined],
    ['does not end', (_: unknown, response: ServerResponse): void => drip(response)],
  ] as const) {
    it(`aborts a fetch after the timeout if the response ${what}`, async () => {
      answer = slow
      const verify = verifier(20)
      assert.deepEqual(await readTokenError(async () => verify(await named('a'))), OUTAGE)
      assert.equal(failures.length, 1)
    })
  }

  it('stops reading an endless response', async () => {
    const left = new Promise<void>((resolve) => {
      answer = (_request, response) => {
        response.on('close', resolve)
        const more = (): void => {
          if (!response.destroyed) response.write(' '.repeat(65_536), () => setImmediate(more))
        }
        more()
      }
    })
    const verify = verifier()
    assert.deepEqual(await readTokenError(async () => verify(await named('a'))), OUTAGE)
    await left
  })

  it('ignores secrets and unusable keys in a fetched set', async () => {
    const secret = { kty: 'oct', kid: 'a', k: SECRET.toString('base64url') }
    const rsa = { ...RSA.publicKey.export({ format: 'jwk' }), kty: 'RSA', kid: 'r', x5c: ['MII'] }
    answer = body(JSON.stringify({ keys: [secret, null, 1, { kty: 'XX' }, { ...EC_JWK, kid: 'e', use: 'enc' }, rsa] }))
    const verify = verifier()
    assert.deepEqual(await verify(await signToken('RS256', timeless, { kid: 'r' })), timeless)
    assert.equal(
      (await readTokenError(async () => verify(await signToken('HS256', timeless, { kid: 'a' }))))?.status,
      401,
    )
    assert.equal(await accepts(verify, 'e'), false)
  })

  it('requests a key set with the Accept header', async () => {
    let accept: string | undefined
    answer = (request, response) => {
      accept = request.headers.accept
      keySet(['a'])(request, response)
    }
    assert.equal(await accepts(verifier(), 'a'), true)
    assert.equal(accept, 'application/jwk-set+json, application/json')
  })
})
