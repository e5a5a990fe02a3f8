/** JSON Pointers (RFC 6901): their keys, written and read. */

/** Writes a key as a pointer has it (section 3). */
export function escapeKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Splits a pointer into its keys (section 4); `''` has none. */
export function parsePointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}
