/** Expands a schema into alternatives without unions. Resolves `anyOf`, `oneOf`, `allOf` and references. */
import { isRecord, ownValue } from '../../values/objects.js'
import { child, children, referredPlace, type DocumentLocation } from './place.js'

/** Schemas that a value must all match, such as a reference and its target. */
export type Schemas = readonly DocumentLocation[]

/** The types of JSON Schema, with `number` split into `integer` and `fraction`. */
type TypeName = 'array' | 'boolean' | 'fraction' | 'integer' | 'null' | 'object' | 'string'
const TYPES: readonly TypeName[] = ['array', 'boolean', 'fraction', 'integer', 'null', 'object', 'string']

/** One way to match a schema. */
export interface Alternative {
  readonly schemas: Schemas
  readonly types: ReadonlySet<TypeName>
  /** The only allowed values, as JSON; `null` if every value of `types` is allowed. */
  readonly values: readonly string[] | null
}

/** Adds the targets of references and the schemas of `allOf`, each once. The schemas may come from two documents. */
function flattenAllOf(schemas: Schemas): Schemas {
  const places: DocumentLocation[] = []
  const add = (place: DocumentLocation): void => {
    if (places.some(({ pointer, root }) => pointer === place.pointer && root === place.root)) return
    places.push(place)
    const target = referredPlace(place)
    if (target !== null) add(target)
    for (const [, part] of children(child(place, 'allOf'))) add(part)
  }
  schemas.forEach(add)
  return places
}

/** Returns the alternatives of schemas, or an empty array if no value can match. Ignores unions whose array is in `done`. */
export function expandAlternatives(schemas: Schemas, done: ReadonlySet<unknown> = new Set()): Alternative[] {
  return expandUnions(flattenAllOf(schemas), done)
}

function expandUnions(schemas: Schemas, done: ReadonlySet<unknown>): Alternative[] {
  const union = placesOfUnions(schemas).find(({ value }) => !done.has(value))
  if (union === undefined) return toAlternative(schemas)
  const inner = new Set([...done, union.value])
  return children(union).flatMap(([, branch]) => expandUnions(flattenAllOf([...schemas, branch]), inner))
}

export function placesOfUnions(schemas: Schemas): DocumentLocation[] {
  return schemas
    .flatMap((place) => [child(place, 'anyOf'), child(place, 'oneOf')])
    .filter(({ value }) => Array.isArray(value))
}

function toAlternative(schemas: Schemas): Alternative[] {
  const types = new Set(TYPES.filter((type) => schemas.every((schema) => allowsType(schema, type))))
  const lists = schemas.flatMap(enumValues)
  const [first, ...others] = lists
  const common = first?.filter((value) => others.every((list) => list.includes(value)) && types.has(jsonType(value)))
  const used = common === undefined ? types : new Set(common.map(jsonType))
  return used.size === 0 ? [] : [{ schemas, types: used, values: common ?? null }]
}

function allowsType({ value }: DocumentLocation, type: TypeName): boolean {
  if (value === false) return false
  const named = isRecord(value) ? ownValue(value, 'type') : undefined
  if (named === undefined) return true
  const names = [named].flat()
  return names.includes(type) || (names.includes('number') && (type === 'integer' || type === 'fraction'))
}

function enumValues(place: DocumentLocation): string[][] {
  const { value } = place
  if (!isRecord(value)) return []
  const several = ownValue(value, 'enum')
  const one = Object.hasOwn(value, 'const') ? [[JSON.stringify(value['const'])]] : []
  return Array.isArray(several) ? [several.map((each) => JSON.stringify(each)), ...one] : one
}

function jsonType(json: string): TypeName {
  const value: unknown = JSON.parse(json)
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction'
  if (typeof value === 'boolean') return 'boolean'
  return typeof value === 'string' ? 'string' : 'object'
}

/** Removes `null`, because schemas can allow it in many ways. */
export function withoutNullAlternative(alternatives: readonly Alternative[]): Alternative[] {
  return alternatives.flatMap((alternative) => {
    const types = new Set([...alternative.types].filter((type) => type !== 'null'))
    const values = alternative.values?.filter((value) => value !== 'null') ?? null
    return types.size === 0 ? [] : [{ ...alternative, types, values }]
  })
}

/** Splits an alternative by type and value, so that an `enum` can be compared with a union of constants. */
export function splitTypes(alternative: Alternative): Alternative[] {
  const { types, values } = alternative
  if (values !== null)
    return values.map((value) => ({ ...alternative, types: new Set([jsonType(value)]), values: [value] }))
  const isNumber = types.has('integer') && types.has('fraction')
  const kinds = [...types].filter((type) => !(isNumber && type === 'fraction'))
  return kinds.map((type) => {
    const of: TypeName[] = isNumber && type === 'integer' ? ['integer', 'fraction'] : [type]
    return { ...alternative, types: new Set(of) }
  })
}
