/** Ids of requests: a prefix of this process and a count, cheaper than a random id for each. */
import { randomBytes } from 'node:crypto'

/**
 * Makes a source of ids.
 *
 * @returns gives a new id at each call, unique beyond this process too
 */
export function requestIds(): () => string {
  const prefix = randomBytes(6).toString('base64url')
  let block = `${prefix}-`
  let digits = FIRST
  let count = 0
  // Two digits at a time from a table: `toString(36)` for each id costs three times as much.
  return () => {
    const rest = ++count % BLOCK
    if (rest === 0) {
      block = `${prefix}-${(count / BLOCK).toString(36)}`
      digits = PAIRS
    }
    return `${block}${digits[rest]}`
  }
}

const BLOCK = 36 * 36
const FIRST: readonly string[] = Array.from({ length: BLOCK }, (_, number) => number.toString(36))
const PAIRS: readonly string[] = FIRST.map((digits) => digits.padStart(2, '0'))
