/** Comparing secrets in a time that says nothing of them. */
import { createHash, timingSafeEqual } from 'node:crypto'

/**
 * Tells whether a secret that was sent is the right one. How long it takes does not depend on how much of it is right: `===` ends at
 * the first character that is not.
 *
 * @param given what was sent
 * @param expected what it must be
 * @returns true when both are the same text, or the same bytes
 *
 * @example
 * ```ts
 * import { sameSecret } from 'verbena'
 *
 * sameSecret('open sesame', 'open sesame') // => true
 * sameSecret('open barley', 'open sesame') // => false
 * ```
 */
export function sameSecret(given: string | Uint8Array, expected: string | Uint8Array): boolean {
  return timingSafeEqual(sha256(given), sha256(expected))
}

/** Digests have one length, and without the secret it cannot be chosen how much of two of them is the same. */
function sha256(secret: string | Uint8Array): Buffer {
  return createHash('sha256').update(secret).digest()
}
