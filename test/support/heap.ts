/** Memory of this process after garbage collection. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Bytes in and outside the heap. Collects several times: Node 24 frees memory outside the heap one collection later than its owner. */
export function heapAfterGc(): number {
  for (let round = 0; round < 3; round++) collect()
  const { heapUsed, external, arrayBuffers } = process.memoryUsage()
  return heapUsed + external + arrayBuffers
}
