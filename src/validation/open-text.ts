/** Text for schemas that do not describe themselves: what an issue names is converted, and validated again. */
import { bareRecord, isObject, type BareRecord, type Known } from './record.js'
import { scalarOf, unwrapped, type TextValue } from './convert-text.js'
import { follow, keysOf, pointerOf } from './pointer.js'
import type { Schema } from './schema.js'
import { after, validate, type Issue, type Outcome } from './validate.js'

/** A validation whose text may be converted as it goes. */
export interface OpenText {
  /** The schema that is asked. */
  readonly schema: Schema
  /** What was sent. */
  readonly raw: Readonly<Record<string, TextValue | undefined>>
  /** What is validated, at first the text; changed from round to round. */
  readonly input: BareRecord
  /** Tells whether nothing is known of a key. */
  readonly isOpen: (key: string) => boolean
}

interface Rounds extends OpenText {
  /** How many forms of a key were tried. */
  readonly tried: Map<string, number>
  /** The first issue at each pointer, and the first under each key. */
  readonly first: Map<string, Issue>
  left: number
}

// A key has at most four forms and most libraries name all wrong keys at once; a few name one at a time.
const MAX_ROUNDS = 16

/**
 * Validates text of which nothing, or not all, is known: values that issues name are given other forms (the number or
 * boolean they spell, a list of one) and validated again, a bounded number of times. So refinements may run twice.
 *
 * @param text what to validate
 * @returns the outcome; where a key still fails, with its first issue, which is about what was sent
 */
export function validateOpenText(text: OpenText): Outcome | Promise<Outcome> {
  return round({ ...text, tried: new Map(), first: new Map(), left: MAX_ROUNDS })
}

function round(rounds: Rounds): Outcome | Promise<Outcome> {
  return after(validate(rounds.schema, rounds.input), (outcome) => {
    const { issues } = outcome
    if (issues === undefined) return refuseSeveral(rounds, outcome)
    remember(rounds.first, issues)
    const again = rounds.left-- > 0 && advance(rounds, issues)
    return again ? round(rounds) : { value: undefined, issues: firstIssues(rounds, issues) }
  })
}

// Only what is said of the form that was sent: of a key named before, another form has been tried since.
function remember(first: Map<string, Issue>, issues: readonly Issue[]): void {
  for (const issue of issues.filter((issue) => !first.has(topOf(issue.pointer)))) {
    if (!first.has(issue.pointer)) first.set(issue.pointer, issue)
  }
  for (const issue of issues) {
    if (!first.has(topOf(issue.pointer))) first.set(topOf(issue.pointer), issue)
  }
}

function firstIssues(rounds: Rounds, issues: readonly Issue[]): readonly Issue[] {
  const { first, tried } = rounds
  const untried = issues.filter((issue) => !tried.has(topOf(issue.pointer)))
  const failing = issues.filter((issue) => tried.has(topOf(issue.pointer)))
  const pointers = new Set(failing.map(({ pointer }) => (first.has(pointer) ? pointer : topOf(pointer))))
  const reported = [...first].filter(([pointer]) => pointers.has(pointer)).map(([, issue]) => issue)
  return [...new Set([...reported, ...untried])]
}

function topOf(pointer: string): string {
  const end = pointer.indexOf('/', 1)
  return end < 0 ? pointer : pointer.slice(0, end)
}

// True when another form of some key is left to try.
function advance(rounds: Rounds, issues: readonly Issue[]): boolean {
  const tops = new Set(issues.map((issue) => topOf(issue.pointer)))
  return [...tops].map((top) => tryNext(rounds, top, issues)).includes(true)
}

function tryNext(rounds: Rounds, top: string, issues: readonly Issue[]): boolean {
  const [key] = keysOf(top)
  const sent = key !== undefined && rounds.isOpen(key) && Object.hasOwn(rounds.raw, key) ? rounds.raw[key] : undefined
  if (key === undefined || sent === undefined) return false
  const tried = rounds.tried.get(top) ?? 0
  rounds.tried.set(top, tried + 1)
  const value = unwrapped(sent)
  const form = typeof value === 'string' ? formsOf(value)[tried] : listForm({ sent: value, top, tried }, issues)
  if (form !== undefined) rounds.input[key] = form
  return form !== undefined
}

function formsOf(text: string): readonly unknown[] {
  const scalar = scalarOf(text)
  return scalar === undefined ? [[text]] : [scalar, [text], [scalar]]
}

interface SentList {
  readonly sent: readonly string[]
  readonly top: string
  readonly tried: number
}

// A list has one other form: with the items that issues name converted.
function listForm({ sent, top, tried }: SentList, issues: readonly Issue[]): readonly unknown[] | undefined {
  const named = new Set(issues.map((issue) => issue.pointer))
  const form = sent.map((item, at) => (named.has(`${top}/${at}`) ? (scalarOf(item) ?? item) : item))
  return tried === 0 && form.some((item, at) => item !== sent[at]) ? form : undefined
}

/** The issue of a key that was sent more than once where one value is wanted. */
export function severalIssue(key: string): Issue {
  return { pointer: pointerOf([key]), message: 'Expected one value' }
}

// A schema that turns whatever it gets into text or a boolean takes a list as well, and makes one value of it. It wants
// a list only if it refuses a single text; a value that is still a list afterwards was meant to be one.
function refuseSeveral(rounds: Rounds, outcome: Outcome): Outcome | Promise<Outcome> {
  const { value } = outcome
  if (!isObject(value)) return outcome
  const suspects = Object.keys(rounds.raw).filter((key) => isMerged(rounds, value, key))
  if (suspects.length === 0) return outcome
  const single = Object.assign(bareRecord(), rounds.input)
  for (const key of suspects) single[key] = follow(rounds.raw, pointerOf([key, 0]))
  return after(validate(rounds.schema, single), ({ issues = [] }) => {
    const refused = new Set(issues.map((issue) => topOf(issue.pointer)))
    const merged = suspects.map(severalIssue).filter((issue) => !refused.has(issue.pointer))
    return merged.length === 0 ? outcome : { value: undefined, issues: merged }
  })
}

function isMerged(rounds: Rounds, value: Known, key: string): boolean {
  const several = Array.isArray(rounds.raw[key]) && Array.isArray(rounds.input[key]) && rounds.isOpen(key)
  return several && Object.hasOwn(value, key) && !Array.isArray(value[key])
}
