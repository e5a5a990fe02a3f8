/** Constant-time comparison of secrets. */
import { createHash, timingSafeEqual } from 'node:crypto'

/**
 * Compares two secrets in constant time. Do not use `===` for secrets: it stops at the first different character, so its duration reveals
 * how much of a guess is correct.
 *
 * @param received secret that the client sent
 * @param expected correct secret
 * @returns whether both have the same bytes; strings are compared as UTF-8
 *
 * @example
 * ```ts
 * import { sameSecret } from 'verbena'
 *
 * sameSecret('open sesame', 'open sesame') // => true
 * sameSecret('open barley', 'open sesame') // => false
 * ```
 */
export function sameSecret(received: string | Uint8Array, expected: string | Uint8Array): boolean {
  return timingSafeEqual(sha256(received), sha256(expected))
}

/** Digests have the same length, as `timingSafeEqual` requires, and an attacker cannot choose how many of their bytes match. */
function sha256(secret: string | Uint8Array): Buffer {
  return createHash('sha256').update(secret).digest()
}
