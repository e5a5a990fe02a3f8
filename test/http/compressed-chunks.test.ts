import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import zlib from 'node:zlib'
import { openChunks } from '#src/http/chunks.js'
import { CODINGS } from '#src/http/codings.js'
import { CompressedChunks } from '#src/http/compressed-chunks.js'
import { gunzipSync } from '#test/decoders.js'

async function* texts() {
  yield 'one'
  yield ''
  yield 'two'
}

function compressed(source: AsyncIterable<unknown>): CompressedChunks {
  const writer = CODINGS.get('gzip')?.createWriter(zlib)
  assert.ok(writer)
  return new CompressedChunks(openChunks(source), writer.stream())
}

describe('CompressedChunks', () => {
  it('ends after all chunks of the source', async () => {
    const chunks = compressed(texts())
    const parts: Uint8Array[] = []
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
      assert.ok(next.value instanceof Uint8Array)
      parts.push(next.value)
    }
    assert.ok(parts.length >= 3)
    assert.equal(gunzipSync(Buffer.concat(parts)).toString(), 'onetwo')
    assert.deepEqual(await chunks.next(), { done: true, value: undefined })
  })

  it('rejects a pending chunk and ends its source if it is canceled', async () => {
    let isEnded = false
    async function* endless() {
      try {
        for (;;) yield 'more'
      } finally {
        isEnded = true
      }
    }
    const source = { [Symbol.asyncIterator]: () => endless() }
    const chunks = compressed(source)
    await chunks.next()
    const waiting = chunks.next()
    chunks.cancel()
    await assert.rejects(waiting)
    assert.ok(isEnded)
    chunks.cancel()
  })
})
