/**
 * Request ids. They are random, so that a client cannot calculate from two ids how many requests came between them.
 *
 * @see docs/decisions/0017-request-ids.md
 */
import { randomFillSync } from 'node:crypto'
import type { Exchange } from '../http/exchange.js'
import type { TrustedProxies } from '../http/forwarded.js'

/** Characters of an id: 72 random bits. V8 copies a substring this short; a longer one keeps the whole string in memory. */
const LENGTH = 12
/** Ids created at a time: 39 ns each on Node 20, compared to 58 ns for a prefix and a counter. */
const COUNT = 256

/** Returns a function that creates ids from letters, digits and `_`, unique across processes. */
export function requestIds(): () => string {
  const bytes = Buffer.alloc((COUNT * LENGTH * 3) / 4)
  let id = ''
  let at = 0
  return () => {
    if (at === id.length) {
      // A command that searches a log would parse an id with a leading "-" as an option.
      id = randomFillSync(bytes).toString('base64url').replaceAll('-', 'A')
      at = 0
    }
    at += LENGTH
    return id.slice(at - LENGTH, at)
  }
}

/** Returns a function that returns the id that a trusted proxy sent, or a new one. */
export function requestIdReader(proxies: TrustedProxies): (exchange: Exchange) => string {
  const nextId = requestIds()
  return proxies.isEmpty ? nextId : (exchange) => proxies.requestIdOf(exchange) ?? nextId()
}
