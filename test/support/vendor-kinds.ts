/** Kinds of schemas, each written with three validators. */
import { scope, type } from 'arktype'
import * as v from 'valibot'
import * as z from 'zod'
import type { AnySchema } from '#src/validation/schema.js'

export const VENDORS = ['zod', 'valibot', 'arktype'] as const
export type VendorName = (typeof VENDORS)[number]

export interface KindRow {
  readonly kind: string
  /** By vendor: the schema of an object whose member `value` is of this kind. */
  readonly schemas: Readonly<Record<VendorName, AnySchema>>
  /** Valid values of the member, with the value that the schema returns if it is another one. */
  readonly valid: readonly (readonly [input: unknown, output?: unknown])[]
  readonly invalid: readonly unknown[]
  /**
   * What happens to a member that the schema does not name: a `closed` object omits it, a `strict` object rejects it, a `record` rejects its
   * value, and an `open` object sends it.
   */
  readonly objects: 'closed' | 'strict' | 'record' | 'open'
  /** Invalid values that the validator of a library accepts, although its JSON Schema rejects them. */
  readonly accepted: Readonly<Partial<Record<VendorName, readonly unknown[]>>>
  /** Libraries whose JSON Schema of an open object is the same as of another one, so that responses contain the named members only. */
  readonly closedBy: readonly VendorName[]
}

/** A schema of each vendor. */
export type Members = readonly [ofZod: z.ZodType, ofValibot: v.GenericSchema, ofArktype: unknown]

/** Returns schemas of objects with one member. */
export function objectsWith(key: string, [ofZod, ofValibot, ofArktype]: Members): KindRow['schemas'] {
  return {
    zod: z.object({ [key]: ofZod }),
    valibot: v.object({ [key]: ofValibot }),
    arktype: type.raw({ [key]: ofArktype }),
  }
}

function row(
  kind: string,
  members: Members,
  valid: KindRow['valid'],
  invalid: readonly unknown[],
  { objects = 'closed', accepted = {}, closedBy = [] }: Partial<KindRow> = {},
): KindRow {
  return { kind, schemas: objectsWith('value', members), valid, invalid, objects, accepted, closedBy }
}

const vInt = v.pipe(v.number(), v.integer())
const UUID = '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d'
const ark = (definition: object) => type.raw(definition)

interface Tree {
  readonly name: string
  readonly children: readonly Tree[]
}
const zTree: z.ZodType<Tree> = z.object({
  name: z.string(),
  get children() {
    return z.array(zTree)
  },
})
const vTree: v.GenericSchema<Tree> = v.object({ name: v.string(), children: v.array(v.lazy(() => vTree)) })
const aTree = scope({ tree: { name: 'string', children: 'tree[]' } }).export().tree

const zPet = z.object({ kind: z.literal('pet'), name: z.string() })
const zCar = z.object({ kind: z.literal('car'), wheels: z.int() })
const vPet = v.object({ kind: v.literal('pet'), name: v.string() })
const vCar = v.object({ kind: v.literal('car'), wheels: vInt })
const aPet = ark({ kind: "'pet'", name: 'string' })
const aCar = ark({ kind: "'car'", wheels: 'number.integer' })
const PET = { kind: 'pet', name: 'Ada' }
const CAR = { kind: 'car', wheels: 4 }

/** Records of valibot 1.5.0 and arktype 2.2.9 accept an array, because it is an object (seen on 2026-11-29). */
const ARRAYS = { valibot: [[]], arktype: [[]] }

const SCALARS: readonly KindRow[] = [
  row('a string', [z.string(), v.string(), 'string'], [['a'], ['']], [1, null, ['a']]),
  row('an integer', [z.int(), vInt, 'number.integer'], [[1], [-1], [0]], [1.5, '1', true]),
  row(
    'a number with bounds',
    [z.number().min(1).lt(5), v.pipe(v.number(), v.minValue(1), v.ltValue(5)), '1 <= number < 5'],
    [[1], [4.5]],
    [0.5, 5, '2'],
  ),
  row('a boolean', [z.boolean(), v.boolean(), 'boolean'], [[true], [false]], ['true', 1]),
  row('null', [z.null(), v.null(), 'null'], [[null]], [0, '']),
  row('a literal', [z.literal('a'), v.literal('a'), "'a'"], [['a']], ['b', 1]),
  row('an enum', [z.enum(['a', 'b']), v.picklist(['a', 'b']), "'a' | 'b'"], [['a'], ['b']], ['c', null]),
  row(
    'literals of several types',
    [z.literal([1, 'all', null]), v.union([v.picklist([1, 'all']), v.null()]), "1 | 'all' | null"],
    [[1], ['all'], [null]],
    [2, 'none', true],
  ),
  row(
    'a string or a number',
    [z.union([z.string(), z.number()]), v.union([v.string(), v.number()]), 'string | number'],
    [['a'], [1]],
    [true, null],
  ),
  row('a nullable string', [z.string().nullable(), v.nullable(v.string()), 'string | null'], [['a'], [null]], [1]),
  row(
    'a string with lengths',
    [z.string().min(2).max(3), v.pipe(v.string(), v.minLength(2), v.maxLength(3)), '2 <= string <= 3'],
    [['ab'], ['abc']],
    ['a', 'abcd'],
  ),
  row(
    'a string with a pattern',
    [z.string().regex(/^[a-z]+-\d{2}$/), v.pipe(v.string(), v.regex(/^[a-z]+-\d{2}$/)), /^[a-z]+-\d{2}$/],
    [['ab-12']],
    ['ab-1', 'AB-12', ''],
  ),
  row('a UUID', [z.uuid(), v.pipe(v.string(), v.uuid()), 'string.uuid'], [[UUID]], ['9b1deb4d', '']),
  row('an email address', [z.email(), v.pipe(v.string(), v.email()), 'string.email'], [['a@b.example']], ['a', 'a@']),
  row('a multiple', [z.number().multipleOf(5), v.pipe(v.number(), v.multipleOf(5)), 'number % 5'], [[10], [0]], [3]),
]

const LISTS: readonly KindRow[] = [
  row('a list', [z.array(z.string()), v.array(v.string()), 'string[]'], [[[]], [['a', 'b']]], [['a', 1], 'a', {}]),
  row(
    'a list with a length',
    [
      z.array(z.int()).min(1).max(2),
      v.pipe(v.array(vInt), v.minLength(1), v.maxLength(2)),
      '1 <= (number.integer)[] <= 2',
    ],
    [[[1]], [[1, 2]]],
    [[], [1, 2, 3]],
  ),
  row(
    'a list of objects',
    [z.array(z.object({ a: z.int() })), v.array(v.object({ a: vInt })), ark({ a: 'number.integer' }).array()],
    [[[{ a: 1 }, { a: 2 }]]],
    [[{}], [{ a: 'x' }]],
  ),
  row(
    'a tuple',
    [z.tuple([z.string(), z.int()]), v.strictTuple([v.string(), vInt]), type.raw(['string', 'number.integer'])],
    [[['a', 1]]],
    [['a'], [1, 'a'], ['a', 1, 2]],
  ),
  row(
    'a tuple with more items',
    [
      z.tuple([z.string()], z.int()),
      v.tupleWithRest([v.string()], vInt),
      type.raw(['string', '...', 'number.integer[]']),
    ],
    [[['a']], [['a', 1, 2]]],
    [[], ['a', 'b']],
  ),
  row(
    'a tuple of objects',
    [
      z.tuple([z.object({ a: z.int() }), z.object({ b: z.int() })]),
      v.strictTuple([v.object({ a: vInt }), v.object({ b: vInt })]),
      type.raw([ark({ a: 'number.integer' }), ark({ b: 'number.integer' })]),
    ],
    [[[{ a: 1 }, { b: 2 }]]],
    [[{ b: 2 }, { a: 1 }]],
  ),
]

const OBJECTS: readonly KindRow[] = [
  row(
    'an object in an object',
    [
      z.object({ a: z.object({ b: z.string() }) }),
      v.object({ a: v.object({ b: v.string() }) }),
      ark({ a: { b: 'string' } }),
    ],
    [[{ a: { b: 'x' } }]],
    [{}, { a: {} }, { a: { b: 1 } }],
  ),
  row(
    'an optional member',
    [z.object({ a: z.string().optional() }), v.object({ a: v.optional(v.string()) }), ark({ 'a?': 'string' })],
    [[{}], [{ a: 'x' }]],
    [{ a: 1 }, { a: null }],
  ),
  row(
    'a member with a default',
    [
      z.object({ a: z.string().default('x') }),
      v.object({ a: v.optional(v.string(), 'x') }),
      ark({ a: "string = 'x'" }),
    ],
    [[{}, { a: 'x' }], [{ a: 'y' }]],
    [{ a: 1 }],
  ),
  row(
    'a strict object',
    [z.strictObject({ a: z.int() }), v.strictObject({ a: vInt }), type.raw({ '+': 'reject', a: 'number.integer' })],
    [[{ a: 1 }]],
    [{ a: 1, b: 2 }, {}],
    { objects: 'strict' },
  ),
  row(
    'an open object',
    [z.looseObject({ a: z.int() }), v.looseObject({ a: vInt }), type.raw({ '+': 'ignore', a: 'number.integer' })],
    [[{ a: 1 }], [{ a: 1, b: 'x' }]],
    [{ b: 1 }],
    { objects: 'open', closedBy: ['valibot', 'arktype'] },
  ),
  row(
    'a record',
    [z.record(z.string(), z.int()), v.record(v.string(), vInt), type.raw({ '[string]': 'number.integer' })],
    [[{}], [{ a: 1, b: 2 }]],
    [{ a: 'x' }, []],
    { objects: 'record', accepted: ARRAYS },
  ),
  row(
    'a record of objects',
    [
      z.record(z.string(), z.object({ a: z.int() })),
      v.record(v.string(), v.object({ a: vInt })),
      type.raw({ '[string]': ark({ a: 'number.integer' }) }),
    ],
    [[{ x: { a: 1 } }]],
    [{ x: {} }, { x: 1 }],
    { objects: 'record' },
  ),
  row(
    'an object or another',
    [
      z.union([z.object({ a: z.int() }), z.object({ b: z.string() })]),
      v.union([v.object({ a: vInt }), v.object({ b: v.string() })]),
      ark({ a: 'number.integer' }).or(ark({ b: 'string' })),
    ],
    [[{ a: 1 }], [{ b: 'x' }]],
    [{}, { a: 'x' }, { b: 1 }],
  ),
  row(
    'an object with a discriminator',
    [z.discriminatedUnion('kind', [zPet, zCar]), v.variant('kind', [vPet, vCar]), aPet.or(aCar)],
    [[PET], [CAR]],
    [{ kind: 'pet', wheels: 4 }, { kind: 'cat' }, {}],
  ),
  row(
    'a list of objects with a discriminator',
    [
      z.array(z.discriminatedUnion('kind', [zPet, zCar])),
      v.array(v.variant('kind', [vPet, vCar])),
      aPet.or(aCar).array(),
    ],
    [[[PET, CAR]]],
    [[PET, { kind: 'cat' }]],
  ),
  row(
    'an intersection',
    [
      z.intersection(z.object({ a: z.int() }), z.object({ b: z.string() })),
      v.intersect([v.object({ a: vInt }), v.object({ b: v.string() })]),
      ark({ a: 'number.integer' }).and(ark({ b: 'string' })),
    ],
    [[{ a: 1, b: 'x' }]],
    [{ a: 1 }, { b: 'x' }],
  ),
  row(
    'an object or null',
    [z.object({ a: z.int() }).nullable(), v.nullable(v.object({ a: vInt })), ark({ a: 'number.integer' }).or('null')],
    [[{ a: 1 }], [null]],
    [{}, 0],
  ),
  row(
    'a tree',
    [zTree, vTree, aTree],
    [[{ name: 'a', children: [{ name: 'b', children: [] }] }]],
    [{ name: 'a', children: [{ name: 'b' }] }, { name: 'a' }],
  ),
  row(
    'a read-only object',
    [
      z.object({ a: z.int() }).readonly(),
      v.pipe(v.object({ a: vInt }), v.readonly()),
      type({ a: 'number.integer' }).readonly(),
    ],
    [[{ a: 1 }]],
    [{}, { a: 'x' }],
  ),
  row(
    'an object with a description',
    [
      z.object({ a: z.int().describe('A number') }).describe('An object'),
      v.pipe(v.object({ a: v.pipe(vInt, v.description('A number')) }), v.description('An object')),
      ark({ a: type('number.integer').describe('a number', 'self') }),
    ],
    [[{ a: 1 }]],
    [{}, { a: 'x' }],
  ),
  row('anything', [z.unknown(), v.unknown(), 'unknown'], [[1], ['a'], [{ a: [1] }]], [], { objects: 'open' }),
]

export const KIND_ROWS: readonly KindRow[] = [...SCALARS, ...LISTS, ...OBJECTS]
