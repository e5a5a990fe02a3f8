/** Converts OpenAPI 3.0 documents to 3.1, so that one comparison reads both. */
import { isRecord, type UnknownRecord } from '../../values/objects.js'

/** Keys of objects whose own keys are names, not keywords. */
const NAMED = new Set([
  'callbacks',
  'content',
  'encoding',
  'headers',
  'parameters',
  'paths',
  'properties',
  'requestBodies',
  'responses',
  'schemas',
])
/** Keys of values that are data, which can look like a schema. */
const DATA = new Set(['default', 'enum', 'example', 'examples'])

/**
 * Returns a copy of a document or a part of it. `nullable` becomes the type null, also beside
 * `allOf`, where generators write it. `exclusiveMinimum` and `exclusiveMaximum` become numbers, and keywords beside a `$ref` have no effect (OpenAPI 3.0.4 sections
 * 4.7.23 and 4.7.24).
 *
 * @param isNamed whether the keys are names
 */
export function upgradeDocument(value: unknown, isNamed = false): unknown {
  if (Array.isArray(value)) return value.map((item) => upgradeDocument(item))
  if (!isRecord(value)) return value
  const entries = Object.entries(value).map(([key, inner]) => {
    if (isNamed) return [key, upgradeDocument(inner)]
    return [key, DATA.has(key) ? inner : upgradeDocument(inner, NAMED.has(key))]
  })
  const copy: UnknownRecord = Object.fromEntries(entries)
  return isNamed ? copy : upgradeSchema(copy)
}

/** Upgrades one schema, without the schemas in it. These keywords occur only in schemas. */
export function upgradeSchema(schema: UnknownRecord): UnknownRecord {
  const { $ref } = schema
  if (typeof $ref === 'string') return { $ref }
  const { nullable, ...rest } = withNumericLimits(schema)
  return nullable === true ? withNull(rest) : rest
}

function withNumericLimits(schema: UnknownRecord): UnknownRecord {
  const limits = ['minimum', 'maximum'].flatMap((limit) => {
    const exclusive = limit.replace('m', 'exclusiveM')
    if (typeof schema[exclusive] !== 'boolean') return []
    const { [limit]: bound } = schema
    return schema[exclusive]
      ? [
          [limit, undefined],
          [exclusive, bound],
        ]
      : [[exclusive, undefined]]
  })
  return { ...schema, ...Object.fromEntries(limits) }
}

function withNull(schema: UnknownRecord): UnknownRecord {
  const { type, enum: values, allOf } = schema
  if (Array.isArray(allOf)) return { anyOf: [schema, { type: 'null' }] }
  const unions = ['anyOf', 'oneOf'].flatMap((key) => {
    const { [key]: branches } = schema
    return Array.isArray(branches) ? [[key, [...branches, { type: 'null' }]]] : []
  })
  return {
    ...schema,
    ...Object.fromEntries(unions),
    ...(typeof type === 'string' ? { type: [type, 'null'] } : {}),
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
  }
}
