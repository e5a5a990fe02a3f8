/** Memory of this process after garbage collection. */
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** The memory of other threads and of finalizers is released in later turns. Below this difference, the heap is stable. */
const STABLE_BYTES = 64 * 1024
const MAX_ROUNDS = 20

function heapSize(): number {
  const { heapUsed, external, arrayBuffers } = process.memoryUsage()
  return heapUsed + external + arrayBuffers
}

/** Returns the bytes in and outside the heap. Collects until the size is stable: Node 24 and 26 release some memory only later. */
export async function heapAfterGc(): Promise<number> {
  let size = Number.POSITIVE_INFINITY
  for (let round = 0; round < MAX_ROUNDS; round++) {
    collect()
    await turn()
    collect()
    const now = heapSize()
    if (round > 1 && size - now < STABLE_BYTES) return Math.min(size, now)
    size = now
  }
  return size
}
