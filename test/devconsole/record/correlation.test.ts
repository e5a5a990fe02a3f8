import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, it } from 'node:test'
import { makeParts } from '#src/devconsole/serve/console-parts.js'
import { Correlation } from '#src/devconsole/record/correlation.js'
import type { RecordedTrail } from '#src/devconsole/record/recorded-trail.js'
import { Trail } from '#src/observe/trail.js'
import { endOf } from '#test/console-trails.js'
import { hostOf } from '#test/console-host.js'

class ForeignTrail extends Trail {
  named(): void {}
  called(): null {
    return null
  }
  end(): void {}
}

function trails() {
  const { recorder } = makeParts(hostOf())
  // Proof: the paths are ones that are recorded.
  return ['/a', '/b'].map((url) => recorder.begin({ method: 'GET', url }, performance.now()) as RecordedTrail)
}

describe('Correlation', () => {
  it('knows the call whose work is done, wherever that leads, and none outside', async () => {
    const correlation = new Correlation()
    const [first, second] = trails()
    assert.ok(first !== undefined && second !== undefined)
    const seen: unknown[] = []
    const work = (trail: RecordedTrail) =>
      new Promise<void>((resolve) => {
        correlation.run(trail, () => {
          void (async () => {
            await turn()
            seen.push(correlation.current() === trail)
            resolve()
          })()
        })
      })
    await Promise.all([work(first), work(second)])
    assert.deepEqual([seen, correlation.current()], [[true, true], null])
    correlation.close()
  })

  it('knows the id of one that was answered', () => {
    const correlation = new Correlation()
    const [trail] = trails()
    assert.ok(trail !== undefined)
    correlation.run(trail, () => {
      endOf(trail)
      assert.equal(correlation.current(), trail.id)
    })
    correlation.close()
  })

  it('knows nothing of trails that are not recorded, and nothing once it is closed', () => {
    const correlation = new Correlation()
    const [trail] = trails()
    assert.ok(trail !== undefined)
    let ran = false
    correlation.run(new ForeignTrail({ method: 'GET', url: '/' }, 0), () => {
      ran = correlation.current() === null
    })
    assert.ok(ran)
    correlation.run(trail, () => {
      correlation.close()
      assert.equal(correlation.current(), null)
    })
  })
})
