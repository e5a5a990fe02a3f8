/** Converts schemas to JSON Schema (draft 2020-12), with the standard or a converter of the app. */
import type { UnknownRecord } from '../values/objects.js'
import { discardPromise } from '../values/promises.js'
import { findBare, GapMarks, type SchemaGaps } from './gaps.js'
import { isJsonSchema, type JsonSchema, type SchemaSide } from './json-schema.js'
import type { Schema } from './schema.js'

/**
 * Functions that convert schemas to JSON Schema, by the vendor name of the library; for libraries whose schemas cannot do it.
 * They are called with the schema and `{ io, typeMode, target }`, because libraries use different names for the side. Each library
 * ignores unknown options. The parameters are `never` because each function accepts only schemas of its library.
 */
export type Converters = Readonly<Record<string, (schema: never, options?: never) => unknown>>

export interface Description {
  readonly schema: JsonSchema | undefined
  /** Whether members that JSON Schema cannot express are included as `{}`. */
  readonly lenient: boolean
  /** Why the JSON Schema is missing or incomplete; `undefined` if it is complete. */
  readonly reason: string | undefined
  /** The places of the JSON Schema that the library could not describe. */
  readonly gaps: SchemaGaps
}

type Describe = (libraryOptions: UnknownRecord) => unknown
const TARGET = 'draft-2020-12'
const NO_GAPS: SchemaGaps = new Map()

type Conversion = SchemaSide | 'accepted'
type Conversions = Map<Schema, Partial<Record<Conversion, Description>>>

// Checks and documents repeat no conversion during startup. The next full garbage collection drops the conversions.
const known = new WeakMap<Converters, WeakRef<Conversions>>()

/**
 * Converts one side of a schema with its own method or a converter: first strictly, and if that fails, leniently. Never throws.
 *
 * @param isAccepted whether a value that a function of the schema reads first, as for a coercion, is described as anything
 */
export function describeSchema(
  schema: Schema,
  side: SchemaSide,
  converters: Converters,
  isAccepted = false,
): Description {
  const conversions = known.get(converters)?.deref() ?? newConversions(converters)
  const ofSchema = conversions.get(schema) ?? {}
  const description = (ofSchema[isAccepted ? 'accepted' : side] ??= convertSide(schema, side, converters, isAccepted))
  conversions.set(schema, ofSchema)
  return description
}

function newConversions(converters: Converters): Conversions {
  const conversions: Conversions = new Map()
  known.set(converters, new WeakRef(conversions))
  return conversions
}

function convertSide(schema: Schema, side: SchemaSide, converters: Converters, isAccepted: boolean): Description {
  const ways = [standardWay(schema, side), converterWay(schema, side, converters)].filter((way) => way !== undefined)
  let reason: string | undefined
  for (const lenient of isAccepted ? [true] : [false, true]) {
    for (const way of ways) {
      const marks = new GapMarks(schema, side, isAccepted)
      const converted = convertSchema(way, lenient ? marks.lenientOptions : marks.strictOptions)
      if (converted.schema !== undefined) return readDescription(converted.schema, marks, { lenient, reason, way })
      reason ??= converted.reason
    }
  }
  const { vendor } = schema['~standard']
  const missing = `The schema (${vendor}) does not provide JSON Schema, and the app has no converter for ${vendor}`
  return { schema: undefined, lenient: false, reason: reason ?? missing, gaps: NO_GAPS }
}

/** Returns a complete description if everything that the strict conversion rejects has been replaced. */
function readDescription(
  converted: JsonSchema,
  marks: GapMarks,
  { lenient, reason, way }: Pick<Description, 'lenient' | 'reason'> & { readonly way: Describe },
): Description {
  const { schema, gaps } = marks.read(converted)
  if (!lenient) return { schema, lenient, reason, gaps }
  if (!marks.isMarked) {
    // A library that calls no function has no gap, or does not know the functions.
    const isComplete = convertSchema(way, marks.strictOptions).schema !== undefined
    return { schema, lenient, reason, gaps: isComplete ? gaps : findBare(schema) }
  }
  return !marks.isIncomplete ? { schema, lenient: false, reason: undefined, gaps } : { schema, lenient, reason, gaps }
}

function standardWay(schema: Schema, side: SchemaSide): Describe | undefined {
  const describer = schema['~standard'].jsonSchema
  if (typeof describer?.[side] !== 'function') return undefined
  return (libraryOptions) => describer[side]({ target: TARGET, libraryOptions: { ...libraryOptions } })
}

function converterWay(schema: Schema, side: SchemaSide, converters: Converters): Describe | undefined {
  const { vendor } = schema['~standard']
  const convert = Object.hasOwn(converters, vendor) ? converters[vendor] : undefined
  if (convert === undefined) return undefined
  return (libraryOptions) => {
    const options = { io: side, typeMode: side, target: TARGET, ...libraryOptions }
    // Proof: the vendor of the schema is the key under which the app put the function for such schemas and options.
    return convert(schema as never, options as never)
  }
}

function convertSchema(way: Describe, options: UnknownRecord): Pick<Description, 'schema' | 'reason'> {
  try {
    const schema = way(options)
    if (discardPromise(schema)) return { schema: undefined, reason: 'The conversion to JSON Schema returned a promise' }
    if (isJsonSchema(schema)) return { schema, reason: undefined }
    return { schema: undefined, reason: 'The conversion did not return JSON Schema' }
  } catch (error) {
    return {
      schema: undefined,
      reason: error instanceof Error ? error.message : 'The conversion to JSON Schema failed',
    }
  }
}
