import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { provide } from 'verbena'
import { ProviderRecipe } from '#src/injection/provide.js'
import { assertSetupError } from '#test/apps.js'
import * as z from 'zod'

/** Calls `provide` with arguments that the types reject. */
function loosely(...given: readonly unknown[]): unknown {
  const make: unknown = provide
  // Proof: at run time, the function accepts any arguments.
  return (make as (...args: readonly unknown[]) => unknown)(...given)
}

const resolve = () => 1

describe('provide()', () => {
  it('returns a recipe with its needs, its function and the option ends', () => {
    const needs = { query: z.object({}), errors: [403] }
    const provider = loosely(needs, resolve)
    assert.ok(provider instanceof ProviderRecipe)
    assert.deepEqual([provider.needs, provider.resolve, provider.ends], [needs, resolve, 'before-response'])
    assert.ok(Object.isFrozen(provider.needs))
  })

  it('accepts all keys of needs', () => {
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

  it('accepts both values of ends', () => {
    for (const ends of ['before-response', 'after-response']) {
      const provider = loosely({}, resolve, { ends })
      assert.ok(provider instanceof ProviderRecipe && provider.ends === ends)
    }
    const provider = loosely({}, resolve, { ends: undefined })
    assert.ok(provider instanceof ProviderRecipe && provider.ends === 'before-response')
  })

  const REFUSED: readonly (readonly [about: string, given: readonly unknown[], ...says: string[]])[] = [
    ['missing needs', [undefined, resolve], 'the options of provide(): they must be an object'],
    ['only a function', [resolve], 'the options of provide(): they must be an object'],
    ['null as needs', [null, resolve], 'the options of provide(): they must be an object'],
    ['an array as needs', [[], resolve], 'the options of provide(): they must be an object'],
    [
      'a misspelled key of needs',
      [{ querry: z.object({}) }, resolve],
      '"querry" of provide(): it is unknown.',
      'Did you mean "query"?',
    ],
    [
      'the key "body"',
      [{ body: z.object({}) }, resolve],
      '"body" of provide(): it is unknown',
      'rawBody, uses, guard, errors, security',
    ],
    [
      'a source that is not a schema',
      [{ headers: { a: 'string' } }, resolve],
      '"headers" of provide(): it must be a schema',
    ],
    ['null as a schema', [{ cookies: null }, resolve], '"cookies" of provide(): it must be a schema'],
    ['rawBody: false', [{ rawBody: false }, resolve], '"rawBody" of provide(): it must be true'],
    ['status 200 in errors', [{ errors: [200] }, resolve], '"errors" of provide(): it must be an array of statuses'],
    ['a string in errors', [{ errors: ['403'] }, resolve], '"errors" of provide(): it must be an array of statuses'],
    ['a fraction in errors', [{ errors: [403.5] }, resolve], '"errors" of provide(): it must be an array of statuses'],
    [
      'status 600 in errors',
      [{ errors: { 600: 'x' } }, resolve],
      '"errors" of provide(): it must be an array of statuses',
    ],
    ['errors that are a number', [{ errors: 403 }, resolve], '"errors" of provide(): it must be an array of statuses'],
    [
      'security without a type',
      [{ security: { scheme: 'bearer' } }, resolve],
      '"security" of provide(): it must be a security scheme',
    ],
    [
      'a string as security',
      [{ security: 'bearer' }, resolve],
      '"security" of provide(): it must be a security scheme',
    ],
    [
      'an empty array as security',
      [{ security: [] }, resolve],
      '"security" of provide(): it must be a security scheme',
    ],
    ['a missing function', [{}], 'the argument "resolve" of provide(): it must be a function'],
    ['a number as function', [{}, 7], 'the argument "resolve" of provide(): it must be a function'],
    ['a string as options', [{}, resolve, 'after-response'], 'the options of provide(): they must be an object'],
    ['an unknown option', [{}, resolve, { end: 'after-response' }], '"end" of provide(): it is unknown'],
    ['an unknown value of ends', [{}, resolve, { ends: 'later' }], `"ends" of provide(): it must be 'before-response'`],
  ]
  for (const [about, given, ...says] of REFUSED) {
    it(`rejects ${about}`, () => assertSetupError(() => loosely(...given), 'OPTION_INVALID', ...says))
  }
})
