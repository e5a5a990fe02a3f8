/** What this process holds, once nothing is left to collect. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Bytes in the heap and outside of it; these go with a later collection than the one that finds them unused (Node 24). */
export function heapAfterGc(): number {
  for (let round = 0; round < 3; round++) collect()
  const { heapUsed, external, arrayBuffers } = process.memoryUsage()
  return heapUsed + external + arrayBuffers
}
