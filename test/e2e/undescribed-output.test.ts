/** Responses whose schema has a place that its output side does not describe: properties that `returns` does not name are not sent. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type as arktype } from 'arktype'
import { json } from 'verbena'
import { toJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import * as z from 'zod'
import { anything, opaqueSchema } from '#test/opaque-schemas.js'
import { sendReturned } from '#test/returned-values.js'

const SECRET = 'scrypt$4711'
const stored = { id: '1', hash: SECRET }
const User = arktype({ id: 'string' })

class Car {
  readonly id = '1'
  readonly hash = SECRET
  get name() {
    return `car ${this.id}`
  }
}
class Row {
  readonly #fields = stored
  get id() {
    return this.#fields.id
  }
  toJSON() {
    return this.#fields
  }
}
class Closed {
  readonly #id = '1'
  get id() {
    return this.#id
  }
}
class Money {
  readonly cents = 7
  toJSON() {
    return '0.07'
  }
}

/** Returns the response to a request for `value`, and the log as one string. */
async function answerOf(returns: unknown, value: unknown, options: object = {}) {
  const { log, ...response } = await sendReturned(returns, value, { jsonSchema: { valibot: toJsonSchema }, ...options })
  return { ...response, log: log.join() }
}

const same = (value: unknown): unknown => value
const Node = arktype.module({ node: { v: 'string', 'next?': 'node' } }).node
const Loose = v.looseObject({ id: v.string() })
const Dated = z.codec(z.iso.datetime(), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString(),
})
const at = new Date(0)

/** `raw` is the response with `validateResponses: false`, if it differs. */
const SENT: readonly (readonly [about: string, returns: unknown, value: unknown, sent: unknown, raw?: unknown])[] = [
  ['a function that adds', User.pipe((user) => ({ ...user, url: 'a' })), stored, { id: '1', url: 'a' }, { id: '1' }],
  ['two functions', User.pipe(same).pipe(same), stored, { id: '1' }],
  ['a function of a member', arktype({ a: User.pipe(same) }), { a: stored, hash: SECRET }, { a: { id: '1' } }],
  ['a function of items', User.pipe(same).array(), [stored, stored], [{ id: '1' }, { id: '1' }]],
  ['a function of a record', arktype({ '[string]': User.pipe(same) }), { a: stored }, { a: { id: '1' } }],
  ['a recursive input', Node.pipe(same), { v: 'a', next: { v: 'b', hash: SECRET } }, { v: 'a', next: { v: 'b' } }],
  ['a union that is read', User.or('string').pipe(same), stored, { id: '1' }],
  ['an output without members', User.pipe(same).to('object'), stored, { id: '1' }],
  [
    'a value that moves',
    arktype({ x: User })
      .pipe(({ x }) => ({ data: x }))
      .to({ data: 'unknown' }),
    { x: stored },
    { data: { id: '1' } },
    {},
  ],
  ['a union that accepts anything', z.union([z.unknown()]), { a: 1 }, { a: 1 }],
  ['an open member', arktype({ a: 'unknown' }).pipe(same), { a: { b: 1 }, hash: SECRET }, { a: { b: 1 } }],
  ['an instance', User.pipe(same), new Car(), { id: '1' }],
  ['an instance without other properties', z.object({ id: z.string() }).transform(same), new Closed(), { id: '1' }, {}],
  ['an instance with toJSON', User.pipe(same), new Row(), { id: '1' }],
  ['a getter', arktype({ name: 'string' }).pipe(({ name }) => ({ name })), new Car(), { name: 'car 1' }, {}],
  [
    'a branch for a getter',
    arktype({ name: 'string' })
      .or('string')
      .pipe(() => 'x'),
    new Car(),
    'x',
    {},
  ],
  ['an object with toJSON', User.pipe(same), { id: '1', toJSON: () => stored }, { id: '1' }],
  ['a list with toJSON', User.pipe(same).array(), Object.assign([stored], { toJSON: () => [stored] }), [{ id: '1' }]],
  ['a function with toJSON', User.or('string').pipe(same), Object.assign(() => 0, { toJSON: () => 'a' }), 'a'],
  [
    'a Date in the input',
    arktype({ at: 'Date' }).pipe(({ at: date }) => ({ y: date.getTime() })),
    { at },
    { y: 0 },
    { at: at.toJSON() },
  ],
  ['a new object from an instance', arktype.instanceOf(Car).pipe(({ id }) => ({ id })), new Car(), { id: '1' }, 500],
  ['undefined beside an object', arktype({ 'a?': User.or('undefined') }), { a: stored }, { a: { id: '1' } }],
  ['a missing member', arktype({ a: User.or('undefined') }), { a: undefined }, {}],
  ['a Date beside an object', arktype({ a: User.or('Date') }), { a: stored }, { a: { id: '1' } }],
  ['a Date', arktype({ a: User.or('Date') }), { a: at }, { a: at.toJSON() }],
  ['a bigint beside an object', arktype({ a: User.or('bigint') }), { a: stored }, { a: { id: '1' } }],
  ['an instance that is a string in JSON', v.object({ a: v.instance(Money) }), { a: new Money() }, { a: '0.07' }],
  ['an instance beside an object', v.union([Loose, v.instance(Car)]), stored, { id: '1' }],
  [
    'a loose input of valibot',
    v.pipe(
      Loose,
      v.transform((user) => user),
    ),
    stored,
    { id: '1' },
  ],
  ['a frozen list of valibot', v.pipe(v.array(Loose), v.readonly()), [stored], [{ id: '1' }]],
  [
    'a transform of zod',
    z.object({ id: z.string() }).transform((user) => ({ ...user, n: 1 })),
    stored,
    { id: '1', n: 1 },
    { id: '1' },
  ],
  ['a loose input of zod', z.looseObject({ id: z.string() }).transform(same), { id: '1', any: 1 }, { id: '1', any: 1 }],
  [
    'an item of a tuple',
    z.tuple([z.object({ id: z.string() }).transform(same), z.int()]),
    [stored, 1],
    [{ id: '1' }, 1],
  ],
  [
    'an intersection',
    z.intersection(z.object({ id: z.string() }).transform(same), z.object({ b: z.int() })),
    { ...stored, b: 1 },
    { id: '1', b: 1 },
  ],
  [
    'a function before the schema',
    z.object({ user: z.preprocess((row) => ({ id: Object(row).key }), z.object({ id: z.string() })) }).transform(same),
    { user: { key: '7' } },
    { user: { id: '7' } },
    { user: {} },
  ],
  ['a coercion', z.object({ a: z.coerce.string() }).transform(same), { a: new Car() }, { a: '[object Object]' }, 500],
  ['a custom type of a scalar', z.object({ a: z.custom<string>() }), { a: 'x' }, { a: 'x' }],
  ['anything', z.object({ a: z.any() }), { a: { b: 1 } }, { a: { b: 1 } }],
  ['a codec', z.object({ at: Dated }), { at: at.toJSON() }, { at: at.toJSON() }],
  [
    'last items',
    arktype({ t: ['string', '...', 'number[]', { a: 'string' }] }),
    { t: ['a', 1, { a: 'x', hash: SECRET }] },
    { t: ['a', 1, { a: 'x' }] },
  ],
  ['a union with a record', User.or({ '[string]': 'number' }), stored, { id: '1' }],
  ['names of a record', z.partialRecord(z.enum(['a', 'b']), z.string()), { a: '1', hash: SECRET }, 500, { a: '1' }],
  ['a pattern of names', z.record(z.string().regex(/^x/), z.string()), { x: '1', hash: SECRET }, 500, { x: '1' }],
]

const REJECTED: readonly (readonly [about: string, returns: unknown, value: unknown, message: RegExp])[] = [
  [
    'an instance',
    arktype({ car: arktype.instanceOf(Car) }),
    { car: new Car() },
    /\/car: is an object.*"project: false"/,
  ],
  ['an instance of valibot', v.object({ car: v.instance(Car) }), { car: new Car() }, /\/car: is an object/],
  ['an instance of zod', z.object({ car: z.instanceof(Car) }), { car: new Car() }, /\/car: is an object/],
  ['a custom type', z.object({ a: z.custom() }), { a: [stored] }, /\/a: is an array/],
  [
    'an instance beside an object',
    v.union([v.object({ x: v.string() }), v.instance(Car)]),
    new Car(),
    /\(whole\): is an/,
  ],
  [
    'an instance that a function returns',
    arktype({ car: arktype.instanceOf(Car) }).pipe(same),
    { car: new Car() },
    /\/car: /,
  ],
  [
    'an instance beside an input',
    arktype({ x: 'string' }).or(arktype.instanceOf(Car)).pipe(same),
    new Car(),
    /is an object/,
  ],
  ['a custom type that a function returns', z.object({ a: z.custom() }).transform(same), { a: { ...stored } }, /\/a: /],
  ['a list in place of an object', arktype({ 'id?': 'string' }).pipe(same), [stored], /must not be an array/],
  ['a Map', z.object({ a: z.map(z.string(), z.string()) }), { a: new Map() }, /\/a: is a Map.*Object\.fromEntries/],
  ['a Set', v.object({ a: v.set(v.string()) }), { a: new Set() }, /\/a: is a Set.*Array\.from/],
  ['a Map in place of an object', arktype({ 'id?': 'string' }).pipe(same), new Map(), /is a Map/],
  ['a Date of a codec', z.object({ at: Dated }), { at }, /\/at: /],
]

describe('a response with an output that is not described', () => {
  for (const [about, returns, value, sent, raw = sent] of SENT) {
    it(`sends only what returns names: ${about}`, async () => {
      for (const [validateResponses, expected] of [
        [true, sent],
        [false, raw],
      ] as const) {
        const { status, text, log } = await answerOf(returns, value, { validateResponses })
        assert.ok(!text.includes(SECRET), text)
        if (expected === 500) assert.equal(status, 500, text)
        else assert.deepEqual([status, JSON.parse(text)], [200, expected], log)
      }
    })
  }

  for (const [about, returns, value, message] of REJECTED) {
    it(`responds 500 with the place in the log: ${about}`, async () => {
      const { status, text, log } = await answerOf(returns, value)
      assert.equal(status, 500, text)
      assert.match(log, message)
      assert.ok(!(await answerOf(returns, value, { validateResponses: false })).text.includes(SECRET))
    })
  }

  it('validates once, and sends everything with "project: false"', async () => {
    let runs = 0
    const Counted = User.pipe((user) => ({ ...user, run: ++runs }))
    assert.equal((await answerOf(Counted, stored)).text, '{"id":"1","run":1}')
    const chosen = await answerOf(json(User.pipe(same), { project: false }), stored)
    assert.match(chosen.text, /scrypt/)
    const car = await answerOf(json(v.object({ car: v.instance(Car) }), { project: false }), { car: new Car() })
    assert.match(car.text, /scrypt/)
  })

  it('sends responses of other schemas byte by byte as before', async () => {
    const rows = [
      [z.object({ b: z.int(), a: z.string().optional(), c: z.any() }), { c: [{ x: 1 }], b: 1, d: 2 }],
      [z.looseObject({ id: z.string() }), { hash: 1, id: '1' }],
      [arktype({ id: 'string', 'n?': 'number', data: 'unknown' }), { n: 1.5, id: '1', data: { y: null }, hash: 1 }],
      [v.array(v.variant('k', [v.object({ k: v.literal('a') })])), [{ k: 'a', hash: 1 }]],
    ] as const
    const texts = []
    for (const [returns, value] of rows) texts.push((await answerOf(returns, value)).text)
    assert.deepEqual(texts, [
      '{"b":1,"c":[{"x":1}]}',
      '{"id":"1","hash":1}',
      '{"n":1.5,"id":"1","data":{"y":null}}',
      '[{"k":"a"}]',
    ])
  })

  it('validates asynchronously', async () => {
    const Later = z.object({ id: z.string() }).transform(async (user) => ({ ...user, n: 1 }))
    assert.equal((await answerOf(Later, stored)).text, '{"id":"1","n":1}')
  })

  it('names a promise in a described place', async () => {
    const { status, log } = await answerOf(arktype({ id: 'object' }).pipe(same), { id: Promise.resolve(1) })
    assert.equal(status, 500)
    assert.match(log, /its member "id" is a promise/)
  })
})

describe('a response without JSON Schema, again', () => {
  const Map0 = opaqueSchema(anything)

  it('sends the result for the value of the method', async () => {
    const Counted = v.pipe(
      v.looseObject({ id: v.string() }),
      v.transform((user) => Object.keys(user).length),
    )
    assert.equal((await answerOf(Counted, { id: '1', a: 2 }, { jsonSchema: {} })).text, '2')
  })

  it('responds 500 for a Map and a Set', async () => {
    const Lists = v.object({ a: v.map(v.string(), v.string()) })
    const { status, log } = await answerOf(Lists, { a: new Map() }, { jsonSchema: {} })
    assert.equal(status, 500)
    assert.match(log, /\/a: is a Map/)
    const strict = v.strictObject({ a: v.set(v.string()) })
    assert.match((await answerOf(strict, { a: new Set() }, { jsonSchema: {} })).log, /\/a: is a Set/)
    assert.equal((await answerOf(Map0, 'a', { jsonSchema: {} })).text, '"a"')
  })
})

describe('findings about an output that is not described', () => {
  const messages = async (returns: unknown): Promise<readonly string[]> => {
    const { app } = await answerOf(returns, 'a')
    return app.check().map(({ code, message, fix }) => `${code} ${message} ${fix}`)
  }

  it('names a place that is sent whole', async () => {
    const [pipe = ''] = await messages(arktype({ a: User.pipe(same) }))
    assert.match(pipe, /^RESPONSE_UNDESCRIBED .*does not describe what its function returns; "\/a", .* is sent whole/)
    const [transform = ''] = await messages(z.object({ id: z.string() }).transform(same))
    assert.match(transform, /Transforms cannot be represented.*; the response, .* is sent whole/)
  })

  it('names a place that is a 500, and the fix', async () => {
    const [instance = ''] = await messages(v.object({ car: v.instance(Car) }))
    assert.match(instance, /; "\/car" is a 500 if it is an object .*"json\(schema, \{ project: false \}\)"/)
    const [chosen = ''] = await messages(json(v.object({ car: v.instance(Car) }), { project: false }))
    assert.match(chosen, /"\/car", .* is sent whole/)
  })

  it('reports neither undefined, nor dates, nor anything', async () => {
    for (const returns of [
      arktype({ 'a?': User.or('undefined') }),
      z.object({ a: z.union([z.object({ id: z.string() }), z.undefined()]), b: z.date(), c: z.any() }),
      v.object({ a: v.union([Loose, v.undefined()]), b: v.date(), c: v.any() }),
      arktype({ a: 'Date', b: 'unknown' }),
      arktype({ t: ['string', '...', 'number[]', 'boolean'] }),
    ]) {
      assert.deepEqual(await messages(returns), [])
    }
  })
})

describe('dates in the document', () => {
  it('describes a Date as a string', async () => {
    for (const returns of [z.object({ at: z.date() }), v.object({ at: v.date() }), arktype({ at: 'Date' })]) {
      const { app, text } = await answerOf(returns, { at })
      assert.equal(text, JSON.stringify({ at }))
      assert.match(JSON.stringify(app.openapi()), /"at":\{"type":"string","format":"date-time"\}/)
    }
  })

  it('describes a member that may be undefined as optional', async () => {
    const { app } = await answerOf(z.object({ a: z.union([z.string(), z.undefined()]) }), { a: 'x' })
    assert.doesNotMatch(JSON.stringify(app.openapi()), /"required":\["a"\]|"not"/)
  })
})
