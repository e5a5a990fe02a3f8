/** Converts strings for schemas without JSON Schema: each value that has an issue is converted and validated again. */
import { BareRecord, isObject, type UnknownRecord } from '../../values/objects.js'
import { Issues } from '../issues.js'
import { segmentKey, issuePath, formatPointer } from '../path.js'
import type { Schema } from '../schema.js'
import { validate, type Outcome } from '../validate.js'
import { thenSync } from '../../values/promises.js'
import { parseScalar, unwrapType, type TextValue } from './text-type.js'

/** An issue of a library with its place. The first key is separate, because a pointer is cut and a key can be long. */
interface Complaint {
  readonly given: unknown
  /** First key of the path, not cut; `undefined` for the whole value. */
  readonly top: string | undefined
  /** JSON Pointer to the place inside that key. */
  readonly rest: string
}

interface OpenText {
  readonly schema: Schema
  readonly raw: Readonly<Record<string, TextValue | undefined>>
  /** Values to validate: at first the strings, which are later replaced by other forms. */
  readonly input: BareRecord
  /** Whether the type of a key is unknown. */
  readonly isOpen: (key: string) => boolean
}

interface Rounds extends OpenText {
  /** `first`: first issues of a key, which are about the value that was sent. `tried`: number of forms that were tried. */
  readonly keys: Map<string | undefined, { readonly first: readonly Complaint[]; tried: number }>
  /** First issues of all keys, in the order in which they were reported. */
  readonly order: Complaint[]
  left: number
}

// A key has at most four forms. Most libraries report the issues of all keys together; a few report one key at a time.
const MAX_ROUNDS = 16

/** Validates strings of unknown types. Values with issues are replaced by other forms and validated again, up to 16 times. */
export function validateOpenText(text: OpenText): Outcome | Promise<Outcome> {
  return validateCandidates({ ...text, keys: new Map(), order: [], left: MAX_ROUNDS })
}

function validateCandidates(rounds: Rounds): Outcome | Promise<Outcome> {
  return thenSync(validate(rounds.schema, rounds.input), (outcome) => {
    const { issues } = outcome
    if (issues === undefined) return refuseSeveral(rounds, outcome)
    const complaints = Array.from(issues.complaints, (given): Complaint => {
      return { given, top: topLevelKey(given), rest: formatPointer(issuePath(given), 1) }
    })
    const named = groupByKey(complaints)
    rememberIssue(rounds, complaints, named)
    // Tries the next form of each key that has an issue.
    const changed = rounds.left-- > 0 ? [...named].filter(([top, about]) => tryNext(rounds, top, about)) : []
    if (changed.length > 0) return validateCandidates(rounds)
    const complainedKeys = firstComplaints(rounds, complaints, named).map((complaint) => complaint.given)
    // Messages must not repeat values of the client. `raw` contains the strings of all forms.
    return { value: undefined, issues: new Issues(complainedKeys, rounds.raw) }
  })
}

export function topLevelKey(complaint: unknown): string | undefined {
  const path = issuePath(complaint)
  return path.length === 0 ? undefined : segmentKey(path[0])
}

type ByTop = ReadonlyMap<string | undefined, readonly Complaint[]>

// There may be 100,000 keys, most of them with one issue. `[complaint]` takes a third of the memory of an empty array that grows.
function groupByKey(complaints: readonly Complaint[]): ByTop {
  const tops = new Map<string | undefined, Complaint[]>()
  for (const complaint of complaints) {
    const forms = tops.get(complaint.top)
    if (forms === undefined) tops.set(complaint.top, [complaint])
    else forms.push(complaint)
  }
  return tops
}

// Stores only the first issues of a key, because later issues are about another form.
function rememberIssue({ keys, order }: Rounds, complaints: readonly Complaint[], named: ByTop): void {
  for (const complaint of complaints) if (!keys.has(complaint.top)) order.push(complaint)
  for (const [top, first] of named) if (!keys.has(top)) keys.set(top, { first, tried: 0 })
}

function firstComplaints({ keys, order }: Rounds, complaints: readonly Complaint[], named: ByTop): Complaint[] {
  const reported = new Set<Complaint | undefined>()
  for (const [top, { first, tried }] of keys) {
    if (tried > 0) for (const complaint of firstIssues(first, named.get(top) ?? [])) reported.add(complaint)
  }
  const untried = complaints.filter(({ top }) => keys.get(top)?.tried === 0)
  return [...order.filter((complaint) => reported.has(complaint)), ...untried]
}

// Returns the first issue at the same place, else of the whole key, else of any place inside it.
function firstIssues(first: readonly Complaint[], named: readonly Complaint[]): readonly (Complaint | undefined)[] {
  if (first.length === 1) return named.length === 0 ? [] : first
  const places = new Map(first.toReversed().map((complaint) => [complaint.rest, complaint]))
  return named.map(({ rest }) => places.get(rest) ?? places.get('') ?? first[0])
}

function tryNext({ keys, raw, input, isOpen }: Rounds, top: string | undefined, named: readonly Complaint[]): boolean {
  const key = keys.get(top)
  const rawValue = top !== undefined && isOpen(top) && Object.hasOwn(raw, top) ? raw[top] : undefined
  if (key === undefined || top === undefined || rawValue === undefined) return false
  const value = unwrapType(rawValue)
  const form = (typeof value === 'string' ? candidateValues(value) : listForms(value, named))[key.tried++]
  if (form !== undefined) input[top] = form
  return form !== undefined
}

function candidateValues(text: string): readonly unknown[] {
  const scalar = parseScalar(text)
  return scalar === undefined ? [[text]] : [scalar, [text], [scalar]]
}

// For an array, only one alternative is tried: the items that have issues are converted.
function listForms(sent: readonly string[], named: readonly Complaint[]): readonly unknown[] {
  const rests = new Set(named.map(({ rest }) => rest))
  const form = sent.map((item, at) => (rests.has(`/${at}`) ? (parseScalar(item) ?? item) : item))
  return form.some((item, at) => item !== sent[at]) ? [form] : []
}

/** Returns the Standard Schema issue of a key that was sent more than once but must have one value. */
export function severalComplaint(key: string): object {
  return { message: 'Expected one value', path: [key] }
}

// A schema that converts any value to a string or boolean also merges an array into one value. An array is accepted only if the
// schema rejects a single string, or if its result is still an array.
function refuseSeveral(rounds: Rounds, outcome: Outcome): Outcome | Promise<Outcome> {
  const { value } = outcome
  if (!isObject(value)) return outcome
  const suspects = Object.keys(rounds.raw).filter((key) => isMerged(rounds, value, key))
  if (suspects.length === 0) return outcome
  const single = Object.assign(new BareRecord(), rounds.input)
  for (const key of suspects) single[key] = [rounds.raw[key]].flat()[0]
  return thenSync(validate(rounds.schema, single), ({ issues }) => {
    const named = new Set(Array.from(issues?.complaints ?? [], topLevelKey))
    const merged = suspects.filter((key) => !named.has(key)).map(severalComplaint)
    return merged.length === 0 ? outcome : { value: undefined, issues: new Issues(merged, rounds.raw) }
  })
}

function isMerged(rounds: Rounds, value: UnknownRecord, key: string): boolean {
  const several = Array.isArray(rounds.raw[key]) && Array.isArray(rounds.input[key]) && rounds.isOpen(key)
  return several && Object.hasOwn(value, key) && !Array.isArray(value[key])
}
