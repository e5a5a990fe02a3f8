/** Whether there is anything to draw anew. */

/** Compares lists member by member. */
export function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((part, index) => part === b[index])
}
