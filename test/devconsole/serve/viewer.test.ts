import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Viewer } from '#src/devconsole/serve/viewer.js'

function viewer() {
  const told: string[] = []
  const made = new Viewer(
    'a-1',
    () => void told.push('gone'),
    () => void told.push('cut'),
  )
  return { made, told }
}

const textOf = async (made: Viewer) => String((await made.next()).value)

describe('Viewer', () => {
  it('returns pending text in one chunk, then waits for more', async () => {
    const { made } = viewer()
    made.send('bye', { v: 1 })
    made.send('cleared', { v: 1 }, 'a-7')
    assert.equal(await textOf(made), 'event: bye\ndata: {"v":1}\n\nid: a-7\nevent: cleared\ndata: {"v":1}\n\n')
    const next = textOf(made)
    made.write(':\n\n')
    assert.equal(await next, ':\n\n')
  })

  it('ends after pending text is read, and reports when its reader cancels', async () => {
    const { made, told } = viewer()
    made.write('last')
    made.end()
    assert.ok(!made.write('too late'))
    assert.equal(await textOf(made), 'last')
    assert.equal((await made.next()).done, true)
    made.cancel()
    assert.deepEqual(told, ['gone'])
    const other = viewer()
    const waiting = other.made.next()
    other.made.end()
    assert.equal((await waiting).done, true)
  })

  it('limits the pending bytes of a client that does not read, and then sends the gap', async () => {
    const { made, told } = viewer()
    const batch = 'x'.repeat(100_000)
    for (let seq = 1; seq <= 10; seq++) made.sendRecords(batch, seq)
    assert.equal((await textOf(made)).length, 300_000)
    made.sendRecords('new', 11)
    assert.equal(await textOf(made), 'event: gap\ndata: {"v":1,"from":4,"to":10}\n\nnew')
    made.sendRecords('newer', 12)
    assert.equal(await textOf(made), 'newer')
    assert.deepEqual(told, [])
  })

  it('disconnects a client that does not read for 10 s', async (test) => {
    let now = 0
    test.mock.method(performance, 'now', () => now)
    const { made, told } = viewer()
    const batch = 'x'.repeat(300_000)
    made.write(batch)
    made.write(batch)
    now = 10_000
    made.write(batch)
    assert.deepEqual(told, [])
    now = 10_001
    made.write(batch)
    assert.deepEqual(told, ['cut'])
    await made.next()
    made.write(batch)
    made.write(batch)
    assert.deepEqual(told, ['cut'])
  })
})
