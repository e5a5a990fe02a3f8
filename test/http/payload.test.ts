import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { openChunks } from '#src/http/chunks.js'
import { discard, EMPTY_STATUSES, isChunks, jsonPayload, NO_PAYLOAD, toPayload } from '#src/http/payload.js'

const TEXT = 'text/plain; charset=utf-8'
const BYTES = 'application/octet-stream'

describe('EMPTY_STATUSES', () => {
  it('contains only 204, 205 and 304 (RFC 9110 sections 15.3.5, 15.3.6 and 15.4.5)', () => {
    assert.deepEqual([...EMPTY_STATUSES], [204, 205, 304])
  })
})

describe('jsonPayload()', () => {
  it('serializes a value with the given type', () => {
    assert.deepEqual(jsonPayload({ a: [1, null] }), { type: 'application/json', data: '{"a":[1,null]}' })
    assert.deepEqual(jsonPayload('text', 'application/problem+json'), {
      type: 'application/problem+json',
      data: '"text"',
    })
  })

  it('rejects values that JSON cannot represent', () => {
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle
    const throwing = {
      toJSON() {
        throw new TypeError('broken')
      },
    }
    for (const value of [undefined, () => {}, Symbol('a'), 1n, cycle, throwing]) {
      assert.throws(() => jsonPayload(value), TypeError)
    }
    assert.throws(() => jsonPayload(undefined), /Cannot serialize the response: JSON cannot represent undefined/)
  })
})

describe('toPayload()', () => {
  it('selects the content type by the type of the value', () => {
    const bytes = new Uint8Array([1, 2])
    const cases: readonly (readonly [value: unknown, type: string | undefined, data: unknown])[] = [
      [undefined, undefined, null],
      ['', TEXT, ''],
      ['a', TEXT, 'a'],
      [bytes, BYTES, bytes],
      [null, 'application/json', 'null'],
      [0, 'application/json', '0'],
      [false, 'application/json', 'false'],
      [[], 'application/json', '[]'],
      [{ a: 1 }, 'application/json', '{"a":1}'],
      [new Date(0), 'application/json', '"1970-01-01T00:00:00.000Z"'],
    ]
    for (const [value, type, data] of cases) assert.deepEqual(toPayload(value, undefined), { type, data })
    assert.throws(() => toPayload(1n, undefined), TypeError)
  })

  it('selects the content type of a stream by its first chunk', async () => {
    for (const [chunks, type] of [
      [['a', 'b'], TEXT],
      [[Buffer.from('a')], BYTES],
      [[], BYTES],
    ] as const) {
      const payload = await toPayload(Readable.from(chunks, { objectMode: true }), undefined)
      assert.equal(payload.type, type)
      assert.ok(isChunks(payload.data))
      const read = []
      for (let step = await payload.data.next(); step.done !== true; step = await payload.data.next())
        read.push(step.value)
      assert.deepEqual(read, chunks)
    }
  })

  it('does not wait for the first event of an event stream', () => {
    let reads = 0
    const stream = new Readable({ read: () => void reads++ })
    const payload = toPayload(stream, 'text/event-stream; charset=utf-8')
    assert.ok(!(payload instanceof Promise))
    assert.equal(reads, 0)
  })

  it('rejects if the first chunk fails, with and without a content type', async () => {
    for (const type of [undefined, 'text/csv']) {
      await assert.rejects(async () => toPayload(new Readable({ read: fail }), type), /broken/)
    }
  })
})

function fail(this: Readable): void {
  this.destroy(new Error('broken'))
}

describe('isChunks()', () => {
  it('returns true only for a stream', () => {
    assert.equal(isChunks(openChunks(Readable.from([]))), true)
    for (const data of [null, '', 'a', new Uint8Array(1), Buffer.from('a')]) assert.equal(isChunks(data), false)
  })
})

describe('discard()', () => {
  it('ends a stream, and ignores other content', () => {
    const stream = Readable.from(['a'])
    discard({ type: undefined, data: openChunks(stream) })
    assert.equal(stream.destroyed, true)
    discard(NO_PAYLOAD)
    discard({ type: TEXT, data: 'a' })
  })
})
