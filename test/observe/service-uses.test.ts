/** Services behave the same with and without the console: every use runs in two apps, and both results are compared. */
import '#test/development.js'
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { Route } from 'verbena'
import { createUntypedApp } from '#test/apps.js'
import type { ServiceUse } from '#test/service-use.js'
import { SERVICE_USES } from '#test/service-uses.js'

async function runUse({ services, run }: ServiceUse, devConsole: boolean): Promise<string> {
  class Home extends Route {
    async get() {
      try {
        return inspect(await run(this), { depth: 5 })
      } catch (error) {
        return `threw ${String(error)}`
      }
    }
  }
  await using app = createUntypedApp({ routes: { Home }, services, devConsole, signals: false })
  const { url } = await app.listen()
  const response = await fetch(`${url}/home`)
  return response.text()
}

describe('services with and without the console', () => {
  for (const create of SERVICE_USES) {
    it(create().title, async () => {
      const without = await runUse(create(), false)
      assert.doesNotMatch(without, /^threw/)
      assert.equal(await runUse(create(), true), without)
    })
  }

  it('passes a view instead of the service only with the console', async () => {
    const services = { chain: { read: () => 1 } }
    const run = (route: object): boolean => Reflect.get(route, 'chain') === services.chain
    const results = [
      await runUse({ title: '', services, run }, false),
      await runUse({ title: '', services, run }, true),
    ]
    assert.deepEqual(results, ['true', 'false'])
  })
})
