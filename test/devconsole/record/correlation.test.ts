import '#test/development.js'
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Correlation } from '#src/devconsole/record/correlation.js'
import { RecordedTrail } from '#src/devconsole/record/recorded-trail.js'
import { makeParts } from '#src/devconsole/serve/console-parts.js'
import type { ResponseMessage } from '#src/http/exchange.js'
import { RequestRecorder } from '#src/observe/request-recorder.js'
import { createHost } from '#test/console-host.js'
import { endTrail } from '#test/console-trails.js'

class ForeignTrail extends RequestRecorder {
  named(): void {}
  called(): null {
    return null
  }
  link(): null {
    return null
  }
  linkResponse(answer: ResponseMessage): ResponseMessage {
    return answer
  }
  end(): void {}
}

function createTrails(): { correlation: Correlation; first: RecordedTrail; second: RecordedTrail } {
  const { recorder } = makeParts(createHost())
  const begin = (url: string): RecordedTrail =>
    // Proof: the console records these paths.
    recorder.begin({ method: 'GET', url }, performance.now()) as RecordedTrail
  return { correlation: recorder.correlation, first: begin('/a'), second: begin('/b') }
}

describe('Correlation', () => {
  it('returns the request of the running code across async calls, and null elsewhere', async () => {
    const { correlation, first, second } = createTrails()
    const seen: unknown[] = []
    const work = (trail: RecordedTrail) =>
      new Promise<void>((resolve) => {
        correlation.run(trail, () => {
          void (async () => {
            await turn()
            seen.push(correlation.current() === trail, correlation.work()?.trail === trail)
            resolve()
          })()
        })
      })
    await Promise.all([work(first), work(second)])
    assert.deepEqual([seen, correlation.current(), correlation.work()], [[true, true, true, true], null, null])
    correlation.close()
  })

  it('returns the id of a finished request, which has no work', () => {
    const { correlation, first } = createTrails()
    correlation.run(first, () => {
      endTrail(first)
      assert.deepEqual([correlation.current(), correlation.work()], [first.id, null])
    })
    correlation.close()
  })

  it('returns null for requests of other recorders, requests without details, and after close()', () => {
    const { correlation, first } = createTrails()
    const { correlation: other, first: undetailed } = createTrails()
    undetailed.isDetailed = false
    const seen: unknown[] = []
    correlation.run(new ForeignTrail({ method: 'GET', url: '/' }, 0), () => seen.push(correlation.current()))
    other.run(undetailed, () => seen.push(other.current()))
    correlation.run(first, () => {
      seen.push(other.current(), other.work())
      other.close()
      assert.equal(correlation.current(), first, 'another console was closed')
      correlation.close()
      seen.push(correlation.current())
    })
    assert.deepEqual(seen, [null, null, null, null, null])
  })

  it('returns the service call and the query of the running code', () => {
    const { correlation, first } = createTrails()
    const seen: unknown[] = []
    correlation.inQuery('outside', () => seen.push(correlation.work()))
    correlation.within(first, 3, () => {
      correlation.inQuery('select 1', () => seen.push(correlation.work()))
      seen.push(correlation.work())
    })
    assert.deepEqual(seen, [null, { trail: first, call: 3, query: 'select 1' }, { trail: first, call: 3, query: null }])
    correlation.close()
  })

  it('disables the context only if no request is in it, and no console needs it after requests', () => {
    const { correlation, first, second } = createTrails()
    const seen: unknown[] = []
    correlation.within(first, null, () => {
      correlation.within(second, null, () => {
        correlation.ended(second)
        correlation.disableUnused()
        seen.push(correlation.current())
      })
      correlation.ended(first)
      correlation.ended(first)
      seen.push(correlation.current())
      correlation.disableUnused()
      seen.push(correlation.current())
    })
    correlation.last()
    correlation.within(first, null, () => {
      correlation.ended(first)
      correlation.disableUnused()
      seen.push(correlation.current())
    })
    assert.deepEqual(seen, [second.id, first.id, null, first.id])
    correlation.close()
  })

  it('is disabled as soon as requests are only counted, even if the last recorded one has ended before', () => {
    const { recorder } = makeParts(createHost())
    const begin = () => recorder.begin({ method: 'GET', url: '/a' }, performance.now())
    const first = begin()
    assert.ok(first instanceof RecordedTrail)
    recorder.correlation.within(first, null, () => {
      endTrail(first)
      for (let trail = begin(); trail instanceof RecordedTrail; trail = begin()) endTrail(trail)
      assert.equal(recorder.correlation.current(), null)
    })
    recorder.correlation.close()
  })
})
