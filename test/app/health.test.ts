/** The routes of `health`: what an orchestrator is told. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, health, Route, service } from 'verbena'
import { sendRequest, assertSetupError, captureLog, createGate, createUntypedApp } from '#test/apps.js'
import { until } from '#test/e2e.js'

const sound = service(() => 1, { check: () => true })
const silent = service(() => 1, { check: () => undefined })
const unchecked = service(() => 1)

describe('health()', () => {
  it('answers /livez, whatever services say', async () => {
    const down = service(() => 1, { check: () => false })
    const { status, body, headers } = await sendRequest(
      createUntypedApp({ services: { down }, routes: { ...health() } }),
      '/livez',
    )
    assert.deepEqual([status, body, headers.get('cache-control')], [200, {}, 'no-store'])
  })

  it('answers /readyz when all services that are asked are content', async () => {
    const services = { sound, plain: { check: () => false }, silent, unchecked }
    const { status, body, headers } = await sendRequest(createUntypedApp({ services, routes: health() }), '/readyz')
    assert.deepEqual([status, body], [200, { services: { sound: 'ready', silent: 'ready' } }])
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.deepEqual((await sendRequest(createUntypedApp({ routes: health() }), '/readyz')).body, { services: {} })
  })

  it('answers 503 with the names of those that are not, and logs why', async () => {
    const { logger, lines } = captureLog()
    const failure = new Error('no route to host')
    const services = {
      sound,
      refusing: service(() => 1, { check: async () => false }),
      failing: service(() => 1, {
        check: () => {
          throw failure
        },
      }),
    }
    const { status, text, body, headers } = await sendRequest(
      createUntypedApp({ services, routes: health(), logger }),
      '/readyz',
    )
    assert.equal(status, 503)
    assert.equal(headers.get('cache-control'), 'no-store')
    // Proof: a problem is an object.
    assert.deepEqual((body as Record<string, unknown>)['services'], {
      sound: 'ready',
      refusing: 'not ready',
      failing: 'not ready',
    })
    assert.doesNotMatch(text, /no route/)
    const warnings = lines
      .filter(({ level }) => level === 'warn')
      .map(({ fields }) => [fields['service'], fields['err']])
    assert.deepEqual(warnings, [
      ['refusing', undefined],
      ['failing', failure],
    ])
  })

  it('answers 503 from the moment the app is told to close', async () => {
    const gate = createGate()
    class Slow extends Route {
      async get() {
        await gate.opened
        return 'done'
      }
    }
    const app = createUntypedApp({ services: { sound }, routes: { Slow, ...health() } })
    await app.start()
    const slow = sendRequest(app, '/slow')
    assert.equal((await sendRequest(app, '/readyz')).status, 200)
    const closed = app.close()
    const { status, text } = await sendRequest(app, '/readyz')
    assert.equal(status, 503)
    assert.match(text, /The server is closing/)
    assert.equal((await sendRequest(app, '/livez')).status, 200)
    gate.open()
    assert.equal((await slow).text, 'done')
    await closed
  })

  it('asks services once for all who ask at the same time', async () => {
    const [began, gate] = [createGate(), createGate()]
    let asked = 0
    const slow = service(() => 1, {
      check: () => {
        asked++
        began.open()
        return gate.opened
      },
    })
    const app = createUntypedApp({ services: { slow }, routes: health() })
    await app.start()
    const answers = [sendRequest(app, '/readyz'), sendRequest(app, '/readyz'), sendRequest(app, '/readyz')]
    await began.opened
    gate.open()
    assert.deepEqual(
      (await Promise.all(answers)).map(({ status }) => status),
      [200, 200, 200],
    )
    assert.equal(asked, 1)
    await sendRequest(app, '/readyz')
    assert.equal(asked, 2)
  })

  it('neither waits for a check that never ends, nor lets later ones wait for it', async () => {
    let isHanging = true
    const hanging = service(() => 1, { check: () => (isHanging ? new Promise(() => {}) : true) })
    const app = createUntypedApp({ services: { hanging }, routes: health({ timeout: 1 }) })
    assert.equal((await sendRequest(app, '/readyz')).status, 503)
    isHanging = false
    await until(async () => (await sendRequest(app, '/readyz')).status === 200, 'the app is ready again')
  })

  it('stands beside guarded routes, below a prefix too', async () => {
    const app = createApp({ routes: { '/internal': health() }, logger: false })
    assert.equal((await sendRequest(app, '/internal/readyz')).status, 200)
    assert.equal((await sendRequest(app, '/internal/livez', { method: 'HEAD' })).status, 200)
  })

  it('does not stand in the document', () => {
    const app = createUntypedApp({ routes: health() })
    assert.deepEqual(app.openapi().paths, {})
  })

  it('refuses options that are not known', () => {
    const loose: unknown = health
    // Proof: the parameter is what the types narrow; at run time it takes any.
    const make = loose as (options: unknown) => unknown
    for (const options of [{ timeout: 0 }, { timeout: 1.5 }, { timeout: '1' }, { time: 1 }]) {
      assertSetupError(() => make(options), 'OPTION_INVALID', 'Cannot make routes for health')
    }
  })
})
