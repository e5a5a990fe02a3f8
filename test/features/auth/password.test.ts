import assert from 'node:assert/strict'
import { scryptSync } from 'node:crypto'
import { describe, it } from 'node:test'
import { createApp, HttpError, Route } from 'verbena'
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

/** Returns the numbers of the promises in the order in which they are fulfilled. */
async function settledOrder(promises: readonly Promise<unknown>[]): Promise<number[]> {
  const order: number[] = []
  await Promise.all(promises.map((promise, index) => promise.then(() => order.push(index))))
  return order
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

describe('queue of hashes', () => {
  it('computes at most two hashes at a time', async () => {
    const unknown = [verifyPassword('', undefined), verifyPassword('', undefined)]
    const [first] = await settledOrder([...unknown, verifyPassword('', CHEAP)])
    // The cheap hash takes no time, but waits until one of the others is done.
    assert.notEqual(first, 2)
  })

  it('computes waiting hashes in order', async () => {
    const order = await settledOrder(Array.from({ length: 60 }, () => verifyPassword('', CHEAP)))
    // Two run at a time, and one of them may take longer than all others.
    const isInOrder = order.every((hash, finished) => hash <= finished + 1)
    assert.ok(isInOrder, order.join())
  })

  it('rejects with 503 and Retry-After if 100 hashes are waiting, and accepts hashes again after that', async () => {
    const accepted = Array.from({ length: 102 }, () => verifyPassword('swordfish', CHEAP))
    for (const work of [() => verifyPassword('swordfish', CHEAP), () => hashPassword('swordfish')]) {
      const error: unknown = await work().catch((thrown: unknown) => thrown)
      assert.ok(error instanceof HttpError)
      assert.equal(error.status, 503)
      assert.equal(error.source, 'framework')
      assert.deepEqual(error.headers, { 'retry-after': '5' })
    }
    assert.deepEqual(new Set(await Promise.all(accepted)), new Set([true]))
    assert.equal(await verifyPassword('swordfish', CHEAP), true)
  })

  it('responds with 503 and Retry-After to the client', async () => {
    class SignIn extends Route {
      async post() {
        return (await verifyPassword('swordfish', CHEAP)) ? 'welcome' : 'wrong'
      }
    }
    const app = createApp({ routes: { SignIn }, logger: false })
    const accepted = Array.from({ length: 102 }, () => verifyPassword('swordfish', CHEAP))
    const response = await app.fetch(new Request('http://localhost/sign-in', { method: 'POST' }))
    assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '5'])
    await Promise.all(accepted)
    const later = await app.fetch(new Request('http://localhost/sign-in', { method: 'POST' }))
    assert.equal(await later.text(), 'welcome')
  })
})
