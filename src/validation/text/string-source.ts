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
import { listSplitter, type TextPlace } from './list-text.js'
import { isUndecided, severalIssue, topLevelKey, validateOpenText } from './open-text.js'
import { parsesText } from './parses-text.js'
import { ANY, hasGap, findTextMembers, isListOnly, type TextMembers, type TextType } from './text-type.js'

export interface StringSource {
  readonly schema: Schema
  /** Whether the schema has a JSON Schema. */
  readonly isDescribed: boolean
  /** Keys that the schema describes; `undefined` if it describes none, or allows any key. */
  readonly keys: readonly string[] | undefined
  /** Keys of path parameters, headers and cookies that accept only lists. */
  readonly lists: readonly string[]
  /** Spellings of lists with `[]` that a query or form may use. */
  readonly spellings: readonly string[]
  /** Returns the JSON shape of a member that strings cannot express; `null` if they can, or if the shape is unknown. */
  jsonShape(key: string): JsonShape | null
  /** Name of a member that strings cannot express, or `*` for additional members; `undefined` if strings can express all members. */
  readonly inexpressible: string | undefined
  /**
   * Converts and validates. Lists of `params` must be arrays of decoded items already.
   *
   * @param values members that were sent as JSON
   */
  read(raw: RawText, values?: Readonly<Record<string, unknown>>): Outcome | Promise<Outcome>
}

/** Throws a `SetupError` if strings cannot express a member, because every request with this member would be a 422. */
export function assertExpressible({ inexpressible }: StringSource, what: string, fix: string): void {
  if (inexpressible === undefined) return
  const member = inexpressible === '*' ? 'each additional member' : `its member "${inexpressible}"`
  const state = `${member} can only be an object, or an array of objects or arrays, which a string cannot express`
  throw new SetupError('SCHEMA_INEXPRESSIBLE', `Cannot use ${what}: ${state}. ${fix}`)
}

/** Places with keys that do not concern the schema. There, only described keys are read. */
const NARROW_PLACES: ReadonlySet<TextPlace> = new Set(['headers', 'cookies', 'environment'])

/** Places in which a repeated key cannot express a list. */
const LIST_PLACES: ReadonlySet<TextPlace> = new Set(['params', 'headers', 'cookies'])

/** Places in which many clients spell the items of a list as `tag[]`. */
const BRACKET_PLACES: ReadonlySet<TextPlace> = new Set(['query', 'fields'])

/** Prepares a source. Strings are converted according to the JSON Schema, or by trial for keys of unknown type. */
export function textSource(schema: Schema, converters: Converters, place: TextPlace = 'fields'): StringSource {
  const description = describeSchema(schema, 'input', converters)
  const members = description.schema === undefined ? undefined : findTextMembers(description.schema)
  const keys = members === undefined || members.rest ? undefined : [...members.types.keys()]
  const restType = members?.rest ?? ANY
  const keptKeys = NARROW_PLACES.has(place) ? keys : undefined
  const openType = findOpenType(description, members)
  const readValues: StringSource['read'] = (raw, values): Outcome | Promise<Outcome> => {
    const input = new BareRecord()
    const several: string[] = []
    for (const key of keptKeys ?? Object.keys(raw)) {
      const rawValue = Object.hasOwn(raw, key) ? raw[key] : undefined
      if (rawValue === undefined) continue
      const value = unwrapType(rawValue)
      const type = members?.types.get(key) ?? restType
      input[key] = convertText(value, type)
      if (typeof value !== 'string' && !takesSeveral(type)) several.push(key)
    }
    if (values !== undefined) Object.assign(input, values)
    const outcome = openType ? validateOpenText({ schema, raw, input, openType }) : validate(schema, input)
    return several.length === 0 ? outcome : rejectKeys(outcome, new Map(several.map(rejectSeveralValues)), raw)
  }
  const lists = LIST_PLACES.has(place) ? findLists(schema, members) : []
  const brackets = BRACKET_PLACES.has(place) ? findBrackets(members) : new Map<string, string>()
  const split = listSplitter(place, lists, brackets)
  const read = split === null ? readValues : readLists(split, readValues)
  const spellings = [...brackets.keys()]
  return { schema, isDescribed: members !== undefined, keys, lists, spellings, ...jsonMembers(schema, members), read }
}

/** Returns the keys that accept only lists. A schema that parses a string itself also accepts strings. */
function findLists(schema: Schema, members: TextMembers | undefined): readonly string[] {
  const lists = [...(members?.types ?? [])].filter(([, type]) => isListOnly(type))
  return lists.flatMap(([key]) => (parsesText(schema, key) ? [] : key))
}

/** Returns the keys of lists by their spelling with `[]`, without spellings that the schema describes. */
function findBrackets(members: TextMembers | undefined): ReadonlyMap<string, string> {
  const types = members?.types ?? new Map<string, TextType>()
  const lists = [...types].filter(([key, { items }]) => items !== undefined && !types.has(`${key}[]`))
  return new Map(lists.map(([key]) => [`${key}[]`, key]))
}

function readLists(
  split: NonNullable<ReturnType<typeof listSplitter>>,
  read: StringSource['read'],
): StringSource['read'] {
  return (sent, values) => {
    const { raw, rejections } = split(sent)
    const outcome = read(raw, values)
    return rejections.size === 0 ? outcome : rejectKeys(outcome, rejections, raw)
  }
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

/** Replaces the issues of keys. Those are about an array that the schema does not expect. */
function rejectKeys(
  outcome: Outcome | Promise<Outcome>,
  rejections: ReadonlyMap<string | undefined, object>,
  raw: RawText,
): Outcome | Promise<Outcome> {
  return thenSync(outcome, ({ issues }) => {
    const otherIssues = [...(issues?.rawIssues ?? [])].filter((issue) => !rejections.has(topLevelKey(issue)))
    return { value: undefined, issues: new Issues([...rejections.values(), ...otherIssues], raw) }
  })
}

function rejectSeveralValues(key: string): readonly [key: string, issue: object] {
  return [key, severalIssue(key)]
}
