/** Captures the output of an app in a test. */
import type { TestContext } from 'node:test'

/**
 * Captures strings written to stdout until the end of a test. Bytes still pass: they are reports of the test runner, possibly of tests
 * that have already ended.
 *
 * @returns the captured strings, in order
 */
export function quietStdout(test: TestContext): string[] {
  const printed: string[] = []
  const write = process.stdout.write.bind(process.stdout)
  test.mock.method(process.stdout, 'write', (chunk: string | Uint8Array) =>
    typeof chunk === 'string' ? printed.push(chunk) > 0 : write(chunk),
  )
  return printed
}
