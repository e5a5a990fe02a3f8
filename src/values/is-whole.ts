/** Checks of numbers. */

/** Whether a value is a safe integer that is not less than the minimum. */
export function isWhole(value: unknown, least: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least
}
