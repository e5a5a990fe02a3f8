/** Comparison of the values that a view was drawn with. */

/** Whether two lists have the same items. */
export function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((part, index) => part === b[index])
}
