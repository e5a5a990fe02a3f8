/** Whom a request is counted for: what `by` gave, made into a short text. */
import { hash } from 'node:crypto'
import { toNetwork } from '../../http/network.js'

/** One part of what tells clients apart: a text that is not empty, or a number. */
export type LimitKeyPart = string | number | bigint

/** What tells clients apart. */
export type LimitKey = LimitKeyPart | readonly LimitKeyPart[]

/** A digest, the same length for all; `null` where there is nothing to tell clients apart by. */
export function digestKey(by: unknown): string | null {
  const parts = Array.isArray(by) ? by.map(formatKeyPart) : [formatKeyPart(by)]
  if (parts.length === 0 || parts.includes('')) return null
  // A text that a client chose may be long, and may be a part of a still longer one that memory would have to hold.
  return hash('sha256', JSON.stringify(parts), 'base64url')
}

/** Empty for what is no part of a key. */
function formatKeyPart(part: unknown): string {
  if (typeof part === 'string') return toNetwork(part)
  const isNumber = typeof part === 'bigint' || Number.isFinite(part)
  return isNumber ? String(part) : ''
}
