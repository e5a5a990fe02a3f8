import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { describe, it } from 'node:test'
import { SetupError } from 'verbena'
import { jwt, checkJwtOptions, type JwtOptions } from '#src/features/auth/jwt/jwt.js'
import { EC, ED, RSA, SECRET } from '#test/tokens.js'

const URL_OF_KEYS = new URL('https://login.example/keys')

/** What a JavaScript project may write. */
function messageOf(options: unknown): string {
  try {
    // Proof: the test is about what the type forbids.
    jwt(options as JwtOptions)
  } catch (error) {
    assert.ok(error instanceof SetupError)
    assert.equal(error.code, 'JWT_INVALID')
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
  ['no options', undefined, /its options are no record/],
  ['options as a list', [], /its options are no record/],
  ['an unknown option', es({ issuers: 'a' }), /unknown option "issuers"\. Did you mean "issuer"\?/],
  ['no algorithms', { keys: EC.publicKey }, /"algorithms" does not list/],
  ['an empty list', { algorithms: [], keys: EC.publicKey }, /"algorithms" does not list/],
  ['one algorithm as text', { algorithms: 'ES256', keys: EC.publicKey }, /"algorithms" does not list/],
  [
    'none',
    { algorithms: ['ES256', 'none'], keys: EC.publicKey },
    /lists "none", which is not one of them\. Known are HS256/,
  ],
  ['another algorithm', { algorithms: ['HS512'], keys: SECRET }, /lists "HS512"/],
  ['no keys', { algorithms: ['ES256'] }, /it is no key/],
  ['an empty list of keys', es({ keys: [] }), /"keys" is empty/],
  ['a text as key', es({ keys: 'secret' }), /a key is a text\. Write "createPublicKey\(pem\)"/],
  ['a number as key', es({ keys: 7 }), /it is no key/],
  ['a short secret', { algorithms: ['HS256'], keys: SECRET.subarray(1) }, /it has 31 bytes, and HS256 needs 32/],
  ['an empty secret', { algorithms: ['HS256'], keys: Buffer.alloc(0) }, /it has 0 bytes/],
  ['a short RSA key', rsa(1024, 65_537), /it has 1024 bits, and RS256 needs 2048/],
  [
    'another curve',
    es({ keys: generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey }),
    /its curve is secp384r1/,
  ],
  ['a key for agreement', es({ keys: generateKeyPairSync('x25519').publicKey }), /no algorithm here uses/],
  [
    'RSA-PSS',
    es({ keys: generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey }),
    /no algorithm here uses/,
  ],
  [
    'a key of an algorithm that is not listed',
    es({ keys: ED.publicKey }),
    /a key is for EdDSA, which "algorithms" does not list/,
  ],
  ['a second key that is wrong', es({ keys: [EC.publicKey, RSA.publicKey] }), /a key is for RS256/],
  ['a key for encryption', es({ keys: { ...ecJwk, use: 'enc' } }), /its "use" is not "sig"/],
  ['a key that only signs', es({ keys: { ...ecJwk, key_ops: ['sign'] } }), /its "key_ops" do not hold "verify"/],
  ['key_ops as text', es({ keys: { ...ecJwk, key_ops: 'verify' } }), /its "key_ops" do not hold/],
  ['a key with another alg', es({ keys: { ...ecJwk, alg: 'ES384' } }), /its "alg" is not ES256/],
  ['a kid that is no text', es({ keys: { ...ecJwk, kid: 1 } }), /its "kid" is not a string/],
  ['a point off the curve', es({ keys: { ...ecJwk, x: ecJwk.y } }), /its members do not make a key/],
  ['half a key', es({ keys: { kty: 'EC', crv: 'P-256' } }), /its members do not make a key/],
  ['a secret without bytes', { algorithms: ['HS256'], keys: { kty: 'oct' } }, /its members do not make a key/],
  ['a set without a key that fits', es({ keys: { keys: [{ kty: 'XX' }, RSA.publicKey] } }), /no key that can be used/],
  ['a set that is none', es({ keys: { keys: 'x' } }), /no key that can be used/],
  ['a URL as text', es({ keys: 'https://login.example/keys' }), /"new URL\(…\)"/],
  ['a URL without TLS', es({ keys: new URL('http://login.example/keys') }), /the URL of "keys" cannot be used/],
  ['a URL of another machine that begins alike', es({ keys: new URL('http://localhost.example/') }), /cannot be used/],
  ['a URL with a password', es({ keys: new URL('https://a:b@login.example/') }), /without a password/],
  ['a URL with a user', es({ keys: new URL('https://a@login.example/') }), /without a password/],
  ['a file', es({ keys: new URL('file:///keys') }), /cannot be used/],
  ['a URL as text in a record', es({ keys: { url: 'https://login.example/' } }), /cannot be used/],
  ['secrets at a URL', { algorithms: ['ES256', 'HS256'], keys: URL_OF_KEYS }, /no secret, and HS256 needs one/],
  ['an unknown option of a URL', es({ keys: { url: URL_OF_KEYS, time: 1 } }), /unknown option "time"/],
  ['no time at all', es({ keys: { url: URL_OF_KEYS, timeout: 0 } }), /"timeout" is 0\. Give ms, from 1 to 60000/],
  ['a listener that is none', es({ keys: { url: URL_OF_KEYS, onFailure: 1 } }), /"onFailure" is not a function/],
  ['an empty issuer', es({ issuer: '' }), /"issuer" is not a text/],
  ['no issuer at all', es({ issuer: [] }), /"issuer" is not a text/],
  ['an audience that is none', es({ audience: ['a', null] }), /"audience" is not a text/],
  ['leeway in ms', es({ leeway: 5000 }), /"leeway" is 5000\. Give seconds, from 0 to 600/],
  ['negative leeway', es({ leeway: -1 }), /"leeway" is -1/],
  ['leeway that is no number', es({ leeway: NaN }), /"leeway" is NaN/],
  ['leeway as text', es({ leeway: '5' }), /"leeway" is 5\. Give seconds/],
  ['expiry as a boolean', es({ expiry: false }), /"expiry" is neither/],
  ['an empty type', es({ type: '' }), /"type" is not a text/],
  ['a type that is none', es({ type: 1 }), /"type" is not a text/],
  ['a clock that is none', es({ now: 1 }), /"now" is not a function/],
]

describe('checkJwtOptions()', () => {
  for (const [mistake, options, message] of MISTAKES) {
    it(`refuses ${mistake}`, () => {
      assert.match(messageOf(options), message)
    })
  }

  it('refuses an RSA key whose exponent is 1: everything is signed by it', () => {
    const jwk = { ...RSA.publicKey.export({ format: 'jwk' }), kty: 'RSA', e: 'AQ' }
    assert.match(messageOf({ algorithms: ['RS256'], keys: jwk }), /its exponent is 1/)
  })

  it('says nothing of a key in a message', () => {
    const secret = Buffer.from('hunter2').toString('base64url')
    assert.doesNotMatch(messageOf({ algorithms: ['HS256'], keys: { kty: 'oct', k: secret } }), new RegExp(secret))
    assert.doesNotMatch(messageOf({ algorithms: ['HS256'], keys: 'hunter2' }), /hunter2/)
  })

  it('fills in what is not given', () => {
    const { type, rules } = checkJwtOptions({ algorithms: ['ES256'], keys: EC.publicKey })
    assert.deepEqual(
      { ...rules, type },
      { issuers: null, audiences: null, leeway: 5, needsExpiry: true, now: Date.now, type: null },
    )
  })

  it('keeps what is given', () => {
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

  it('passes over the keys of a set that cannot be used', () => {
    const set = { keys: [{ kty: 'XX' }, { ...ecJwk, kid: 'a', use: 'enc' }, { ...ecJwk, kid: 'b' }] }
    const { keys } = checkJwtOptions({ algorithms: ['ES256'], keys: set })
    assert.ok(Array.isArray(keys))
    assert.deepEqual(
      keys.map(({ kid }) => kid),
      ['b'],
    )
  })

  it('takes a URL of this machine without TLS', () => {
    for (const host of ['127.0.0.1', '[::1]', 'localhost']) {
      const { keys } = checkJwtOptions({ algorithms: ['ES256'], keys: new URL(`http://${host}:1/`) })
      assert.ok('url' in keys)
      assert.equal(keys.timeout, 5_000)
      assert.equal(keys.onFailure(new Error('down')), undefined)
    }
  })

  it('takes keys that were read from PEM', () => {
    const pem = RSA.privateKey.export({ type: 'pkcs8', format: 'pem' })
    assert.equal(typeof jwt({ algorithms: ['RS256'], keys: createPublicKey(pem) }), 'function')
  })
})
