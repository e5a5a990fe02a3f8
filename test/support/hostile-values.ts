/** Generated schemas for several validation libraries, and values with undeclared properties that no response may contain. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { createApp, Route, type AppOptions, type Schema } from 'verbena'

/** A schema, independent of a library. */
export type Shape =
  | { readonly type: 'string' | 'number' | 'boolean' }
  | { readonly type: 'literal'; readonly value: string }
  | { readonly type: 'list' | 'record' | 'pipe' | 'absent'; readonly inner: Shape }
  | { readonly type: 'tuple' | 'union'; readonly all: readonly Shape[] }
  | { readonly type: 'object'; readonly members: Readonly<Record<string, Shape>>; readonly isPartial: boolean }

/** Functions of a library that build schemas. */
export interface Kit<T> {
  readonly scalar: (type: 'string' | 'number' | 'boolean') => T
  readonly literal: (value: string) => T
  readonly list: (item: T) => T
  readonly record: (member: T) => T
  readonly tuple: (items: readonly T[]) => T
  readonly union: (branches: readonly T[]) => T
  readonly object: (members: Readonly<Record<string, T>>) => T
  /** Builds an object schema with optional properties. */
  readonly partial?: (members: Readonly<Record<string, T>>) => T
  /** Builds a schema with a function that returns its argument. */
  readonly pipe?: (inner: T) => T
  /** Builds a union with `undefined`. */
  readonly absent?: (inner: T) => T
}

export type Vendor = (shape: Shape) => unknown

/** Returns a function that builds schemas with a kit. `finish` converts the result to Standard Schema. */
export function vendor<T>(kit: Kit<T>, finish: (schema: T) => unknown = (schema) => schema): Vendor {
  const build = (shape: Shape): T => {
    switch (shape.type) {
      case 'literal':
        return kit.literal(shape.value)
      case 'list':
      case 'record':
        return kit[shape.type](build(shape.inner))
      case 'pipe':
      case 'absent':
        return (kit[shape.type] ?? same)(build(shape.inner))
      case 'tuple':
      case 'union':
        return kit[shape.type](shape.all.map(build))
      case 'object': {
        const make = (shape.isPartial ? kit.partial : undefined) ?? kit.object
        return make(Object.fromEntries(Object.entries(shape.members).map(([key, each]) => [key, build(each)])))
      }
      default:
        return kit.scalar(shape.type)
    }
  }
  return (shape) => finish(build(shape))
}

function same<Value>(value: Value): Value {
  return value
}

const KEYS = ['a', 'b', 'kind', 'toString']
const SECRET = 'scrypt$4711'
/** Deeper than generated schemas, so that nested `record` schemas cannot declare it. */
const hidden = { secret: { is: { far: { below: { all: { schemas: { hash: SECRET } } } } } } }

const { shape: shapes } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 3, depthSize: 'medium' },
    fc.constantFrom<Shape>(
      { type: 'string' },
      { type: 'number' },
      { type: 'boolean' },
      { type: 'literal', value: 'a' },
    ),
    fc.record({ type: fc.constantFrom('list', 'record', 'pipe', 'absent'), inner: tie('shape') }),
    fc.record({
      type: fc.constantFrom('tuple', 'union'),
      all: fc.array(tie('shape'), { minLength: 2, maxLength: 3 }),
    }),
    fc.record({
      type: fc.constant('object'),
      members: fc.dictionary(fc.constantFrom(...KEYS), tie('shape'), { minKeys: 1, noNullPrototype: true }),
      isPartial: fc.boolean(),
    }),
  ),
}))

class Instance {
  constructor(members: object) {
    Object.assign(this, members)
  }
}

class ShownValue extends Instance {
  toJSON() {
    return 'a'
  }
}

const WRAPPERS: readonly ((inner: unknown) => unknown)[] = [
  (inner) => ({ a: inner, ...hidden }),
  (inner) => [inner, hidden],
  (inner) => new Instance({ b: inner, ...hidden }),
  (inner) => ({ toJSON: () => inner, ...hidden }),
  (inner) => new ShownValue({ a: inner, ...hidden }),
  (inner) => ({ toJSON: () => ({ kind: inner, ...hidden }) }),
  (inner) => Object.assign(() => inner, { toJSON: () => ({ a: inner, ...hidden }) }),
  (inner) => Object.assign(new Date(0), { toJSON: () => ({ ...hidden, a: inner }) }),
  (inner) => Object.assign(new Map([['a', inner]]), hidden),
  (inner) => new Set([inner, hidden]),
  (inner) => Object.assign(Object.create(null), { a: inner, ...hidden }),
]
const scalars = fc.constantFrom<unknown>('a', 1, true, null, undefined, new Date(0), new String('a'), Symbol('a'))
const { hostile } = fc.letrec<{ hostile: unknown }>((tie) => ({
  hostile: fc.oneof(
    { maxDepth: 3 },
    scalars,
    fc.constant(hidden),
    fc.tuple(fc.constantFrom(...WRAPPERS), tie('hostile')).map(([wrap, inner]) => wrap(inner)),
    fc.array(tie('hostile'), { maxLength: 2 }),
  ),
}))

/** Generates a value for a shape. Objects can have undeclared properties; a hostile value replaces some values. */
function createValue(shape: Shape, hostility: number): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 20, arbitrary: fitting(shape, hostility) }, { weight: hostility, arbitrary: hostile })
}

function fitting(shape: Shape, hostility: number): fc.Arbitrary<unknown> {
  switch (shape.type) {
    case 'string':
      return fc.constantFrom('a', 'b')
    case 'number':
      return fc.constantFrom(1, 0.5)
    case 'boolean':
      return fc.boolean()
    case 'literal':
      return fc.constant(shape.value)
    case 'list':
      return fc.array(createValue(shape.inner, hostility), { maxLength: 2 })
    case 'pipe':
      return createValue(shape.inner, hostility)
    case 'absent':
      return fc.oneof({ weight: 4, arbitrary: createValue(shape.inner, hostility) }, fc.constant(undefined))
    case 'record':
      return fc.dictionary(fc.constantFrom('a', 'x'), createValue(shape.inner, hostility), { noNullPrototype: true })
    case 'tuple':
      return fc.tuple(...shape.all.map((each) => createValue(each, hostility)))
    case 'union':
      return fc.oneof(...shape.all.map((each) => createValue(each, hostility)))
    case 'object': {
      const members = Object.entries(shape.members).map(([key, each]) => [key, createValue(each, hostility)])
      const rest = fc.constantFrom({}, hidden)
      return fc
        .tuple(fc.record(Object.fromEntries(members), shape.isPartial ? { requiredKeys: [] } : {}), rest)
        .map(([own, more]) => ({ ...Object(own), ...more }))
    }
  }
}

interface SentValue {
  readonly status: number
  readonly text: string
}

async function send(returns: unknown, value: unknown, options: Partial<AppOptions<{}>>): Promise<SentValue> {
  class Values extends Route {
    // Proof: each kit builds schemas of Standard Schema.
    static readonly get = this.contract({ returns: returns as Schema })
    get() {
      return value
    }
  }
  const app = createApp({ routes: { Values }, logger: false, signals: false, ...options })
  const response = await app.fetch(new Request('http://localhost/values'))
  return { status: response.status, text: await response.text() }
}

/** Returns the number of 200 responses. Asserts that no response contains an undeclared property. */
export async function countSent(
  build: Vendor,
  options: Partial<AppOptions<{}>>,
  { runs, seed }: { readonly runs: number; readonly seed?: number },
): Promise<number> {
  let sent = 0
  const pairs = shapes.chain((shape) =>
    fc.constantFrom(0, 1, 20).chain((hostility) => createValue(shape, hostility).map((value) => ({ shape, value }))),
  )
  await fc.assert(
    fc.asyncProperty(pairs, async ({ shape, value }) => {
      const { status, text } = await send(build(shape), value, options)
      assert.ok(!text.includes(SECRET), `${JSON.stringify(shape)} sends ${text}`)
      assert.ok(status === 200 || status === 500, `${status} ${text}`)
      if (status === 200) sent++
    }),
    { numRuns: runs, ...(seed === undefined ? {} : { seed }) },
  )
  return sent
}

/**
 * Returns the number of 200 responses. Asserts that each is the output of the validator for the same value without undeclared properties.
 */
export async function countEqual(
  build: Vendor,
  options: Partial<AppOptions<{}>>,
  { runs }: { readonly runs: number },
): Promise<number> {
  let sent = 0
  const pairs = shapes.chain((shape) => createValue(shape, 0).map((value) => ({ shape, value })))
  await fc.assert(
    fc.asyncProperty(pairs, async ({ shape, value }) => {
      const schema = build(shape)
      const { status, text } = await send(schema, value, options)
      if (status !== 200) return
      sent++
      const { value: made } = await Object(schema)['~standard'].validate(withoutSecrets(value))
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(made)), JSON.stringify(shape))
    }),
    { numRuns: runs },
  )
  return sent
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([key]) => key !== 'secret')
  return Object.fromEntries(entries.map(([key, member]) => [key, withoutSecrets(member)]))
}
