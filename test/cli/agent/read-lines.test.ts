/** Lines of the input of `verbena agent`. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { MAX_LINE_BYTES, readInputLines } from '#src/cli/agent/read-lines.js'

async function read(...chunks: readonly string[]): Promise<(string | null)[]> {
  const input = Readable.from(chunks.map((chunk) => Buffer.from(chunk, 'latin1')))
  const lines: (string | null)[] = []
  for await (const line of readInputLines(input)) lines.push(line)
  return lines
}

describe('readInputLines()', () => {
  it('joins chunks, also within a character, and returns the last line without a line break', async () => {
    assert.deepEqual(await read('a', 'b\nc\n\n', 'd'), ['ab', 'c', '', 'd'])
    assert.deepEqual(await read('\xc3', '\xa9\n'), ['é', ''])
    assert.deepEqual(await read(), [''])
  })

  it('skips lines of more than 1 MB without storing them', async () => {
    const half = 'x'.repeat(MAX_LINE_BYTES / 2)
    assert.deepEqual(await read(half, half, '\nb\n', half, half, 'y', half, '\nc'), [half + half, 'b', null, 'c'])
    assert.deepEqual(await read(half, half, half), [null])
  })
})
