/** Validation of answers that no JSON Schema describes: no member that the validator does not know is sent. */
import { isObject } from '../../values/objects.js'
import { Issues } from '../issues.js'
import { segmentKey, issuePath } from '../path.js'
import type { Schema } from '../schema.js'
import { thenSync, validate, type Outcome } from '../validate.js'
import { functionForm, Probe } from './probe.js'

/** Validators that stop at the first issue name one object a round; later rounds take a level at a time. */
const ROUNDS_BY_ISSUE = 16
const MAX_ROUNDS = 100
const THROWN: Outcome = { value: undefined, issues: new Issues([], undefined) }
const WAY_OUT =
  'Give a converter for its vendor in the option "jsonSchema", or write "project: false", as in json(schema, { project: false })'

/** Validates a value by a schema that does not describe itself, through a copy with unknown members in each object. */
export function stripOpaque(schema: Schema, returned: unknown): Outcome | Promise<Outcome> {
  const value = functionForm(returned)
  if (!isObject(value)) return validate(schema, value)
  const probe = new Probe(value, new Set())
  return thenSync(tryProject(schema, probe), (outcome) => {
    // A validator that drops the unknown members drops all that it does not know; one that keeps them would keep a secret.
    if (outcome.issues === undefined) return removeOpaque(outcome, outcome, probe)
    return screenStrict(schema, value, probe, outcome)
  })
}

/** Issues of the copy would show its unknown members: they are read here and go no further. */
function tryProject(schema: Schema, { value }: Probe): Outcome | Promise<Outcome> {
  try {
    const outcome = validate(schema, value)
    return outcome instanceof Promise ? outcome.catch(() => THROWN) : outcome
  } catch {
    return THROWN
  }
}

function removeOpaque(given: Outcome, { value }: Outcome, probe: Probe): Outcome {
  const probedValue = probe.keptIn(value)
  if (probedValue === undefined) return given
  return opaqueFlaw(
    probedValue,
    'Members that the schema does not name would be sent, and nothing describes the schema',
  )
}

function opaqueFlaw(path: readonly unknown[], state: string): Outcome {
  return { value: undefined, issues: new Issues([{ path, message: `${state}. ${WAY_OUT}` }], undefined) }
}

/** For a validator that refuses unknown members: it gets copies with them in fewer objects, until it accepts one. */
async function screenStrict(schema: Schema, value: object, first: Probe, refusal: Outcome): Promise<Outcome> {
  const result = await validate(schema, value)
  if (result.issues !== undefined) return result
  const sparing: Sparing = { root: value, objects: new Set(), forms: new Set() }
  let [probe, outcome] = [first, refusal]
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    if (outcome.issues === undefined) return removeOpaque(result, outcome, probe)
    if (probe.places.size === 0) break
    exclude(sparing, probe, round > ROUNDS_BY_ISSUE ? [] : outcome.issues.complaints)
    probe = new Probe(value, sparing.objects)
    // One after the other: each depends on what the last one has shown.
    outcome = await tryProject(schema, probe)
  }
  return opaqueFlaw([], 'The schema refuses copies of the value, so that nobody can tell which members it knows')
}

/** The objects that are known to refuse unknown members, and the forms of those that complaints pointed at. */
interface Sparing {
  readonly root: object
  readonly objects: Set<object>
  readonly forms: Set<string>
}

/** Spares the objects that complaints point at and those of a form that was pointed at before; where none is, the outermost ones. */
function exclude({ root, objects, forms }: Sparing, { places }: Probe, complaints: readonly unknown[]): void {
  const pointed = new Set(Array.from(complaints, (complaint) => findPointed(root, issuePath(complaint), places)))
  pointed.delete(undefined)
  const named = [...places].filter(([each]) => pointed.has(each)).map(([, { form }]) => form)
  const repeated = new Set(named.filter((form) => forms.has(form)))
  const outermost = [...places.values()].reduce((least, { depth }) => Math.min(least, depth), Infinity)
  for (const [each, { depth, form }] of places) {
    const isRefusing = pointed.size === 0 ? depth === outermost : pointed.has(each) || repeated.has(form)
    if (isRefusing) objects.add(each)
  }
  for (const form of named) forms.add(form)
}

/** The innermost object on the way that has unknown members: the last key may be that of one. */
function findPointed(root: object, path: readonly unknown[], places: Probe['places']): object | undefined {
  const way = [root]
  let at: unknown = root
  for (const segment of path) {
    at = isObject(at) ? at[segmentKey(segment)] : undefined
    if (isObject(at)) way.push(at)
  }
  return way.findLast((each) => places.has(each))
}
