/** Validation of answers that no JSON Schema describes: no member that the validator does not know is sent. */
import { isObject } from '../../values/objects.js'
import { Issues } from '../issues.js'
import { keyOf, pathOf } from '../path.js'
import type { Schema } from '../schema.js'
import { after, validate, type Outcome } from '../validate.js'
import { Probe } from './probe.js'

/** Validators that stop at the first issue name one object a time; what comes later is taken level by level. */
const ROUNDS_BY_ISSUE = 16
const MAX_ROUNDS = 100
const NOTHING_SPARED: ReadonlySet<object> = new Set()
const THROWN: Outcome = { value: undefined, issues: new Issues([], undefined) }
const WAY_OUT =
  'Give a converter for its vendor in the option "jsonSchema", or write "project: false", as in json(schema, { project: false })'

/**
 * Validates a value by a schema that does not describe itself, so that nothing tells which members it knows.
 *
 * It validates a copy with unknown members in each object. A validator that drops them drops all that it does not know:
 * what it gives is the value. One that keeps them would keep a secret: that is an issue. One that refuses them is strict:
 * the value itself is validated, and then copies with unknown members in fewer objects, until one is accepted, so that
 * an object that keeps them is found inside one that refuses them.
 */
export function screen(schema: Schema, value: unknown): Outcome | Promise<Outcome> {
  if (!isObject(value)) return validate(schema, value)
  const probe = new Probe(value, NOTHING_SPARED)
  return after(attempt(schema, probe), (outcome) => {
    if (outcome.issues === undefined) return screened(outcome, outcome, probe)
    return screenStrict(schema, value, probe, outcome)
  })
}

/** Issues of the copy would show its unknown members: they are read here and go no further. */
function attempt(schema: Schema, { value }: Probe): Outcome | Promise<Outcome> {
  try {
    const outcome = validate(schema, value)
    return outcome instanceof Promise ? outcome.catch(() => THROWN) : outcome
  } catch {
    return THROWN
  }
}

function screened(given: Outcome, { value }: Outcome, probe: Probe): Outcome {
  const kept = probe.keptIn(value)
  if (kept === undefined) return given
  return flaw(kept, 'Members that the schema does not name would be sent, and nothing describes the schema')
}

function flaw(path: readonly unknown[], state: string): Outcome {
  return { value: undefined, issues: new Issues([{ path, message: `${state}. ${WAY_OUT}` }], undefined) }
}

async function screenStrict(schema: Schema, value: object, first: Probe, refusal: Outcome): Promise<Outcome> {
  const given = await validate(schema, value)
  if (given.issues !== undefined) return given
  const sparing = new Sparing(value)
  let [probe, outcome] = [first, refusal]
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    if (outcome.issues === undefined) return screened(given, outcome, probe)
    if (probe.places.size === 0) break
    sparing.add(probe, round > ROUNDS_BY_ISSUE ? [] : outcome.issues.complaints)
    probe = new Probe(value, sparing.objects)
    // One after the other: each depends on what the last one has shown.
    outcome = await attempt(schema, probe)
  }
  return flaw([], 'The schema refuses copies of the value, so that nobody can tell which members it knows')
}

/** The objects that are known to refuse unknown members. */
class Sparing {
  readonly objects = new Set<object>()
  readonly #forms = new Set<string>()
  readonly #root: object

  constructor(root: object) {
    this.#root = root
  }

  /** Adds those that complaints point at, or the outermost ones where none does. */
  add(probe: Probe, complaints: readonly unknown[]): void {
    const { places } = probe
    const found = new Set<object>()
    for (const complaint of complaints) {
      const refusing = this.#pointedAt(pathOf(complaint), probe)
      if (refusing !== undefined) found.add(refusing)
    }
    const forms = new Set<string>()
    for (const [each, { form }] of places) if (found.has(each)) forms.add(form)
    const repeated = new Set([...forms].filter((form) => this.#forms.has(form)))
    const outermost = [...places.values()].reduce((least, { depth }) => Math.min(least, depth), Infinity)
    for (const [each, { depth, form }] of places) {
      const isRefusing = found.size === 0 ? depth === outermost : found.has(each) || repeated.has(form)
      if (isRefusing) this.objects.add(each)
    }
    for (const form of forms) this.#forms.add(form)
  }

  /** The innermost object on the way that has unknown members: the last key may be that of one. */
  #pointedAt(path: readonly unknown[], { places }: Probe): object | undefined {
    const way: object[] = [this.#root]
    let at: unknown = this.#root
    for (const segment of path) {
      at = isObject(at) ? at[keyOf(segment)] : undefined
      if (isObject(at)) way.push(at)
    }
    return way.findLast((each) => places.has(each))
  }
}
