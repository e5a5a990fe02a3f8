/** Validates strings whose type only the schema knows: tries one form after another. */
import { thenSync } from '../../values/promises.js'
import { BareRecord, isObject, type UnknownRecord } from '../../values/objects.js'
import { Issues } from '../issues.js'
import { formatPointer, issuePath, segmentKey } from '../path.js'
import type { Schema } from '../schema.js'
import { validate, type Outcome } from '../validate.js'
import { parseScalar, scalarWithin, unwrapType, type RawText, type TextValue } from './convert-text.js'
import { ANY, isListOnly, itemTypes, type TextType } from './text-type.js'

/** An issue of a library with its place. The first key is separate, because a pointer is cut and a key can be long. */
interface PlacedIssue {
  readonly rawIssue: unknown
  /** First key of the path, not cut; `undefined` for the whole value. */
  readonly top: string | undefined
  /** JSON Pointer to the place inside that key. */
  readonly rest: string
}

interface OpenText {
  readonly schema: Schema
  readonly raw: RawText
  /** Values to validate: at first the strings, which are later replaced by other forms. */
  readonly input: BareRecord
  /** Returns the type of a key if only validation decides between its forms. */
  readonly openType: (key: string) => TextType | undefined
}

interface Rounds extends OpenText {
  /** `first`: first issues of a key, which are about the value that was sent. `tried`: number of forms that were tried. */
  readonly keys: Map<string | undefined, { readonly first: readonly PlacedIssue[]; tried: number }>
  /** First issues of all keys, in the order in which they were reported. */
  readonly order: PlacedIssue[]
  left: number
}

// A key has at most four forms. Most libraries report the issues of all keys together; a few report one key at a time.
const MAX_ROUNDS = 16

/** Validates strings of undecided types. Values with issues are replaced by other forms and validated again, up to 16 times. */
export function validateOpenText(text: OpenText): Outcome | Promise<Outcome> {
  return validateCandidates({ ...text, keys: new Map(), order: [], left: MAX_ROUNDS })
}

function validateCandidates(rounds: Rounds): Outcome | Promise<Outcome> {
  return thenSync(validate(rounds.schema, rounds.input), (outcome) => {
    const { issues } = outcome
    if (issues === undefined) return rejectSeveral(rounds, outcome)
    const complaints = Array.from(issues.rawIssues, (rawIssue): PlacedIssue => {
      return { rawIssue, top: topLevelKey(rawIssue), rest: formatPointer(issuePath(rawIssue), 1) }
    })
    const named = groupByKey(complaints)
    rememberIssue(rounds, complaints, named)
    // Tries the next form of each key that has an issue.
    const changed = rounds.left-- > 0 ? [...named].filter(([top, about]) => tryNext(rounds, top, about)) : []
    if (changed.length > 0) return validateCandidates(rounds)
    const rawIssues = findFirstIssues(rounds, complaints, named).map((issue) => issue.rawIssue)
    // Messages must not repeat values of the client. `raw` contains the strings of all forms.
    const rejected = { value: undefined, issues: new Issues(rawIssues, rounds.raw) }
    return named.has(undefined) ? convertAtOnce(rounds, rejected) : rejected
  })
}

export function topLevelKey(issue: unknown): string | undefined {
  const path = issuePath(issue)
  return path.length === 0 ? undefined : segmentKey(path[0])
}

type ByTop = ReadonlyMap<string | undefined, readonly PlacedIssue[]>

// There may be 100,000 keys, most of them with one issue. `[issue]` takes a third of the memory of an empty array that grows.
function groupByKey(placedIssues: readonly PlacedIssue[]): ByTop {
  const tops = new Map<string | undefined, PlacedIssue[]>()
  for (const issue of placedIssues) {
    const forms = tops.get(issue.top)
    if (forms === undefined) tops.set(issue.top, [issue])
    else forms.push(issue)
  }
  return tops
}

// Stores only the first issues of a key, because later issues are about another form.
function rememberIssue({ keys, order }: Rounds, placedIssues: readonly PlacedIssue[], named: ByTop): void {
  for (const issue of placedIssues) if (!keys.has(issue.top)) order.push(issue)
  for (const [top, first] of named) if (!keys.has(top)) keys.set(top, { first, tried: 0 })
}

function findFirstIssues({ keys, order }: Rounds, placedIssues: readonly PlacedIssue[], named: ByTop): PlacedIssue[] {
  const reported = new Set<PlacedIssue | undefined>()
  for (const [top, { first, tried }] of keys) {
    if (tried > 0) for (const issue of firstIssues(first, named.get(top) ?? [])) reported.add(issue)
  }
  const untried = placedIssues.filter(({ top }) => keys.get(top)?.tried === 0)
  return [...order.filter((issue) => reported.has(issue)), ...untried]
}

// Returns the first issue at the same place, else of the whole key, else of any place inside it.
function firstIssues(
  first: readonly PlacedIssue[],
  named: readonly PlacedIssue[],
): readonly (PlacedIssue | undefined)[] {
  if (first.length === 1) return named.length === 0 ? [] : first
  const places = new Map(first.toReversed().map((issue) => [issue.rest, issue]))
  return named.map(({ rest }) => places.get(rest) ?? places.get('') ?? first[0])
}

function tryNext(
  { keys, raw, input, openType }: Rounds,
  top: string | undefined,
  named: readonly PlacedIssue[],
): boolean {
  const key = keys.get(top)
  const rawValue = top !== undefined && Object.hasOwn(raw, top) ? raw[top] : undefined
  if (key === undefined || top === undefined || rawValue === undefined) return false
  const type = openType(top)
  if (type === undefined) return false
  const value = unwrapType(rawValue)
  const form = (typeof value === 'string' ? candidateValues(value, type) : listForms(value, named))[key.tried++]
  if (form !== undefined) input[top] = form
  return form !== undefined
}

function candidateValues(text: string, type: TextType): readonly unknown[] {
  const scalar = parseScalar(text)
  // The string was tried as the only item.
  if (isListOnly(type)) return scalar === undefined ? [] : [[scalar]]
  return scalar === undefined ? [[text]] : [scalar, [text], [scalar]]
}

// For an array, only one alternative is tried: the items that have issues are converted.
function listForms(sent: readonly string[], named: readonly PlacedIssue[]): readonly unknown[] {
  const rests = new Set(named.map(({ rest }) => rest))
  const form = sent.map((item, at) => (rests.has(`/${at}`) ? (parseScalar(item) ?? item) : item))
  return form.some((item, at) => item !== sent[at]) ? [form] : []
}

/**
 * Converts all keys that still have their first form, and validates a last time. A union of objects often reports an issue without a
 * path, which does not name the keys to convert.
 */
function convertAtOnce(rounds: Rounds, rejected: Outcome): Outcome | Promise<Outcome> {
  const { schema, keys, raw, input, openType } = rounds
  let isChanged = false
  for (const [key, rawValue] of Object.entries(raw)) {
    const type = rawValue === undefined || keys.has(key) ? undefined : openType(key)
    const form = rawValue === undefined || type === undefined ? undefined : convertScalars(unwrapType(rawValue), type)
    if (form === undefined) continue
    input[key] = form
    isChanged = true
  }
  if (!isChanged) return rejected
  return thenSync(validate(schema, input), (outcome) =>
    outcome.issues === undefined ? rejectSeveral(rounds, outcome) : rejected,
  )
}

/** Converts a string or the items of an array where the type allows it; `undefined` if nothing changes. */
function convertScalars(value: TextValue, type: TextType): unknown {
  const { items = ANY, positions } = type
  if (typeof value === 'string') {
    if (isListOnly(type)) return convertScalars([value], type)
    const scalar = parseScalar(value)
    const isAllowed = typeof scalar === 'boolean' ? type.truth : type.integer
    return isAllowed ? scalar : undefined
  }
  const form = value.map((item, at) => convertScalars(item, positions[at] ?? items) ?? item)
  return form.some((item, at) => item !== value[at]) ? form : undefined
}

/**
 * Whether only validation decides between a string and a number or boolean: if the string has a condition, or in a union of objects, in
 * which a key can be a string in only one of the branches.
 */
export function isUndecided(type: TextType, isUnion: boolean): boolean {
  const { text, isConditional, literals, integer, truth } = type
  if (text && (integer || truth) && (isConditional || isUnion)) return true
  const isAmbiguous = isUnion && [...literals].some((literal) => scalarWithin(literal, type) !== undefined)
  return isAmbiguous || itemTypes(type).some((item) => isUndecided(item, isUnion))
}

/** Returns the Standard Schema issue of a key that was sent more than once but must have one value. */
export function severalIssue(key: string): object {
  return { message: 'Expected one value', path: [key] }
}

// A schema that converts any value to a string or boolean also merges an array into one value. An array is accepted only if the
// schema rejects a single string, or if its result is still an array.
function rejectSeveral(rounds: Rounds, outcome: Outcome): Outcome | Promise<Outcome> {
  const { value } = outcome
  if (!isObject(value)) return outcome
  const suspects = Object.keys(rounds.raw).filter((key) => isMerged(rounds, value, key))
  if (suspects.length === 0) return outcome
  const single = Object.assign(new BareRecord(), rounds.input)
  for (const key of suspects) single[key] = [rounds.raw[key]].flat()[0]
  return thenSync(validate(rounds.schema, single), ({ issues }) => {
    const named = new Set(Array.from(issues?.rawIssues ?? [], topLevelKey))
    const merged = suspects.filter((key) => !named.has(key)).map(severalIssue)
    return merged.length === 0 ? outcome : { value: undefined, issues: new Issues(merged, rounds.raw) }
  })
}

function isMerged(rounds: Rounds, value: UnknownRecord, key: string): boolean {
  const several =
    Array.isArray(rounds.raw[key]) && Array.isArray(rounds.input[key]) && rounds.openType(key) !== undefined
  return several && Object.hasOwn(value, key) && !Array.isArray(value[key])
}
