/** Keys of clients: reduces the result of `by` to a short digest. */
import { hash } from 'node:crypto'
import { toNetwork } from '../../http/network.js'

/** Part of a client key: a non-empty string or a number. */
export type LimitKeyPart = string | number | bigint

/** Client key: one part, or an array of parts. */
export type LimitKey = LimitKeyPart | readonly LimitKeyPart[]

/** Returns a digest of fixed length; `null` if `by` returned an empty key, or a part that is not a non-empty string or a number. */
export function digestKey(by: unknown): string | null {
  const parts = Array.isArray(by) ? by.map(formatKeyPart) : [formatKeyPart(by)]
  if (parts.length === 0 || parts.includes('')) return null
  // A string from the client can be long, or a slice that keeps an even longer string in memory.
  return hash('sha256', JSON.stringify(parts), 'base64url')
}

/** Normalizes a part to a string, an IPv6 address to its network; empty for an invalid part. */
function formatKeyPart(part: unknown): string {
  if (typeof part === 'string') return toNetwork(part)
  const isNumber = typeof part === 'bigint' || Number.isFinite(part)
  return isNumber ? String(part) : ''
}
