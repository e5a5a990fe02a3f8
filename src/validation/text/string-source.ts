/** Sources of strings: query, headers, cookies, path parameters and forms. Prepared once, and read for each request. */
import { SetupError } from '../../errors/setup-error.js'
import { BareRecord } from '../../values/objects.js'
import { Issues } from '../issues.js'
import { describeSchema, type Converters, type Description } from '../describe-schema.js'
import type { Schema } from '../schema.js'
import { validate, type Outcome } from '../validate.js'
import { thenSync } from '../../values/promises.js'
import { convertText, takesSeveral, unwrapType, type RawText } from './convert-text.js'
import type { JsonShape } from './json-shape.js'
import { isUndecided, severalIssue, topLevelKey, validateOpenText } from './open-text.js'
import { parsesText } from './parses-text.js'
import { ANY, hasGap, findTextMembers, type TextMembers, type TextType } from './text-type.js'

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
  const openType = findOpenType(description, members)
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
    const outcome = openType ? validateOpenText({ schema, raw, input, openType }) : validate(schema, input)
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

// Usually `undefined`, if the types of all keys are decided. Then the source is validated only once.
function findOpenType(
  { lenient }: Description,
  members: TextMembers | undefined,
): ((key: string) => TextType | undefined) | undefined {
  if (members === undefined) return () => ANY
  const { types, rest, union } = members
  // A gap in a lenient description can be a date or anything else.
  const isOpen = (type: TextType): boolean => (lenient && hasGap(type)) || isUndecided(type, union)
  const open = new Map([...types].filter(([, type]) => isOpen(type)))
  const openRest = rest !== undefined && (rest === ANY ? lenient : isOpen(rest)) ? rest : undefined
  if (open.size === 0 && openRest === undefined) return undefined
  return (key) => open.get(key) ?? (types.has(key) ? undefined : openRest)
}

// Replaces the issues of the keys. Those are about an array that the schema does not expect.
function addSeveral({ issues }: Outcome, keys: readonly string[], raw: RawText): Outcome {
  const rejectedKeys = new Set<string | undefined>(keys)
  const otherIssues = [...(issues?.rawIssues ?? [])].filter((issue) => !rejectedKeys.has(topLevelKey(issue)))
  return { value: undefined, issues: new Issues([...keys.map(severalIssue), ...otherIssues], raw) }
}
