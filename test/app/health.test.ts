/** The routes of `health`. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bearer, createApp, group, health, Route, service, type Problem } from 'verbena'
import * as z from 'zod'
import { sendRequest, assertSetupError, captureLog, createGate, createUntypedApp } from '#test/apps.js'
import { until } from '#test/e2e.js'

const sound = service(() => 1, { check: () => true })
const silent = service(() => 1, { check: () => undefined })
const unchecked = service(() => 1)
const formatStatus = ({ status }: Problem) => ({ oops: status })

describe('health()', () => {
  it('responds 200 to /livez even if a service is not ready', async () => {
    const down = service(() => 1, { check: () => false })
    const { status, body, headers } = await sendRequest(
      createUntypedApp({ services: { down }, routes: { ...health() } }),
      '/livez',
    )
    assert.deepEqual([status, body, headers.get('cache-control')], [200, {}, 'no-store'])
  })

  it('responds 200 to /readyz if all checks succeed', async () => {
    const services = { sound, plain: { check: () => false }, silent, unchecked }
    const { status, body, headers } = await sendRequest(createUntypedApp({ services, routes: health() }), '/readyz')
    assert.deepEqual([status, body], [200, { services: { sound: 'ready', silent: 'ready' } }])
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.deepEqual((await sendRequest(createUntypedApp({ routes: health() }), '/readyz')).body, { services: {} })
  })

  it('responds 503 to /readyz with the names of failed services, and logs their errors', async () => {
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

  it('responds 503 to /readyz while the app is closing', async () => {
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

  it('shares checks between simultaneous requests', async () => {
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

  it('responds 503 if a check exceeds the timeout, and waits for the same check until it has settled', async () => {
    let started = 0
    const gates = [createGate(), createGate()]
    const hanging = service(() => 1, { check: () => gates[started++]?.opened })
    const app = createUntypedApp({ services: { hanging }, routes: health({ timeout: 1 }) })
    for (let probe = 0; probe < 3; probe++) {
      const { status, body } = await sendRequest(app, '/readyz')
      assert.deepEqual([status, Object(body).services], [503, { hanging: 'not ready' }])
    }
    assert.equal(started, 1)
    gates[0]?.open()
    await until(async () => (await sendRequest(app, '/readyz')).status === 503 && started === 2, 'a check has started')
    gates[1]?.open()
    await until(async () => (await sendRequest(app, '/readyz')).status === 200, 'the app is ready again')
  })

  it('starts a new check after one that threw or rejected', async () => {
    const failures = [() => assert.fail('no route'), () => Promise.reject(new Error('no route')), () => true]
    const failing = service(() => 1, { check: () => failures.shift()?.() })
    const app = createUntypedApp({ services: { failing }, routes: health(), logger: false })
    const statuses = []
    for (let probe = 0; probe < 3; probe++) statuses.push((await sendRequest(app, '/readyz')).status)
    assert.deepEqual(statuses, [503, 503, 200])
  })

  it('names the failed service even if the app and a group have an errorFormat', async () => {
    const operator = bearer((token) => token === 'secret' && token)
    const errorFormat = { mediaType: 'application/json', schema: z.object({ oops: z.int() }), write: formatStatus }
    const services = { down: service(() => 1, { check: () => false }) }
    const ops = group({ errorFormat, routes: health() })
    const routes = { ...health({ uses: { operator } }), '/ops': ops }
    const app = createUntypedApp({ services, routes, errorFormat })
    const headers = { authorization: 'Bearer secret' }
    for (const target of ['/readyz', '/ops/readyz']) {
      const answer = await sendRequest(app, target, { headers })
      assert.equal(answer.headers.get('content-type'), 'application/problem+json')
      assert.deepEqual([answer.status, Object(answer.body).services], [503, { down: 'not ready' }], target)
    }
    assert.equal((await sendRequest(app, '/readyz')).headers.get('content-type'), 'application/problem+json')
    assert.deepEqual((await sendRequest(app, '/none')).body, { oops: 404 })
  })

  it('supports a mount', async () => {
    const app = createApp({ routes: { '/internal': health() }, logger: false })
    assert.equal((await sendRequest(app, '/internal/readyz')).status, 200)
    assert.equal((await sendRequest(app, '/internal/livez', { method: 'HEAD' })).status, 200)
  })

  it('hides its routes in the OpenAPI document', () => {
    const app = createUntypedApp({ routes: health() })
    assert.deepEqual(app.openapi().paths, {})
  })

  it('rejects unknown options and invalid timeouts', () => {
    const loose: unknown = health
    // Proof: only the type restricts the parameter.
    const make = loose as (options: unknown) => unknown
    for (const options of [{ timeout: 0 }, { timeout: 1.5 }, { timeout: '1' }, { time: 1 }]) {
      assertSetupError(() => make(options), 'OPTION_INVALID', 'of health()')
    }
  })
})
