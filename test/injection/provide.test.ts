import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { provide } from 'verbena'
import { ProviderRecipe } from '#src/injection/provide.js'
import { assertSetupError } from '#test/apps.js'
import * as z from 'zod'

/** `provide` for what the compiler would refuse. */
function loosely(...given: readonly unknown[]): unknown {
  const make: unknown = provide
  // Proof: the parameters are what the types narrow; at run time it takes any.
  return (make as (...args: readonly unknown[]) => unknown)(...given)
}

const resolve = () => 1

describe('provide()', () => {
  it('is data: needs, function, and when it ends', () => {
    const needs = { query: z.object({}), errors: [403] }
    const provider = loosely(needs, resolve)
    assert.ok(provider instanceof ProviderRecipe)
    assert.deepEqual([provider.needs, provider.resolve, provider.ends], [needs, resolve, 'before-response'])
    assert.ok(Object.isFrozen(provider.needs))
  })

  it('takes everything that needs may have', () => {
    const schema = z.object({})
    const security = { type: 'http', scheme: 'bearer' }
    const all = { params: schema, query: schema, headers: schema, cookies: schema, rawBody: true, uses: {} }
    for (const more of [
      { errors: [400, 599], security },
      { errors: { 403: 'No' }, security: [security, security] },
      { errors: [], query: undefined, rawBody: undefined, security: undefined },
    ]) {
      assert.ok(loosely({ ...all, ...more }, resolve) instanceof ProviderRecipe)
    }
  })

  it('takes either end', () => {
    for (const ends of ['before-response', 'after-response']) {
      const provider = loosely({}, resolve, { ends })
      assert.ok(provider instanceof ProviderRecipe && provider.ends === ends)
    }
    const provider = loosely({}, resolve, { ends: undefined })
    assert.ok(provider instanceof ProviderRecipe && provider.ends === 'before-response')
  })

  const REFUSED: readonly (readonly [about: string, given: readonly unknown[], ...says: string[]])[] = [
    ['no needs', [undefined, resolve], 'its needs are no record'],
    ['a function alone', [resolve], 'its needs are no record'],
    ['null', [null, resolve], 'its needs are no record'],
    ['a list', [[], resolve], 'its needs are no record'],
    ['a misspelt need', [{ querry: z.object({}) }, resolve], 'unknown key "querry".', 'Did you mean "query"?'],
    ['a body', [{ body: z.object({}) }, resolve], 'unknown key "body"', 'rawBody, uses, guard, errors, security'],
    ['what is no schema', [{ headers: { a: 'string' } }, resolve], '"headers" is not a schema'],
    ['null for a schema', [{ cookies: null }, resolve], '"cookies" is not a schema'],
    ['rawBody: false', [{ rawBody: false }, resolve], '"rawBody" is not true'],
    ['a status that is no error', [{ errors: [200] }, resolve], '"errors" does not list statuses'],
    ['a status that is no number', [{ errors: ['403'] }, resolve], '"errors" does not list statuses'],
    ['half a status', [{ errors: [403.5] }, resolve], '"errors" does not list statuses'],
    ['a status beyond all', [{ errors: { 600: 'x' } }, resolve], '"errors" does not list statuses'],
    ['a status alone', [{ errors: 403 }, resolve], '"errors" does not list statuses'],
    ['security of no type', [{ security: { scheme: 'bearer' } }, resolve], '"security" is no scheme'],
    ['the name of a scheme', [{ security: 'bearer' }, resolve], '"security" is no scheme'],
    ['no schemes', [{ security: [] }, resolve], '"security" is no scheme'],
    ['no function', [{}], 'its second argument is not a function'],
    ['a value', [{}, 7], 'its second argument is not a function'],
    ['options that are none', [{}, resolve, 'after-response'], 'its options are not known'],
    ['an unknown option', [{}, resolve, { end: 'after-response' }], 'its options are not known'],
    ['an unknown end', [{}, resolve, { ends: 'later' }], `"ends" is neither 'before-response'`],
  ]
  for (const [about, given, ...says] of REFUSED) {
    it(`refuses ${about}`, () => assertSetupError(() => loosely(...given), 'PROVIDER_INVALID', ...says))
  }
})
