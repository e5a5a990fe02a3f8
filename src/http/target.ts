/** Parses the request target and `Host` (RFC 9112 section 3.2). The target is parsed once, and all other code uses the result. */

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
export const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9\-._~!$&'()*+,;=%]+)(?::[0-9]{0,5})?$/

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
