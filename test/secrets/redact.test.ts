import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { redact } from '#src/secrets/redact.js'
import { RequestSecrets } from '#src/secrets/request-secrets.js'
import { Secrets } from '#src/secrets/secrets.js'
import { assertLinear } from '#test/processor-time.js'

const secrets = new RequestSecrets(new Secrets())
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'

/** Returns the redacted value as a log would write it. */
function shown(value: unknown): unknown {
  const copy = redact(value, secrets)
  const text = JSON.stringify(copy)
  return text === undefined ? undefined : JSON.parse(text)
}

describe('redact()', () => {
  it('hides secret properties by name at any depth, ignoring case, `-` and `_`', () => {
    const names = [
      'password',
      'PassWord',
      'access_token',
      'X-Token'.slice(2),
      'client-secret',
      'PIN',
      'session_ID',
      'ssn',
    ]
    for (const name of names) {
      assert.deepEqual(shown({ a: [{ [name]: { deep: 's3cret' } }] }), { a: [{ [name]: 'redacted' }] }, name)
    }
    assert.deepEqual(shown({ tokenize: 'shown', passwordless: true }), { tokenize: 'shown', passwordless: true })
  })

  it('hides secret patterns anywhere in a string', () => {
    const cases: readonly (readonly [text: string, shown: string])[] = [
      ['Authorization: Bearer abc.def-ghi, next', 'Authorization: redacted, next'],
      ['bearer  x', 'redacted'],
      ['unbearable', 'unbearable'],
      [`token=${JWT};`, 'token=redacted;'],
      [`${JWT} and ${JWT}`, 'redacted and redacted'],
      ['abceyJx.y', 'abceyJx.y'],
      ['-----BEGIN PRIVATE KEY-----\nProc-Type: 4\nMIIE\n-----END PRIVATE KEY-----!', 'redacted!'],
      ['a -----BEGIN RSA PRIVATE KEY-----\nMIIE', 'a redacted'],
      ['postgres://ann:p@ss@db/users', 'postgres://redacted@db/users'],
      ['https://example.com/a@b', 'https://example.com/a@b'],
      ['see http://a and c@d', 'see http://a and c@d'],
    ]
    for (const [text, expected] of cases) assert.equal(shown(text), expected)
  })

  it('cuts strings over 1,000 characters at the end of a word', () => {
    const text = `${'a'.repeat(900)} ${JWT}${'x'.repeat(5_000)}`
    assert.equal(shown(text), `${'a'.repeat(900)}… [${text.length} characters]`)
    assert.equal(shown('b'.repeat(1_000)), 'b'.repeat(1_000))
    assert.equal(shown('b'.repeat(1_001)), '… [1001 characters]')
    assert.equal(shown(`a\n${'b'.repeat(1_001)}`), 'a… [1003 characters]')
  })

  it('copies values that JSON cannot represent', () => {
    const cases: readonly (readonly [value: unknown, shown: unknown])[] = [
      [7n, '7'],
      [Symbol('s'), 'Symbol(s)'],
      [() => 'source', '[function]'],
      [undefined, undefined],
      [null, null],
      [1.5, 1.5],
      [true, true],
      [new Date(0), '1970-01-01T00:00:00.000Z'],
      [new Date(NaN), null],
      [new URL('http://u:p@a.b/'), 'http://redacted@a.b/'],
      [new Map([['token', 1]]), { token: 'redacted' }],
      [new Set([1, 'a']), [1, 'a']],
      [Buffer.from('abc'), '[3 bytes]'],
      [new ArrayBuffer(2), '[2 bytes]'],
      [Readable.from(['a']), '[stream]'],
      [new Blob(['a']).stream(), '[stream]'],
      [[1, 2].values(), '[stream]'],
      [
        Object.assign(new TypeError('no'), { code: 'E', token: 't' }),
        { code: 'E', token: 'redacted', type: 'TypeError', message: 'no' },
      ],
      [Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
      [{ toJSON: 7 }, { toJSON: 7 }],
      [{ toJSON: () => ({ pin: 1 }) }, { pin: 'redacted' }],
    ]
    for (const [value, expected] of cases) assert.deepEqual(shown(value), expected)
  })

  it('copies __proto__ and constructor as plain properties', () => {
    const copy = redact(JSON.parse('{"__proto__":{"a":1},"constructor":2}'), secrets)
    assert.equal(JSON.stringify(copy), '{"__proto__":{"a":1},"constructor":2}')
    assert.equal(Object.getPrototypeOf(copy), Object.prototype)
  })

  it('replaces circular references, and copies a repeated object twice', () => {
    const shared = { a: 1 }
    const circle: Record<string, unknown> = { one: shared, two: shared }
    circle['self'] = [circle]
    assert.deepEqual(shown(circle), { one: { a: 1 }, two: { a: 1 }, self: ['[circular]'] })
    const own = { toJSON: (): unknown => own }
    assert.equal(shown(own), '[circular]')
  })

  it('limits the depth, the number of values, and the length of names', () => {
    const deep = JSON.parse(`${'['.repeat(50)}${']'.repeat(50)}`)
    assert.equal(JSON.stringify(redact(deep, secrets)), `${'['.repeat(8)}"[array]"${']'.repeat(8)}`)
    assert.match(JSON.stringify(redact([[[[[[[[{ a: 1 }]]]]]]]], secrets)), /"\[object\]"/)
    const list = shown(Array.from({ length: 5_000 }, (_, index) => index))
    assert.ok(Array.isArray(list))
    assert.deepEqual([list.length, list.at(-1)], [1_000, '[4001 more]'])
    const wide = shown(Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, index])))
    assert.deepEqual([Object.keys(wide ?? {}).length, Reflect.get(wide ?? {}, '…')], [1_000, '[4001 more]'])
    assert.deepEqual(shown({ ['n'.repeat(101)]: 1 }), { [`${'n'.repeat(100)}…`]: 1 })
  })

  it('notes omitted values if the limit is reached inside the last value', () => {
    const full = Array.from({ length: 998 }, () => 0)
    assert.deepEqual(shown([...full, { a: { b: 1 } }]), [...full, { '…': '[1 more]' }])
    assert.deepEqual(shown([...full, new Date(0)]), [...full, '[left out]'])
  })

  it('replaces values that cannot be read', () => {
    const unreadable = {
      get broken(): never {
        throw new Error('no')
      },
    }
    const proxy = new Proxy({}, { ownKeys: () => assert.fail('no') })
    assert.deepEqual(shown({ a: unreadable, b: proxy, c: 1 }), { a: '[cannot be read]', b: '[cannot be read]', c: 1 })
  })

  it('never throws, and never returns a secret, for any value', () => {
    const SECRET = 'hunter2-s3cret'
    const key = fc.constantFrom('password', 'api_key', 'Session-Id', 'cvv')
    const tree = fc.letrec((tie) => ({
      node: fc.oneof(fc.anything(), fc.dictionary(key, fc.constant(SECRET)), fc.array(tie('node'), { maxLength: 4 })),
    })).node
    fc.assert(
      fc.property(tree, (value) => {
        assert.doesNotMatch(JSON.stringify(redact(value, secrets)) ?? '', /hunter2/)
      }),
      { numRuns: 1_000 },
    )
  })

  it('takes time linear in the length of the string', () => {
    const parts = ['eyJ', 'eyJ-', 'eyJa.', '-----BEGIN ', '-----', '://', '@', 'bearer ', ' ', 'a']
    for (const part of parts) {
      const prepare = (size: number) => {
        const text = part.repeat(Math.ceil(size / part.length)).slice(0, size)
        return () => void secrets.hide(text)
      }
      assertLinear(100_000, prepare, part)
    }
  })
})

describe('redact() of headers', () => {
  it('hides secret headers by name, ignoring case', () => {
    const headers = {
      Authorization: 'a',
      cookie: 'b',
      'x-api-key': 'c',
      'x-csrf-token': 'd',
      session: 'e',
      accept: '*/*',
    }
    assert.deepEqual(redact(headers, secrets, 'headers'), {
      ...{ Authorization: 'redacted', cookie: 'redacted', 'x-api-key': 'redacted', 'x-csrf-token': 'redacted' },
      ...{ session: 'redacted', accept: '*/*' },
    })
  })
})

describe('redact() of cookies', () => {
  it('hides all cookie values, and keeps the names', () => {
    assert.deepEqual(redact({ theme: 'dark', id: '7' }, secrets, 'cookies'), { theme: 'redacted', id: 'redacted' })
  })
})

describe('Secrets', () => {
  it('hides the headers, keys and patterns of the app in addition to the defaults', () => {
    const own = new RequestSecrets(
      new Secrets({ headers: ['X-Tenant'], keys: ['Birth_Day'], values: [/\d{3}-\d{3}/y, /cat/gi] }),
    )
    assert.deepEqual(redact({ 'x-tenant': 't', cookie: 'c' }, own, 'headers'), {
      'x-tenant': 'redacted',
      cookie: 'redacted',
    })
    assert.deepEqual(redact({ birthday: 1, pin: 2, note: 'is 123-456 or 654-321, Cat' }, own), {
      ...{ birthday: 'redacted', pin: 'redacted', note: 'is redacted or redacted, redacted' },
    })
  })
})
