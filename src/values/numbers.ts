/** Numbers of unknown origin. */

/** Tells whether a value is a whole number, exact and not below the least. */
export function isWhole(value: unknown, least: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least
}
