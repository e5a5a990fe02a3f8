/** Conversions to JSON Schema, which an app repeats neither for its checks nor for its document. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Route, type Schema } from 'verbena'
import { createUntypedApp, looseContract } from '#test/apps.js'

/** Returns a schema that counts its conversions. */
function countingSchema(counts: Record<string, number>): Schema {
  const convert = (side: string) => () => {
    counts[side] = (counts[side] ?? 0) + 1
    return { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: false }
  }
  return {
    '~standard': {
      ...{ version: 1, vendor: 'own', validate: (value: unknown) => ({ value }) },
      jsonSchema: { input: convert('input'), output: convert('output') },
    },
  }
}

describe('describeSchema()', () => {
  it('converts each side of a schema once during the start of an app', () => {
    const counts: Record<string, number> = {}
    const shared = countingSchema(counts)
    class Things extends Route {
      static readonly get = looseContract(this, { query: shared, returns: shared })
      static readonly post = looseContract(this, { body: shared, returns: shared })
      get() {}
      post() {}
    }
    const app = createUntypedApp({ routes: { Things } })
    app.check()
    app.openapi()
    assert.deepEqual(counts, { input: 1, output: 1 })
  })

  it('converts again for another app', () => {
    const counts: Record<string, number> = {}
    const shared = countingSchema(counts)
    class Things extends Route {
      static readonly get = looseContract(this, { returns: shared })
      get() {}
    }
    createUntypedApp({ routes: { Things } })
    createUntypedApp({ routes: { Things } })
    assert.deepEqual(counts, { output: 2 })
  })
})
