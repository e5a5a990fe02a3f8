/** Compares `oneOf` in requests. A value that matches two alternatives of a `oneOf` is rejected. */
import { expandAlternatives, placesOfUnions, type Alternative, type Schemas } from './alternatives.js'
import { finding, keywordPlaces, type ChangeFinding } from './finding.js'
import { hasRoom, isWithinBounds } from './keyword-findings.js'
import { canonical, child, children, type DocumentLocation } from './place.js'
import { itemSchemasAt, requiredNames, schemasByName } from './properties.js'

interface Comparisons {
  /** Whether all values of the second schema are values of the first one. */
  readonly contains: (wide: DocumentLocation, narrow: DocumentLocation) => boolean
  /** Whether requests that match the first alternative also match the second one. */
  readonly fits: (before: Alternative, after: Alternative) => boolean
}

/** Reports each `oneOf` that newly rejects values because two of its alternatives match them. */
export function overlapFindings(before: Schemas, after: Schemas, { contains, fits }: Comparisons): ChangeFinding[] {
  const unions = unionsBelow(after)
  const done = new Set(unions.map(({ value }) => value))
  const oldOneOfs = unionsBelow(before).filter(isExclusive)
  const hasBoth = ([one, other]: TwoAlternatives, [a, b]: TwoAlternatives): boolean =>
    (contains(one, a) && contains(other, b)) || (contains(one, b) && contains(other, a))
  return unions.filter(isExclusive).flatMap((union) => {
    // The old `oneOf` rejected values that match two of its alternatives, but an alternative outside of it may have accepted them.
    // In that case, an alternative outside of the new `oneOf` must accept them too.
    const isRejectedAsBefore = (old: DocumentLocation, pair: TwoAlternatives): boolean =>
      (canonical(old) === canonical(union) ||
        allPairs(old).some((oldPair) => isPlainSchema([...oldPair, ...pair]) && hasBoth(oldPair, pair))) &&
      alternativesWithout(old, before)
        .filter(({ schemas }) => canMatch([...schemas, ...pair], done))
        .every((one) => alternativesWithout(union, after).some((other) => fits(one, other)))
    const isNew = (pair: TwoAlternatives): boolean =>
      canMatch(pair) &&
      canMatch([...before, ...after, ...pair], done) &&
      !oldOneOfs.some((old) => isRejectedAsBefore(old, pair))
    if (!allPairs(union).some(isNew)) return []
    return [
      finding('*-one-of-overlap-added', union.pointer, 'no longer accepts values that match two of its alternatives'),
    ]
  })
}

function isExclusive({ pointer }: DocumentLocation): boolean {
  return pointer.endsWith('/oneOf')
}

/** Whether no `oneOf` is nested. If an inner `oneOf` rejects a value, the outer one may accept the value for that reason. */
function isPlainSchema(branches: Schemas): boolean {
  return branches.every((branch) => !unionsBelow([branch]).some(isExclusive))
}

function alternativesWithout({ pointer }: DocumentLocation, schemas: Schemas): Alternative[] {
  return expandAlternatives(schemas).filter((alternative) =>
    placesOfUnions(alternative.schemas).every((union) => union.pointer !== pointer),
  )
}

/** Returns the unions at all levels of schemas, each once. Properties and items are not visited. */
function unionsBelow(schemas: Schemas): DocumentLocation[] {
  const unions = expandAlternatives(schemas).flatMap((alternative) => placesOfUnions(alternative.schemas))
  return [...new Map(unions.map((union) => [union.pointer, union])).values()]
}

type TwoAlternatives = readonly [DocumentLocation, DocumentLocation]

function allPairs(union: DocumentLocation): TwoAlternatives[] {
  const branches = children(union).map(([, branch]) => branch)
  return branches.flatMap((branch, at) => branches.slice(at + 1).map((other): TwoAlternatives => [branch, other]))
}

/** Deeper schemas are assumed to match. */
const MAX_DEPTH = 8

/** Whether a value can match all schemas, judged by types, values, bounds, formats and required properties only. */
function canMatch(schemas: Schemas, done?: ReadonlySet<unknown>, depth = 0): boolean {
  if (depth > MAX_DEPTH) return true
  return expandAlternatives(schemas, done).some((alternative) => {
    const { types, values } = alternative
    if (values !== null) return values.some((value) => isWithinBounds(alternative, value))
    const canBe = {
      array: () => hasRoom(alternative, 'Items') && canHaveItems(alternative, depth),
      boolean: () => true,
      fraction: () => hasRoom(alternative, 'imum'),
      integer: () => hasRoom(alternative, 'imum'),
      null: () => true,
      object: () => hasRoom(alternative, 'Properties') && canHaveProperties(alternative, depth),
      string: () => hasRoom(alternative, 'Length') && !haveOtherFormats(alternative),
    }
    return [...types].some((type) => canBe[type]())
  })
}

function canHaveItems(alternative: Alternative, depth: number): boolean {
  const isEmpty = keywordPlaces(alternative, 'minItems').every(({ value }) => Number(value) === 0)
  return isEmpty || canMatch(itemSchemasAt(alternative, 0), undefined, depth + 1)
}

function canHaveProperties(alternative: Alternative, depth: number): boolean {
  const properties = schemasByName(alternative)
  return requiredNames(alternative).every(
    (name) =>
      !alternative.schemas.some((schema) => forbidsValue(schema, name)) &&
      canMatch(properties.get(name) ?? [], undefined, depth + 1),
  )
}

function forbidsValue(schema: DocumentLocation, name: string): boolean {
  return (
    child(schema, 'additionalProperties').value === false &&
    child(schema, 'patternProperties').value === undefined &&
    child(child(schema, 'properties'), name).value === undefined
  )
}

/** Formats that exclude each other: a string can match only one of them. */
const EXCLUSIVE = new Set(['date', 'date-time', 'duration', 'email', 'ipv4', 'ipv6', 'time', 'uri', 'uuid'])

function haveOtherFormats(alternative: Alternative): boolean {
  const formats = new Set(keywordPlaces(alternative, 'format').map(({ value }) => String(value)))
  return [...formats].filter((format) => EXCLUSIVE.has(format)).length > 1
}
