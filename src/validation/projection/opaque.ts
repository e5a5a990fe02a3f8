/** Validates responses whose schemas have no JSON Schema, and prevents that members unknown to the validator are sent. */
import { isObject } from '../../values/objects.js'
import { Issues } from '../issues.js'
import { segmentKey, issuePath } from '../path.js'
import type { Schema } from '../schema.js'
import { validate, type Outcome } from '../validate.js'
import { thenSync } from '../../values/promises.js'
import { findInJson } from './find-in-json.js'
import { functionForm, Probe } from './probe.js'
import { describeCollection } from './project-value.js'

/** Rounds that exclude single objects, for validators that report one issue at a time. Each later round excludes a whole level. */
const ROUNDS_BY_ISSUE = 16
const MAX_ROUNDS = 100
const THROWN: Outcome = { value: undefined, issues: new Issues([], undefined) }
const WAY_OUT =
  'Add a converter for its vendor to the option "jsonSchema", or write "project: false", as in json(schema, { project: false })'

/** Validates a value with a schema that has no JSON Schema, and a copy of it that has unknown members in each object. */
export function stripOpaque(schema: Schema, returned: unknown): Outcome | Promise<Outcome> {
  const value = functionForm(returned)
  if (!isObject(value)) return validate(schema, value)
  const probe = new Probe(value, new Set())
  return thenSync(tryProject(schema, probe), (outcome) => {
    // If the validator drops the added members, it drops all unknown members. If it keeps them, it would also keep a secret.
    if (outcome.issues === undefined) {
      const kept = probeOutcome(outcome, probe)
      // Sends the result for the original, because a function of the schema may count the members.
      return kept ?? thenSync(validate(schema, value), withoutCollections)
    }
    return screenStrict(schema, value, probe, outcome)
  })
}

/** Validates a copy. Its issues contain the added members, so they must not be reported. */
function tryProject(schema: Schema, { value }: Probe): Outcome | Promise<Outcome> {
  try {
    const outcome = validate(schema, value)
    return outcome instanceof Promise ? outcome.catch(() => THROWN) : outcome
  } catch {
    return THROWN
  }
}

/** Rejects a value with a Map or Set, which JSON writes as `{}`. */
function withoutCollections(outcome: Outcome): Outcome {
  let message: string | undefined
  const path = findInJson(outcome.value, (object) => (message ??= describeCollection(object)) !== undefined)
  if (path === undefined || message === undefined) return outcome
  return { value: undefined, issues: new Issues([{ path, message }], undefined) }
}

/** Returns the issue for members of a copy that the validator kept; `undefined` if it kept none. */
function probeOutcome({ value }: Outcome, probe: Probe): Outcome | undefined {
  const probedValue = probe.keptIn(value)
  if (probedValue === undefined) return undefined
  return opaqueOutcome(
    probedValue,
    'Members that the schema does not name would be sent, because the schema provides no JSON Schema',
  )
}

function opaqueOutcome(path: readonly unknown[], state: string): Outcome {
  return { value: undefined, issues: new Issues([{ path, message: `${state}. ${WAY_OUT}` }], undefined) }
}

/** For validators that reject unknown members: validates copies with unknown members in fewer and fewer objects, until one is accepted. */
async function screenStrict(schema: Schema, value: object, first: Probe, rejected: Outcome): Promise<Outcome> {
  const result = await validate(schema, value)
  if (result.issues !== undefined) return result
  const sparing: SparingProject = { root: value, objects: new Set(), forms: new Set() }
  let [probe, outcome] = [first, rejected]
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    if (outcome.issues === undefined) return probeOutcome(outcome, probe) ?? withoutCollections(result)
    if (probe.places.size === 0) break
    exclude(sparing, probe, round > ROUNDS_BY_ISSUE ? [] : outcome.issues.rawIssues)
    probe = new Probe(value, sparing.objects)
    // In sequence, because each round depends on the result of the last one.
    outcome = await tryProject(schema, probe)
  }
  return opaqueOutcome(
    [],
    'The schema rejects copies of the value with additional members, so Verbena cannot determine which members it names',
  )
}

/** The objects that get no unknown members, and the forms of the objects that issues named. */
interface SparingProject {
  readonly root: object
  readonly objects: Set<object>
  readonly forms: Set<string>
}

/** Excludes the objects that issues name, and objects with a form that was named before; without such issues, the outermost objects. */
function exclude({ root, objects, forms }: SparingProject, { places }: Probe, issues: readonly unknown[]): void {
  const pointed = new Set(Array.from(issues, (issue) => findPointed(root, issuePath(issue), places)))
  pointed.delete(undefined)
  const named = [...places].filter(([each]) => pointed.has(each)).map(([, { form }]) => form)
  const repeated = new Set(named.filter((form) => forms.has(form)))
  const outermost = [...places.values()].reduce((least, { depth }) => Math.min(least, depth), Infinity)
  for (const [each, { depth, form }] of places) {
    const isRejecting = pointed.size === 0 ? depth === outermost : pointed.has(each) || repeated.has(form)
    if (isRejecting) objects.add(each)
  }
  for (const form of named) forms.add(form)
}

/** Returns the innermost object of a path that has unknown members. The last key can be the key of an unknown member. */
function findPointed(root: object, path: readonly unknown[], places: Probe['places']): object | undefined {
  const way = [root]
  let at: unknown = root
  for (const segment of path) {
    at = isObject(at) ? at[segmentKey(segment)] : undefined
    if (isObject(at)) way.push(at)
  }
  return way.findLast((each) => places.has(each))
}
