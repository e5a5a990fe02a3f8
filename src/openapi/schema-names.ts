/** Names of components (OpenAPI 3.1.1 section 4.8.7: letters, digits, `.`, `-` and `_`). */
import type { SchemaObject } from '../validation/json-schema.js'
import { latePattern } from '../values/late-pattern.js'
import { ownValue } from '../values/objects.js'

/** Names that libraries generate with a counter. They can differ after each start. */
const COUNTED = /^(?:(?:__)?schema|intersection|union|morph|alias|def|ref)?_?[0-9]+$/i
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_.-]*$/
const WORD = /^[A-Za-z_][A-Za-z0-9_]*$/
const TITLE = /^[A-Za-z_][\w ]*$/
const MAX_TITLE_LENGTH = 40
const FIRST_LETTERS = latePattern(String.raw`(?:^|(?<![^\p{L}\p{N}])[^\p{L}\p{N}]+)([\p{L}\p{N}])`, 'gu')

/** Returns the name that a schema declares: its key among the definitions, its id, or its title. */
export function ownName(schema: SchemaObject, key: string | undefined): string | undefined {
  if (key !== undefined && key !== '' && !COUNTED.test(key)) return safeName(key)
  return schemaId(schema) ?? titleName(ownValue(schema, 'title'))
}

/** Joins the words of a title. Returns `undefined` for a sentence or a title that is too long. */
function titleName(title: unknown): string | undefined {
  if (typeof title !== 'string' || title.length > MAX_TITLE_LENGTH || !TITLE.test(title)) return undefined
  return WORD.test(title) ? title : joinedName(title)
}

/** Returns the id of a schema if it can be a name: `$id`, or the `id` of the author's metadata. */
export function schemaId(schema: SchemaObject): string | undefined {
  const id = ownValue(schema, '$id') ?? ownValue(schema, 'id')
  return typeof id === 'string' && IDENTIFIER.test(id) && !COUNTED.test(id) ? id : undefined
}

export function safeName(text: string): string {
  return text.replace(/[^A-Za-z0-9._-]/g, '_')
}

/** Joins strings to one name in Pascal case: `UserProfiles`, `get` and `response` become `UserProfilesGetResponse`. */
export function joinedName(...parts: readonly string[]): string {
  const words = parts.map((part) => part.replace(FIRST_LETTERS(), (_, letter: string) => letter.toUpperCase()))
  return safeName(words.join(''))
}

/** A use of a schema: the endpoint, and the role of the schema in it, such as `body` or `response404`. */
export interface Use {
  readonly route: string
  readonly verb: string
  readonly role: string
}

/**
 * Names a schema after the only route that returns it, or if no route does, after the only route that accepts it. Returns `undefined` if
 * there are several. Verb and role are part of the name only if all uses share them, so the order of the uses makes no difference.
 */
export function nameByUse(uses: readonly Use[]): string | undefined {
  const returned = uses.filter(({ role }) => RETURNED.test(role))
  const countedUses = returned.length === 0 ? uses : returned
  const shared = (read: (use: Use) => string): string | undefined => {
    const [first, ...others] = new Set(countedUses.map(read))
    return others.length === 0 ? first : undefined
  }
  const route = shared((use) => use.route)
  if (route === undefined) return undefined
  const role = shared((use) => use.role) ?? shared((use) => use.role.replace(/(?<!\d)\d+$/, ''))
  return joinedName(route, shared((use) => use.verb) ?? '', role ?? '')
}

const RETURNED = /^(?:response|error)/

/** Names a schema after all routes that use it. Recursive schemas need this, because they cannot be inlined. */
export function nameOfAll(uses: readonly Use[]): string {
  return joinedName(...new Set(uses.map(({ route }) => route).toSorted()))
}

/** Reserves and returns a name, or the name with the next free number, such as `User2`. */
export function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted
  for (let count = 2; taken.has(name); count++) name = `${wanted}${count}`
  taken.add(name)
  return name
}

export function compareNames([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1
}
