/** `surface` of `verbena/prove`. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bearer, createApp, Route } from 'verbena'
import { surface } from 'verbena/prove'

describe('surface()', () => {
  it('rejects a value that is not an app', () => {
    const error = { code: 'OPTION_INVALID', message: /"app" of surface\(\): it must be an app of "createApp"/ }
    assert.throws(() => surface(Object({})), error)
  })

  it('lists guards by class and key, and endpoints without a guard', () => {
    class Tasks extends Route {
      static readonly uses = { user: bearer(() => true) }
      get() {}
    }
    class Open extends Route {
      get() {}
    }
    const app = createApp({ routes: { Tasks, Open }, openapi: false })
    assert.match(surface(app), /^verbena surface 1\n\nGET \/open\n {2}no guard\n/)
    assert.match(surface(app), /\n\nGET \/tasks\n {2}guard user of class Tasks: http bearer\n/)
  })
})
