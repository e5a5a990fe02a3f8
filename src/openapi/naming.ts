/** The names of components (OpenAPI 3.1.1 section 4.8.7: letters, digits, `.`, `-` and `_`). */
import type { SchemaObject } from '../validation/json-schema.js'
import { ownValue } from '../values/objects.js'

/** Names that libraries count up, so that they change from one start to the next. */
const COUNTED = /^(?:(?:__)?schema|intersection|union|morph|alias|def|ref)?_?[0-9]+$/i
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_.-]*$/
const WORD = /^[A-Za-z_][A-Za-z0-9_]*$/
const TITLE = /^[A-Za-z_][\w ]*$/
const MAX_TITLE_LENGTH = 40
const FIRST_LETTERS = /(?:^|[^\p{L}\p{N}]+)([\p{L}\p{N}])/gu

/** The name that a schema has of its own: its key among the definitions, its id, or its title. */
export function ownName(schema: SchemaObject, key: string | undefined): string | undefined {
  if (key !== undefined && key !== '' && !COUNTED.test(key)) return safeName(key)
  return schemaId(schema) ?? titleName(ownValue(schema, 'title'))
}

/** A title of several words is joined; a sentence is no name. */
function titleName(title: unknown): string | undefined {
  if (typeof title !== 'string' || title.length > MAX_TITLE_LENGTH || !TITLE.test(title)) return undefined
  return WORD.test(title) ? title : joinedName(title)
}

/** The id of a schema, where it is a name: `$id`, or `id`, which authors put into their metadata. */
export function schemaId(schema: SchemaObject): string | undefined {
  const id = ownValue(schema, '$id') ?? ownValue(schema, 'id')
  return typeof id === 'string' && IDENTIFIER.test(id) && !COUNTED.test(id) ? id : undefined
}

export function safeName(text: string): string {
  return text.replace(/[^A-Za-z0-9._-]/g, '_')
}

/** Joins texts to one word, each with a capital: `UserProfiles`, `get`, `response` give `UserProfilesGetResponse`. */
export function joinedName(...parts: readonly string[]): string {
  const words = parts.map((part) => part.replace(FIRST_LETTERS, (_, letter: string) => letter.toUpperCase()))
  return safeName(words.join(''))
}

/** Where a schema stands: the endpoint, and what it is there, such as `body` or `response404`. */
export interface Use {
  readonly route: string
  readonly verb: string
  readonly role: string
}

/**
 * The name of a schema by the one route that returns it, or takes it where none does; undefined where several do. It has as much of verb
 * and role as all uses have in common, so that their order has no influence.
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
  const role = shared((use) => use.role) ?? shared((use) => use.role.replace(/\d+$/, ''))
  return joinedName(route, shared((use) => use.verb) ?? '', role ?? '')
}

const RETURNED = /^(?:response|error)/

/** The name of a schema that several routes return, and that leads to itself, so that it has to have one. */
export function nameOfAll(uses: readonly Use[]): string {
  return joinedName(...new Set(uses.map(({ route }) => route).toSorted()))
}

/** Takes a name, or the next free one: `User2`. */
export function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted
  for (let count = 2; taken.has(name); count++) name = `${wanted}${count}`
  taken.add(name)
  return name
}

export function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1
}
