/** Finds the parts of an input that accept only values which no request can contain, such as a Date. */
import { formatPointer, issuePath, segmentKey } from '../validation/path.js'
import type { Schema } from '../validation/schema.js'
import { validate } from '../validation/validate.js'
import { BareRecord } from '../values/objects.js'
import { valueOr } from '../values/value-or.js'

/** Values without a form in JSON, with how to receive them. */
const INSTANCES: readonly (readonly [what: string, value: unknown, fix: string])[] = [
  ['a Date', new Date(0), 'a date-time, such as "z.iso.datetime()", and convert it with "new Date(text)"'],
  ['a bigint', 1n, 'digits, such as "z.string().regex(/^[0-9]+$/)", and convert it with "BigInt(text)"'],
]
/** Values that a request could contain instead. */
const SENT: readonly unknown[] = ['1970-01-01T00:00:00.000Z', '1970-01-01', 'text', '1', 1, 0, true, {}, []]

/** Maximum number of `*` in a place, because an array and an object are tried for each. */
const MAX_REPEATED = 3

interface ImpossibleInput {
  readonly place: string
  readonly what: string
  readonly fix: string
}

/** @param gaps places without JSON Schema, as `findSchemaGaps` returns them; `undefined` if the whole schema cannot be converted */
export function impossibleInputs(schema: Schema, gaps: readonly string[] | undefined): ImpossibleInput[] {
  const places = gaps ?? requiredPlaces(schema)
  const rejected = INSTANCES.map(([, value]) => findRejected(schema, places, value))
  return places.flatMap((place) => {
    const keys = place.split('/').slice(1)
    const [found] = findPaths(keys).flatMap((path) =>
      INSTANCES.filter(([, value], at) => rejected[at]?.has(place) !== true && acceptsOnly(schema, path, value)),
    )
    return found === undefined ? [] : [{ place, what: found[0], fix: found[2] }]
  })
}

/**
 * Returns the places that do not accept a value, found with two validations for all of them. Most schemas reject a Date wherever JSON Schema
 * describes a string, so that no place needs further validations.
 */
function findRejected(schema: Schema, places: readonly string[], value: unknown): ReadonlySet<string> {
  const failingPlaces = findFailingPlaces(schema, places, value)
  // A rule of several members, such as an end after a start, runs only if it has all of them.
  const again = failingPlaces.size === 0 ? failingPlaces : findFailingPlaces(schema, [...failingPlaces], value)
  return new Set([...failingPlaces].filter((place) => again.has(place)))
}

/** Returns the places with an issue if a value is at all of them. */
function findFailingPlaces(schema: Schema, places: readonly string[], value: unknown): ReadonlySet<string> {
  const root = new BareRecord()
  const members = places.filter((place) => place !== '' && !place.includes('/*'))
  for (const place of members) placeValue(root, place, value)
  const issues = findIssues(schema, root)?.map((path) => formatPointer(path)) ?? []
  return new Set(issues.filter((place) => members.includes(place)))
}

function placeValue(record: BareRecord, place: string, value: unknown): void {
  const end = place.indexOf('/', 1)
  if (end < 0) {
    record[place.slice(1)] = value
    return
  }
  const below = (record[place.slice(1, end)] ??= new BareRecord())
  // In a union, a place can also be inside another one.
  if (below instanceof BareRecord) placeValue(below, place.slice(end), value)
}

/** Returns the members that an empty object lacks, in pointers. */
function requiredPlaces(schema: Schema): string[] {
  const paths = findIssues(schema, {}) ?? []
  return [...new Set(['', ...paths.map((path) => formatPointer(path))])]
}

/** Returns the paths of a place. In it, `*` is an item of an array, or a member with any key. */
function findPaths(keys: readonly string[]): (readonly (string | number)[])[] {
  if (keys.filter((key) => key === '*').length > MAX_REPEATED) return []
  return keys.reduce<(readonly (string | number)[])[]>(
    (paths, key) => paths.flatMap((path) => (key === '*' ? [0, 'key'] : [key]).map((each) => [...path, each])),
    [[]],
  )
}

function acceptsOnly(schema: Schema, path: readonly (string | number)[], value: unknown): boolean {
  return acceptsAt(schema, path, value) === true && SENT.every((sent) => acceptsAt(schema, path, sent) === false)
}

/** Whether a schema accepts a value at a path; `undefined` if it cannot be validated. Ignores issues of other members. */
function acceptsAt(schema: Schema, path: readonly (string | number)[], value: unknown): boolean | undefined {
  const nest = (inner: unknown, key: string | number): unknown => (key === 0 ? [inner] : { [key]: inner })
  const issues = findIssues(schema, path.reduceRight(nest, value))
  return issues?.every((each) => {
    const length = Math.min(each.length, path.length)
    return each.slice(0, length).some((key, at) => key !== String(path[at]))
  })
}

/** Returns the paths of the issues; `undefined` if the validation is asynchronous or fails. */
function findIssues(schema: Schema, value: unknown): string[][] | undefined {
  const outcome = valueOr(() => validate(schema, value), undefined)
  if (!(outcome instanceof Promise)) return outcome && Array.from(outcome.issues?.rawIssues ?? [], readKeys)
  outcome.catch(() => {})
  return undefined
}

function readKeys(issue: unknown): string[] {
  return issuePath(issue).map(segmentKey)
}
