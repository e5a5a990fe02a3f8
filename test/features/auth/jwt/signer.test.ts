import assert from 'node:assert/strict'
import { createSecretKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { describe, it } from 'node:test'
import { jwtVerify } from 'jose'
import { bearer, createApp, jwt, Route, SetupError, type Input, type JwtAlgorithm } from 'verbena'
import { jwtSigner, type JwtSignerOptions, type NewClaims } from 'verbena/auth'
import { EC, ED, NOW, readTokenError, RSA, SECONDS, SECRET } from '#test/tokens.js'

interface Pair {
  readonly signs: KeyObject
  readonly verifies: KeyObject
}

const PAIRS: Readonly<Record<JwtAlgorithm, Pair>> = {
  HS256: { signs: createSecretKey(SECRET), verifies: createSecretKey(SECRET) },
  RS256: { signs: RSA.privateKey, verifies: RSA.publicKey },
  ES256: { signs: EC.privateKey, verifies: EC.publicKey },
  EdDSA: { signs: ED.privateKey, verifies: ED.publicKey },
}
const ALGORITHMS: readonly JwtAlgorithm[] = ['HS256', 'RS256', 'ES256', 'EdDSA']

const CONSTANTS = { expiresIn: 60, issuer: 'issuer', audience: 'api', now: () => NOW } as const
const HS = { ...CONSTANTS, key: SECRET, algorithm: 'HS256' } as const
const ES = { ...CONSTANTS, key: EC.privateKey, algorithm: 'ES256' } as const
const EXPECTED = { issuer: 'issuer', audience: 'api' }
const FULL = { sub: 'ada', iss: 'issuer', aud: 'api', iat: SECONDS, exp: SECONDS + 60 }

function toJwk(key: KeyObject): { readonly kty: string; readonly [member: string]: unknown } {
  const { kty = '', ...members } = key.export({ format: 'jwk' })
  return { ...members, kty }
}

function readPart(token: string, index: 0 | 1): unknown {
  return JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString())
}

/** Signs claims that a JavaScript project may pass. */
function signUnchecked(options: JwtSignerOptions, claims: unknown): string {
  // Proof: the type forbids these claims, and the test checks the error at run time.
  return jwtSigner(options)(claims as NewClaims)
}

describe('jwtSigner()', () => {
  for (const algorithm of ALGORITHMS) {
    const { signs, verifies } = PAIRS[algorithm]
    const sign = jwtSigner({ ...CONSTANTS, key: signs, algorithm })

    it(`signs tokens with ${algorithm} that jose verifies`, async () => {
      const currentDate = new Date(NOW)
      const { payload, protectedHeader } = await jwtVerify(sign({ sub: 'ada' }), verifies, { ...EXPECTED, currentDate })
      assert.deepEqual(payload, FULL)
      assert.deepEqual(protectedHeader, { alg: algorithm })
    })

    it(`signs tokens with ${algorithm} that jwt verifies, until they expire`, async () => {
      const settings = { ...EXPECTED, algorithms: [algorithm], keys: verifies, leeway: 0 }
      const token = sign({ sub: 'ada', roles: ['é', '😀'] })
      assert.deepEqual(jwt({ ...settings, now: () => NOW })(token), { ...FULL, roles: ['é', '😀'] })
      const expired = jwt({ ...settings, now: () => NOW + 60_000 })
      assert.equal((await readTokenError(() => expired(token)))?.detail, 'The token has expired')
    })

    it(`accepts the JWK of a key for ${algorithm} and sends its kid`, () => {
      const jwk = { ...toJwk(signs), kid: 'k1', use: 'sig', alg: algorithm, key_ops: ['sign'] }
      const token = jwtSigner({ ...CONSTANTS, key: jwk, algorithm })({})
      assert.deepEqual(readPart(token, 0), { alg: algorithm, kid: 'k1' })
      const keys = [{ ...toJwk(verifies), kid: 'k1' }]
      assert.ok(jwt({ ...EXPECTED, algorithms: [algorithm], keys, now: () => NOW })(token))
    })
  }

  it('rounds iat down, so that no token is issued in the future', () => {
    const now = (): number => NOW + 999
    const token = jwtSigner({ ...HS, now })({})
    assert.deepEqual(jwt({ ...EXPECTED, algorithms: ['HS256'], keys: SECRET, leeway: 0, now })(token), {
      ...{ iss: 'issuer', aud: 'api', iat: SECONDS, exp: SECONDS + 60 },
    })
  })

  it('uses the current time without the now option', () => {
    const token = jwtSigner({ key: SECRET, algorithm: 'HS256', expiresIn: 1 })({ sub: 'ada' })
    assert.ok(jwt({ algorithms: ['HS256'], keys: SECRET, leeway: 0 })(token))
  })

  it('writes typ and kid into the header if type and keyId are set', async () => {
    const token = jwtSigner({ ...HS, type: 'at+jwt', keyId: 'k2' })({})
    assert.deepEqual(readPart(token, 0), { alg: 'HS256', typ: 'at+jwt', kid: 'k2' })
    const verify = jwt({ ...EXPECTED, algorithms: ['HS256'], keys: SECRET, type: 'at+jwt', now: () => NOW })
    assert.ok(await verify(token))
    assert.deepEqual(
      readPart(jwtSigner({ ...HS, key: { ...toJwk(PAIRS.HS256.signs), kid: 'k2' }, keyId: 'k2' })({}), 0),
      {
        alg: 'HS256',
        kid: 'k2',
      },
    )
  })

  it('accepts iss and aud in the claims if no option sets them', () => {
    const sign = jwtSigner({ key: SECRET, algorithm: 'HS256', expiresIn: 60, now: () => NOW })
    const claims = { iss: 'other', aud: ['a', 'b'], nbf: SECONDS, jti: 'i', __proto__: null }
    assert.deepEqual(readPart(sign(claims), 1), { ...claims, iat: SECONDS, exp: SECONDS + 60 })
  })

  it('copies an array of audiences', () => {
    const audience = ['a', 'b']
    const sign = jwtSigner({ ...HS, audience })
    audience.push('c')
    assert.deepEqual(readPart(sign({}), 1), { iss: 'issuer', aud: ['a', 'b'], iat: SECONDS, exp: SECONDS + 60 })
  })

  it('signs everything that JSON represents, and omits undefined in objects', () => {
    class User {
      readonly name = 'ada'
    }
    const claims = {
      ...{ a: null, b: [[], {}, 1.5, true, 'x'], c: new Date(NOW), d: { e: undefined }, f: new User(), g: '' },
      ...{ h: Object.create(null), i: { toJSON: () => 'json' }, url: new URL('https://a.example/') },
    }
    const expected: unknown = JSON.parse(JSON.stringify({ ...claims, ...FULL, sub: undefined }))
    assert.deepEqual(readPart(jwtSigner(HS)(claims), 1), expected)
  })

  it('accepts an nbf and an expiresIn of up to ten years', () => {
    const token = jwtSigner({ ...HS, expiresIn: 315_360_000 })({ nbf: SECONDS + 315_360_000 })
    const times = { nbf: SECONDS + 315_360_000, iat: SECONDS, exp: SECONDS + 315_360_000 }
    assert.deepEqual(readPart(token, 1), { iss: 'issuer', aud: 'api', ...times })
  })

  it('omits claims with the value undefined, also if an option sets them', () => {
    assert.deepEqual(readPart(signUnchecked(HS, { sub: 'ada', iss: undefined, exp: undefined }), 1), FULL)
  })

  it('signs tokens that a guard of the same app accepts', async () => {
    const user = bearer(jwt({ ...EXPECTED, algorithms: ['ES256'], keys: EC.publicKey, now: () => NOW }))
    class Me extends Route {
      static readonly get = this.contract({ uses: { user } })
      async get({ user }: Input<typeof Me.get>) {
        return user.sub
      }
    }
    const headers = { authorization: `Bearer ${jwtSigner(ES)({ sub: 'ada' })}` }
    const response = await createApp({ routes: { Me } }).fetch(new Request('http://localhost/me', { headers }))
    assert.equal(await response.text(), 'ada')
  })
})

const CIRCLE: Record<string, unknown> = {}
CIRCLE['self'] = CIRCLE

describe('jwtSigner(): claims', () => {
  const MISTAKES: readonly (readonly [mistake: string, claims: unknown, message: RegExp])[] = [
    ['exp', { exp: 1 }, /the option "expiresIn" of jwtSigner\(…\) sets the claim "exp"\. Remove it from the claims$/],
    ['iat', { iat: SECONDS }, /the option "now" of jwtSigner\(…\) sets the claim "iat"/],
    [
      'iss, which the option issuer sets',
      { iss: 'issuer' },
      /the option "issuer" of jwtSigner\(…\) sets the claim "iss"/,
    ],
    [
      'aud, which the option audience sets',
      { aud: null },
      /the option "audience" of jwtSigner\(…\) sets the claim "aud"/,
    ],
    ['a sub that is a number', { sub: 7 }, /the claim "sub" must be a string\. Write "sub: String\(id\)"/],
    ['a jti that is null', { jti: null }, /the claim "jti" must be a string/],
    ['an nbf that is a Date', { nbf: new Date() }, /the claim "nbf" must be a number/],
    ['an nbf of NaN', { nbf: NaN }, /the claim "nbf" must be a number/],
    ['a missing object', undefined, /the claims must be a plain object/],
    ['an array', [], /the claims must be a plain object/],
    ['an instance of a class', new Date(), /the claims must be a plain object/],
    ['a function toJSON', { toJSON: () => ({ exp: 9e9 }) }, /the claims have a function "toJSON"/],
    [
      'an nbf in ms',
      { nbf: NOW },
      /the claim "nbf" must be at most ten years from now\. Write it in seconds since 1970/,
    ],
    ['an nbf above ten years', { nbf: SECONDS + 315_360_001 }, /the claim "nbf" must be at most ten years from now/],
    ['a bigint', { id: 1n }, /JSON cannot represent the claim "id"/],
    ['a Set', { roles: new Set(['a']) }, /JSON cannot represent the claim "roles"\. Use strings, finite numbers/],
    ['a Map', { roles: new Map([['a', 1]]) }, /JSON cannot represent the claim "roles"/],
    ['a nested Set', { a: 1, user: { roles: [new Set()] } }, /JSON cannot represent the claim "user"/],
    ['a claim after a nested object', { user: { a: [1] }, b: NaN }, /JSON cannot represent the claim "b"/],
    ['NaN', { level: NaN }, /JSON cannot represent the claim "level"/],
    ['a nested Infinity', { levels: [1, Infinity] }, /JSON cannot represent the claim "levels"/],
    ['an invalid date', { since: new Date(NaN) }, /JSON cannot represent the claim "since"/],
    ['a function', { run: () => 1 }, /JSON cannot represent the claim "run"/],
    ['a symbol', { kind: Symbol('a') }, /JSON cannot represent the claim "kind"/],
    ['undefined in an array', { list: [1, undefined] }, /JSON cannot represent the claim "list"/],
    ['a hole in an array', { list: Object.assign([], { length: 1 }) }, /the claim "list"/],
    ['a regular expression', { form: /a/ }, /JSON cannot represent the claim "form"/],
    ['an error', { cause: new Error('a') }, /JSON cannot represent the claim "cause"/],
    ['bytes', { id: new Uint8Array(1) }, /JSON cannot represent the claim "id"/],
    ['a promise', { user: Promise.resolve(1) }, /JSON cannot represent the claim "user"/],
    ['a toJSON that returns nothing', { user: { toJSON: () => undefined } }, /the claim "user"/],
    ['a circle', CIRCLE, /JSON cannot represent the claim "self"/],
  ]

  for (const [mistake, claims, message] of MISTAKES) {
    it(`throws a TypeError for ${mistake}`, () => {
      assert.throws(() => signUnchecked(HS, claims), { name: 'TypeError', message })
    })
  }

  it('throws a TypeError for iss and aud of the wrong type', () => {
    const { issuer: _i, audience: _a, ...open } = HS
    for (const aud of [7, [], ['a', 7]]) {
      assert.throws(() => signUnchecked(open, { aud }), {
        name: 'TypeError',
        message: /the claim "aud" must be a string/,
      })
    }
    assert.throws(() => signUnchecked(open, { iss: 7 }), {
      name: 'TypeError',
      message: /the claim "iss" must be a string/,
    })
  })

  it('reads each property once, so that a getter cannot replace a checked value', () => {
    const values: readonly unknown[] = ['ada', 7]
    let reads = 0
    const claims = {
      get sub() {
        return values[reads++]
      },
    }
    assert.deepEqual(readPart(signUnchecked(HS, claims), 1), FULL)
  })

  it('throws a RangeError for a token that jwt would reject as too long', async () => {
    const sign = jwtSigner(HS)
    const verify = jwt({ ...EXPECTED, algorithms: ['HS256'], keys: SECRET, now: () => NOW })
    const spare = 16_384 - sign({ note: '' }).length
    const longest = sign({ note: 'x'.repeat(Math.floor((spare * 3) / 4)) })
    assert.ok(longest.length > 16_380)
    assert.ok(await verify(longest))
    const message = /it has \d+ characters, more than 16384\. Remove claims$/
    assert.throws(() => sign({ note: 'x'.repeat(spare) }), { name: 'RangeError', message })
  })

  it('throws a TypeError if now does not return a number', () => {
    const message = 'Cannot sign a token: "now" of jwtSigner(…) must return a number. Return ms since 1970'
    assert.throws(() => jwtSigner({ ...HS, now: () => NaN })({}), { name: 'TypeError', message })
  })
})

describe('jwtSigner(): options', () => {
  const ecJwk = toJwk(EC.privateKey)
  const edJwk = toJwk(ED.privateKey)
  const ed = { key: edJwk, algorithm: 'EdDSA' } as const
  const MISTAKES: readonly (readonly [mistake: string, options: unknown, message: RegExp])[] = [
    [
      'missing options',
      undefined,
      /the options of jwtSigner\(\): they must be an object, not undefined\. Write "\{ key: /,
    ],
    ['an unknown option', { ...ES, expires: 1 }, /"expires" of jwtSigner\(\): it is unknown/],
    ['a missing expiresIn', { ...ES, expiresIn: undefined }, /"expiresIn" of jwtSigner\(\): it is missing/],
    [
      'an expiresIn of 0',
      { ...ES, expiresIn: 0 },
      /"expiresIn" of jwtSigner\(\): it must be an integer of seconds from 1 to 315360000/,
    ],
    [
      'an expiresIn that is a string',
      { ...ES, expiresIn: '1h' },
      /"expiresIn" of jwtSigner\(\): it must be an integer of seconds/,
    ],
    [
      'an infinite expiresIn',
      { ...ES, expiresIn: Infinity },
      /"expiresIn" of jwtSigner\(\): it must be an integer of seconds/,
    ],
    [
      'an expiresIn in ms',
      { ...ES, expiresIn: 900_000_000 },
      /"expiresIn" .* of seconds from 1 to 315360000, not 900000000/,
    ],
    [
      'a missing algorithm',
      { ...ES, algorithm: undefined },
      /"algorithm" of jwtSigner\(\): it is missing\. Write "algorithm: 'ES256'"/,
    ],
    [
      'the algorithm none',
      { ...ES, algorithm: 'none' },
      /"algorithm" of jwtSigner\(\): it must be 'HS256', .*, not "none"/,
    ],
    ['a missing key', { ...ES, key: undefined }, /"key" of jwtSigner\(\): it is missing/],
    ['a number as key', { ...ES, key: 7 }, /"key" of jwtSigner\(\): it must be a KeyObject, a Uint8Array or a JWK/],
    [
      'a string as key',
      { ...ES, key: 'secret' },
      /"key" of jwtSigner\(\): it must not be a string\. Write "createPrivateKey\(pem\)"/,
    ],
    ['a public key', { ...ES, key: EC.publicKey }, /it is a public key, but only a private key can sign/],
    ['a public JWK', { ...ES, key: toJwk(EC.publicKey) }, /it is a public key, but only a private key can sign/],
    ['a short secret', { ...HS, key: SECRET.subarray(1) }, /it has 31 bytes, but HS256 requires at least 32/],
    ['a short secret as JWK', { ...HS, key: { kty: 'oct', k: 'AAAA' } }, /it has 3 bytes/],
    ['a private key for HS256', { ...HS, key: EC.privateKey }, /it is a key for ES256, not for "algorithm"/],
    ['a public key for HS256', { ...HS, key: RSA.publicKey }, /it is a public key/],
    ['a secret for ES256', { ...ES, key: SECRET }, /it is a key for HS256, not for "algorithm"\. Pass a key for ES256/],
    ['a key of another algorithm', { ...ES, key: ED.privateKey }, /it is a key for EdDSA, not for "algorithm"/],
    [
      'an unsupported curve',
      { ...ES, key: generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey },
      /its curve is secp384r1/,
    ],
    [
      'a short RSA key',
      { ...ES, algorithm: 'RS256', key: generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey },
      /it has 1024 bits, but RS256 requires at least 2048/,
    ],
    ['a JWK that only verifies', { ...ES, key: { ...ecJwk, key_ops: ['verify'] } }, /must be an array with "sign"/],
    ['a JWK for encryption', { ...ES, key: { ...ecJwk, use: 'enc' } }, /its "use" must be "sig"/],
    [
      'an incomplete JWK',
      { ...ES, key: { kty: 'EC', crv: 'P-256', d: ecJwk['d'] } },
      /its members are not a valid key/,
    ],
    [
      'a JWK with the public members of another key',
      { ...ES, ...ed, key: { ...edJwk, x: generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x } },
      /its public members do not belong to its private ones/,
    ],
    [
      'a JWK with malformed public members',
      { ...ES, ...ed, key: { ...edJwk, x: 'AA' } },
      /its public members do not belong/,
    ],
    [
      'a keyId that differs from the JWK',
      { ...ES, key: { ...ecJwk, kid: 'a' }, keyId: 'b' },
      /it differs from the "kid"/,
    ],
    [
      'an empty keyId',
      { ...ES, keyId: '' },
      /"keyId" of jwtSigner\(\): it must be a non-empty string, not ""\. Write "keyId: 'k1'"/,
    ],
    [
      'an array of issuers',
      { ...ES, issuer: ['a'] },
      /"issuer" of jwtSigner\(\): it must be a non-empty string, not an array of strings\. Write/,
    ],
    [
      'an empty array of audiences',
      { ...ES, audience: [] },
      /"audience" of jwtSigner\(\): it must be a non-empty string, or an array/,
    ],
    ['an empty type', { ...ES, type: '' }, /"type" of jwtSigner\(\): it must be a non-empty string/],
    ['a clock that is not a function', { ...ES, now: 1 }, /"now" of jwtSigner\(\): it must be a function/],
  ]

  for (const [mistake, options, message] of MISTAKES) {
    it(`throws a setup error for ${mistake}`, () => {
      assert.throws(
        // Proof: the type forbids these options, and the test checks the error at run time.
        () => jwtSigner(options as JwtSignerOptions),
        (error) => {
          assert.ok(error instanceof SetupError)
          assert.equal(error.code, 'OPTION_INVALID')
          assert.match(error.message, /^Cannot use the options? .*of jwtSigner\(\): /)
          assert.match(error.message, message)
          return true
        },
      )
    })
  }
})
