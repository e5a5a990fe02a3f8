/** What an app prints in a test. */
import type { TestContext } from 'node:test'

/**
 * Keeps what is printed from the terminal. The runner's own reports pass: they are bytes where it runs a file, and those of tests
 * that are already over may still be on their way.
 *
 * @param test until whose end nothing is printed
 * @returns the texts, in order
 */
export function quietStdout(test: TestContext): string[] {
  const printed: string[] = []
  const write = process.stdout.write.bind(process.stdout)
  test.mock.method(process.stdout, 'write', (chunk: string | Uint8Array) =>
    typeof chunk === 'string' ? printed.push(chunk) > 0 : write(chunk),
  )
  return printed
}
