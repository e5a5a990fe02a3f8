import assert from 'node:assert/strict'
import { createPublicKey, createSecretKey, generateKeyPairSync, sign } from 'node:crypto'
import { describe, it } from 'node:test'
import { UnsecuredJWT } from 'jose'
import { jwt, type JwtOptions } from '#src/features/auth/jwt/jwt.js'
import {
  CLAIMS,
  EC,
  ED,
  NOW,
  RSA,
  SECONDS,
  SECRET,
  ecdsa,
  forgeToken,
  hmac,
  part,
  readTokenError,
  sealToken,
  signToken,
} from '#test/tokens.js'

const ALL: JwtOptions = {
  algorithms: ['HS256', 'RS256', 'ES256', 'EdDSA'],
  keys: [SECRET, RSA.publicKey, EC.publicKey, ED.publicKey],
  issuer: 'issuer',
  audience: 'api',
  now: () => NOW,
}

const verify = jwt(ALL)
/** Only what asymmetric keys have signed. */
const verifyPublic = jwt({ ...ALL, algorithms: ['RS256', 'ES256'], keys: [RSA.publicKey, EC.publicKey] })

describe('jwt()', () => {
  for (const algorithm of ALL.algorithms) {
    it(`accepts a token that jose signed with ${algorithm}, synchronously`, async () => {
      assert.deepEqual(verify(await signToken(algorithm)), CLAIMS)
    })

    it(`rejects a token that jose signed with ${algorithm} if only other algorithms are accepted`, async () => {
      const others = ALL.algorithms.filter((other) => other !== algorithm)
      const keys = { HS256: SECRET, RS256: RSA.publicKey, ES256: EC.publicKey, EdDSA: ED.publicKey }
      const strict = jwt({ ...ALL, algorithms: others, keys: others.map((other) => keys[other]) })
      const refusal = await readTokenError(async () => strict(await signToken(algorithm)))
      assert.equal(refusal?.detail, 'The algorithm of the token is not accepted')
    })

    it(`rejects a signature of ${algorithm} that was changed, shortened or extended`, async () => {
      const token = await signToken(algorithm)
      const [header = '', payload = '', signature = ''] = token.split('.')
      const bytes = Buffer.from(signature, 'base64url')
      const flipped = Buffer.from(bytes)
      flipped.writeUInt8(bytes.readUInt8(0) ^ 1, 0)
      for (const other of [flipped, bytes.subarray(0, -1), Buffer.concat([bytes, Buffer.of(0)]), Buffer.alloc(0)]) {
        const refusal = await readTokenError(() => verify(`${header}.${payload}.${other.toString('base64url')}`))
        assert.equal(refusal?.detail, 'The token is not signed by a known key')
      }
      const moved = part({ ...CLAIMS, sub: 'eve' })
      assert.equal((await readTokenError(() => verify(`${header}.${moved}.${signature}`)))?.status, 401)
    })
  }

  it('throws a 401 with the reason in its challenge (RFC 6750 section 3.1)', async () => {
    assert.deepEqual(await readTokenError(() => verify('x')), {
      status: 401,
      detail: 'The token is malformed',
      challenge: 'Bearer error="invalid_token", error_description="The token is malformed"',
    })
  })

  it('accepts a JWK, a key set, and a private key for its public key', async () => {
    const token = await signToken('ES256')
    const jwk = { ...EC.publicKey.export({ format: 'jwk' }), kty: 'EC', use: 'sig', key_ops: ['verify'], alg: 'ES256' }
    const forms: readonly JwtOptions['keys'][] = [EC.privateKey, EC.publicKey, jwk, [jwk], { keys: [jwk] }]
    for (const keys of forms) {
      assert.deepEqual(await jwt({ ...ALL, algorithms: ['ES256'], keys })(token), CLAIMS)
    }
  })

  it('tries the keys with the kid of the token, and all keys of its algorithm if it has no kid', async () => {
    const jwk = { ...EC.publicKey.export({ format: 'jwk' }), kty: 'EC' }
    const strange = {
      ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }),
      kty: 'EC',
    }
    const named = jwt({
      ...ALL,
      algorithms: ['ES256'],
      keys: {
        keys: [
          { ...strange, kid: 'a' },
          { ...jwk, kid: 'b' },
        ],
      },
    })
    const isAccepted = async (header: object): Promise<boolean> =>
      (await readTokenError(async () => named(await signToken('ES256', CLAIMS, header)))) === null
    assert.deepEqual(
      [
        await isAccepted({ kid: 'b' }),
        await isAccepted({}),
        await isAccepted({ kid: 'a' }),
        await isAccepted({ kid: 'c' }),
      ],
      [true, true, false, false],
    )
    const nameless = jwt({ ...ALL, algorithms: ['ES256'], keys: { keys: [{ ...strange, kid: 'a' }, jwk] } })
    assert.deepEqual(await nameless(await signToken('ES256', CLAIMS, { kid: 'c' })), CLAIMS)
  })

  it('checks typ if the type option is set (RFC 9068 section 4)', async () => {
    const strict = jwt({ ...ALL, type: 'at+jwt' })
    const refusals = ['at+jwt', 'application/AT+JWT', 'JWT', undefined].map(async (typ) => {
      const token = await signToken('HS256', CLAIMS, typ === undefined ? {} : { typ })
      return (await readTokenError(() => strict(token)))?.detail ?? null
    })
    const other = 'The type of the token is not accepted'
    assert.deepEqual(await Promise.all(refusals), [null, null, other, other])
  })
})

describe('jwt() under attack', () => {
  const publicPem = RSA.publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const publicDer = RSA.publicKey.export({ type: 'spki', format: 'der' })
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const secp256k1 = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
  const jwkOfOther = other.publicKey.export({ format: 'jwk' })
  const hs = { alg: 'HS256' }
  const es = { alg: 'ES256' }
  const nothing = (): Buffer => Buffer.alloc(0)
  const der = (content: Buffer): Buffer => sign('sha256', content, EC.privateKey)
  const json = (text: string): string => Buffer.from(text).toString('base64url')
  const claims = part(CLAIMS)

  const ATTACKS: readonly (readonly [attack: string, token: string, why: RegExp])[] = [
    ['a missing signature', new UnsecuredJWT(CLAIMS).encode(), /algorithm/],
    ['alg none', forgeToken({ alg: 'none' }, CLAIMS, nothing), /algorithm/],
    ['alg NONE with a signature', forgeToken({ alg: 'NONE' }, CLAIMS, hmac('')), /algorithm/],
    ['alg in lower case', forgeToken({ alg: 'es256' }, CLAIMS, ecdsa()), /algorithm/],
    ['a property of Object.prototype as alg', forgeToken({ alg: 'constructor' }, CLAIMS, nothing), /algorithm/],
    ['a missing alg', forgeToken({ typ: 'JWT' }, CLAIMS, ecdsa()), /malformed/],
    ['an array as alg', forgeToken({ alg: ['ES256'] }, CLAIMS, ecdsa()), /malformed/],
    ['alg only in __proto__', sealToken(`${json('{"__proto__":{"alg":"ES256"}}')}.${claims}`, ecdsa()), /malformed/],
    ['HS256 with the public key in PEM as secret', forgeToken(hs, CLAIMS, hmac(publicPem)), /algorithm/],
    ['HS256 with the public key in DER as secret', forgeToken(hs, CLAIMS, hmac(publicDer)), /algorithm/],
    ['RS256 signed with a key for ES256', forgeToken({ alg: 'RS256' }, CLAIMS, ecdsa()), /not signed/],
    ['ES256 signed with an unknown key', forgeToken(es, CLAIMS, ecdsa(other.privateKey)), /not signed/],
    ['ES256 signed with the curve secp256k1', forgeToken(es, CLAIMS, ecdsa(secp256k1.privateKey)), /not signed/],
    ['an ES256 signature in DER', forgeToken(es, CLAIMS, der), /not signed/],
    ['an ES256 signature of zeros', forgeToken(es, CLAIMS, () => Buffer.alloc(64)), /not signed/],
    [
      'a key in the header of the token',
      forgeToken({ ...es, jwk: jwkOfOther }, CLAIMS, ecdsa(other.privateKey)),
      /not signed/,
    ],
    [
      'the URL of a key set in the header of the token',
      forgeToken({ ...es, jku: 'https://evil.example' }, CLAIMS, ecdsa(other.privateKey)),
      /not signed/,
    ],
    ['a path as kid', forgeToken({ ...es, kid: '../../dev/null' }, CLAIMS, ecdsa(other.privateKey)), /not signed/],
    ['__proto__ as kid', forgeToken({ ...es, kid: '__proto__' }, CLAIMS, ecdsa(other.privateKey)), /not signed/],
    ['a number as kid', forgeToken({ ...es, kid: 1 }, CLAIMS, ecdsa()), /malformed/],
    ['a number as typ', forgeToken({ ...es, typ: 1 }, CLAIMS, ecdsa()), /malformed/],
    ['a critical extension (crit)', forgeToken({ ...es, crit: ['b64'], b64: false }, CLAIMS, ecdsa()), /extension/],
    ['an empty crit', forgeToken({ ...es, crit: [] }, CLAIMS, ecdsa()), /extension/],
    ['null as crit', forgeToken({ ...es, crit: null }, CLAIMS, ecdsa()), /extension/],
    ['a header that is an array', forgeToken([es], CLAIMS, ecdsa()), /malformed/],
    ['a header that is null', forgeToken(null, CLAIMS, ecdsa()), /malformed/],
    ['a header that is not JSON', sealToken(`${json('{"alg":"ES256"')}.${claims}`, ecdsa()), /malformed/],
    ['a header with a BOM', sealToken(`${json('\uFEFF{"alg":"ES256"}')}.${claims}`, ecdsa()), /malformed/],
    [
      'a header that is not UTF-8',
      sealToken(`${Buffer.of(0x22, 0xff, 0x22).toString('base64url')}.${claims}`, ecdsa()),
      /malformed/,
    ],
    [
      'a repeated alg, if the last one is not accepted',
      sealToken(`${json('{"alg":"ES256","alg":"HS256"}')}.${claims}`, ecdsa()),
      /algorithm/,
    ],
    ['claims that are an array', forgeToken(es, [CLAIMS], ecdsa()), /malformed/],
    ['claims that are not JSON', sealToken(`${part(es)}.${json('{')}`, ecdsa()), /malformed/],
    ['padding', sealToken(`${part(es)}=.${claims}`, ecdsa()), /malformed/],
    ['base64 in place of base64url', `${part(es)}.${claims}.${'+/'.repeat(43)}`, /malformed/],
    ['a line ending', sealToken(`${part(es)}\n.${claims}`, ecdsa()), /malformed/],
    ['a token of one part', part(es), /malformed/],
    ['a token of two parts', `${part(es)}.${claims}`, /malformed/],
    ['a token of four parts', `${forgeToken(es, CLAIMS, ecdsa())}.${claims}`, /malformed/],
    ['an encrypted token of five parts', `${part({ alg: 'dir', enc: 'A256GCM' })}..a.a.a`, /malformed/],
    ['an empty token', '', /malformed/],
    ['a token of dots', '..', /malformed/],
    ['a token of many dots', '.'.repeat(16_000), /malformed/],
    ['a huge token', forgeToken(es, { ...CLAIMS, pad: 'x'.repeat(20_000) }, ecdsa()), /too long/],
    ['a header of brackets', sealToken(`${json('['.repeat(9_000))}.${claims}`, ecdsa()), /malformed/],
  ]

  for (const [attack, token, why] of ATTACKS) {
    it(`rejects ${attack}, and does not repeat the token`, async () => {
      const refusal = await readTokenError(() => verifyPublic(token))
      assert.equal(refusal?.status, 401)
      assert.match(refusal.detail ?? '', why)
      const shown = JSON.stringify(refusal)
      for (const piece of token.split('.').filter((text) => text.length > 8)) assert.ok(!shown.includes(piece))
    })
  }

  it('rejects a second encoding of the same signature', async () => {
    const token = forgeToken(es, CLAIMS, ecdsa())
    const last = token.at(-1) ?? ''
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const twin = token.slice(0, -1) + (alphabet[alphabet.indexOf(last) + 1] ?? '')
    const bytesOf = (text: string): Buffer => Buffer.from(text.slice(text.lastIndexOf('.') + 1), 'base64url')
    assert.deepEqual(bytesOf(twin), bytesOf(token))
    assert.equal(await readTokenError(() => verifyPublic(token)), null)
    assert.equal((await readTokenError(() => verifyPublic(twin)))?.detail, 'The token is malformed')
  })

  it('uses the last value of a repeated member in header and claims', async () => {
    const header = json('{"alg":"HS256","alg":"ES256"}')
    const payload = json(`{"iss":"issuer","aud":"api","sub":"eve","sub":"ada","exp":${SECONDS + 60}}`)
    const { sub } = await verifyPublic(sealToken(`${header}.${payload}`, ecdsa()))
    assert.equal(sub, 'ada')
  })

  it('rejects a public key as a secret, and a secret that is too short', () => {
    assert.throws(
      () => jwt({ algorithms: ['HS256'], keys: createPublicKey(publicPem) }),
      /a key for RS256, which is not one of the "algorithms"/,
    )
    assert.throws(() => jwt({ algorithms: ['HS256'], keys: createSecretKey(Buffer.alloc(31)) }), /has 31 bytes/)
  })
})
