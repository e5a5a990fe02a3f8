/** Lines of the package pino as the logger of an app. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pino } from 'pino'
import { createApp, Route, type Input } from 'verbena'
import { log } from 'verbena/decorators'
import { sendRequest, json } from '#test/apps.js'

class Orders extends Route {
  @log({ args: true }) post({ log }: Input) {
    log.info({ order: 7 }, 'ordered')
    return { ordered: true }
  }
  @log get() {
    throw new Error('broken', { cause: new Error('below') })
  }
}

async function linesOf(method: string, init: RequestInit = {}): Promise<Record<string, unknown>[]> {
  const written: string[] = []
  const logger = pino({ base: null, level: 'debug' }, { write: (line: string) => void written.push(line) })
  const app = createApp({ routes: { Orders }, logger })
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  const headers = { ...Object.fromEntries(new Headers(init.headers)), traceparent }
  await sendRequest(app, '/orders', { ...init, method, headers })
  return written.map((line) => JSON.parse(line))
}

describe('pino', () => {
  it('writes lines of a method and of @log with request id and trace id', async () => {
    const [own, call, ...others] = await linesOf('POST', json({ card_number: '4111', amount: 1 }))
    assert.deepEqual(others, [])
    assert.deepEqual([own?.['level'], own?.['msg'], own?.['order']], [30, 'ordered', 7])
    assert.deepEqual([call?.['level'], call?.['msg'], call?.['status']], [30, 'POST /orders 200', 200])
    assert.deepEqual(call?.['args'], { params: {}, query: {}, body: { card_number: 'redacted', amount: 1 } })
    assert.equal(typeof own?.['requestId'], 'string')
    assert.equal(own?.['requestId'], call?.['requestId'])
    for (const line of [own, call]) assert.equal(line?.['traceId'], '4bf92f3577b34da6a3ce929d0e0e4736')
  })

  it('writes errors with stack and cause', async () => {
    const lines = await linesOf('GET')
    assert.deepEqual(
      lines.map(({ level, msg }) => [level, msg]),
      [
        [50, 'The request failed unexpectedly'],
        [50, 'GET /orders 500'],
      ],
    )
    for (const { err } of lines) {
      const { type, message, stack } = Object(err)
      assert.deepEqual([type, message], ['Error', 'broken: below'])
      assert.match(stack, /at \w+\.get [^]*caused by: Error: below/)
    }
  })
})
