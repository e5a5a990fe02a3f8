import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BOUNDS, MAX_BYTES, RecordStore } from '#src/devconsole/store/record-store.js'
import type { RequestRecord } from '#src/devconsole/wire/request-types.js'
import { createRecorded } from '#test/console-records.js'

function add(store: RecordStore, given: Partial<RequestRecord> = {}, bytes = 100): string {
  const seq = store.next()
  const recorded = createRecorded({ ...given, seq, id: `r_${seq}` }, bytes)
  store.add(recorded)
  return recorded.record.id
}

const seqsOf = (store: RecordStore) => store.all.map(({ record }) => record.seq)

describe('RecordStore', () => {
  it('keeps the newest 500 records, newest first', () => {
    const store = new RecordStore()
    for (let count = 0; count < 700; count++) add(store)
    assert.deepEqual([store.all.length, seqsOf(store)[0], seqsOf(store).at(-1)], [500, 700, 201])
    assert.equal(store.find('r_200'), undefined)
    assert.equal(store.find('r_201')?.record.seq, 201)
  })

  it('keeps failed and slow requests through many successful ones', () => {
    const store = new RecordStore()
    const failed = add(store, { 'http.response.status_code': 500 })
    const slow = add(store, { 'dev.flags': ['slow'] })
    for (let count = 0; count < 600; count++) add(store)
    assert.equal(store.all.length, 502)
    assert.ok(store.find(failed) !== undefined && store.find(slow) !== undefined)
    for (let count = 0; count < 600; count++) add(store, { 'dev.flags': ['n+1'] })
    assert.equal(store.find(failed), undefined)
    const { count, maxCount } = store.facts(1_202)
    assert.ok(count === store.all.length && count <= maxCount, `${count} of ${maxCount}`)
  })

  it('keeps failed requests through many rejected ones, and rejected requests through many successful ones', () => {
    const store = new RecordStore()
    const failed = add(store, { 'http.response.status_code': 503 })
    for (let count = 0; count < 700; count++) add(store, { 'http.response.status_code': 404 })
    assert.ok(store.find(failed) !== undefined)
    for (let count = 0; count < 700; count++) add(store)
    assert.equal(store.all.length, 500 + BOUNDS.rejected.count + 1)
  })

  it('keeps the newest sample of each incident, up to a limit in number and bytes', () => {
    const store = new RecordStore()
    const sample = (key: string, bytes = 100) => {
      const id = add(store, {}, bytes)
      const recorded = store.all.find(({ record }) => record.id === id)
      assert.ok(recorded !== undefined)
      store.addSample(key, recorded)
      return id
    }
    const ids = ['burst a', 'burst a', 'burst b'].map((key) => sample(key))
    for (let count = 0; count < 600; count++) add(store)
    assert.deepEqual(
      ids.map((id) => store.find(id) !== undefined),
      [false, true, true],
    )
    for (let count = 0; count < BOUNDS.samples.count - 1; count++) sample(`slow ${count}`)
    for (let count = 0; count < 600; count++) add(store)
    assert.deepEqual([store.find(ids[1] ?? ''), store.find(ids[2] ?? '') !== undefined], [undefined, true])
    sample('large', BOUNDS.samples.bytes)
    for (let count = 0; count < 600; count++) add(store)
    assert.equal(store.all.length, 501)
    store.clear()
    assert.equal(store.all.length, 0)
  })

  it('stores at most 16 MB for records of any size', () => {
    const store = new RecordStore()
    for (let count = 0; count < 2_000; count++) {
      const id = add(store, { 'dev.flags': ['slow'] }, 150 * 1024)
      store.pin(id, true)
    }
    const { bytes, maxBytes, total } = store.facts(2_000)
    assert.deepEqual([maxBytes, total], [MAX_BYTES, 2_000])
    assert.equal(MAX_BYTES, 16 * 1024 * 1024)
    assert.ok(bytes > 10 * 1024 * 1024 && bytes <= MAX_BYTES)
  })

  it('returns the records after a number, or null if some are lost', () => {
    const store = new RecordStore()
    for (let count = 0; count < 600; count++) add(store)
    assert.deepEqual(
      store.since(598)?.map(({ record }) => record.seq),
      [599, 600],
    )
    assert.deepEqual(store.since(600), [])
    assert.equal(store.since(100)?.length, 500)
    assert.equal(store.since(99), null)
    assert.equal(store.since(601), null)
    store.clear()
    assert.equal(store.since(599), null)
    assert.deepEqual(store.since(600), [])
  })

  it('limits the number of pinned records, and keeps them in clear()', () => {
    const store = new RecordStore()
    const ids = Array.from({ length: BOUNDS.pinned.count + 1 }, () => add(store))
    const [first = '', ...others] = ids
    assert.deepEqual(ids.map((id) => store.pin(id, true)).filter(Boolean).length, BOUNDS.pinned.count)
    assert.ok(store.pin(first, true))
    assert.ok(!store.pin('r_gone', true))
    assert.ok(!store.pin('r_gone', false))
    store.clear()
    assert.equal(store.all.length, BOUNDS.pinned.count)
    assert.deepEqual([store.pinned.length, store.pinned.includes(first)], [BOUNDS.pinned.count, true])
    assert.ok(store.pin(first, false))
    assert.equal(store.find(first), undefined)
    assert.ok(store.find(others[0] ?? '') !== undefined)
    const kept = add(store)
    assert.ok(store.pin(kept, false))
  })

  it('returns summaries with their pinned state', () => {
    const store = new RecordStore()
    const id = add(store, { 'dev.logs': 3 })
    const [recorded] = store.all
    assert.ok(recorded !== undefined)
    assert.deepEqual([store.summary(recorded)['dev.pinned'], store.summary(recorded)['dev.logs']], [false, 3])
    store.pin(id, true)
    assert.equal(store.summary(recorded)['dev.pinned'], true)
    assert.ok(!('request' in store.summary(recorded)))
  })
})
