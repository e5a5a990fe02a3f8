import { describe, it } from 'node:test'
import { createApp, events, form, group, json, Route } from 'verbena'
import { contract } from '#src/route/contract.js'
import { readStatics } from '#src/route/route-class.js'
import { assertSetupError } from '#test/apps.js'

/** As a call from JavaScript makes it. */
function loosely(call: (value: never) => unknown, value: unknown): () => unknown {
  // Proof: what the types refuse is what is tested here.
  return () => call(value as never)
}

describe('kinds', () => {
  const kinds: Readonly<Record<string, (schema: never) => unknown>> = { json, form, events }
  for (const [name, kind] of Object.entries(kinds)) {
    it(`${name}() refuses what is no schema`, () => {
      for (const value of [undefined, null, 5, {}])
        assertSetupError(loosely(kind, value), 'SCHEMA_INVALID', `${name}(…)`)
    })
  }
})

describe('group()', () => {
  it('refuses options that are no record', () => {
    for (const value of [undefined, null, 5, []]) assertSetupError(loosely(group, value), 'ROUTE_INVALID', 'no record')
  })
})

describe('contract()', () => {
  const slips: readonly (readonly [spec: unknown, says: string])[] = [
    [[], 'it is not an object'],
    [{ summary: 5 }, '"summary" is not a text'],
    [{ description: {} }, '"description" is not a text'],
    [{ operationId: 5 }, '"operationId" is not a text'],
    [{ hidden: 'no' }, '"hidden" is neither true nor false'],
    [{ public: 1 }, '"public" is neither true nor false'],
    [{ meta: 5 }, '"meta" is not an object'],
    [{ meta: null }, '"meta" is not an object'],
  ]
  for (const [spec, says] of slips) {
    it(`refuses ${JSON.stringify(spec)}`, () => {
      assertSetupError(() => contract('Users', spec), 'CONTRACT_INVALID', 'Users', says)
    })
  }

  it('accepts words where words belong', () => {
    contract('Users', { summary: 'a', description: 'b', operationId: 'c', hidden: true, public: true, meta: {} })
  })
})

describe('readStatics()', () => {
  for (const slip of ['use', 'guard', 'guards', 'decorator', 'middlewares']) {
    it(`refuses "static ${slip}", which would only look as if it did something`, () => {
      class Users extends Route {
        get() {}
      }
      Object.defineProperty(Users, slip, { value: [] })
      assertSetupError(() => readStatics(Users, 'Users'), 'ROUTE_FIELD', `static ${slip}`, 'Did you mean')
      assertSetupError(() => createApp({ routes: { Users } }), 'ROUTE_FIELD')
    })
  }
})
