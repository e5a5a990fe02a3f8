/** Schemas of properties and items, and findings about properties that are removed or become required. */
import { expandAlternatives, type Alternative, type Schemas } from './alternatives.js'
import { keywordPlaces, schemaPointer, type ChangeFinding, type Pair } from './finding.js'
import { child, children, type DocumentLocation } from './place.js'

/** The properties that a request or a response can have. */
interface Properties {
  readonly schemas: ReadonlyMap<string, Schemas>
  readonly required: ReadonlySet<string>
}

/** Annotations that exclude a property from requests or responses (OpenAPI 3.1.1 section 4.8.24.1). */
type Access = 'readOnly' | 'writeOnly'

/** Returns the properties that do not have the annotation `excluded`. */
export function collectProperties(alternative: Alternative, excluded: Access): Properties {
  const all = schemasByName(alternative)
  const isExcluded = (name: string): boolean => isAnnotated(all.get(name) ?? [], excluded)
  return {
    schemas: new Map([...all].filter(([name]) => !isExcluded(name))),
    required: new Set(requiredNames(alternative).filter((name) => !isExcluded(name))),
  }
}

/** Returns all schemas of each property. */
export function schemasByName(alternative: Alternative): Map<string, DocumentLocation[]> {
  const properties = new Map<string, DocumentLocation[]>()
  for (const place of keywordPlaces(alternative, 'properties')) {
    for (const [name, schema] of children(place)) properties.set(name, [...(properties.get(name) ?? []), schema])
  }
  return properties
}

export function requiredNames(alternative: Alternative): string[] {
  return keywordPlaces(alternative, 'required').flatMap((place) =>
    children(place).map(([, { value }]) => String(value)),
  )
}

export function isAnnotated(schemas: Schemas, keyword: Access | 'deprecated'): boolean {
  return expandAlternatives(schemas).some((each) => keywordPlaces(each, keyword).some(({ value }) => value === true))
}

/** Reports a property that requests can no longer contain, or that responses no longer contain. */
export function removedFindings(
  name: string,
  pointer: string,
  old: Properties,
  { after, side }: Pair,
): ChangeFinding[] {
  const hasOtherAccess = schemasByName(after).has(name)
  if (side === 'request') {
    // Servers ignore read-only properties of a request.
    if (hasOtherAccess) return []
    return [{ rule: 'request-property-removed', trail: [name], pointer, says: 'is no longer accepted' }]
  }
  const rule = `response-${old.required.has(name) ? 'required' : 'optional'}-property`
  if (!hasOtherAccess) return [{ rule: `${rule}-removed`, trail: [name], pointer, says: 'was removed' }]
  return [{ rule: `${rule}-became-write-only`, trail: [name], pointer, says: 'is now write-only' }]
}

export function requiredFindings({ after, side }: Pair, old: Properties, now: Properties): ChangeFinding[] {
  const [free, bound] = side === 'request' ? [old.required, now.required] : [now.required, old.required]
  return [...bound].flatMap((name) => {
    if (free.has(name)) return []
    const schemas = now.schemas.get(name)
    const pointer = schemas?.[0]?.pointer ?? schemaPointer(after)
    if (side === 'response') {
      // `removedFindings` reports removed properties.
      if (old.schemas.has(name) && schemas === undefined) return []
      return [{ rule: 'response-property-became-optional', trail: [name], pointer, says: 'may now be absent' }]
    }
    const hasDefault =
      schemas !== undefined && expandAlternatives(schemas).some((each) => keywordPlaces(each, 'default').length > 0)
    const rule = old.schemas.has(name) ? 'request-property-became-required' : 'new-required-request-property'
    return [{ rule: hasDefault ? `${rule}-with-default` : rule, trail: [name], pointer, says: 'is now required' }]
  })
}

/** Returns the schemas of the item at a position. */
export function itemSchemasAt(alternative: Alternative, at: number): Schemas {
  const schemas = alternative.schemas.flatMap((schema) => {
    const prefix = child(child(schema, 'prefixItems'), String(at))
    const item = prefix.value === undefined ? child(schema, 'items') : prefix
    return item.value === undefined ? [] : [item]
  })
  return orAny(schemas, alternative)
}

/** Returns the schemas, or `true` if there are none. */
export function orAny(schemas: Schemas, { schemas: [schema] }: Alternative): Schemas {
  if (schemas.length > 0 || schema === undefined) return schemas
  return [{ root: schema.root, pointer: 'any', value: true }]
}
