/** Assertions that replace the `// =>` comments of examples. */
import assert from 'node:assert/strict'

/**
 * Compares a value with the value in the documentation. Objects without prototype equal plain objects.
 *
 * @throws AssertionError if they differ
 */
export function check(actual: unknown, expected: unknown): void {
  assert.deepEqual(withPrototypes(actual), expected)
}

/**
 * Calls a function that throws, according to the documentation.
 *
 * @throws AssertionError if it does not throw, or if the error does not match the pattern
 */
export function checkThrows(call: () => unknown, pattern: RegExp): void {
  assert.throws(call, (error) => hasText(error, pattern))
}

/**
 * Calls a function that rejects, according to the documentation.
 *
 * @throws AssertionError if it does not reject, or if the error does not match the pattern
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
