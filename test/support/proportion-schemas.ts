/** The same schemas in three libraries. Each validates input whose keys, items, levels or union branches a client can multiply. */
import { scope, type } from 'arktype'
import * as v from 'valibot'
import * as z from 'zod'
import type { Schema } from '#src/validation/schema.js'

export interface ProportionSchemas {
  /** An object with any keys and number values. */
  readonly numbers: Schema
  /** An object with any keys and arrays of numbers. */
  readonly lists: Schema
  /** An object with one property; all others are rejected. */
  readonly strict: Schema
  /** `{ value: number, texts: string[], kids: tree[] }`. Each invalid level has an issue whose message contains its value. */
  readonly tree: Schema
  /** An array whose items are a union of objects with unions inside. */
  readonly unions: Schema
}

/** A custom message that quotes the input, as authors may write. */
const quoted = (value: unknown): string => `Not "${JSON.stringify(value)}"`
const isNumber = (value: unknown): boolean => typeof Object(value).value === 'number'

const ZodTree: z.ZodType = z
  .looseObject({ kids: z.array(z.lazy(() => ZodTree)) })
  .refine(isNumber, { error: ({ input }) => quoted(Object(input).texts?.[0]) })
const zodKind = (kind: string) =>
  z.object({ kind: z.literal(kind), of: z.union([z.number(), z.object({ a: z.number() }), z.array(z.number())]) })

const BotTree: v.GenericSchema = v.pipe(
  v.unknown(),
  v.check(isNumber, ({ input }) => quoted(Object(input).texts?.[0])),
  v.looseObject({ kids: v.array(v.lazy(() => BotTree)) }),
)
const botKind = (kind: string) =>
  v.object({
    kind: v.literal(kind),
    of: v.union([v.number(), v.object({ a: v.number() }), v.array(v.number())]),
  })

const arkTree = scope({ tree: { value: 'number', texts: 'string[]', kids: 'tree[]' } }).export().tree
const arkKind = (kind: string) => type({ kind: type.unit(kind), of: type('number').or({ a: 'number' }).or('number[]') })

/** Schemas by library. */
export const PROPORTION_SCHEMAS: Readonly<Record<'zod' | 'valibot' | 'arktype', ProportionSchemas>> = {
  zod: {
    numbers: z.record(z.string(), z.number()),
    lists: z.record(z.string(), z.array(z.number())),
    strict: z.strictObject({ a: z.number().optional() }),
    tree: ZodTree,
    unions: z.array(z.union([zodKind('a'), zodKind('b'), zodKind('c')])),
  },
  valibot: {
    numbers: v.record(v.string(), v.number()),
    lists: v.record(v.string(), v.array(v.number())),
    strict: v.strictObject({ a: v.optional(v.number()) }),
    tree: BotTree,
    unions: v.array(v.union([botKind('a'), botKind('b'), botKind('c')])),
  },
  arktype: {
    numbers: type({ '[string]': 'number' }),
    lists: type({ '[string]': 'number[]' }),
    strict: type({ 'a?': 'number', '+': 'reject' }),
    tree: arkTree,
    unions: arkKind('a').or(arkKind('b')).or(arkKind('c')).array(),
  },
}
