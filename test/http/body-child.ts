/** Says what bodies that are not complete hold: heap, and what lies outside of it. */
import { ChunkBuffer } from '#src/http/body.js'

/** Bodies are gathered until they are this large together: the memory of the engine itself goes up and down by 300 kB. In bytes. */
const TOGETHER = 3_000_000

function memory(): number {
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  // `external` includes array buffers.
  return heapUsed + external
}

function gather(sizes: readonly number[], bytes: number): ChunkBuffer {
  const all = new ChunkBuffer()
  for (let at = 0, turn = 0; at < bytes; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    all.add(Buffer.alloc(size, 'x'))
    at += size
  }
  return all
}

function measure(sizes: readonly number[], bytes: number): object {
  const before = memory()
  const kept = Array.from({ length: TOGETHER / bytes }, () => gather(sizes, bytes))
  const held = (memory() - before) / kept.length
  return { sizes: sizes.join(' and '), bytes, held }
}

measure([1], 1000)
const rows = [[1], [100], [1, 1024], [1023]].flatMap((sizes) =>
  [10_000, 100_000, 1_000_000].map((bytes) => measure(sizes, bytes)),
)
process.stdout.write(JSON.stringify(rows))
