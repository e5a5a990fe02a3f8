/** The names of components (OpenAPI 3.1.1 section 4.8.7: letters, digits, `.`, `-` and `_`). */
import type { SchemaObject } from '../validation/json-schema.js'
import { own } from '../values/objects.js'

/** Names that libraries count up, so that they change from one start to the next. */
const COUNTED = /^(?:(?:__)?schema|intersection|union|morph|alias|def|ref)?_?[0-9]+$/i
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_.-]*$/
const WORD = /^[A-Za-z_][A-Za-z0-9_]*$/
const FIRST_LETTERS = /(?:^|[^\p{L}\p{N}]+)([\p{L}\p{N}])/gu

/** The name that a schema has of its own: its key among the definitions, its id, or its title where that is one word. */
export function ownName(schema: SchemaObject, key: string | undefined): string | undefined {
  if (key !== undefined && key !== '' && !COUNTED.test(key)) return safeName(key)
  const title = own(schema, 'title')
  return idOf(schema) ?? (typeof title === 'string' && WORD.test(title) ? title : undefined)
}

/** The id of a schema, where it is a name: `$id`, or `id`, which authors put into their metadata. */
export function idOf(schema: SchemaObject): string | undefined {
  const id = own(schema, '$id') ?? own(schema, 'id')
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
