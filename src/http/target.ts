/** The request target and `Host` (RFC 9112 section 3.2). The target is read once; everything after this works on its result. */

/** The parts of a request target, still percent-encoded. */
interface ParsedTarget {
  /** Hexadecimal digits of percent-encodings in upper case; `*` for `OPTIONS *`. */
  readonly path: string
  /** What follows the first `?`. */
  readonly query: string
  /** `host[:port]` of an absolute-form target. */
  readonly authority: string | undefined
}

const ABSOLUTE = /^https?:\/\/([^/?#]+)/i
/** Visible ASCII without `#` and `\`, and without `%` and `.`, which are looked at more closely: nearly all targets. */
const PLAIN = /^[!"$&-\-/-[\]-~]*$/
/** Everything but visible ASCII, and of that `#` and `\`. */
const FORBIDDEN = /[^!"$-[\]-~]/
const LOWER_HEX = /%(?:[0-9A-F]?[a-f]|[a-f])[0-9A-Fa-f]?/
const DOT_SEGMENT = /\/(?:\.|%2E){1,2}(?=\/|$)/i
/** A name or an IP literal, and a port (RFC 3986 section 3.2.2); matched in time linear in the text. */
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9\-._~!$&'()*+,;=%]+)(?::[0-9]{0,5})?$/

/** Reads a request target without normalising it. Returns a text for the client where it is refused. */
export function parseTarget(text: string): ParsedTarget | string {
  if (!text.startsWith('/')) return text === '*' ? { path: '*', query: '', authority: undefined } : parseAbsolute(text)
  const question = text.indexOf('?')
  const path = question < 0 ? text : text.slice(0, question)
  const query = question < 0 ? '' : text.slice(question + 1)
  if (PLAIN.test(text)) return { path, query, authority: undefined }
  return findPathError(text, path) ?? { path: upperHex(path), query, authority: undefined }
}

function parseAbsolute(text: string): ParsedTarget | string {
  const absolute = ABSOLUTE.exec(text)
  if (absolute === null) return 'The request target is neither a path nor an absolute URL'
  const rest = text.slice(absolute[0].length)
  const target = parseTarget(rest.startsWith('/') ? rest : `/${rest}`)
  return typeof target === 'string' ? target : { ...target, authority: absolute[1] }
}

function findPathError(text: string, path: string): string | undefined {
  if (FORBIDDEN.test(text)) return 'The request target holds a character that must be percent-encoded'
  const isEncoded = text.includes('%')
  if (isEncoded && decodePath(text) === undefined) return 'The request target holds a broken percent-encoding'
  if (DOT_SEGMENT.test(path)) return 'The path holds a "." or ".." segment'
  return isEncoded && path.includes('%00') ? 'The path holds a NUL character' : undefined
}

/** Decodes percent-encodings; `undefined` where one is broken, overlong or no UTF-8. */
export function decodePath(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function upperHex(path: string): string {
  return LOWER_HEX.test(path) ? path.replace(/%[0-9A-Fa-f]{2}/g, (code) => code.toUpperCase()) : path
}

/** Tells whether a value is `host[:port]`. */
export function isHost(value: string): boolean {
  return HOST.test(value)
}
