import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeParts } from '#src/devconsole/serve/console-parts.js'
import { takeSnapshot } from '#src/devconsole/serve/snapshot.js'
import { hostOf } from '#test/console-host.js'
import { recordWith } from '#test/console-records.js'

describe('takeSnapshot()', () => {
  it('holds what shows only in several requests, and tells pages that are open already', (test) => {
    const parts = makeParts(hostOf())
    const told = test.mock.method(parts.feed, 'incident')
    for (let count = 0; count < 5; count++) {
      parts.store.add({ record: recordWith({ seq: parts.store.next() }), bytes: 1 })
    }
    const kinds = takeSnapshot(parts).problems.map(({ kind }) => kind)
    assert.deepEqual(kinds, ['burst'])
    assert.deepEqual(
      told.mock.calls.map(({ arguments: [incident] }) => incident?.kind),
      kinds,
    )
    takeSnapshot(parts)
    assert.equal(told.mock.callCount(), 1)
  })
})
