/** Sources that arrive as text: query, headers, cookies, path parameters and forms. Prepared once, read per request. */
import { SetupError } from '../../errors/setup-error.js'
import { BareRecord } from '../../values/objects.js'
import { Issues } from '../issues.js'
import { describeSchema, type Converters, type Description } from '../json-schema.js'
import type { Schema } from '../schema.js'
import { thenSync, validate, type Outcome } from '../validate.js'
import { severalComplaint, topLevelKey, validateOpenText } from './open-text.js'
import type { JsonShape } from './json-shape.js'
import { parsesText } from './parses-text.js'
import { ANY, convertText, hasGap, takesSeveral, findTextMembers, unwrapType } from './text-type.js'
import type { TextMembers, TextType, TextValue } from './text-type.js'

/** What a client sent, by key; several texts where a key was repeated. */
export type RawText = Readonly<Record<string, TextValue | undefined>>

export interface StringSource {
  readonly schema: Schema
  /** The keys the schema describes; undefined when it describes none or allows any. */
  readonly keys: readonly string[] | undefined
  /** Returns the JSON shape of a member that text cannot express; `null` if text can express it, or if the schema does not say. */
  jsonShape(key: string): JsonShape | null
  /** A name of a member that text cannot express; undefined if there is none. */
  readonly inexpressible: string | undefined
  /** Converts and validates. `values` are members that were sent as JSON. */
  read(raw: RawText, values?: Readonly<Record<string, unknown>>): Outcome | Promise<Outcome>
}

/** Throws if a schema has a member that text cannot express: every request with it would be a 422. */
export function assertExpressible({ inexpressible }: StringSource, what: string, fix: string): void {
  if (inexpressible === undefined) return
  const member = inexpressible === '*' ? 'its further members' : `its member "${inexpressible}"`
  const state = `${member} must be an object, or a list of more than scalars, which text cannot express`
  throw new SetupError('SCHEMA_INEXPRESSIBLE', `Cannot use ${what}: ${state}. ${fix}`)
}

/** Prepares a source: text is converted by the description of its schema, or by what issues name where that says nothing. */
export function textSource(schema: Schema, converters: Converters, isNarrow: boolean = false): StringSource {
  const description = describeSchema(schema, 'input', converters)
  const members = description.schema === undefined ? undefined : findTextMembers(description.schema)
  const keys = members === undefined || members.rest ? undefined : [...members.types.keys()]
  const rest = members?.rest ?? ANY
  // Of headers and cookies only the keys that the schema describes are read.
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
  return { schema, keys, ...jsonMembers(schema, members), read: readValues }
}

/** Returns what a source says of members that text cannot express. */
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

// Undefined when every key is known, which is the usual case: then one validation is all.
function openKeys(description: Description, members: TextMembers | undefined): ((key: string) => boolean) | undefined {
  if (members === undefined) return () => true
  const types = [...members.types].filter(([, type]) => isUncertain(type, description, members))
  const open = new Set(types.map(([key]) => key))
  const rest = members.rest !== undefined && description.lenient && hasGap(members.rest)
  return open.size > 0 || rest ? (key) => open.has(key) || (rest && !members.types.has(key)) : undefined
}

// A gap in a lenient description may be a date or anything else; in a union a key may be text in one branch only.
function isUncertain(type: TextType, description: Description, members: TextMembers): boolean {
  if (description.lenient && hasGap(type)) return true
  return members.union && type.text && (type.integer || type.truth)
}

// What the validator made of the list does not matter: it would see one where its schema wants none.
function addSeveral({ issues }: Outcome, keys: readonly string[], raw: RawText): Outcome {
  const rejectedKeys = new Set<string | undefined>(keys)
  const otherComplaints = [...(issues?.complaints ?? [])].filter(
    (complaint) => !rejectedKeys.has(topLevelKey(complaint)),
  )
  return { value: undefined, issues: new Issues([...keys.map(severalComplaint), ...otherComplaints], raw) }
}
