/** Compares schemas, and finds the changes that break clients. */
import {
  expandAlternatives,
  placesOfUnions,
  withoutNullAlternative,
  type Alternative,
  type Schemas,
} from './alternatives.js'
import { containsFindings } from './contains.js'
import { findCounterparts, separateFitting, toBranches, type Branch } from './counterparts.js'
import { finding, keywordPlaces, schemaPointer, type ChangeFinding, type Pair, type Side } from './finding.js'
import { acceptsValue, boundFindings, wholeFindings } from './keyword-findings.js'
import { overlapFindings } from './overlap.js'
import { children, schemaChild, type DocumentLocation } from './place.js'
import {
  isAnnotated,
  itemSchemasAt,
  orAny,
  collectProperties,
  removedFindings,
  requiredFindings,
} from './properties.js'

/** Compares schemas of two documents. During a comparison, each pair of schemas is compared once. */
export class SchemaComparison {
  readonly #known = new Map<string, readonly ChangeFinding[]>()
  readonly #isStrict: boolean
  readonly #strict: SchemaComparison
  /** Nesting of `compare` calls; 0 outside of a comparison. */
  #depth = 0

  /** @param isStrict whether every removed property is a finding, even a deprecated one or one that `additionalProperties` would allow */
  constructor(isStrict = false) {
    this.#isStrict = isStrict
    this.#strict = isStrict ? this : new SchemaComparison(true)
  }

  /** Returns the breaking changes. A recursive pair of schemas counts as equal while it is being compared. */
  compare(old: Schemas, now: Schemas, side: Side): readonly ChangeFinding[] {
    const [before, after] = [old.map(schemaChild), now.map(schemaChild)]
    const key = [side, ...[before, after].map((schemas) => schemas.map(({ pointer }) => pointer).join())].join('|')
    // Findings inside a recursive schema are valid only for that comparison.
    if (this.#depth === 0) this.#known.clear()
    const visited = this.#known.get(key)
    if (visited !== undefined) return visited
    this.#known.set(key, [])
    this.#depth++
    const findings = this.#all(before, after, side)
    this.#depth--
    this.#known.set(key, findings)
    return findings
  }

  #all(before: Schemas, after: Schemas, side: Side): ChangeFinding[] {
    const [old, now] = [expandAlternatives(before), expandAlternatives(after)]
    const values = this.#withoutNull(withoutNullAlternative(old), withoutNullAlternative(now), { side, before, after })
    const rest = [...values, ...this.#overlaps(before, after, side)]
    const isOther = rest.some(({ rule, trail }) => trail.length === 0 && rule.endsWith('type-changed'))
    if (isOther || allowsNull(old) === allowsNull(now) || allowsNull(old) !== (side === 'request')) return rest
    const pointer = locationPointer(after)
    if (side === 'request') return [...rest, finding('*-became-not-nullable', pointer, 'no longer accepts null')]
    return [...rest, finding('*-became-nullable', pointer, 'may now be null')]
  }

  #withoutNull(
    old: readonly Alternative[],
    now: readonly Alternative[],
    { side, before, after }: { side: Side; before: Schemas; after: Schemas },
  ): ChangeFinding[] {
    const [sent, taken] = side === 'request' ? [old, now] : [now, old]
    if (sent.length === 0) return []
    if (taken.length === 0) return [finding('*-type-changed', locationPointer(after), 'has a different type')]
    const pairOf = (one: Alternative, other: Alternative): Pair =>
      side === 'request' ? { before: one, after: other, side } : { before: other, after: one, side }
    const [one, ...others] = sent
    const [other, ...otherTaken] = taken
    if (one !== undefined && other !== undefined && others.length + otherTaken.length === 0) {
      return this.#pair(pairOf(one, other))
    }
    const [sources, targets] = [toBranches(sent), toBranches(taken)]
    const compare = (source: Branch, target: Branch): ChangeFinding[] =>
      this.#pair(pairOf(source.alternative, target.alternative))
    // In a response, an old alternative fits only if it has all properties of the new one. Otherwise a changed alternative would fit every
    // old alternative that lacks the changed property.
    const fits = (source: Branch, target: Branch): boolean =>
      (side === 'request' ? compare(source, target) : this.#strictly(source, target)).length === 0
    const { lost, free } = separateFitting(sources, targets, fits)
    const counterparts = findCounterparts(lost, free)
    return lost.flatMap((source) => {
      const counterpart = counterparts.get(source)
      if (counterpart !== undefined) return compare(source, counterpart)
      if (targets.some((target) => compare(source, target).length === 0)) return []
      return [lostBranch(source.alternative, side, { before, after })]
    })
  }

  /** Compares like requests: every property of the source must be a property of the target. */
  #strictly({ alternative: before }: Branch, { alternative: after }: Branch): ChangeFinding[] {
    const strict = this.#strict
    return strict.#pair({ before, after, side: 'request' })
  }

  #overlaps(before: Schemas, after: Schemas, side: Side): ChangeFinding[] {
    if (side === 'response' || this.#isStrict) return []
    return overlapFindings(before, after, {
      contains: (wide, narrow) => this.compare([wide], [narrow], 'response').length === 0,
      fits: (one, other) => this.#pair({ before: one, after: other, side }).length === 0,
    })
  }

  /** Compares two alternatives, neither of which is a union. */
  #pair(pair: Pair): ChangeFinding[] {
    const typeChange = typeFindings(pair)
    if (typeChange.length > 0) return typeChange
    const { before, after, side } = pair
    if ((side === 'request' ? before : after).values !== null) return valueFindings(pair)
    return [
      ...valueFindings(pair),
      ...boundFindings(pair),
      ...wholeFindings(pair),
      ...containsFindings(pair, (old, now, way) => this.compare([old], [now], way).length === 0),
      ...(before.types.has('object') && after.types.has('object') ? this.#members(pair) : []),
      ...(before.types.has('array') && after.types.has('array') ? this.#items(pair) : []),
      ...this.#inner(pair, 'contentSchema', '*'),
    ]
  }

  #members(pair: Pair): ChangeFinding[] {
    const { before, after, side } = pair
    const excluded = (side === 'request') === this.#isStrict ? 'writeOnly' : 'readOnly'
    const [old, now] = [collectProperties(before, excluded), collectProperties(after, excluded)]
    // A request can still contain any member if the new schema has no `properties`.
    const isAny = !this.#isStrict && side === 'request' && keywordPlaces(after, 'properties').length === 0
    const mayGo = (schemas: Schemas): boolean => isAny || (!this.#isStrict && isAnnotated(schemas, 'deprecated'))
    const members = [...old.schemas].flatMap(([name, schemas]) => {
      const nowSchemas = now.schemas.get(name)
      if (nowSchemas !== undefined) return nestedPair(name, this.compare(schemas, nowSchemas, side))
      return mayGo(schemas) ? [] : removedFindings(name, locationPointer(schemas), old, pair)
    })
    return [...members, ...requiredFindings(pair, old, now), ...this.#others(pair)]
  }

  /** Compares `additionalProperties`. */
  #others(pair: Pair): ChangeFinding[] {
    const { before, after, side } = pair
    const [old, now] = [keywordPlaces(before, 'additionalProperties'), keywordPlaces(after, 'additionalProperties')]
    const isClosed = (places: readonly DocumentLocation[]): boolean => places.some(({ value }) => value === false)
    if (isClosed(now)) {
      if (side === 'response' || isClosed(old)) return []
      return [
        finding('*-additional-properties-removed', schemaPointer(after), 'no longer accepts members with other names'),
      ]
    }
    // A response can have more members, but they must match an old `additionalProperties` schema.
    if (isClosed(old) || (side === 'response' && old.length === 0)) return []
    return nestedPair('*', this.compare(orAny(old, before), orAny(now, after), side))
  }

  #items(pair: Pair): ChangeFinding[] {
    const { before, after, side } = pair
    const prefixes = [before, after].flatMap((alternative) => keywordPlaces(alternative, 'prefixItems'))
    const length = Math.max(0, ...prefixes.map((place) => children(place).length))
    const single = Array.from({ length }, (_, at) =>
      nestedPair(String(at), this.compare(itemSchemasAt(before, at), itemSchemasAt(after, at), side)),
    )
    return [
      ...single.flat(),
      ...nestedPair('*', this.compare(itemSchemasAt(before, length), itemSchemasAt(after, length), side)),
    ]
  }

  #inner({ before, after, side }: Pair, keyword: string, name: string): readonly ChangeFinding[] {
    const [old, now] = [keywordPlaces(before, keyword), keywordPlaces(after, keyword)]
    if (old.length + now.length === 0) return []
    return nestedPair(name, this.compare(orAny(old, before), orAny(now, after), side))
  }
}

function allowsNull(alternatives: readonly Alternative[]): boolean {
  return alternatives.some(({ types }) => types.has('null'))
}

function locationPointer(schemas: Schemas): string {
  return schemas
    .map(({ pointer }) => pointer)
    .slice(0, 1)
    .join('')
}

/** Reports an alternative that requests can no longer use, or that is new in responses. */
function lostBranch(
  { values, types }: Alternative,
  side: Side,
  { before, after }: { before: Schemas; after: Schemas },
): ChangeFinding {
  const [of, how, says] = side === 'request' ? [before, 'removed', 'no longer accepts'] : [after, 'added', 'may now be']
  if (values !== null) return finding(`*-enum-value-${how}`, locationPointer(after), `${says} ${values.join(' or ')}`)
  const [union] = placesOfUnions(expandAlternatives(of).flatMap(({ schemas }) => schemas))
  const kinds = [...types].map((type) => NAMES[type]).join(' or ')
  if (union === undefined) return finding('*-type-changed', locationPointer(after), `${says} ${kinds}`)
  const rule = union.pointer.endsWith('anyOf') ? 'any-of' : 'one-of'
  return finding(`*-${rule}-${how}`, union.pointer, `${says} one of its alternatives: ${kinds}`)
}

const NAMES = {
  array: 'an array',
  boolean: 'a boolean',
  fraction: 'a number',
  integer: 'an integer',
  null: 'null',
  object: 'an object',
  string: 'a string',
} as const

function typeFindings({ before, after, side }: Pair): ChangeFinding[] {
  const [sent, taken] = side === 'request' ? [before.types, after.types] : [after.types, before.types]
  const extra = [...sent].filter((type) => !taken.has(type))
  if (extra.length === 0) return []
  const pointer = schemaPointer(after)
  const kinds = extra.map((type) => NAMES[type]).join(' or ')
  const isSubset = [...taken].every((type) => sent.has(type))
  if (side === 'response') {
    if (extra.join() === 'fraction' && taken.has('integer')) {
      return [finding('*-type-generalized', pointer, 'may now be a number that is not an integer')]
    }
    return [finding(isSubset ? '*-list-of-types-widened' : '*-type-changed', pointer, `may now be ${kinds}`)]
  }
  const isList = isSubset && extra.join() !== 'fraction'
  return [finding(isList ? '*-list-of-types-narrowed' : '*-type-changed', pointer, `no longer accepts ${kinds}`)]
}

/** Reports values that requests can no longer contain, or that are new in responses. */
function valueFindings({ before, after, side }: Pair): ChangeFinding[] {
  const [sent, taken] = side === 'request' ? [before, after] : [after, before]
  const pointer = schemaPointer(after)
  const isConst = (alternative: Alternative): boolean => keywordPlaces(alternative, 'const').length > 0
  if (sent.values === null) {
    if (taken.values === null) return []
    const list = taken.values.join(', ')
    if (side === 'response') {
      const rule = isConst(before) ? '*-const-removed' : '*-enum-value-added'
      return [finding(rule, pointer, `may now be a value other than ${list}`)]
    }
    return [finding(isConst(after) ? '*-const-added' : '*-became-enum', pointer, `now accepts only ${list}`)]
  }
  const lost = sent.values.filter((value) => !acceptsValue(taken, value))
  if (lost.length > 0 && isConst(before) && isConst(after)) {
    return [finding('*-const-changed', pointer, `is now ${String(after.values)} instead of ${String(before.values)}`)]
  }
  const [rule, says] = side === 'request' ? ['removed', 'no longer accepts'] : ['added', 'may now be']
  return lost.map((value) => finding(`*-enum-value-${rule}`, pointer, `${says} ${value}`))
}

function nestedPair(name: string, findings: readonly ChangeFinding[]): ChangeFinding[] {
  return findings.map((finding) => ({ ...finding, trail: [name, ...finding.trail] }))
}
