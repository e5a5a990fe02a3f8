import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Route } from 'verbena'
import { log } from 'verbena/decorators'
import { note, notesOf } from '#src/decorators/notes.js'
import { assertRefused } from '#test/apps.js'

describe('notesOf()', () => {
  it('has nothing of a method without decorators', () => {
    assert.deepEqual(
      notesOf(() => {}),
      {},
    )
  })

  it('keeps what is noted by function: an overriding method starts anew, an inherited one does not', () => {
    class Base extends Route {
      @log get() {}
      @log({ level: 'debug' }) post() {}
    }
    class Sub extends Base {
      override get() {}
    }
    assert.deepEqual(notesOf(Base.prototype.get), { log: { level: 'info' } })
    assert.deepEqual(notesOf(Sub.prototype.get), {})
    assert.deepEqual(notesOf(Sub.prototype.post), { log: { level: 'debug' } })
  })
})

describe('note()', () => {
  it('refuses a method that is no endpoint', () => {
    assertRefused(
      () =>
        class extends Route {
          @log getUser() {}
        },
      'DECORATOR_MISUSED',
      '@log: "getUser" is not a verb method',
      'get, post, put, patch, delete',
    )
  })

  it('refuses a static method', () => {
    assertRefused(
      () =>
        class extends Route {
          @log static get() {}
        },
      'DECORATOR_MISUSED',
      '"get" is not a verb method',
    )
  })

  it('refuses everything but a method', () => {
    for (const kind of ['field', 'getter', 'class']) {
      assertRefused(() => note('log', [() => {}, { kind, name: 'get', static: false }], {}), 'DECORATOR_MISUSED')
    }
    assertRefused(() => note('log', ['text', { kind: 'method', name: 'get', static: false }], {}), 'DECORATOR_MISUSED')
  })

  it('says how legacy decorators are switched off', () => {
    for (const context of ['get', undefined, null]) {
      assertRefused(() => note('log', [Route.prototype, context], {}), 'DECORATOR_MISUSED', 'experimentalDecorators')
    }
  })
})
