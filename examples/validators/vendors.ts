/** Functions that build the same schemas with several libraries, for tests. */
import { Type, type TSchema } from '@sinclair/typebox'
import vine from '@vinejs/vine'
import type { SchemaTypes } from '@vinejs/vine/types'
import * as decoders from 'decoders'
import { Schema as Effect } from 'effect'
import Joi from 'joi'
import * as Sury from 'sury'
import * as yup from 'yup'
import { z as z3 } from 'zod-v3'
import { vendor } from '#test/hostile-values.js'
import { adapt } from './typebox.js'

Sury.enableStandardJSONSchema()

export const typeBox = vendor<TSchema>(
  {
    scalar: (type) => ({ string: Type.String(), number: Type.Number(), boolean: Type.Boolean() })[type],
    literal: (value) => Type.Literal(value),
    list: (item) => Type.Array(item),
    record: (member) => Type.Record(Type.String(), member),
    tuple: (items) => Type.Tuple([...items]),
    union: (branches) => Type.Union([...branches]),
    object: (members) => Type.Object(members),
    partial: (members) => Type.Partial(Type.Object(members)),
  },
  adapt,
)

export const zod3 = vendor<z3.ZodType>({
  scalar: (type) => ({ string: z3.string(), number: z3.number(), boolean: z3.boolean() })[type],
  literal: (value) => z3.literal(value),
  list: (item) => z3.array(item),
  record: (member) => z3.record(member),
  tuple: ([first = z3.never(), ...rest]) => z3.tuple([first, ...rest]),
  union: ([first = z3.never(), second = z3.never(), ...rest]) => z3.union([first, second, ...rest]),
  object: (members) => z3.object(members),
  partial: (members) => z3.object(members).partial(),
})

type YupSchema = yup.ISchema<unknown>

/** yup has no unions: `lazy` selects the first branch that accepts the value. */
function isValid(value: unknown, schema: YupSchema): boolean {
  return yup.object({ value: schema }).isValidSync({ value })
}

export const yupStripped = vendor<YupSchema>({
  scalar: (type) => ({ string: yup.string(), number: yup.number(), boolean: yup.boolean() })[type].required(),
  literal: (value) => yup.string().oneOf([value]).required(),
  list: (item) => yup.array(item).required(),
  record: (member) =>
    yup.lazy((value: unknown) =>
      yup.object(Object.fromEntries(Object.keys(Object(value)).map((key) => [key, member]))),
    ),
  tuple: ([first = yup.mixed(), ...rest]) => yup.tuple([first, ...rest]).required(),
  union: ([first = yup.mixed(), second = first]) =>
    yup.lazy((value: unknown) => (isValid(value, first) ? first : second)),
  object: (members) => yup.object({ ...members }).stripUnknown(),
  partial: (members) =>
    yup
      .object({ ...members })
      .partial()
      .stripUnknown(),
})

export const vineJs = vendor<SchemaTypes>(
  {
    scalar: (type) => ({ string: vine.string(), number: vine.number(), boolean: vine.boolean() })[type],
    literal: (value) => vine.literal(value),
    list: (item) => vine.array(item),
    record: (member) => vine.record(member),
    tuple: (items) => vine.tuple([...items]),
    union: ([first = vine.any()]) => first,
    object: (members) => vine.object({ ...members }),
  },
  (schema) => vine.create(schema),
)

export const decodersJs = vendor<decoders.Decoder<unknown>>({
  scalar: (type) => ({ string: decoders.string, number: decoders.number, boolean: decoders.boolean })[type],
  literal: (value) => decoders.constant(value),
  list: (item) => decoders.array(item),
  record: (member) => decoders.record(member),
  tuple: ([first = decoders.never('none'), ...rest]) => decoders.tuple(first, ...rest),
  union: ([first = decoders.never('none'), second = first, third = second]) => decoders.either(first, second, third),
  object: (members) => decoders.object(members),
  partial: (members) =>
    decoders.object(Object.fromEntries(Object.entries(members).map(([key, each]) => [key, decoders.optional(each)]))),
})

export const effect = vendor<Effect.Codec<unknown>>(
  {
    scalar: (type) => ({ string: Effect.String, number: Effect.Number, boolean: Effect.Boolean })[type],
    literal: (value) => Effect.Literal(value),
    list: (item) => Effect.Array(item),
    record: (member) => Effect.Record(Effect.String, member),
    tuple: (items) => Effect.Tuple(items),
    union: (branches) => Effect.Union(branches),
    object: (members) => Effect.Struct(members),
    partial: (members) =>
      Effect.Struct(Object.fromEntries(Object.entries(members).map(([key, each]) => [key, Effect.optionalKey(each)]))),
  },
  (schema) => Effect.toStandardSchemaV1(schema),
)

export const joi = vendor<Joi.Schema>({
  scalar: (type) => Joi[type]().required(),
  literal: (value) => Joi.valid(value).required(),
  list: (item) => Joi.array().items(item.optional()).required(),
  record: (member) => Joi.object().pattern(Joi.string(), member).required(),
  tuple: (items) =>
    Joi.array()
      .ordered(...items)
      .required(),
  union: (branches) => Joi.alternatives(...branches).required(),
  object: (members) => Joi.object(members).unknown().required(),
  partial: (members) =>
    Joi.object(Object.fromEntries(Object.entries(members).map(([key, each]) => [key, each.optional()]))).unknown(),
})

export const sury = vendor<Sury.Schema<unknown, unknown>>({
  scalar: (type) => ({ string: Sury.string, number: Sury.number, boolean: Sury.boolean })[type],
  literal: (value) => Sury.schema(value),
  list: (item) => Sury.array(item),
  record: (member) => Sury.record(member),
  tuple: (items) => Sury.schema([...items]),
  // @ts-expect-error - the types of Sury refer to themselves
  union: (branches) => Sury.union([...branches]),
  object: (members) => Sury.schema(members),
  partial: (members) =>
    Sury.schema(Object.fromEntries(Object.entries(members).map(([key, each]) => [key, Sury.optional(each)]))),
})
