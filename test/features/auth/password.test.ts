// own process: it replaces a function of node:crypto
import assert from 'node:assert/strict'
import crypto, { scryptSync } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { describe, it } from 'node:test'

/** Passwords that were hashed, with their cost N. */
const hashes: [password: string, cost: number][] = []
let isFast = false
let onHash: (() => void) | undefined
const nodeScrypt = crypto.scrypt
type ScryptCall = [text: string, salt: Buffer, size: number, options: { N: number }, done: () => void]
Reflect.set(crypto, 'scrypt', (...[text, salt, size, options, done]: ScryptCall) => {
  hashes.push([text, options.N])
  onHash?.()
  nodeScrypt(text, salt, size, isFast ? { N: 2 } : options, done)
})
syncBuiltinESMExports()
// Imported after `scrypt` is replaced.
const { hashPassword, needsRehash, verifyPassword } = await import('verbena/auth')

/** Returns the passwords that were hashed during a call, with their cost. */
async function hashedBy(call: () => Promise<unknown>): Promise<unknown[]> {
  hashes.length = 0
  await call()
  return [...hashes]
}

/** Hash of `swordfish` with the lowest cost, in the format of other programs. */
const CHEAP = hashWith({ ln: 1, r: 1, p: 1 })

interface Parameters {
  readonly ln: number
  readonly r: number
  readonly p: number
  readonly salt?: string
  readonly size?: number
}

function hashWith({ ln, r, p, salt = 'sixteen bytes ok', size = 32 }: Parameters, password = 'swordfish'): string {
  const key = scryptSync(password, salt, size, { N: 2 ** ln, r, p })
  const [saltText, keyText] = [Buffer.from(salt), key].map((bytes) => bytes.toString('base64').replaceAll('=', ''))
  return `$scrypt$ln=${ln},r=${r},p=${p}$${saltText}$${keyText}`
}

describe('hashPassword()', () => {
  it('returns a hash with a random salt that verifyPassword accepts for the same password only', async () => {
    const [hash, again] = await Promise.all([hashPassword('pässword'), hashPassword('pässword')])
    assert.match(hash, /^\$scrypt\$ln=17,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    assert.equal(hash.length, 88)
    assert.notEqual(hash.split('$')[3], again.split('$')[3])
    assert.equal(needsRehash(hash), false)
    const results = await Promise.all([verifyPassword('pässword', hash), verifyPassword('password', hash)])
    assert.deepEqual(results, [true, false])
  })

  it('throws a TypeError for a password that is not a string', async () => {
    // @ts-expect-error - as a JavaScript project may call it
    await assert.rejects(hashPassword(undefined), {
      name: 'TypeError',
      message: 'Cannot hash a password: it must be a string, not undefined. Validate the body',
    })
  })
})

describe('verifyPassword()', () => {
  it('verifies the hash of another program, with its salt, size and parameters', async () => {
    // RFC 7914 section 12: N = 1024, r = 8, p = 16.
    const key =
      'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640'
    const text = Buffer.from(key, 'hex').toString('base64').replaceAll('=', '')
    // The salt of the RFC has only four bytes, fewer than Verbena accepts.
    await assert.rejects(verifyPassword('password', `$scrypt$ln=10,r=8,p=16$TmFDbA$${text}`), /it is malformed/)
    const other = hashWith({ ln: 10, r: 8, p: 16, salt: 'SodiumChloride', size: 64 })
    assert.deepEqual(await Promise.all([verifyPassword('swordfish', other), verifyPassword('Swordfish', other)]), [
      true,
      false,
    ])
  })

  it('does the work of hashPassword for an unknown user, and returns false', async () => {
    for (const hash of [undefined, null]) {
      const start = performance.now()
      assert.equal(await verifyPassword('', hash), false)
      // A cheap hash takes less than 1 ms.
      assert.ok(performance.now() - start > 100)
    }
  })

  it('throws a TypeError for a password that is not a string, also for an unknown user', async () => {
    // @ts-expect-error - as a JavaScript project may call it
    await assert.rejects(verifyPassword(7, undefined), {
      name: 'TypeError',
      message: 'Cannot verify a password: it must be a string, not number. Validate the body',
    })
  })

  const [, , , salt = '', key = ''] = CHEAP.split('$')
  const MALFORMED: readonly (readonly [mistake: string, hash: unknown])[] = [
    ['an empty string', ''],
    ['a number', 7],
    ['a hash of bcrypt', '$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW'],
    ['a hash in front of other text', `${CHEAP}\n`],
    ['a missing key', `$scrypt$ln=1,r=1,p=1$${salt}`],
    ['a short key', `$scrypt$ln=1,r=1,p=1$${salt}$${key.slice(0, 20)}`],
    ['a short salt', `$scrypt$ln=1,r=1,p=1$${salt.slice(0, 8)}$${key}`],
    ['padding', `${CHEAP}=`],
    ['base64url', `$scrypt$ln=1,r=1,p=1$${salt}$${'-_'.repeat(16)}`],
    ['unused bits in the salt', `$scrypt$ln=1,r=1,p=1$${'A'.repeat(21)}B$${key}`],
    ['unused bits in the key', `$scrypt$ln=1,r=1,p=1$${salt}$${'A'.repeat(42)}B`],
    ['parameters in another order', `$scrypt$r=1,ln=1,p=1$${salt}$${key}`],
    ['a parameter of 0', `$scrypt$ln=1,r=0,p=1$${salt}$${key}`],
    ['a negative parameter', `$scrypt$ln=-1,r=1,p=1$${salt}$${key}`],
    ['N that is too large for r', `$scrypt$ln=16,r=1,p=1$${salt}$${key}`],
  ]

  for (const [mistake, hash] of MALFORMED) {
    it(`throws a TypeError without the hash for ${mistake}`, async () => {
      const message = 'Cannot use the hash of a password: it is malformed. Pass a result of hashPassword(…)'
      // Proof: the type forbids this hash, and the test checks the error at run time.
      await assert.rejects(verifyPassword('swordfish', hash as string), { name: 'TypeError', message })
      assert.throws(() => needsRehash(hash as string), { name: 'TypeError', message })
    })
  }

  for (const cost of [
    'ln=19,r=8,p=1',
    'ln=17,r=17,p=1',
    'ln=17,r=8,p=3',
    'ln=18,r=8,p=2',
    'ln=999,r=999,p=999999999',
  ]) {
    it(`throws a RangeError for ${cost}, more than twice the work of hashPassword`, async () => {
      const hash = `$scrypt$${cost}$${salt}$${key}`
      const message = /^Cannot use the hash of a password: it requires more than twice the work of hashPassword\(…\)/
      await assert.rejects(verifyPassword('swordfish', hash), { name: 'RangeError', message })
      assert.throws(() => needsRehash(hash), { name: 'RangeError', message })
    })
  }

  it('accepts exactly twice the work of hashPassword', async () => {
    assert.equal(await verifyPassword('swordfish', `$scrypt$ln=18,r=8,p=1$${salt}$${key}`), false)
  })
})

describe('passwords: normalization', () => {
  const cost = { ln: 1, r: 1, p: 1 }
  const [composed, decomposed] = ['caf\u00e9', 'cafe\u0301']

  it('hashes the bytes of an ASCII password as before, with one hash', async () => {
    const password = 'correct horse ~!"'
    let hash = ''
    assert.deepEqual(await hashedBy(async () => (hash = await hashPassword(password))), [[password, 2 ** 17]])
    const [, , , salt = '', key = ''] = hash.split('$')
    const options = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 }
    const expected = scryptSync(Buffer.from(password), Buffer.from(salt, 'base64'), 32, options)
    assert.deepEqual(Buffer.from(key, 'base64'), expected)
    const earlier = hashWith(cost, password)
    assert.deepEqual(await hashedBy(() => verifyPassword(password, earlier)), [[password, 2]])
    assert.equal(await verifyPassword(password, earlier), true)
  })

  it('hashes the normalized password', async () => {
    assert.deepEqual(await hashedBy(() => hashPassword(`${decomposed}\u00a0x`)), [[`${composed} x`, 2 ** 17]])
  })

  it('verifies both forms of a password with the hash of the normalized one, with one hash', async () => {
    const hash = hashWith(cost, composed)
    for (const sent of [composed, decomposed]) {
      assert.equal(await verifyPassword(sent, hash), true)
      assert.deepEqual(await hashedBy(() => verifyPassword(sent, hash)), [[composed, 2]])
    }
  })

  it('verifies the hash of a password that was not normalized, with the password as sent only', async () => {
    const hash = hashWith(cost, decomposed)
    assert.equal(await verifyPassword(composed, hash), false)
    assert.equal(await verifyPassword(decomposed, hash), true)
    assert.deepEqual(await hashedBy(() => verifyPassword(decomposed, hash)), [
      [composed, 2],
      [decomposed, 2],
    ])
  })

  it('computes as many hashes for an unknown user as for a wrong password', async () => {
    isFast = true
    const hash = hashWith({ ln: 2, r: 1, p: 1 }, 'another one')
    for (const [sent, texts] of [
      ['swordfish', ['swordfish']],
      [composed, [composed]],
      [decomposed, [composed, decomposed]],
      ['\ud800e\u0301', ['\ud800e\u0301']],
    ] as const) {
      const known = await hashedBy(() => verifyPassword(sent, hash))
      const unknown = await hashedBy(() => verifyPassword(sent, undefined))
      assert.deepEqual(
        known,
        texts.map((text) => [text, 4]),
      )
      assert.deepEqual(
        unknown,
        texts.map((text) => [text, 2 ** 17]),
      )
    }
    isFast = false
  })

  it('does not compute the second hash if the signal is aborted during the first', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const hash = hashWith(cost, 'another one')
    onHash = () => controller.abort()
    const hashed = await hashedBy(() =>
      assert.rejects(verifyPassword(decomposed, hash, { signal }), { name: 'AbortError' }),
    )
    onHash = undefined
    assert.deepEqual(hashed, [[composed, 2]])
  })

  it('never accepts a password with a lone surrogate, which UTF-8 would replace', async () => {
    const hash = hashWith(cost, 'a\ufffd')
    assert.equal(await verifyPassword('a\ufffd', hash), true)
    assert.equal(await verifyPassword('a\ud800', hash), false)
    assert.deepEqual(await hashedBy(() => verifyPassword('a\ud800', hash)), [['a\ud800', 2]])
    const hashed = await hashedBy(() =>
      assert.rejects(hashPassword('a\ud800'), {
        name: 'HttpError',
        status: 422,
        message: 'The password must not contain lone surrogates',
      }),
    )
    assert.deepEqual(hashed, [])
  })
})

describe('needsRehash()', () => {
  it('returns true for other parameters, salts and keys', () => {
    const salt = 'A'.repeat(22)
    const key = 'A'.repeat(43)
    const isStale = (cost: string, saltText = salt, keyText = key): boolean =>
      needsRehash(`$scrypt$${cost}$${saltText}$${keyText}`)
    assert.equal(isStale('ln=17,r=8,p=1'), false)
    assert.deepEqual(
      [
        ...[isStale('ln=16,r=8,p=1'), isStale('ln=18,r=8,p=1'), isStale('ln=17,r=4,p=1'), isStale('ln=17,r=8,p=2')],
        ...[isStale('ln=17,r=8,p=1', 'A'.repeat(11)), isStale('ln=17,r=8,p=1', salt, 'A'.repeat(22))],
      ],
      Array.from({ length: 6 }, () => true),
    )
  })
})
