import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { Gathered } from '#src/http/gathered.js'

function gathered(chunks: readonly Uint8Array[]): Gathered {
  const all = new Gathered()
  for (const chunk of chunks) all.add(Buffer.from(chunk))
  return all
}

describe('Gathered', () => {
  it('gives the bytes as they came, whatever the chunks', () => {
    const small = fc.uint8Array({ minLength: 1, maxLength: 40 })
    const sizes = fc.constantFrom(1, 2, 700, 1023, 1024, 1025, 5000, 70_000)
    const large = fc.tuple(sizes, fc.nat(255)).map(([size, byte]) => new Uint8Array(size).fill(byte))
    fc.assert(
      fc.property(fc.array(fc.oneof(small, large)), (chunks) => {
        assert.ok(gathered(chunks).join().equals(Buffer.concat(chunks)))
      }),
    )
  })

  it('gives no bytes when none came', () => {
    assert.equal(gathered([]).join().length, 0)
    assert.equal(gathered([new Uint8Array(0)]).join().length, 0)
  })

  it('does not copy a chunk that is alone', () => {
    const chunk = Buffer.from('body')
    const all = new Gathered()
    all.add(chunk)
    assert.equal(all.join(), chunk)
  })

  it('holds at most twice the bytes and 64 kB, whatever the size of chunks', async () => {
    const run = promisify(execFile)
    const { stdout } = await run(process.execPath, ['--expose-gc', '--import=tsx', 'test/http/gathered-child.ts'])
    const rows: unknown = JSON.parse(stdout)
    assert.ok(Array.isArray(rows) && rows.length === 12)
    for (const { sizes, bytes, held } of rows) {
      assert.ok(held <= 2 * bytes + 64 * 1024, `${held} bytes for ${bytes} in chunks of ${sizes}`)
    }
  })
})
