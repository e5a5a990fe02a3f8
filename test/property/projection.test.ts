/** Responses contain only declared properties, for every return value of a method. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toJsonSchema } from '@valibot/to-json-schema'
import { type as arktype, type Type } from 'arktype'
import fc from 'fast-check'
import * as v from 'valibot'
import * as z from 'zod'
import * as zm from 'zod/mini'
import { countEqual, countSent, vendor, type Vendor } from '#test/hostile-values.js'

const RUNS = 200

const zod = vendor<z.ZodType>({
  scalar: (type) => ({ string: z.string(), number: z.number(), boolean: z.boolean() })[type],
  literal: (value) => z.literal(value),
  list: (item) => z.array(item),
  record: (member) => z.record(z.string(), member),
  tuple: ([first = z.never(), ...rest]) => z.tuple([first, ...rest]),
  union: (branches) => z.union(branches),
  object: (members) => z.object(members),
  partial: (members) => z.object(members).partial(),
  pipe: (inner) => inner.transform((value) => value),
  absent: (inner) => z.union([inner, z.undefined()]),
})
const zodMini = vendor<zm.ZodMiniType>({
  scalar: (type) => ({ string: zm.string(), number: zm.number(), boolean: zm.boolean() })[type],
  literal: (value) => zm.literal(value),
  list: (item) => zm.array(item),
  record: (member) => zm.record(zm.string(), member),
  tuple: ([first = zm.never(), ...rest]) => zm.tuple([first, ...rest]),
  union: (branches) => zm.union(branches),
  object: (members) => zm.object(members),
  partial: (members) => zm.partial(zm.object(members)),
  pipe: (inner) =>
    zm.pipe(
      inner,
      zm.transform((value) => value),
    ),
  absent: (inner) => zm.union([inner, zm.undefined()]),
})
const valibot = vendor<v.GenericSchema>({
  scalar: (type) => ({ string: v.string(), number: v.number(), boolean: v.boolean() })[type],
  literal: (value) => v.literal(value),
  list: (item) => v.array(item),
  record: (member) => v.record(v.string(), member),
  tuple: (items) => v.tuple([...items]),
  union: (branches) => v.union([...branches]),
  object: (members) => v.object(members),
  partial: (members) => v.partial(v.object(members)),
  pipe: (inner) =>
    v.pipe(
      inner,
      v.transform((value) => value),
    ),
  absent: (inner) => v.union([inner, v.undefined()]),
})
/** Skips shapes for which arktype cannot tell which function of two types applies. */
function unite(one: Type, other: Type): Type {
  try {
    return one.or(other)
  } catch {
    fc.pre(false)
    return one
  }
}

/** Throws for some pairs of functions, which are different types. */
function isWithin(one: Type, other: Type): boolean {
  try {
    return one.extends(other)
  } catch {
    return false
  }
}

const ark = vendor<Type>({
  scalar: (type) => arktype(type),
  literal: (value) => arktype.unit(value),
  list: (item) => item.array(),
  record: (member) => arktype({ '[string]': member }),
  tuple: (items) => arktype.raw([...items]),
  union(branches) {
    // ArkType removes a branch that another one contains, so its properties are no longer described.
    const all = branches.flatMap((branch) => branch.distribute((each) => each as Type))
    fc.pre(all.every((one, at) => all.every((other, index) => index === at || !isWithin(one, other))))
    return branches.reduce(unite)
  },
  object: (members) => arktype(members),
  pipe: (inner) => inner.pipe((value) => value),
  absent: (inner) => unite(inner, arktype('undefined')),
  partial: (members) => arktype(Object.fromEntries(Object.entries(members).map(([key, each]) => [`${key}?`, each]))),
})

const VENDORS: readonly (readonly [name: string, build: Vendor, options?: object])[] = [
  ['zod', zod],
  ['zod/mini', zodMini],
  ['valibot without a converter', valibot],
  ['valibot with a converter', valibot, { jsonSchema: { valibot: toJsonSchema } }],
  ['arktype', ark],
]

describe('returns: undeclared properties', () => {
  for (const [name, build, options] of VENDORS) {
    it(`sends the output of the validator without undeclared properties with ${name}`, async () => {
      const sent = await countEqual(build, { ...options }, { runs: RUNS })
      assert.ok(sent > RUNS / 4, `Only ${sent} of ${RUNS} values were sent`)
    })

    for (const validateResponses of [true, false]) {
      it(`never sends undeclared properties with ${name} and validateResponses: ${validateResponses}`, async () => {
        const sent = await countSent(build, { ...options, validateResponses }, { runs: RUNS })
        assert.ok(sent > RUNS / 10, `Only ${sent} of ${RUNS} values were sent`)
      })
    }
  }
})
