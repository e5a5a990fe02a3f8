/** Text for schemas that do not describe themselves: what an issue names is converted, and validated again. */
import { BareRecord, isObject, type UnknownRecord } from '../../values/objects.js'
import { Issues } from '../issues.js'
import { segmentKey, issuePath, formatPointer } from '../path.js'
import type { Schema } from '../schema.js'
import { thenSync, validate, type Outcome } from '../validate.js'
import { parseScalar, unwrapType, type TextValue } from './text-type.js'

/** What a library complained of, and where: kept apart, because a pointer is cut and a key may be long. */
interface Complaint {
  readonly given: unknown
  /** The key at the top, whole; undefined for the whole value. */
  readonly top: string | undefined
  /** Where below that. */
  readonly rest: string
}

interface OpenText {
  readonly schema: Schema
  readonly raw: Readonly<Record<string, TextValue | undefined>>
  /** What is validated, at first the texts; other forms take their places. */
  readonly input: BareRecord
  /** Tells whether nothing is known of a key. */
  readonly isOpen: (key: string) => boolean
}

interface Rounds extends OpenText {
  /** `first` is what was said of a key when it was first named, which is about what was sent; `tried` counts its forms. */
  readonly keys: Map<string | undefined, { readonly first: readonly Complaint[]; tried: number }>
  /** What was said of all keys when they were first named, in the order in which it came. */
  readonly order: Complaint[]
  left: number
}

// A key has at most four forms and most libraries name all wrong keys at once; a few name one at a time.
const MAX_ROUNDS = 16

/** Validates text that no description covers: values that issues name get other forms, and all is validated again, up to 16 times. */
export function validateOpenText(text: OpenText): Outcome | Promise<Outcome> {
  return tryForms({ ...text, keys: new Map(), order: [], left: MAX_ROUNDS })
}

function tryForms(rounds: Rounds): Outcome | Promise<Outcome> {
  return thenSync(validate(rounds.schema, rounds.input), (outcome) => {
    const { issues } = outcome
    if (issues === undefined) return refuseSeveral(rounds, outcome)
    const complaints = Array.from(issues.complaints, (given): Complaint => {
      return { given, top: topLevelKey(given), rest: formatPointer(issuePath(given), 1) }
    })
    const named = byTop(complaints)
    remember(rounds, complaints, named)
    // Each key that is named gets its next form.
    const changed = rounds.left-- > 0 ? [...named].filter(([top, about]) => tryNext(rounds, top, about)) : []
    if (changed.length > 0) return tryForms(rounds)
    const complainedKeys = firstComplaints(rounds, complaints, named).map((complaint) => complaint.given)
    // What was sent holds every text that any form of it has, so it is what messages must not repeat.
    return { value: undefined, issues: new Issues(complainedKeys, rounds.raw) }
  })
}

export function topLevelKey(complaint: unknown): string | undefined {
  const path = issuePath(complaint)
  return path.length === 0 ? undefined : segmentKey(path[0])
}

type ByTop = ReadonlyMap<string | undefined, readonly Complaint[]>

// There may be 100,000 keys, and most have one complaint: a list of one is a third of an empty one that grows.
function byTop(complaints: readonly Complaint[]): ByTop {
  const tops = new Map<string | undefined, Complaint[]>()
  for (const complaint of complaints) {
    const forms = tops.get(complaint.top)
    if (forms === undefined) tops.set(complaint.top, [complaint])
    else forms.push(complaint)
  }
  return tops
}

// Only what is said of the form that was sent: of a key named before, another form has been tried since.
function remember({ keys, order }: Rounds, complaints: readonly Complaint[], named: ByTop): void {
  for (const complaint of complaints) if (!keys.has(complaint.top)) order.push(complaint)
  for (const [top, first] of named) if (!keys.has(top)) keys.set(top, { first, tried: 0 })
}

function firstComplaints({ keys, order }: Rounds, complaints: readonly Complaint[], named: ByTop): Complaint[] {
  const reported = new Set<Complaint | undefined>()
  for (const [top, { first, tried }] of keys) {
    if (tried > 0) for (const complaint of firstOfKey(first, named.get(top) ?? [])) reported.add(complaint)
  }
  const untried = complaints.filter(({ top }) => keys.get(top)?.tried === 0)
  return [...order.filter((complaint) => reported.has(complaint)), ...untried]
}

// The first at the same place, else of the whole key, else of anything below it.
function firstOfKey(first: readonly Complaint[], named: readonly Complaint[]): readonly (Complaint | undefined)[] {
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

// A list has one other form: with the items that issues name converted.
function listForms(sent: readonly string[], named: readonly Complaint[]): readonly unknown[] {
  const rests = new Set(named.map(({ rest }) => rest))
  const form = sent.map((item, at) => (rests.has(`/${at}`) ? (parseScalar(item) ?? item) : item))
  return form.some((item, at) => item !== sent[at]) ? [form] : []
}

/** What is wrong with a key that was sent more than once where one value is wanted, in the form of Standard Schema. */
export function severalComplaint(key: string): object {
  return { message: 'Expected one value', path: [key] }
}

// A schema that turns whatever it gets into text or a boolean takes a list as well, and makes one value of it. It wants
// a list only if it refuses a single text; a value that is still a list afterwards was meant to be one.
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
