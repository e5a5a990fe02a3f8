/** Sources of strings: query, headers, cookies, path parameters and forms. Prepared once, and read for each request. */
import { SetupError } from '../../errors/setup-error.js'
import { BareRecord, isObject, type UnknownRecord } from '../../values/objects.js'
import { Issues } from '../issues.js'
import { describeSchema, type Converters, type Description } from '../describe-schema.js'
import type { Schema } from '../schema.js'
import { validate, type Outcome } from '../validate.js'
import { thenSync } from '../../values/promises.js'
import type { JsonShape } from './json-shape.js'
import { parsesText } from './parses-text.js'
import { ANY, hasGap, findTextMembers, type TextMembers, type TextType } from './text-type.js'
import { segmentKey, issuePath, formatPointer } from '../path.js'

/** Sent strings by key; an array if a key was repeated. */
export type RawText = Readonly<Record<string, TextValue | undefined>>

export interface StringSource {
  readonly schema: Schema
  /** Whether the schema has a JSON Schema. */
  readonly isDescribed: boolean
  /** Keys that the schema describes; `undefined` if it describes none, or allows any key. */
  readonly keys: readonly string[] | undefined
  /** Returns the JSON shape of a member that strings cannot express; `null` if they can, or if the shape is unknown. */
  jsonShape(key: string): JsonShape | null
  /** Name of a member that strings cannot express, or `*` for additional members; `undefined` if strings can express all members. */
  readonly inexpressible: string | undefined
  /** Converts and validates. `values` are members that were sent as JSON. */
  read(raw: RawText, values?: Readonly<Record<string, unknown>>): Outcome | Promise<Outcome>
}

/** Throws a `SetupError` if strings cannot express a member, because every request with this member would be a 422. */
export function assertExpressible({ inexpressible }: StringSource, what: string, fix: string): void {
  if (inexpressible === undefined) return
  const member = inexpressible === '*' ? 'each additional member' : `its member "${inexpressible}"`
  const state = `${member} can only be an object, or an array of objects or arrays, which a string cannot express`
  throw new SetupError('SCHEMA_INEXPRESSIBLE', `Cannot use ${what}: ${state}. ${fix}`)
}

/** Prepares a source. Strings are converted according to the JSON Schema, or by trial for keys of unknown type. */
export function textSource(schema: Schema, converters: Converters, isNarrow: boolean = false): StringSource {
  const description = describeSchema(schema, 'input', converters)
  const members = description.schema === undefined ? undefined : findTextMembers(description.schema)
  const keys = members === undefined || members.rest ? undefined : [...members.types.keys()]
  const rest = members?.rest ?? ANY
  // Reads only the headers and cookies that the schema describes.
  const keptKeys = isNarrow ? keys : undefined
  const isOpen = openKeys(description, members)
  const readValues: StringSource['read'] = (raw, values): Outcome | Promise<Outcome> => {
    const input = new BareRecord()
    const several: string[] = []
    for (const key of keptKeys ?? Object.keys(raw)) {
      const rawValue = Object.hasOwn(raw, key) ? raw[key] : undefined
      if (rawValue === undefined) continue
      const value = unwrapType(rawValue)
      const type = members?.types.get(key) ?? rest
      input[key] = convertText(value, type)
      if (typeof value !== 'string' && !takesSeveral(type)) several.push(key)
    }
    if (values !== undefined) Object.assign(input, values)
    const outcome = isOpen ? validateOpenText({ schema, raw, input, isOpen }) : validate(schema, input)
    return several.length === 0 ? outcome : thenSync(outcome, (settled) => addSeveral(settled, several, raw))
  }
  return { schema, isDescribed: members !== undefined, keys, ...jsonMembers(schema, members), read: readValues }
}

/** Returns the properties of a source for members that strings cannot express. */
function jsonMembers(
  schema: Schema,
  members: TextMembers | undefined,
): Pick<StringSource, 'jsonShape' | 'inexpressible'> {
  if (members === undefined) return { jsonShape: () => null, inexpressible: undefined }
  const { restJson, types } = members
  const json = new Map([...members.json].filter(([key]) => !parsesText(schema, key)))
  const [inexpressible = restJson === null ? undefined : '*'] = json.keys()
  return { jsonShape: (key) => json.get(key) ?? (types.has(key) ? null : restJson), inexpressible }
}

// Usually `undefined`, if the types of all keys are known. Then the source is validated only once.
function openKeys(description: Description, members: TextMembers | undefined): ((key: string) => boolean) | undefined {
  if (members === undefined) return () => true
  const types = [...members.types].filter(([, type]) => isUncertain(type, description, members))
  const open = new Set(types.map(([key]) => key))
  const rest = members.rest !== undefined && description.lenient && hasGap(members.rest)
  return open.size > 0 || rest ? (key) => open.has(key) || (rest && !members.types.has(key)) : undefined
}

// A gap in a lenient description can be a date or anything else. In a union, a key can be a string in only one of the branches.
function isUncertain(type: TextType, description: Description, members: TextMembers): boolean {
  if (description.lenient && hasGap(type)) return true
  return members.union && type.text && (type.integer || type.truth)
}

// Replaces the issues of the keys. Those are about an array that the schema does not expect.
function addSeveral({ issues }: Outcome, keys: readonly string[], raw: RawText): Outcome {
  const rejectedKeys = new Set<string | undefined>(keys)
  const otherIssues = [...(issues?.rawIssues ?? [])].filter((issue) => !rejectedKeys.has(topLevelKey(issue)))
  return { value: undefined, issues: new Issues([...keys.map(severalIssue), ...otherIssues], raw) }
}

/** Value of one key: a string, or several strings in the order in which they were sent. */
type TextValue = string | readonly string[]
const TRUTHS: ReadonlyMap<string, boolean> = new Map(Object.entries({ true: true, false: false }))
const INTEGER = /^-?(?:0|[1-9][0-9]*)$/
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/

/** Converts the value of one key. A string that does not exactly match the type is not changed, and the validator rejects it. */
export function convertText(value: TextValue, type: TextType): unknown {
  if (type === ANY) return value
  if (typeof value === 'string') return type.text ? value : convertOne(value, type)
  const { items } = type
  return items === undefined ? value : value.map((item) => convertText(item, items))
}

/** Returns the only item of an array with one item, or the unchanged value. */
function unwrapType(value: TextValue): TextValue {
  return typeof value !== 'string' && value.length === 1 ? value.join() : value
}

/** Whether a key may have several values. */
function takesSeveral(type: TextType): boolean {
  return type === ANY || type.items !== undefined
}

/** Parses a string as a boolean or number, if the expected type is unknown. */
export function parseScalar(text: string): boolean | number | undefined {
  return TRUTHS.get(text) ?? (INTEGER.test(text) ? parseInteger(text) : parseDecimal(text))
}

function convertOne(text: string, type: TextType): unknown {
  const scalar = scalarWithin(text, type)
  if (scalar !== undefined) return scalar
  const { items, integer, truth } = type
  return items !== undefined && !integer && !truth ? [convertText(text, items)] : text
}

function scalarWithin(text: string, type: TextType): boolean | number | undefined {
  const truth = type.truth ? TRUTHS.get(text) : undefined
  if (truth !== undefined) return truth
  if (type.number) return parseDecimal(text)
  return type.integer ? (parseInteger(text) ?? parseFraction(text)) : undefined
}

/**
 * With the fraction, the message of the validator is about an integer. With the string, it is about a number.
 *
 * @see docs/decisions/0047-fractions-for-integers.md
 */
function parseFraction(text: string): number | undefined {
  const number = parseDecimal(text)
  return number === undefined || Number.isInteger(number) ? undefined : number
}

// Adding 0 changes -0 to 0.
function parseInteger(text: string): number | undefined {
  const number = INTEGER.test(text) ? Number(text) + 0 : Number.NaN
  return Number.isSafeInteger(number) ? number : undefined
}

function parseDecimal(text: string): number | undefined {
  const number = NUMBER.test(text) ? Number(text) + 0 : Number.NaN
  return Number.isFinite(number) ? number : undefined
}

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
  readonly raw: Readonly<Record<string, TextValue | undefined>>
  /** Values to validate: at first the strings, which are later replaced by other forms. */
  readonly input: BareRecord
  /** Whether the type of a key is unknown. */
  readonly isOpen: (key: string) => boolean
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

/** Validates strings of unknown types. Values with issues are replaced by other forms and validated again, up to 16 times. */
function validateOpenText(text: OpenText): Outcome | Promise<Outcome> {
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
    return { value: undefined, issues: new Issues(rawIssues, rounds.raw) }
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
  { keys, raw, input, isOpen }: Rounds,
  top: string | undefined,
  named: readonly PlacedIssue[],
): boolean {
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
function listForms(sent: readonly string[], named: readonly PlacedIssue[]): readonly unknown[] {
  const rests = new Set(named.map(({ rest }) => rest))
  const form = sent.map((item, at) => (rests.has(`/${at}`) ? (parseScalar(item) ?? item) : item))
  return form.some((item, at) => item !== sent[at]) ? [form] : []
}

/** Returns the Standard Schema issue of a key that was sent more than once but must have one value. */
function severalIssue(key: string): object {
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
  const several = Array.isArray(rounds.raw[key]) && Array.isArray(rounds.input[key]) && rounds.isOpen(key)
  return several && Object.hasOwn(value, key) && !Array.isArray(value[key])
}
