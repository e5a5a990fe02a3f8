import '#test/development.js'
import assert from 'node:assert/strict'
import { channel } from 'node:diagnostics_channel'
import { describe, it } from 'node:test'
import { openConsole, waitForSnapshot } from '#test/console.js'

const LINES = channel('verbena:dev')

describe('lines of verbena dev', () => {
  it('appear in the log until the app closes, without a request', async () => {
    const { url, close } = await openConsole()
    LINES.publish('not a line')
    LINES.publish({ verbena: 'log', level: 'error', message: 'Test failed: a.test.ts:3 adds' })
    LINES.publish({ verbena: 'log', level: 'info', message: '1 test passed' })
    const { logs } = await waitForSnapshot(url, 0)
    assert.deepEqual(
      logs.slice(0, 2).map(({ level, message, request }) => ({ level, message, request })),
      [
        { level: 'info', message: '1 test passed', request: null },
        { level: 'error', message: 'Test failed: a.test.ts:3 adds', request: null },
      ],
    )
    assert.equal(LINES.hasSubscribers, true)
    await close()
    assert.equal(LINES.hasSubscribers, false)
  })
})
