import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Pending } from '#src/devconsole/serve/pending.js'
import { recordedWith } from '#test/console-records.js'

describe('Pending', () => {
  it('keeps the newest hundred of each kind and counts the others', () => {
    const pending = new Pending()
    for (let seq = 1; seq <= 130; seq++) {
      pending.addRequest(recordedWith({ seq }))
      pending.addLine({ seq, time: 0, level: 'info', message: '', fields: null, request: null })
    }
    assert.deepEqual([pending.requests.length, pending.requests[0]?.record.seq, pending.passed], [100, 31, 30])
    assert.deepEqual([pending.lines.length, pending.lines[0]?.seq, pending.lostLines], [100, 31, 30])
    pending.clear()
    assert.deepEqual([pending.requests, pending.passed, pending.lines, pending.lostLines], [[], 0, [], 0])
  })
})
