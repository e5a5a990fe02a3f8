/** What the `// =>` comments of the examples turn into. */
import assert from 'node:assert/strict'

/**
 * Compares a value with what the documentation says it is. A record without prototype counts as the same record.
 *
 * @throws AssertionError when they differ
 */
export function check(actual: unknown, expected: unknown): void {
  assert.deepEqual(withPrototypes(actual), expected)
}

/**
 * Calls a function that the documentation says throws with a text.
 *
 * @throws AssertionError when it does not, or with another text
 */
export function checkThrows(call: () => unknown, pattern: RegExp): void {
  assert.throws(call, (error) => hasText(error, pattern))
}

/**
 * Calls a function that the documentation says rejects with a text.
 *
 * @throws AssertionError when it does not, or with another text
 */
export async function checkRejects(call: () => Promise<unknown>, pattern: RegExp): Promise<void> {
  await assert.rejects(call, (error) => hasText(error, pattern))
}

function hasText(error: unknown, pattern: RegExp): boolean {
  assert.match(String(error), pattern)
  return true
}

function withPrototypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withPrototypes)
  if (typeof value !== 'object' || value === null) return value
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withPrototypes(member)]))
}
