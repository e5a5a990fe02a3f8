/** `timeouts.drain`: a closing app responds on open and new connections for a while, and ends each one with its response. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, health, Route } from 'verbena'
import { captureLog } from '#test/apps.js'
import { toBytes, Wire } from '#test/e2e.js'

class Home extends Route {
  get() {
    return 'home'
  }
}

const routes = { Home, ...health() }
const HOME = toBytes({ target: '/home' })

describe('timeouts.drain', () => {
  it('responds on old and new connections while draining, with Connection: close', async () => {
    const { logger, lines } = captureLog()
    const app = createApp({ routes, logger, signals: false, timeouts: { drain: 600 } })
    const { port } = await app.listen()
    const [kept, idle] = [new Wire(port), new Wire(port)]
    for (const wire of [kept, idle]) {
      wire.send(HOME)
      assert.equal((await wire.read()).headers.get('connection') === 'close', false)
    }
    const begun = performance.now()
    const closed = app.close()
    kept.send(HOME)
    const last = await kept.read()
    assert.deepEqual([last.status, last.headers.get('connection')], [200, 'close'])
    await kept.ended()
    const fresh = new Wire(port)
    fresh.send(toBytes({ target: '/readyz' }))
    const ready = await fresh.read()
    assert.deepEqual([ready.status, ready.headers.get('connection')], [503, 'close'])
    assert.equal(idle.isEnded, false)
    await idle.ended()
    await closed
    assert.deepEqual(lines, [])
    assert.ok(performance.now() - begun >= 590)
    await assert.rejects(fetch(`http://127.0.0.1:${port}/home`))
  })

  it('does not wait if no port is open', async () => {
    const drain = 60_000
    const unused = createApp({ routes, logger: false, timeouts: { drain } })
    await unused.close()
    const opening = createApp({ routes, logger: false, signals: false, timeouts: { drain } })
    const listening = opening.listen()
    await opening.close()
    const { port } = await listening
    await assert.rejects(fetch(`http://127.0.0.1:${port}/home`))
  })
})
