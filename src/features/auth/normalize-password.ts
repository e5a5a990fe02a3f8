/** Normalization of passwords (RFC 8265 section 4.2, OpaqueString). */

/** In UTF-16 code units. NFC of 200 kB of combining marks takes 20 s, of 1,024 of them less than 1 ms. */
const MAX_LENGTH = 1_024
/** Space separators (Unicode category Zs) except U+0020. */
const OTHER_SPACES = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g

/**
 * Returns the password with other spaces as U+0020, in NFC; `null` if it has a lone surrogate, which UTF-8 cannot represent. A password that
 * is longer than `MAX_LENGTH` is returned unchanged.
 */
export function normalizePassword(password: string): string | null {
  if (!/[^ -~]/.test(password)) return password
  if (Buffer.from(password).toString() !== password) return null
  if (password.length > MAX_LENGTH) return password
  return password.replaceAll(OTHER_SPACES, ' ').normalize('NFC')
}
