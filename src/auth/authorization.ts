/** The `Authorization` header (RFC 9110 section 11.6.2). */

/**
 * Reads credentials of one scheme, in one pass. Returns what stands behind the scheme, which may be nothing; `null`
 * when the header is absent or of another scheme.
 */
export function credentialsOf(header: string | undefined, scheme: string): string | null {
  if (header === undefined || header.length < scheme.length) return null
  if (header.slice(0, scheme.length).toLowerCase() !== scheme) return null
  if (header.length === scheme.length) return ''
  if (header[scheme.length] !== ' ') return null
  let start = scheme.length
  while (header[start] === ' ') start++
  return header.slice(start)
}

const TOKEN68 = /^[A-Za-z0-9\-._~+/]+=*$/

/** Tells whether credentials are one word, as those of `Bearer` and `Basic` are (RFC 9110 section 11.2, `token68`). */
export function isToken68(text: string): boolean {
  return TOKEN68.test(text)
}
