/** Compares schemas: whether what followed the one still follows the other, and where it does not. */
import { alternativesOf, split, unionsIn, withoutNull, type Alternative, type Schemas } from './alternatives.js'
import { found, said, schemaPointer, type Finding, type Pair, type Side } from './finding.js'
import { accepts, boundFindings, wholeFindings } from './keywords.js'
import { child, children, schemaAt, type Place } from './place.js'

/** Compares the schemas of two documents; the same two once for each place that asks. */
export class SchemaComparison {
  readonly #known = new Map<string, readonly Finding[]>()
  /** Of the comparison in work. */
  #depth = 0

  /** What breaks clients. Schemas that lead to themselves count as the same while they are compared. */
  compare(old: Schemas, now: Schemas, side: Side): readonly Finding[] {
    const [before, after] = [old.map(schemaAt), now.map(schemaAt)]
    const key = [side, ...[before, after].map((schemas) => schemas.map(({ pointer }) => pointer).join())].join('|')
    // What was found below a schema that leads to itself counts for that one alone.
    if (this.#depth === 0) this.#known.clear()
    const known = this.#known.get(key)
    if (known !== undefined) return known
    this.#known.set(key, [])
    this.#depth++
    const findings = this.#all(before, after, side)
    this.#depth--
    this.#known.set(key, findings)
    return findings
  }

  #all(before: Schemas, after: Schemas, side: Side): Finding[] {
    const [old, now] = [alternativesOf(before), alternativesOf(after)]
    const rest = this.#withoutNull(withoutNull(old), withoutNull(now), { side, before, after })
    const isOther = rest.some(({ rule, trail }) => trail.length === 0 && rule.endsWith('type-changed'))
    if (isOther || allowsNull(old) === allowsNull(now) || allowsNull(old) !== (side === 'request')) return rest
    const pointer = pointerIn(after)
    if (side === 'request') return [...rest, found('*-became-not-nullable', pointer, 'no longer takes null')]
    return [...rest, found('*-became-nullable', pointer, 'may be null now')]
  }

  #withoutNull(
    old: readonly Alternative[],
    now: readonly Alternative[],
    { side, before, after }: { side: Side; before: Schemas; after: Schemas },
  ): Finding[] {
    const [given, taken] = side === 'request' ? [old, now] : [now, old]
    if (given.length === 0) return []
    if (taken.length === 0) return [found('*-type-changed', pointerIn(after), 'has another type')]
    const pairOf = (one: Alternative, other: Alternative): Pair =>
      side === 'request' ? { before: one, after: other, side } : { before: other, after: one, side }
    const [one, ...others] = given
    const [other, ...otherTaken] = taken
    if (one !== undefined && other !== undefined && others.length + otherTaken.length === 0) {
      return this.#pair(pairOf(one, other))
    }
    const [sources, targets] = [given.flatMap(split), taken.flatMap(split)]
    const fits = (source: Alternative, target: Alternative): boolean => this.#pair(pairOf(source, target)).length === 0
    const lost = sources.filter((source) => !targets.some((target) => fits(source, target)))
    const free = targets.filter((target) => !sources.some((source) => fits(source, target)))
    return lost.flatMap((source) => {
      const near = free
        .filter((target) => [...source.types].every((type) => target.types.has(type)))
        .map((target) => this.#pair(pairOf(source, target)))
        .toSorted((a, b) => a.length - b.length)
      return near[0] ?? [lostBranch(source, side, { before, after })]
    })
  }

  /** Compares two alternatives, neither of which is a union. */
  #pair(pair: Pair): Finding[] {
    const other = typeFindings(pair)
    if (other.length > 0) return other
    const { before, after, side } = pair
    if ((side === 'request' ? before : after).values !== null) return valueFindings(pair)
    return [
      ...valueFindings(pair),
      ...boundFindings(pair),
      ...wholeFindings(pair),
      ...(before.types.has('object') && after.types.has('object') ? this.#members(pair) : []),
      ...(before.types.has('array') && after.types.has('array') ? this.#items(pair) : []),
      ...this.#inner(pair, 'contentSchema', '*'),
    ]
  }

  #members(pair: Pair): Finding[] {
    const { before, after, side } = pair
    const [old, now] = [propertiesOf(before), propertiesOf(after)]
    // A request may still have any members where none are named.
    const isAny = side === 'request' && said(after, 'properties').length === 0
    const gone = [...old].flatMap(([name, schemas]) =>
      isAny || now.has(name) || isDeprecated(schemas) ? [] : [goneMember(name, schemas, pair)],
    )
    const both = [...old].flatMap(([name, schemas]) => {
      const others = now.get(name)
      return others === undefined ? [] : below(name, this.compare(schemas, others, side))
    })
    return [...gone, ...both, ...requiredFindings(pair, old, now), ...this.#others(pair)]
  }

  /** Members that no name stands for. */
  #others(pair: Pair): Finding[] {
    const { before, after, side } = pair
    const [old, now] = [said(before, 'additionalProperties'), said(after, 'additionalProperties')]
    const isClosed = (places: readonly Place[]): boolean => places.some(({ value }) => value === false)
    if (isClosed(now)) {
      if (side === 'response' || isClosed(old)) return []
      return [found('*-additional-properties-removed', schemaPointer(after), 'no longer takes members of other names')]
    }
    // A response may get more members, but those that had a schema must follow it.
    if (isClosed(old) || (side === 'response' && old.length === 0)) return []
    return below('*', this.compare(orAny(old, before), orAny(now, after), side))
  }

  #items(pair: Pair): Finding[] {
    const { before, after, side } = pair
    const prefixes = [before, after].flatMap((alternative) => said(alternative, 'prefixItems'))
    const length = Math.max(0, ...prefixes.map((place) => children(place).length))
    const single = Array.from({ length }, (_, at) =>
      below(String(at), this.compare(itemAt(before, at), itemAt(after, at), side)),
    )
    return [...single.flat(), ...below('*', this.compare(itemAt(before, length), itemAt(after, length), side))]
  }

  #inner({ before, after, side }: Pair, keyword: string, name: string): readonly Finding[] {
    const [old, now] = [said(before, keyword), said(after, keyword)]
    if (old.length + now.length === 0) return []
    return below(name, this.compare(orAny(old, before), orAny(now, after), side))
  }
}

function allowsNull(alternatives: readonly Alternative[]): boolean {
  return alternatives.some(({ types }) => types.has('null'))
}

function pointerIn(schemas: Schemas): string {
  return schemas
    .map(({ pointer }) => pointer)
    .slice(0, 1)
    .join('')
}

/** A way to follow the schema that clients may not send any more, or do not know. */
function lostBranch(
  { values, types }: Alternative,
  side: Side,
  { before, after }: { before: Schemas; after: Schemas },
): Finding {
  const [of, how, says] = side === 'request' ? [before, 'removed', 'no longer takes'] : [after, 'added', 'may now be']
  if (values !== null) return found(`*-enum-value-${how}`, pointerIn(after), `${says} ${values.join(' or ')}`)
  const [union] = unionsIn(alternativesOf(of).flatMap(({ schemas }) => schemas))
  const kinds = [...types].map((type) => NAMES[type]).join(' or ')
  if (union === undefined) return found('*-type-changed', pointerIn(after), `${says} ${kinds}`)
  const rule = union.pointer.endsWith('anyOf') ? 'any-of' : 'one-of'
  return found(`*-${rule}-${how}`, union.pointer, `${says} one of its alternatives: ${kinds}`)
}

const NAMES = {
  array: 'a list',
  boolean: 'true and false',
  fraction: 'a number',
  integer: 'a whole number',
  null: 'null',
  object: 'an object',
  string: 'a text',
} as const

function typeFindings({ before, after, side }: Pair): Finding[] {
  const [given, taken] = side === 'request' ? [before.types, after.types] : [after.types, before.types]
  const extra = [...given].filter((type) => !taken.has(type))
  if (extra.length === 0) return []
  const pointer = schemaPointer(after)
  const kinds = extra.map((type) => NAMES[type]).join(' or ')
  const isSubset = [...taken].every((type) => given.has(type))
  if (side === 'response') {
    if (extra.join() === 'fraction' && taken.has('integer')) {
      return [found('*-type-generalized', pointer, 'may now be a number that is not whole')]
    }
    return [found(isSubset ? '*-list-of-types-widened' : '*-type-changed', pointer, `may now be ${kinds}`)]
  }
  const isList = isSubset && extra.join() !== 'fraction'
  return [found(isList ? '*-list-of-types-narrowed' : '*-type-changed', pointer, `no longer takes ${kinds}`)]
}

/** Of a request, values that are not taken any more; of a response, values that clients do not know. */
function valueFindings({ before, after, side }: Pair): Finding[] {
  const [given, taken] = side === 'request' ? [before, after] : [after, before]
  const pointer = schemaPointer(after)
  const isConst = (alternative: Alternative): boolean => said(alternative, 'const').length > 0
  if (given.values === null) {
    if (taken.values === null) return []
    const list = taken.values.join(', ')
    if (side === 'response') {
      const rule = isConst(before) ? '*-const-removed' : '*-enum-value-added'
      return [found(rule, pointer, `may now be something else than ${list}`)]
    }
    return [found(isConst(after) ? '*-const-added' : '*-became-enum', pointer, `now takes ${list} alone`)]
  }
  const lost = given.values.filter((value) => !accepts(taken, value))
  if (lost.length > 0 && isConst(before) && isConst(after)) {
    return [found('*-const-changed', pointer, `is ${String(after.values)}, and was ${String(before.values)}`)]
  }
  const [rule, says] = side === 'request' ? ['removed', 'no longer takes'] : ['added', 'may now be']
  return lost.map((value) => found(`*-enum-value-${rule}`, pointer, `${says} ${value}`))
}

function propertiesOf(alternative: Alternative): Map<string, Place[]> {
  const properties = new Map<string, Place[]>()
  for (const place of said(alternative, 'properties')) {
    for (const [name, schema] of children(place)) properties.set(name, [...(properties.get(name) ?? []), schema])
  }
  return properties
}

function requiredOf(alternative: Alternative): Set<string> {
  return new Set(
    said(alternative, 'required').flatMap((place) => children(place).map(([, { value }]) => String(value))),
  )
}

/** A member that one may no longer send, or no longer gets. */
function goneMember(name: string, schemas: Schemas, { before, side }: Pair): Finding {
  const pointer = pointerIn(schemas)
  if (side === 'request')
    return { rule: 'request-property-removed', trail: [name], pointer, says: 'is not taken any more' }
  const kind = requiredOf(before).has(name) ? 'required' : 'optional'
  return { rule: `response-${kind}-property-removed`, trail: [name], pointer, says: 'is gone' }
}

function requiredFindings(
  { before, after, side }: Pair,
  old: ReadonlyMap<string, Schemas>,
  now: ReadonlyMap<string, Schemas>,
): Finding[] {
  const [free, bound] =
    side === 'request' ? [requiredOf(before), requiredOf(after)] : [requiredOf(after), requiredOf(before)]
  return [...bound].flatMap((name) => {
    if (free.has(name)) return []
    const schemas = now.get(name)
    const pointer = schemas?.[0]?.pointer ?? schemaPointer(after)
    if (side === 'response') {
      // One that is gone is reported as that.
      if (old.has(name) && schemas === undefined) return []
      return [{ rule: 'response-property-became-optional', trail: [name], pointer, says: 'may be absent now' }]
    }
    const hasDefault = schemas !== undefined && alternativesOf(schemas).some((each) => said(each, 'default').length > 0)
    const rule = old.has(name) ? 'request-property-became-required' : 'new-required-request-property'
    return [{ rule: hasDefault ? `${rule}-with-default` : rule, trail: [name], pointer, says: 'is required now' }]
  })
}

/** Its author has said before that it would go. */
function isDeprecated(schemas: Schemas): boolean {
  return alternativesOf(schemas).some((each) => said(each, 'deprecated').some(({ value }) => value === true))
}

/** The schemas of one item of a list. */
function itemAt(alternative: Alternative, at: number): Schemas {
  const schemas = alternative.schemas.flatMap((schema) => {
    const prefix = child(child(schema, 'prefixItems'), String(at))
    const item = prefix.value === undefined ? child(schema, 'items') : prefix
    return item.value === undefined ? [] : [item]
  })
  return orAny(schemas, alternative)
}

/** Schemas, or one that takes anything. */
function orAny(schemas: Schemas, { schemas: [schema] }: Alternative): Schemas {
  if (schemas.length > 0 || schema === undefined) return schemas
  return [{ root: schema.root, pointer: 'any', value: true }]
}

function below(name: string, findings: readonly Finding[]): Finding[] {
  return findings.map((finding) => ({ ...finding, trail: [name, ...finding.trail] }))
}
