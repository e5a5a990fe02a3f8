import assert from 'node:assert/strict'
import { scryptSync } from 'node:crypto'
import { describe, it } from 'node:test'
import { hashPassword, needsRehash, verifyPassword } from 'verbena/auth'

/** A hash of `swordfish` that takes no time, in the format of other programs. */
const CHEAP = hashWith({ ln: 1, r: 1, p: 1 })

interface Parameters {
  readonly ln: number
  readonly r: number
  readonly p: number
  readonly salt?: string
  readonly size?: number
}

function hashWith({ ln, r, p, salt = 'sixteen bytes ok', size = 32 }: Parameters): string {
  const key = scryptSync('swordfish', salt, size, { N: 2 ** ln, r, p })
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
      // Proof: the test is about what the type forbids.
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
