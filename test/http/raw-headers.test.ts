import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countFields, fieldAt, readField, readHead } from '#src/http/raw-headers.js'

const RAW = ['Host', 'a', 'X-Id', '1', 'x-ID', '2', 'Hort', 'b']

describe('fieldAt()', () => {
  for (const [name, from, index] of [
    ['host', 0, 0],
    ['host', 2, -1],
    ['x-id', 0, 2],
    ['x-id', 4, 4],
    ['x-id', 6, -1],
    ['hort', 0, 6],
    ['a', 0, -1],
    ['b', 0, -1],
  ] as const) {
    it(`finds "${name}" from ${from} at ${index}`, () => assert.equal(fieldAt(RAW, name, from), index))
  }
})

describe('countFields()', () => {
  it('counts names in any case, and no values', () => {
    assert.deepEqual(
      ['host', 'x-id', 'hort', 'a', '1'].map((name) => countFields(RAW, name)),
      [1, 2, 1, 0, 0],
    )
  })
})

describe('readField()', () => {
  const touched = (): never => assert.fail('the record of all fields was built')
  const unbuilt = {
    rawHeaders: RAW,
    get headers(): Record<string, unknown> {
      return touched()
    },
  }

  it('reads a single field without the record of all', () => {
    assert.deepEqual([readField(unbuilt, 'host'), readField(unbuilt, 'absent')], ['a', undefined])
  })

  it('makes no credentials of two', () => {
    const rawHeaders = ['Authorization', 'Bearer a', 'authorization', 'Bearer b']
    assert.equal(readField({ rawHeaders, headers: {} }, 'authorization'), 'Bearer a, Bearer b')
  })

  it('leaves other repeated ones to the record of all', () => {
    const read = (value: unknown): string | undefined =>
      readField({ rawHeaders: RAW, headers: { 'x-id': value } }, 'x-id')
    assert.deepEqual([read('1, 2'), read(['1', '2'])], ['1, 2', '1, 2'])
  })
})

describe('readHead()', () => {
  it('reads what frames a request, in any case, and counts what must not repeat', () => {
    const raw = ['hOST', 'a', 'X-A', '1', 'Host', 'b', 'Content-Length', '12', 'upgrade', 'h2c', 'Date', 'x']
    const { hosts, host, contentTypes, contentLength, transferEncoding, hasUpgrade } = readHead(raw)
    assert.deepEqual([hosts, host, contentTypes, contentLength], [2, 'b', 0, 12])
    assert.deepEqual([transferEncoding, hasUpgrade], [undefined, true])
  })

  it('joins codings of several fields, as they apply one after the other', () => {
    const raw = ['Transfer-Encoding', 'gzip', 'transfer-encoding', 'chunked', 'Content-Type', 'a/b']
    const { transferEncoding, contentTypes } = readHead(raw)
    assert.deepEqual([transferEncoding, contentTypes], ['gzip, chunked', 1])
  })
})
