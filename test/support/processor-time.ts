/** Measures processor time, to which other programs on the machine do not add. */
import assert from 'node:assert/strict'

const MAX_ROUNDS = 100
const MIN_ROUNDS = 3
/** The ratio is 1 for linear work and 10 for quadratic work. The margin covers caches and garbage collection. */
const MAX_RATIO = 4

/** Returns the processor time of `work` in ms. It includes garbage collection and compilation by other threads. */
export function processorTime(work: () => void): number {
  const start = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000
}

/**
 * Asserts that `work` on a large input takes as long as ten times on an input of a tenth of its size. It compares the minimum of several
 * rounds, because other threads can only add time.
 *
 * @param size of the large input
 * @param prepare builds an input of a size and returns the work on it; its own time is not measured
 * @param label names the input in the error
 */
export function assertLinear(size: number, prepare: (size: number) => () => void, label = ''): void {
  const small = prepare(size / 10)
  const large = prepare(size)
  let smallTime = Number.POSITIVE_INFINITY
  let largeTime = Number.POSITIVE_INFINITY
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const repeated = (): void => {
      for (let times = 0; times < 10; times++) small()
    }
    smallTime = Math.min(smallTime, processorTime(repeated))
    largeTime = Math.min(largeTime, processorTime(large))
    if (round >= MIN_ROUNDS && largeTime <= MAX_RATIO * smallTime) return
  }
  assert.fail(`${label} takes ${largeTime} ms, but a tenth of it ten times takes ${smallTime} ms`)
}
