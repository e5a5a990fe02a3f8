/** Services that take long to be created. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { service } from 'verbena'
import { createGate } from '#test/apps.js'
import { until } from '#test/e2e.js'
import { NEVER, recordService, getReason, createStore } from '#test/service-store.js'

describe('Creation', () => {
  const limits = { startTimeout: 40, slowAfter: 5 }

  it('reports a slow service once, and waits for it until the timeout', async () => {
    const gate = createGate<string>()
    const { store, slow } = createStore({ a: recordService([], 'a'), b: service(() => gate.opened) }, 10, {
      slowAfter: 5,
    })
    const started = store.start()
    await until(() => slow.length > 0, 'the service is reported')
    // Time for a second report.
    await sleep(20)
    gate.open('late')
    await started
    assert.deepEqual([store.values['b'], slow], ['late', [['b', 5]]])
  })

  it('rejects with the name of a service that exceeds the timeout, and closes the services before it', async () => {
    const events: string[] = []
    const { store, slow } = createStore(
      { a: recordService(events, 'a'), b: service(NEVER), c: recordService(events, 'c') },
      10,
      limits,
    )
    const { code, message } = await getReason(store.start())
    const state = 'Cannot create the service "b": its function is still running after 40 ms. Raise "timeouts.start"'
    assert.deepEqual([code, message], ['SERVICE_FAILED', state])
    assert.deepEqual([events, slow], [['a()', '-a'], [['b', 5]]])
  })

  it('closes a service that is created after the timeout, even if a second start has created another one', async () => {
    const events: string[] = []
    const gates = [createGate<string>(), createGate<string>()] as const
    let count = 0
    const create = (): Promise<string> => gates[count++ === 0 ? 0 : 1].opened
    const b = service(create, { close: (value) => void events.push(`-${value}`) })
    const { store } = createStore({ b }, 10, limits)
    await getReason(store.start())
    const second = store.start()
    gates[1].open('second')
    await second
    gates[0].open('first')
    await until(() => events.length === 1, 'the late service is closed')
    assert.deepEqual([events, store.values['b']], [['-first'], 'second'])
    await store.close()
    assert.deepEqual(events, ['-first', '-second'])
  })

  it('disposes a late service, reports if that fails, and ignores one that rejects late', async () => {
    const gate = createGate()
    const failure = new Error('no')
    const late: AsyncDisposable = { [Symbol.asyncDispose]: () => Promise.reject(failure) }
    const { store, failures } = createStore({ a: service(() => gate.opened.then(() => late)) }, 10, limits)
    const rejecting = createStore({ a: service(() => gate.opened.then(() => Promise.reject(failure))) }, 10, limits)
    const plain = createStore({ a: service(() => gate.opened.then(() => 1)) }, 10, limits)
    const stores = [store, rejecting.store, plain.store]
    for (const reason of await Promise.all(stores.map((each) => getReason(each.start()))))
      assert.match(reason.message, /still running after 40 ms/)
    gate.open()
    await until(() => failures.length === 1, 'the failure is reported')
    assert.deepEqual([failures, rejecting.failures, plain.failures], [[['a', failure]], [], []])
  })

  it('has no limit with a timeout of 0', async () => {
    const gate = createGate<string>()
    const { store } = createStore({ a: service(() => gate.opened) }, 10, { startTimeout: 0 })
    const started = store.start()
    await sleep(10)
    gate.open('a')
    await started
    assert.deepEqual(store.values, { a: 'a' })
  })
})
