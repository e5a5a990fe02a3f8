/** Response headers (RFC 9110 section 5): checks them, and merges headers from several sources. */
import { describeDiscarded } from '../values/describe-type.js'

/** Headers by lower-case name. Several `Set-Cookie` values are one entry, separated by line feeds. */
export type HeaderMap = ReadonlyMap<string, string>

/** A change to a header with a lower-case name. The value `null` removes the header. */
export interface HeaderChange {
  readonly name: string
  readonly value: string | null
  /** Whether the value is added to existing values instead of replacing them. */
  readonly append: boolean
}

export const NO_FIELDS: HeaderMap = new Map()

/** Regular expression source of a token (RFC 9110 section 5.6.2). */
export const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+"

/** Regular expression source of a quoted string (RFC 9110 section 5.6.4), with its content as a group. */
export const QUOTED_STRING = '"((?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t\\x20-\\x7e\\x80-\\xff])*)"'

const WHOLE_TOKEN = new RegExp(`^${TOKEN}$`)
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
const JOINED: ReadonlySet<string> = new Set(['vary', 'link', 'set-cookie'])

export function isToken(text: string): boolean {
  return WHOLE_TOKEN.test(text)
}

/** Replaces the quoted pairs of a quoted string, such as `\"`, by their second characters. */
export function unescapePairs(content: string): string {
  return content.replace(/\\(.)/g, '$1')
}

/** Creates a header change. Throws a TypeError for names and values that would break the header syntax. */
export function fieldChange(name: string, value: string | null, append: boolean): HeaderChange {
  if (typeof name !== 'string')
    throw new TypeError(`Cannot set a header: its name must be a string, not ${describeDiscarded(name)}`)
  if (!WHOLE_TOKEN.test(name)) throw new TypeError(`Cannot set header "${name}": its name must be an HTTP token`)
  if (value === null) return { name: name.toLowerCase(), value, append }
  // An object could return another string when it is written.
  if (typeof value !== 'string') {
    const fix = 'Pass null to remove the header'
    throw new TypeError(
      `Cannot set header "${name}": its value must be a string, not ${describeDiscarded(value)}. ${fix}`,
    )
  }
  if (!VALUE.test(value)) {
    throw new TypeError(
      `Cannot set header "${name}": its value must not contain control characters or characters outside Latin-1`,
    )
  }
  return { name: name.toLowerCase(), value, append }
}

/** Checks headers and converts them to changes. `Vary`, `Link` and `Set-Cookie` are added to existing values. */
export function toHeaderChanges(headers: Readonly<Record<string, string | null>>): HeaderChange[] {
  const changes: HeaderChange[] = []
  for (const [name, value] of Object.entries(headers)) {
    changes.push(fieldChange(name, value, JOINED.has(name.toLowerCase())))
  }
  return changes
}

/** Checks headers and converts them to a map. */
export function toHeaderMap(headers: Readonly<Record<string, string>>): Map<string, string> {
  const fields = new Map<string, string>()
  for (const [name, value] of Object.entries(headers)) {
    applyChange(fields, fieldChange(name, value, JOINED.has(name.toLowerCase())))
  }
  return fields
}

export function applyChanges(fields: HeaderMap, changes: readonly HeaderChange[]): HeaderMap {
  if (changes.length === 0) return fields
  const result = new Map(fields)
  // Merged once, because each merge reads the whole list, and a response can have many `Vary` values.
  const vary: string[] = []
  for (const change of changes) {
    if (change.name === 'vary') gatherVary(result, vary, change)
    else applyChange(result, change)
  }
  if (vary.length > 1) result.set('vary', mergeLists(vary))
  return result
}

function gatherVary(fields: Map<string, string>, values: string[], change: HeaderChange): void {
  const { value, append } = change
  const present = fields.get('vary')
  if (value === null || !append) values.length = 0
  else if (values.length === 0 && present !== undefined) values.push(present)
  if (value !== null) values.push(value)
  // Reserves the position of `Vary` among the headers.
  if (value === null || values.length === 1) applyChange(fields, { ...change, append: false })
}

/** Merges two maps. `over` has precedence, but values of `Vary`, `Link` and `Set-Cookie` are combined. */
export function overlayFields(under: HeaderMap, over: HeaderMap): HeaderMap {
  if (under.size === 0) return over
  if (over.size === 0) return under
  const result = new Map(under)
  for (const [name, value] of over) applyChange(result, { name, value, append: JOINED.has(name) })
  return result
}

function applyChange(fields: Map<string, string>, { name, value, append }: HeaderChange): void {
  const present = append ? fields.get(name) : undefined
  if (value === null) fields.delete(name)
  else if (present === undefined) fields.set(name, value)
  else if (name === 'set-cookie') fields.set(name, `${present}\n${value}`)
  else if (name === 'vary') fields.set(name, mergeLists([present, value]))
  else fields.set(name, `${present}, ${value}`)
}

/** Adds the names of other lists to the first list. Keeps the first spelling of each name. */
function mergeLists([list = '', ...others]: readonly string[]): string {
  const added = new Map<string, string>()
  for (const name of others.flatMap(splitNames)) {
    const key = name.toLowerCase()
    if (!added.has(key)) added.set(key, name)
  }
  const names = splitNames(list)
  for (const name of names) added.delete(name.toLowerCase())
  return [...names, ...added.values()].join(', ')
}

/** Trims each name, because splitting by a regular expression with blanks takes quadratic time. */
function splitNames(list: string): string[] {
  return list.split(',').map((name) => name.trim())
}

/** Appends headers to a list of alternating names and values, as `writeHead` expects. Each `Set-Cookie` value is a separate header. */
export function writeFields(fields: HeaderMap, lines: string[]): void {
  for (const [name, value] of fields) {
    if (name !== 'set-cookie') lines.push(name, value)
    else for (const cookie of lastCookies(value)) lines.push(name, cookie)
  }
}

/** Formats alternating names and values as lines of HTTP/1.1. */
export function formatLines(lines: readonly string[]): string {
  let text = ''
  for (let at = 0; at < lines.length; at += 2) text += `${lines[at]}: ${lines[at + 1]}\r\n`
  return text
}

/** Removes cookies that a later one would replace in browsers (RFC 6265 section 4.1.1). */
function lastCookies(value: string): Iterable<string> {
  if (!value.includes('\n')) return [value]
  const lastByKey = new Map<string, string>()
  for (const cookie of value.split('\n')) {
    const key = cookieKey(cookie)
    lastByKey.delete(key)
    lastByKey.set(key, cookie)
  }
  return lastByKey.values()
}

/** Identifies the cookie that a `Set-Cookie` value replaces: name, domain, path and partition (RFC 6265bis section 5.7). */
function cookieKey(cookie: string): string {
  const [pair = '', ...attributes] = cookie.split(';')
  let domain = ''
  let path = ''
  let isPartitioned = false
  for (const attribute of attributes) {
    const [name = '', ...value] = attribute.split('=')
    const content = value.join('=').trim()
    const key = name.trim().toLowerCase()
    if (key === 'domain') domain = content.replace(/^\./, '').toLowerCase()
    else if (key === 'path') path = content.startsWith('/') ? content : ''
    else if (key === 'partitioned') isPartitioned = true
  }
  return [pair.slice(0, Math.max(0, pair.indexOf('='))).trim(), domain, path, isPartitioned].join(';')
}
