/** The same schemas of three libraries, for what a client can make large: keys, items, levels, branches of a union. */
import { scope, type } from 'arktype'
import * as v from 'valibot'
import * as z from 'zod'
import type { Schema } from '#src/validation/schema.js'

/** Schemas by what they are good for. */
export interface ProportionSchemas {
  /** A record of numbers. */
  readonly numbers: Schema
  /** A record of lists of numbers. */
  readonly lists: Schema
  /** An object that has one member, and refuses all others. */
  readonly strict: Schema
  /** `{ value: number, texts: string[], kids: tree[] }`; each level is refused as a whole, with what it holds in the message. */
  readonly tree: Schema
  /** A list of a union of objects, themselves unions. */
  readonly unions: Schema
}

/** What a message of an author may do: quote what was sent. */
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

/** By the name of the library. */
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
