/** Header fields of an answer: what may be written, and how fields from several places become one list (RFC 9110 section 5). */

/** Header fields by lower-case name; several `Set-Cookie` values stand in one entry, split by line feeds. */
export type Fields = ReadonlyMap<string, string>

/** A change to the field of a lower-case name; `null` takes it away. */
export interface FieldChange {
  readonly name: string
  readonly value: string | null
  /** Whether the value joins those that are there. */
  readonly append: boolean
}

export const NO_FIELDS: Fields = new Map()

/** The source of an expression (RFC 9110 section 5.6.2). */
export const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+"

const WHOLE_TOKEN = new RegExp(`^${TOKEN}$`)
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
const JOINED: ReadonlySet<string> = new Set(['vary', 'link', 'set-cookie'])

export function isToken(text: string): boolean {
  return WHOLE_TOKEN.test(text)
}

/** Makes a change to a header field, or refuses it: bytes that would break a header never reach the wire. */
export function fieldChange(name: string, value: string | null, append: boolean): FieldChange {
  if (!isToken(name)) throw new TypeError(`Cannot set header "${name}": its name is not a token`)
  if (value !== null && !VALUE.test(value)) {
    throw new TypeError(`Cannot set header "${name}": its value holds a control character or one outside Latin-1`)
  }
  return { name: name.toLowerCase(), value, append }
}

/** Checks fields given as a record and makes changes of them; `Vary`, `Link` and `Set-Cookie` join what is there. */
export function changesOf(headers: Readonly<Record<string, string | null>>): FieldChange[] {
  return Object.entries(headers).map(([name, value]) => changeOf(name, value))
}

function changeOf(name: string, value: string | null): FieldChange {
  return fieldChange(name, value, JOINED.has(name.toLowerCase()))
}

/** Checks fields given as a record and makes a list of them. */
export function fieldsFrom(headers: Readonly<Record<string, string>>): Map<string, string> {
  const fields = new Map<string, string>()
  for (const [name, value] of Object.entries(headers)) applyChange(fields, changeOf(name, value))
  return fields
}

export function applyChanges(fields: Fields, changes: readonly FieldChange[]): Fields {
  if (changes.length === 0) return fields
  const result = new Map(fields)
  for (const change of changes) applyChange(result, change)
  return result
}

/** Lays one list of fields over another: `over` wins, `Vary`, `Link` and `Set-Cookie` join. */
export function overlayFields(under: Fields, over: Fields): Fields {
  if (under.size === 0) return over
  if (over.size === 0) return under
  const result = new Map(under)
  for (const [name, value] of over) applyChange(result, { name, value, append: JOINED.has(name) })
  return result
}

function applyChange(fields: Map<string, string>, { name, value, append }: FieldChange): void {
  const present = append ? fields.get(name) : undefined
  if (value === null) fields.delete(name)
  else fields.set(name, present === undefined ? value : joined(name, present, value))
}

function joined(name: string, present: string, value: string): string {
  if (name === 'set-cookie') return `${present}\n${value}`
  return name === 'vary' ? unionOf(present, value) : `${present}, ${value}`
}

function unionOf(present: string, value: string): string {
  const names = present.split(/\s*,\s*/)
  for (const name of value.split(/\s*,\s*/)) {
    if (!names.some((known) => known.toLowerCase() === name.toLowerCase())) names.push(name)
  }
  return names.join(', ')
}

/** Spreads fields into names and values in turn, as `writeHead` takes them; each `Set-Cookie` is a line of its own. */
export function writeFields(fields: Fields, lines: string[]): void {
  for (const [name, value] of fields) {
    if (name !== 'set-cookie') lines.push(name, value)
    else for (const cookie of value.split('\n')) lines.push(name, cookie)
  }
}
