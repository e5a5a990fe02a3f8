import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ServiceRecipe, type StartSettings } from '#src/injection/services.js'
import { SILENT } from '#src/observe/logger.js'
import { Startup } from '#src/setup/startup.js'
import { createGate } from '#test/apps.js'
import { createStore } from '#test/service-store.js'

/** Creates a startup whose steps write into `events`; `fails` are the names of settings that fail once. */
function startupOf(events: string[], names: readonly string[], fails: string[] = []) {
  const { store: services } = createStore({ db: new ServiceRecipe(() => events.push('db'), {}) })
  const settings = names.map((name): StartSettings => ({
    read: async (given) => {
      events.push(name)
      assert.equal(given, services)
      const at = fails.indexOf(name)
      if (at >= 0) throw fails.splice(at, 1)
    },
  }))
  const completions = [() => void events.push('complete')]
  return new Startup({ services, settings, completions, warn: () => void events.push('warn'), logger: SILENT })
}

describe('Startup', () => {
  it('warns, creates services, reads settings in order, then completes routes', async () => {
    const events: string[] = []
    const startup = startupOf(events, ['a', 'b'])
    assert.equal(startup.isDone, false)
    await startup.run()
    assert.deepEqual([startup.isDone, events], [true, ['warn', 'db', 'a', 'b', 'complete']])
  })

  it('continues with the setting that has failed', async () => {
    const events: string[] = []
    const startup = startupOf(events, ['a', 'b', 'c'], ['b'])
    await assert.rejects(startup.run(), (error) => error === startup.settingError)
    assert.deepEqual([startup.isDone, startup.settingError], [false, ['b']])
    await startup.run()
    assert.deepEqual([startup.isDone, events.slice(1)], [true, ['db', 'a', 'b', 'b', 'c', 'complete']])
  })

  it('waits for the same start in concurrent calls', async () => {
    const { store: services } = createStore({})
    const { opened, open } = createGate()
    let reads = 0
    const read = async (): Promise<void> => {
      reads++
      await opened
    }
    const startup = new Startup({ services, settings: [{ read }], completions: [], warn: null, logger: SILENT })
    const starts = [startup.run(), startup.run()]
    open()
    await Promise.all(starts)
    assert.deepEqual([startup.isDone, reads], [true, 1])
  })

  it('is done at once without services to create, settings and a warning', () => {
    const { store: services } = createStore({ db: 1 })
    const parts = { services, settings: [], completions: [], warn: null, logger: SILENT }
    assert.equal(new Startup(parts).isDone, true)
    assert.equal(new Startup({ ...parts, settings: [{ read: async () => {} }] }).isDone, false)
    assert.equal(new Startup({ ...parts, warn: () => {} }).isDone, false)
  })
})
