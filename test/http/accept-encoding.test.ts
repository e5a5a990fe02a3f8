/** The content codings that a client takes. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { acceptedCodings } from '#src/http/accept-encoding.js'
import { processorTime } from '#test/processor-time.js'

const OFFERS = ['br', 'zstd', 'gzip']

const ROWS: readonly (readonly [field: string | undefined, expected: string])[] = [
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip', 'gzip identity'],
  ['gzip, deflate, br, zstd', 'br zstd gzip identity'],
  ['GZIP', 'gzip identity'],
  ['x-gzip', 'gzip identity'],
  ['gzip;q=1.0, br;q=0.5', 'gzip br identity'],
  ['br ; q=0.001', 'br identity'],
  ['br;Q=0', 'identity'],
  ['*', 'br zstd gzip identity'],
  ['*;q=0.1, gzip', 'gzip br zstd identity'],
  ['*;q=0', ''],
  ['identity;q=0', ''],
  ['identity;q=0, gzip', 'gzip'],
  ['gzip, *;q=0', 'gzip'],
  ['*;q=0, identity', 'identity'],
  ['identity, gzip;q=0.5', 'identity gzip'],
  ['gzip;q=2, br;q=x, zstd;level=1', 'identity'],
  ['gzip;q=.5, br;q=0.80000001192092896', 'br gzip identity'],
  ['br; q = 0.0000, gzip;q=.0, zstd;q=', 'identity'],
  ['identity;q=.0, gzip;q=1.', 'gzip'],
  ['gzip/1.0, br x', 'identity'],
  [' , ,gzip', 'gzip identity'],
]

describe('acceptedCodings()', () => {
  for (const [field, expected] of ROWS) {
    it(`returns ${expected || 'no codings'} for ${field ?? 'a missing header'}`, () => {
      assert.equal(acceptedCodings(field, OFFERS).join(' '), expected)
    })
  }

  it('takes linear time for a long header', () => {
    for (const field of [
      ' '.repeat(200_000),
      `gzip${' '.repeat(200_000)}x`,
      `a;${'\t'.repeat(200_000)}`,
      ',;q='.repeat(50_000),
    ]) {
      assert.ok(processorTime(() => acceptedCodings(field, OFFERS)) < 2_000)
    }
  })
})
