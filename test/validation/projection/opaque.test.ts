/** Responses without JSON Schema: sent values, and rejected ones. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as v from 'valibot'
import type { Schema } from 'verbena'
import { stripOpaque } from '#src/validation/projection/opaque.js'
import { readOutcome, type ReadOutcome } from '#test/issues.js'
import {
  anything,
  free,
  list,
  members,
  opaqueSchema,
  word,
  type Habit,
  type Manner,
  type ReadValue,
} from '#test/opaque-schemas.js'

async function outcomeOf(schema: Schema, value: unknown): Promise<ReadOutcome> {
  const outcome = readOutcome(await stripOpaque(schema, value))
  assert.doesNotMatch(JSON.stringify(outcome.issues ?? ''), /[a-p]{32}/, 'the key of the probe is shown')
  return outcome
}

async function keptAt(schema: Schema, value: unknown): Promise<string | undefined> {
  const { issues } = await outcomeOf(schema, value)
  assert.match(issues?.[0]?.message ?? 'none', /^Members that .* "jsonSchema".*project: false/)
  return issues?.[0]?.pointer
}

const user = (habit: Habit) => members(habit, { name: word })
const ada = { name: 'ada' }
const secret = { name: 'ada', hash: 's' }
const MANNERS: readonly (readonly [about: string, manner: Manner])[] = [
  ['reports all issues', {}],
  ['is asynchronous', { isAsync: true }],
  ['stops at the first issue', { isHasty: true }],
  ['reports no path', { isVague: true }],
  ['throws', { throws: true }],
]

describe('stripOpaque()', () => {
  for (const [about, manner] of MANNERS) {
    describe(`with a library that ${about}`, () => {
      it('accepts a schema that drops unknown members, with two validations', async () => {
        const schema = opaqueSchema(list(user('drops')), manner)
        assert.deepEqual((await outcomeOf(schema, [secret, ada])).value, [ada, ada])
        assert.equal(schema.runs, 2)
      })

      it('rejects a schema that keeps unknown members, even for a value without unknown members', async () => {
        assert.equal(await keptAt(opaqueSchema(user('keeps'), manner), secret), '')
        assert.equal(await keptAt(opaqueSchema(user('keeps'), manner), ada), '')
        assert.equal(await keptAt(opaqueSchema(list(user('keeps')), manner), [ada]), '/0')
        assert.equal(await keptAt(opaqueSchema(anything, manner), { a: { b: 1 } }), '')
      })

      it('accepts a schema that rejects unknown members', async () => {
        const Team = members('refuses', { name: word, users: list(user('refuses')) })
        const team = { name: 'a', users: Array.from({ length: 60 }, () => ({ ...ada })) }
        assert.deepEqual((await outcomeOf(opaqueSchema(Team, manner), team)).value, team)
        const refused = async () => stripOpaque(opaqueSchema(Team, manner), { ...team, hash: 1 })
        if (manner.throws === true) await assert.rejects(refused, /unknown: hash/)
        else assert.match(readOutcome(await refused()).issues?.[0]?.message ?? '', /hash/)
      })

      it('finds a schema that keeps unknown members inside schemas that reject them', async () => {
        const Team = members('refuses', { name: word, boss: members('refuses', { deputy: user('keeps') }) })
        const team = { name: 'a', boss: { deputy: secret } }
        assert.equal(await keptAt(opaqueSchema(Team, manner), team), '/boss/deputy')
      })

      it('accepts records only if their values have a type', async () => {
        const words = { labels: { a: 'b' } }
        const texts = members('drops', { labels: free(word) })
        assert.deepEqual((await outcomeOf(opaqueSchema(texts, manner), words)).value, words)
        const all = members('drops', { labels: free(anything) })
        assert.equal(await keptAt(opaqueSchema(all, manner), words), '/labels')
      })
    })
  }

  it('finds one item that keeps unknown members among items that reject them', async () => {
    const item: ReadValue = (value, ...rest) =>
      user(Object(value).isOpen === true ? 'keeps' : 'refuses')(value, ...rest)
    const open = { name: 'ben', isOpen: true, hash: 's' }
    assert.equal(await keptAt(opaqueSchema(list(item)), [ada, { name: 'eva' }, open]), '/2')
  })

  it('reads issues whose path continues after an unknown member', async () => {
    const strict: ReadValue = (value, path, found) => {
      const stray = Object.keys(Object(value)).find((key) => key !== 'name')
      if (stray !== undefined) found.push({ message: 'unknown', path: [...path, stray, 'length', 'value'] })
      return value
    }
    const schema = opaqueSchema(list(strict))
    assert.deepEqual((await outcomeOf(schema, [ada, { name: 'eva' }])).value, [ada, { name: 'eva' }])
  })

  it('returns the issues of the original value', async () => {
    const { issues } = await outcomeOf(opaqueSchema(user('refuses')), { hash: 's' })
    assert.deepEqual(
      issues?.map(({ pointer, message }) => [pointer, message]),
      [
        ['/name', 'missing'],
        ['', 'unknown: hash'],
      ],
    )
  })

  it('throws the error of the validator for the original value', async () => {
    await assert.rejects(
      async () => stripOpaque(opaqueSchema(user('drops'), { throws: true }), { hash: 's' }),
      /^Error: missing$/,
    )
  })

  it('validates a scalar once', () => {
    const schema = opaqueSchema(word)
    assert.deepEqual([stripOpaque(schema, 'a'), schema.runs], [{ value: 'a', issues: undefined }, 1])
  })

  it('returns no promise if the validator is synchronous', () => {
    assert.ok(!(stripOpaque(opaqueSchema(user('drops')), secret) instanceof Promise))
  })

  it('finds unknown members that were renamed, or became an array', async () => {
    const upper = opaqueSchema((value) =>
      Object.fromEntries(Object.keys(Object(value)).map((key) => [key.toUpperCase(), 1])),
    )
    assert.equal(await keptAt(upper, ada), '')
    assert.equal(
      await keptAt(
        opaqueSchema((value) => ({ all: Object.values(Object(value)) })),
        ada,
      ),
      '/all/2',
    )
  })

  it('finds values of unknown members under names of the schema', async () => {
    const lastText = (value: unknown): unknown =>
      Object.values(Object(value)).findLast((each) => typeof each === 'string')
    assert.equal(await keptAt(opaqueSchema(list((value) => ({ name: lastText(value) }))), [ada]), '/0')
    assert.equal(await keptAt(opaqueSchema(lastText), ada), '')
  })

  it('rejects a schema that accepts no copies', async () => {
    const { issues } = await outcomeOf(
      opaqueSchema((value, path, found) => {
        if (value !== ada) found.push({ message: 'another', path })
        return value
      }),
      ada,
    )
    assert.match(issues?.[0]?.message ?? '', /rejects copies/)
  })

  it('rejects a value that is nested too deeply to find the members', async () => {
    const schema = opaqueSchema((value, path, found) => {
      if (/[a-p]{32}/.test(JSON.stringify(value))) found.push({ message: 'no', path })
      return value
    })
    const deep = (levels: number): object => (levels === 0 ? {} : { nested: deep(levels - 1) })
    assert.deepEqual((await outcomeOf(schema, deep(50))).value, deep(50))
    assert.match((await outcomeOf(schema, deep(150))).issues?.[0]?.message ?? '', /rejects copies/)
  })
})

class Account {
  readonly #balance = 7
  name = 'ada'
  hash = 's'
  get balance() {
    return this.#balance
  }
  greet() {
    return { text: `${this.name} ${this.#balance}` }
  }
}
class Document {
  readonly #fields = { name: 'ada', hash: 's' }
  get name() {
    return this.#fields.name
  }
  toJSON() {
    return this.#fields
  }
}
class Money {
  readonly cents = 7
  toJSON() {
    return '0.07'
  }
}

describe('stripOpaque() of unusual values', () => {
  const at = new Date(0)
  const bytes = new Uint8Array([1])
  const error = new Error('no')
  const buffer = new ArrayBuffer(1)
  const one = {
    name: 'a',
    get hash(): string {
      throw new Error('nobody reads this')
    },
  }
  const cyclic: { name: string; self?: unknown; list?: unknown } = { name: 'a' }
  cyclic.self = cyclic
  cyclic.list = [cyclic]
  const Named = v.object({ name: v.string() })

  const DROPPED: readonly (readonly [about: string, schema: Schema, value: unknown, made: unknown])[] = [
    ['frozen records', Named, Object.freeze({ ...secret }), ada],
    ['records without a prototype', Named, Object.assign(Object.create(null), secret), ada],
    ['getters that throw but are not read', Named, one, { name: 'a' }],
    [
      'getters',
      v.object({ user: Named }),
      {
        get user() {
          return secret
        },
      },
      { user: ada },
    ],
    [
      'cycles',
      v.object({ name: v.string(), self: Named, list: v.array(Named) }),
      cyclic,
      { name: 'a', self: { name: 'a' }, list: [{ name: 'a' }] },
    ],
    [
      'dates, bytes and null',
      v.object({ at: v.date(), bytes: v.instance(Uint8Array), no: v.null() }),
      { at, bytes, no: null, x: 1 },
      { at, bytes, no: null },
    ],
    [
      'instances with private members',
      v.object({ name: v.string(), balance: v.number() }),
      new Account(),
      { name: 'ada', balance: 7 },
    ],
    ['frozen instances', Named, Object.freeze(new Account()), ada],
    ['instances that JSON writes as another object', Named, new Document(), ada],
    [
      'methods of instances',
      v.pipe(
        v.instance(Account),
        v.transform((account) => account.greet().text),
      ),
      new Account(),
      'ada 7',
    ],
    [
      'symbols and hidden members',
      v.object({ name: v.string(), [Symbol.iterator]: v.optional(v.any()) } as never),
      Object.defineProperty({ [Symbol('s')]: 1 }, 'name', { value: 'ada' }),
      ada,
    ],
    [
      'maps and sets that a function converts',
      v.pipe(
        v.object({ map: v.map(v.string(), Named), set: v.set(v.string()) }),
        v.transform(({ map, set }) => ({ map: Object.fromEntries(map), set: [...set] })),
      ),
      { map: new Map([['a', secret]]), set: new Set(['b']) },
      { map: { a: ada }, set: ['b'] },
    ],
    [
      'errors, patterns and buffers, which JSON writes as {}',
      v.object({ error: v.instance(Error), pattern: v.instance(RegExp), buffer: v.instance(ArrayBuffer) }),
      { error, pattern: /a/, buffer, x: 1 },
      { error, pattern: /a/, buffer },
    ],
    [
      'instances, with the same own properties as before',
      opaqueSchema((value) => ['name', 'greet', 'none'].filter((key) => Object.hasOwn(Object(value), key))),
      new Account(),
      ['name'],
    ],
    [
      'proxies that list a key without a property',
      Named,
      new Proxy({ ...secret }, { ownKeys: () => ['name', 'gone'] }),
      ada,
    ],
    ['the key __proto__', Named, JSON.parse('{"name":"ada","__proto__":{"name":"eva"}}'), ada],
  ]
  for (const [about, schema, value, made] of DROPPED) {
    it(`accepts ${about}`, async () => assert.deepEqual((await outcomeOf(schema, value)).value, made))
  }

  const KEPT: readonly (readonly [about: string, schema: Schema, value: unknown, pointer: string])[] = [
    ['loose objects', v.looseObject({ name: v.string() }), secret, ''],
    ['anything', v.object({ data: v.any() }), { data: { name: 'a' } }, '/data'],
    [
      'instances that are returned unchanged',
      v.object({ account: v.instance(Account) }),
      { account: new Account() },
      '/account',
    ],
    [
      'instances with toJSON that are returned unchanged',
      v.object({ a: v.instance(Document) }),
      { a: new Document() },
      '/a',
    ],
    [
      'members of an object from a getter',
      v.object({ user: v.looseObject({}) }),
      {
        get user() {
          return secret
        },
      },
      '/user',
    ],
    [
      'records in a map',
      v.pipe(
        v.map(v.string(), v.looseObject({})),
        v.transform((map) => Object.fromEntries(map)),
      ),
      new Map([['a~/b', secret]]),
      '/a~0~1b',
    ],
    [
      'records in a set',
      v.pipe(
        v.set(v.looseObject({})),
        v.transform((set) => [...set]),
      ),
      new Set([secret]),
      '/0',
    ],
    [
      'errors with enumerable members',
      v.object({ error: v.instance(Error) }),
      { error: Object.assign(new Error('no'), { code: 'E' }) },
      '/error',
    ],
    ['objects with a toJSON property', v.looseObject({}), { toJSON: () => secret }, ''],
  ]
  for (const [about, schema, value, pointer] of KEPT) {
    it(`rejects ${about}`, async () => assert.equal(await keptAt(schema, value), pointer))
  }

  it('accepts instances that JSON writes as a string', async () => {
    const schema = v.object({ price: v.instance(Money) })
    const { value } = await outcomeOf(schema, { price: new Money() })
    assert.equal(JSON.stringify(value), JSON.stringify({ price: new Money() }))
  })

  it('finds members that a validator copies out of an object with toJSON', async () => {
    const copied = members('drops', {
      a: (value) => ({ hash: Object(value).hash, ...Object(value), toJSON: undefined }),
    })
    assert.equal(await keptAt(opaqueSchema(copied), { a: { toJSON: () => 'x', hash: 's' } }), '/a')
    assert.equal(await keptAt(opaqueSchema(copied), { a: new Money() }), '/a')
    const whole = opaqueSchema(members('drops', { a: anything }))
    const { value } = await outcomeOf(whole, { a: { toJSON: () => 'x', hash: 's' } })
    assert.equal(JSON.stringify(value), '{"a":"x"}')
  })

  it('uses the JSON form of functions', async () => {
    const hidden = (form: unknown): object => Object.assign(() => 0, { toJSON: () => form })
    assert.deepEqual((await outcomeOf(opaqueSchema(user('drops')), hidden(secret))).value, ada)
    const open = opaqueSchema(members('drops', { a: anything }))
    assert.equal(await keptAt(open, { a: hidden(secret) }), '/a')
    const plain = (): number => 0
    assert.deepEqual((await outcomeOf(open, { a: plain })).value, { a: plain })
  })

  it('does not change the value', async () => {
    const value = { name: 'ada', list: [{ a: 1 }] }
    await outcomeOf(opaqueSchema(members('refuses', { name: word, list: anything })), value)
    assert.deepEqual(value, { name: 'ada', list: [{ a: 1 }] })
  })

  it('copies a value with 100,000 levels', async () => {
    let nested: object = {}
    for (let level = 0; level < 100_000; level++) nested = level % 2 === 0 ? { nested } : { nested: [nested] }
    assert.deepEqual((await outcomeOf(Named, { name: 'a', nested })).value, { name: 'a' })
  })

  it('copies an object that occurs twice only once', async () => {
    const schema = opaqueSchema((value) => [Object(value).one === Object(value).other])
    assert.deepEqual((await outcomeOf(schema, { one: ada, other: ada })).value, [true])
  })

  it('creates different keys for each response', async () => {
    const keys: string[] = []
    const schema = opaqueSchema((value) => void keys.push(...Object.keys(Object(value))))
    for (let run = 0; run < 2; run++) await outcomeOf(schema, { name: 'a' })
    assert.deepEqual([keys.length, new Set(keys).size], [8, 5])
  })
})
