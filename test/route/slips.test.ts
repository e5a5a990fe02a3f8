import { describe, it } from 'node:test'
import { createApp, events, form, group, json, Route } from 'verbena'
import { contract } from '#src/route/contract.js'
import { readStatics } from '#src/route/route-class.js'
import { assertSetupError } from '#test/apps.js'

/** Returns a call without types, as from JavaScript. */
function loosely(call: (value: never) => unknown, value: unknown): () => unknown {
  // Proof: the test passes a value that the types reject.
  return () => call(value as never)
}

describe('kinds', () => {
  const kinds: Readonly<Record<string, (schema: never) => unknown>> = { json, form, events }
  for (const [name, kind] of Object.entries(kinds)) {
    it(`${name}() rejects a value that is not a schema`, () => {
      for (const value of [undefined, null, 5, {}])
        assertSetupError(loosely(kind, value), 'SCHEMA_INVALID', `${name}(…)`)
    })
  }
})

describe('group()', () => {
  it('rejects options that are not an object', () => {
    for (const value of [undefined, null, 5, []])
      assertSetupError(loosely(group, value), 'OPTION_INVALID', 'options of group(): they must be an object')
  })
})

describe('contract()', () => {
  const slips: readonly (readonly [spec: unknown, says: string])[] = [
    [[], 'they must be an object'],
    [{ summary: 5 }, '"summary" of a contract of "Users": it must be a string'],
    [{ description: {} }, '"description" of a contract of "Users": it must be a string'],
    [{ operationId: 5 }, '"operationId" of a contract of "Users": it must be a string'],
    [{ hidden: 'no' }, '"hidden" of a contract of "Users": it must be true or false'],
    [{ etag: 'no' }, '"etag" of a contract of "Users": it must be true or false'],
    [{ public: 1 }, '"public" of a contract of "Users": it must be true or false'],
    [{ meta: 5 }, '"meta" of a contract of "Users": it must be an object'],
    [{ meta: null }, '"meta" of a contract of "Users": it must be an object'],
  ]
  for (const [spec, says] of slips) {
    it(`rejects ${JSON.stringify(spec)}`, () => {
      assertSetupError(() => contract('Users', spec), 'OPTION_INVALID', 'a contract of "Users"', says)
    })
  }

  it('accepts strings and booleans for the keys of the document', () => {
    contract('Users', { summary: 'a', description: 'b', operationId: 'c', hidden: true, public: true, meta: {} })
  })
})

describe('readStatics()', () => {
  for (const slip of ['use', 'guard', 'guards', 'decorator', 'middlewares']) {
    it(`rejects "static ${slip}", which would have no effect`, () => {
      class Users extends Route {
        get() {}
      }
      Object.defineProperty(Users, slip, { value: [] })
      assertSetupError(() => readStatics(Users, 'Users'), 'ROUTE_FIELD', `static ${slip}`, 'Did you mean')
      assertSetupError(() => createApp({ routes: { Users } }), 'ROUTE_FIELD')
    })
  }
})
