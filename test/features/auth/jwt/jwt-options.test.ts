import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { describe, it } from 'node:test'
import { SetupError } from 'verbena'
import { jwt, checkJwtOptions, type JwtOptions } from '#src/features/auth/jwt/jwt.js'
import { EC, ED, RSA, SECRET } from '#test/tokens.js'

const URL_OF_KEYS = new URL('https://login.example/keys')

/** Returns the error message for options that a JavaScript project may write. */
function messageOf(options: unknown): string {
  try {
    // Proof: the type forbids these options, and the test checks the error at run time.
    jwt(options as JwtOptions)
  } catch (error) {
    assert.ok(error instanceof SetupError)
    assert.equal(error.code, 'OPTION_INVALID')
    return error.message
  }
  return 'accepted'
}

const es = (more: object): object => ({ algorithms: ['ES256'], keys: EC.publicKey, ...more })
const rsa = (bits: number, publicExponent: number): object => ({
  algorithms: ['RS256'],
  keys: generateKeyPairSync('rsa', { modulusLength: bits, publicExponent }).publicKey,
})
const ecJwk = { ...EC.publicKey.export({ format: 'jwk' }), kty: 'EC' }

const MISTAKES: readonly (readonly [mistake: string, options: unknown, message: RegExp])[] = [
  ['missing options', undefined, /the options of jwt\(\): they must be an object/],
  ['an array for options', [], /the options of jwt\(\): they must be an object/],
  ['an unknown option', es({ issuers: 'a' }), /"issuers" of jwt\(\): it is unknown\. Did you mean "issuer"\?/],
  ['missing algorithms', { keys: EC.publicKey }, /"algorithms" of jwt\(\): it is missing/],
  [
    'an empty array of algorithms',
    { algorithms: [], keys: EC.publicKey },
    /"algorithms" of jwt\(\): it must be a non-empty array/,
  ],
  [
    'a string for algorithms',
    { algorithms: 'ES256', keys: EC.publicKey },
    /"algorithms" of jwt\(\): it must be a non-empty array/,
  ],
  [
    'the algorithm none',
    { algorithms: ['ES256', 'none'], keys: EC.publicKey },
    /each algorithm must be 'HS256', .*, not an array of strings/,
  ],
  ['an unsupported algorithm', { algorithms: ['HS512'], keys: SECRET }, /"algorithms" of jwt\(\)/],
  ['missing keys', { algorithms: ['ES256'] }, /"keys" of jwt\(\): it is missing/],
  ['an empty array of keys', es({ keys: [] }), /"keys" of jwt\(\): it is empty/],
  ['a string as key', es({ keys: 'secret' }), /a key must not be a string\. Write "createPublicKey\(pem\)"/],
  ['a number as key', es({ keys: 7 }), /it must be a KeyObject, a Uint8Array or a JWK/],
  [
    'a short secret',
    { algorithms: ['HS256'], keys: SECRET.subarray(1) },
    /it has 31 bytes, but HS256 requires at least 32/,
  ],
  ['an empty secret', { algorithms: ['HS256'], keys: Buffer.alloc(0) }, /it has 0 bytes/],
  ['a short RSA key', rsa(1024, 65_537), /it has 1024 bits, but RS256 requires at least 2048/],
  [
    'an unsupported curve',
    es({ keys: generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey }),
    /its curve is secp384r1/,
  ],
  ['a key for agreement', es({ keys: generateKeyPairSync('x25519').publicKey }), /no supported algorithm uses/],
  [
    'RSA-PSS',
    es({ keys: generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey }),
    /no supported algorithm uses/,
  ],
  [
    'a key of an algorithm that is not listed',
    es({ keys: ED.publicKey }),
    /it has a key for EdDSA, which is not one of the "algorithms"/,
  ],
  ['a second key for a different algorithm', es({ keys: [EC.publicKey, RSA.publicKey] }), /it has a key for RS256/],
  ['a key for encryption', es({ keys: { ...ecJwk, use: 'enc' } }), /its "use" must be "sig"/],
  [
    'a key that only signs',
    es({ keys: { ...ecJwk, key_ops: ['sign'] } }),
    /its "key_ops" must be an array with "verify"/,
  ],
  ['a string for key_ops', es({ keys: { ...ecJwk, key_ops: 'verify' } }), /its "key_ops" must be an array/],
  ['a key with a different alg', es({ keys: { ...ecJwk, alg: 'ES384' } }), /its "alg" must be ES256/],
  ['a kid that is not a string', es({ keys: { ...ecJwk, kid: 1 } }), /its "kid" must be a string/],
  ['a point off the curve', es({ keys: { ...ecJwk, x: ecJwk.y } }), /its members are not a valid key/],
  ['an incomplete key', es({ keys: { kty: 'EC', crv: 'P-256' } }), /its members are not a valid key/],
  ['a secret without bytes', { algorithms: ['HS256'], keys: { kty: 'oct' } }, /its members are not a valid key/],
  ['a key set without a usable key', es({ keys: { keys: [{ kty: 'XX' }, RSA.publicKey] } }), /no usable key/],
  ['a key set that is a string', es({ keys: { keys: 'x' } }), /no usable key/],
  ['a string as URL', es({ keys: 'https://login.example/keys' }), /"new URL\(…\)"/],
  [
    'a URL without TLS',
    es({ keys: new URL('http://login.example/keys') }),
    /"keys\.url" of jwt\(\): it must be a URL object with https:/,
  ],
  ['a host that starts with localhost', es({ keys: new URL('http://localhost.example/') }), /must be a URL object/],
  ['a URL with a password', es({ keys: new URL('https://a:b@login.example/') }), /without credentials/],
  ['a URL with a user', es({ keys: new URL('https://a@login.example/') }), /without credentials/],
  ['a file: URL', es({ keys: new URL('file:///keys') }), /must be a URL object/],
  ['a string as URL in an object', es({ keys: { url: 'https://login.example/' } }), /must be a URL object/],
  ['HS256 with keys at a URL', { algorithms: ['ES256', 'HS256'], keys: URL_OF_KEYS }, /HS256 requires a secret/],
  [
    'an unknown option of a remote key set',
    es({ keys: { url: URL_OF_KEYS, time: 1 } }),
    /"keys\.time" of jwt\(\): it is unknown/,
  ],
  [
    'a timeout of 0',
    es({ keys: { url: URL_OF_KEYS, timeout: 0 } }),
    /"keys\.timeout" of jwt\(\): it must be a number of ms from 1 to 60000, not 0/,
  ],
  [
    'an onFailure that is not a function',
    es({ keys: { url: URL_OF_KEYS, onFailure: 1 } }),
    /"keys\.onFailure" of jwt\(\): it must be a function/,
  ],
  ['an empty issuer', es({ issuer: '' }), /"issuer" of jwt\(\): it must be a non-empty string/],
  ['an empty array of issuers', es({ issuer: [] }), /"issuer" of jwt\(\): it must be a non-empty string/],
  [
    'null in an array of audiences',
    es({ audience: ['a', null] }),
    /"audience" of jwt\(\): it must be a non-empty string/,
  ],
  [
    'a leeway above 600 s',
    es({ leeway: 5000 }),
    /"leeway" of jwt\(\): it must be a number of seconds from 0 to 600, not 5000/,
  ],
  ['a negative leeway', es({ leeway: -1 }), /"leeway" of jwt\(\): it must be .*, not -1/],
  ['a leeway of NaN', es({ leeway: NaN }), /"leeway" of jwt\(\): it must be .*, not NaN/],
  [
    'a string as leeway',
    es({ leeway: '5' }),
    /"leeway" of jwt\(\): it must be a number of seconds .*, not a string of length 1/,
  ],
  ['a boolean as expiry', es({ expiry: false }), /"expiry" of jwt\(\): it must be/],
  ['an empty type', es({ type: '' }), /"type" of jwt\(\): it must be a non-empty string/],
  ['a type that is not a string', es({ type: 1 }), /"type" of jwt\(\): it must be a non-empty string/],
  ['a clock that is not a function', es({ now: 1 }), /"now" of jwt\(\): it must be a function/],
]

describe('checkJwtOptions()', () => {
  for (const [mistake, options, message] of MISTAKES) {
    it(`rejects ${mistake}`, () => {
      assert.match(messageOf(options), message)
    })
  }

  it('rejects an RSA key with exponent 1, which accepts forged signatures', () => {
    const jwk = { ...RSA.publicKey.export({ format: 'jwk' }), kty: 'RSA', e: 'AQ' }
    assert.match(messageOf({ algorithms: ['RS256'], keys: jwk }), /its exponent must be at least 3/)
  })

  it('never includes a secret in a message', () => {
    const secret = Buffer.from('hunter2').toString('base64url')
    assert.doesNotMatch(messageOf({ algorithms: ['HS256'], keys: { kty: 'oct', k: secret } }), new RegExp(secret))
    assert.doesNotMatch(messageOf({ algorithms: ['HS256'], keys: 'hunter2' }), /hunter2/)
  })

  it('applies defaults to missing options', () => {
    const { type, rules } = checkJwtOptions({ algorithms: ['ES256'], keys: EC.publicKey })
    const { now, ...others } = rules
    assert.deepEqual({ ...others, type }, { issuers: null, audiences: null, leeway: 5, needsExpiry: true, type: null })
    const before = Date.now()
    const read = now()
    assert.ok(before <= read && read <= Date.now())
  })

  it('returns the options that are set, with arrays of names and a normalized type', () => {
    const now = (): number => 0
    const more = {
      issuer: 'a',
      audience: ['b', 'c'],
      leeway: 0,
      expiry: 'optional',
      type: 'application/AT+JWT',
      now,
    } as const
    const { type, rules, algorithms } = checkJwtOptions({ algorithms: ['ES256'], keys: EC.publicKey, ...more })
    assert.deepEqual(algorithms, ['ES256'])
    assert.deepEqual(
      { ...rules, type },
      { issuers: ['a'], audiences: ['b', 'c'], leeway: 0, needsExpiry: false, now, type: 'at+jwt' },
    )
  })

  it('ignores unusable keys of a key set', () => {
    const set = { keys: [{ kty: 'XX' }, { ...ecJwk, kid: 'a', use: 'enc' }, { ...ecJwk, kid: 'b' }] }
    const { keys } = checkJwtOptions({ algorithms: ['ES256'], keys: set })
    assert.ok(Array.isArray(keys))
    assert.deepEqual(
      keys.map(({ kid }) => kid),
      ['b'],
    )
  })

  it('accepts an http: URL on localhost', () => {
    for (const host of ['127.0.0.1', '[::1]', 'localhost']) {
      const { keys } = checkJwtOptions({ algorithms: ['ES256'], keys: new URL(`http://${host}:1/`) })
      assert.ok('url' in keys)
      assert.equal(keys.timeout, 5_000)
      assert.equal(keys.onFailure(new Error('down')), undefined)
    }
  })

  it('accepts keys that were read from PEM', () => {
    const pem = RSA.privateKey.export({ type: 'pkcs8', format: 'pem' })
    assert.equal(typeof jwt({ algorithms: ['RS256'], keys: createPublicKey(pem) }), 'function')
  })
})
