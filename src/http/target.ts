/** Parses the request target and `Host` (RFC 9112 section 3.2). The target is parsed once, and all other code uses the result. */
import { frameworkError } from '../errors/http-error.js'
import { BareRecord } from '../values/objects.js'

/** The parts of a request target, still percent-encoded. */
interface ParsedTarget {
  /** Path with upper-case digits in percent-encodings; `*` for `OPTIONS *`. */
  readonly path: string
  /** String after the first `?`; empty if there is no query. */
  readonly query: string
  /** `host[:port]` of an absolute-form target. */
  readonly authority: string | undefined
}

const ABSOLUTE = /^https?:\/\/([^/?#]+)/i
/** Matches nearly all targets: visible ASCII without `#` and `\`, and without `%` and `.`, which require more checks. */
const PLAIN = /^[!"$&-\-/-[\]-~]*$/
/** Matches `#`, `\` and any character that is not visible ASCII. */
const FORBIDDEN = /[^!"$-[\]-~]/
const LOWER_HEX = /%(?:[0-9A-F]?[a-f]|[a-f])[0-9A-Fa-f]?/
const DOT_SEGMENT = /\/(?:\.|%2E){1,2}(?=\/|$)/i
/** A name or an IP literal, with an optional port (RFC 3986 section 3.2.2). Matches in linear time. */
export const HOST: RegExp = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9\-._~!$&'()*+,;=%]+)(?::[0-9]{0,5})?$/

/** Parses a request target without normalizing it. Returns an error message for the client if the target is invalid. */
export function parseTarget(text: string): ParsedTarget | string {
  if (!text.startsWith('/')) return parseOtherForm(text)
  let path = text
  let query = ''
  const question = text.indexOf('?')
  if (question >= 0) {
    path = text.slice(0, question)
    query = text.slice(question + 1)
  }
  if (!PLAIN.test(text)) {
    const error = findPathError(text, path)
    if (error !== undefined) return error
    if (LOWER_HEX.test(path)) path = path.replace(/%[0-9A-Fa-f]{2}/g, (code) => code.toUpperCase())
  }
  return { path, query, authority: undefined }
}

/** Returns a path or request target with the mount of the app, as the client sent it. */
export function joinMount(mount: string, target: string): string {
  return target.startsWith('/') ? mount + target : target.replace(ABSOLUTE, (origin) => origin + mount)
}

/** Returns the path of a request target that may be malformed, without checks. */
export function readRawPath(text: string): string {
  const [path = ''] = text.replace(ABSOLUTE, '').split('?', 1)
  return path
}

/** Parses `*` and absolute URLs. */
function parseOtherForm(text: string): ParsedTarget | string {
  if (text === '*') return { path: '*', query: '', authority: undefined }
  const absolute = ABSOLUTE.exec(text)
  if (absolute === null) return 'The request target must be a path or an absolute URL'
  const rest = text.slice(absolute[0].length)
  const target = parseTarget(rest.startsWith('/') ? rest : `/${rest}`)
  if (typeof target === 'string') return target
  return { ...target, authority: absolute[1] }
}

function findPathError(text: string, path: string): string | undefined {
  if (FORBIDDEN.test(text)) return 'The request target contains a character that must be percent-encoded'
  const isEncoded = text.includes('%')
  if (isEncoded && decodePath(text) === undefined) return 'The request target contains an invalid percent-encoding'
  if (DOT_SEGMENT.test(path)) return 'The path must not contain a "." or ".." segment'
  if (isEncoded && path.includes('%00')) return 'The path must not contain a NUL character'
  return undefined
}

/** Decodes percent-encodings. Returns `undefined` if one is malformed, overlong or not UTF-8. */
export function decodePath(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const PERCENT = 0x25
const AMPERSAND = 0x26
const PLUS = 0x2b
const EQUALS = 0x3d

/** Values by key. A repeated key has an array of values in the order sent. */
type RawQuery = BareRecord<string | string[]>

/** Parses a query string with valid percent-encodings. Throws a URIError for others. */
export function parseQuery(text: string, maximum: number): RawQuery {
  const query: RawQuery = new BareRecord()
  let pairs = 0
  let start = 0
  while (start < text.length) {
    if (text.charCodeAt(start) !== AMPERSAND) {
      if (++pairs > maximum) throw frameworkError(400, `The query has more than ${maximum} values`)
      start = readPair(query, text, start)
    }
    start++
  }
  return query
}

// Reads each character once, because searching such short strings six times takes ten times as long. Returns the end of the pair.
function readPair(query: RawQuery, text: string, start: number): number {
  let end = start
  let equals = -1
  let isEncoded = false
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end)
    if (code === AMPERSAND) break
    if (code === EQUALS && equals < 0) equals = end
    else if (code === PERCENT || code === PLUS) isEncoded = true
  }
  let keyEnd = end
  let value = ''
  if (equals >= 0) {
    keyEnd = equals
    value = text.slice(equals + 1, end)
  }
  let key = text.slice(start, keyEnd)
  if (isEncoded) {
    key = decodeComponent(key)
    value = decodeComponent(value)
  }
  const present = query[key]
  if (present === undefined) query[key] = value
  else if (typeof present === 'string') query[key] = [present, value]
  else present.push(value)
  return end
}

function decodeComponent(text: string): string {
  let decoded = text
  if (text.includes('+')) decoded = text.replaceAll('+', ' ')
  if (text.includes('%')) decoded = decodeURIComponent(decoded)
  return decoded
}

export function parseForm(text: string, maximum: number): RawQuery {
  try {
    return parseQuery(text, maximum)
  } catch (error) {
    if (error instanceof URIError) throw frameworkError(400, 'The form contains an invalid percent-encoding')
    throw frameworkError(400, `The form has more than ${maximum} values`)
  }
}
