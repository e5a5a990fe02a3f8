/** The request target (RFC 9112 section 3.2), read once; everyone after this works on its result. */

/** The parts of a request target, still percent-encoded. */
export interface Target {
  /** Path from its first `/`, hexadecimal digits of percent-encodings in upper case; `*` for `OPTIONS *`. */
  readonly path: string
  /** What follows the first `?`, without it; empty when there is none. */
  readonly query: string
  /** `host[:port]` of an absolute-form target; `undefined` for the other forms. */
  readonly authority: string | undefined
}

/** Why a target was refused, in words for the client. */
export type TargetRefusal = string

const ABSOLUTE = /^https?:\/\/([^/?#]+)/i
const LOWER_HEX = /%(?:[0-9A-F]?[a-f]|[a-f])[0-9A-Fa-f]?/
const PERCENT = 0x25
const ASTERISK = 0x2a
const DOT = 0x2e
const QUESTION = 0x3f
const DOT_SEGMENT = /\/(?:\.|%2E){1,2}(?=\/|$)/i

/** Reads a request target. Nothing is normalised: dot segments are refused, empty segments kept, case kept. */
export function parseTarget(text: string): Target | TargetRefusal {
  if (text.charCodeAt(0) === 0x2f) return originForm(text, undefined)
  if (text === '*') return { path: '*', query: '', authority: undefined }
  const absolute = ABSOLUTE.exec(text)
  if (absolute === null) return 'The request target is neither a path nor an absolute URL'
  const rest = text.slice(absolute[0].length)
  return originForm(rest.startsWith('/') ? rest : `/${rest}`, absolute[1])
}

/**
 * Tells whether a target is that of the server itself (RFC 9112 section 3.2.4). Returns true for `*`; by its character,
 * because to compare the text of a request with another costs 10 ns.
 */
export function isAsterisk(path: string): boolean {
  return path.charCodeAt(0) === ASTERISK
}

function originForm(text: string, authority: string | undefined): Target | TargetRefusal {
  let question = -1
  let isSpecial = false
  // One look at each character tells that nothing in the target is special, which is nearly always so.
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (isForbidden(code)) return 'The request target holds a character that must be percent-encoded'
    if (code === QUESTION && question < 0) question = index
    else if (code === PERCENT || code === DOT) isSpecial = true
  }
  const path = question < 0 ? text : text.slice(0, question)
  const query = question < 0 ? '' : text.slice(question + 1)
  if (!isSpecial) return { path, query, authority }
  return flawOf(text, path) ?? { path: upperHex(path), query, authority }
}

function flawOf(text: string, path: string): TargetRefusal | undefined {
  const isEncoded = text.includes('%')
  if (isEncoded && !isDecodable(text)) return 'The request target holds a broken percent-encoding'
  if (DOT_SEGMENT.test(path)) return 'The path holds a "." or ".." segment'
  return isEncoded && path.includes('%00') ? 'The path holds a NUL character' : undefined
}

/** Controls, space, `#`, `\`, DEL and everything beyond ASCII. */
function isForbidden(code: number): boolean {
  return code <= 0x20 || code >= 0x7f || code === 0x23 || code === 0x5c
}

/** Overlong and invalid UTF-8 are refused by `decodeURIComponent` too. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

function upperHex(path: string): string {
  return LOWER_HEX.test(path) ? path.replace(/%[0-9A-Fa-f]{2}/g, (code) => code.toUpperCase()) : path
}
