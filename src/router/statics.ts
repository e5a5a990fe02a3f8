/** The table of paths without parameters. */

/**
 * Values by path, behind a filter. To ask a `Map` a fresh string has to be hashed, which costs 30 to 50 ns; the filter
 * takes 4 ns to say that most other paths cannot be in it.
 */
export interface Statics<Value> {
  /** Values by the path that they are for. */
  readonly values: Map<string, Value>
  /** 1 at the mark of every path in the table; its length is a power of two. */
  filter: Uint8Array
}

const BYTES_A_PATH = 8

/**
 * Makes an empty table.
 *
 * @returns the table
 */
export function createStatics<Value>(): Statics<Value> {
  return { values: new Map(), filter: new Uint8Array(BYTES_A_PATH) }
}

/**
 * Adds a path.
 *
 * @param statics the table
 * @param path the path as requests have it
 * @param value what is found for it
 */
export function addStatic<Value>(statics: Statics<Value>, path: string, value: Value): void {
  statics.values.set(path, value)
  const isFull = statics.values.size * BYTES_A_PATH > statics.filter.length
  if (isFull) statics.filter = new Uint8Array(statics.filter.length * 2)
  for (const each of isFull ? statics.values.keys() : [path]) statics.filter[markOf(each, statics.filter.length)] = 1
}

/**
 * Finds the value for a path.
 *
 * @param statics the table
 * @param path the path of a request
 * @returns the value, or `undefined`
 */
export function findStatic<Value>(statics: Statics<Value>, path: string): Value | undefined {
  const { filter } = statics
  return filter[markOf(path, filter.length)] === 0 ? undefined : statics.values.get(path)
}

function markOf(path: string, size: number): number {
  const { length } = path
  return (length * 131 + path.charCodeAt(length - 1) * 31 + path.charCodeAt(length >> 1) * 1031) & (size - 1)
}
