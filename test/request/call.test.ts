import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { WebExchange } from '#src/http/web-exchange.js'
import { Secrets } from '#src/secrets/secrets.js'
import type { AppState } from '#src/request/app-state.js'
import { Call, WorkList } from '#src/request/call.js'
import { captureLog } from '#test/apps.js'

function newCall(app: Partial<AppState<Call>> = {}): Call {
  let count = 0
  const exchange = new WebExchange(new Request('http://localhost/'), () => {})
  const rest = { idOf: () => `id-${++count}`, logger: captureLog().logger, secrets: new Secrets(undefined) }
  // Proof: the tests read no other property of the app.
  const pipeline = { steps: [], entries: [], phases: [], onError: 0, onReply: 0, onSent: 0 }
  const never = (): never => assert.fail('runs no step')
  const flow = { run: never, abandon: never, fail: never }
  return new Call(exchange, { ...rest, ...app } as AppState<Call>, flow, pipeline)
}

describe('Call', () => {
  it('creates its id on the first read and keeps it', () => {
    const call = newCall()
    assert.deepEqual([call.id, call.id], ['id-1', 'id-1'])
  })

  it('creates no id if it is never read', () => {
    newCall({ idOf: () => assert.fail('nobody asked') })
  })

  it('logs its id with a single child logger', () => {
    const { logger, lines } = captureLog()
    const call = newCall({ logger })
    call.log.info({ a: 1 }, 'hello')
    assert.equal(call.log, call.log)
    assert.deepEqual(lines, [{ level: 'info', fields: { requestId: 'id-1', a: 1 }, message: 'hello' }])
  })

  it('has no endpoint view before routing', () => {
    assert.equal(newCall().endpointView, undefined)
  })
})

describe('Call.report()', () => {
  it('logs a line with the request id', () => {
    const { logger, lines } = captureLog()
    newCall({ logger }).report('warn', { a: 1 }, 'hello')
    assert.deepEqual(lines, [{ level: 'warn', fields: { requestId: 'id-1', a: 1 }, message: 'hello' }])
  })

  it('ignores errors of the logger', () => {
    const fail = (): never => {
      throw new Error('disk full')
    }
    const logger = { debug: fail, info: fail, warn: fail, error: fail }
    newCall({ logger }).report('error', {}, 'hello')
    newCall({ logger: { ...logger, child: fail } }).report('error', {}, 'hello')
  })
})

class Listed {
  previous: Listed | null = null
  next: Listed | null = null
}

describe('WorkList', () => {
  it('removes a request once, although its tasks and its late method both end', async () => {
    const work = new WorkList<Listed>()
    const requests = [new Listed(), new Listed(), new Listed()] as const
    for (const request of requests) work.add(request)
    const [first, middle, last] = requests
    for (const request of [middle, middle, last, first, first]) work.remove(request)
    const seen: Listed[] = []
    work.each((request) => seen.push(request))
    assert.deepEqual([work.running, seen], [0, []])
    await work.idle()
  })

  it('is idle when the last hold is released and the last request is removed', async () => {
    for (const isReleasedLast of [true, false]) {
      const work = new WorkList<Listed>()
      const request = new Listed()
      work.hold()
      work.add(request)
      const idle = work.idle()
      if (isReleasedLast) work.remove(request)
      work.release()
      if (!isReleasedLast) work.remove(request)
      await idle
      assert.equal(work.running, 0)
    }
    const work = new WorkList<Listed>()
    work.hold()
    work.release()
    await work.idle()
  })
})
