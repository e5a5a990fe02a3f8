/** Ids of requests: a prefix of this process and a count, cheaper than a random id for each. */
import { randomBytes } from 'node:crypto'

/**
 * Makes a source of ids.
 *
 * @returns gives a new id at each call, unique beyond this process too
 */
export function requestIds(): () => string {
  const prefix = randomBytes(6).toString('base64url')
  let count = 0
  return () => `${prefix}-${(++count).toString(36)}`
}
