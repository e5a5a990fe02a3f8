import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { ChunkBuffer, joinChunks } from '#src/http/chunk-buffer.js'

function gathered(chunks: readonly Uint8Array[]): ChunkBuffer {
  const all = new ChunkBuffer()
  for (const chunk of chunks) all.add(Buffer.from(chunk))
  return all
}

describe('ChunkBuffer', () => {
  it('returns the bytes in order for any chunk sizes', () => {
    const small = fc.uint8Array({ minLength: 1, maxLength: 40 })
    const sizes = fc.constantFrom(1, 2, 700, 1023, 1024, 1025, 5000, 70_000)
    const large = fc.tuple(sizes, fc.nat(255)).map(([size, byte]) => new Uint8Array(size).fill(byte))
    fc.assert(
      fc.property(fc.array(fc.oneof(small, large)), (chunks) => {
        assert.ok(gathered(chunks).join().equals(Buffer.concat(chunks)))
      }),
    )
  })

  it('returns no bytes without chunks', () => {
    assert.equal(gathered([]).join().length, 0)
    assert.equal(gathered([new Uint8Array(0)]).join().length, 0)
  })

  it('does not copy a single chunk', () => {
    const chunk = Buffer.from('body')
    const all = new ChunkBuffer()
    all.add(chunk)
    assert.equal(all.join(), chunk)
  })

  it('uses at most twice the bytes plus 64 kB of memory, for any chunk sizes', async () => {
    const run = promisify(execFile)
    const { stdout } = await run(process.execPath, ['--expose-gc', '--import=tsx', 'test/http/chunk-buffer-child.ts'])
    const rows: unknown = JSON.parse(stdout)
    assert.ok(Array.isArray(rows) && rows.length === 12)
    for (const { sizes, bytes, held } of rows) {
      assert.ok(held <= 2 * bytes + 64 * 1024, `${held} bytes for ${bytes} in chunks of ${sizes}`)
    }
  })
})

function joining(): IncomingMessage {
  const request = new IncomingMessage(new Socket())
  joinChunks(request)
  return request
}

const one = (text: string): Buffer => Buffer.from(text)

describe('joinChunks()', () => {
  it('joins the chunks of one turn of the event loop', async () => {
    const request = joining()
    const chunks: string[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk.toString()))
    for (const text of ['a', 'b', 'c']) request.push(one(text))
    assert.deepEqual(chunks, [])
    await new Promise(setImmediate)
    request.push(one('d'))
    await new Promise(setImmediate)
    assert.deepEqual(chunks, ['abc', 'd'])
  })

  it('passes on pending chunks before the end', async () => {
    const request = joining()
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.push(one('a'))
    request.push(one('b'))
    request.push(null)
    await once(request, 'end')
    assert.equal(text, 'ab')
  })

  it('ends a body without chunks', async () => {
    const request = joining().resume()
    request.push(null)
    await once(request, 'end')
  })

  it('counts pending chunks toward the high-water mark', () => {
    const request = joining()
    const half = Buffer.alloc(request.readableHighWaterMark / 2)
    assert.equal(request.push(half), true)
    assert.equal(request.push(half), false)
  })

  it('drops pending chunks if the request is destroyed', async () => {
    const request = joining()
    request.push(one('a'))
    request.destroy()
    await once(request, 'close')
    assert.equal(request.readableLength, 0)
  })
})
