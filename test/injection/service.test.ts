import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { service } from 'verbena'
import { ServiceRecipe } from '#src/injection/service-store.js'
import { assertRefused } from '#test/apps.js'

/** `service` for what the compiler would refuse. */
function loosely(...given: readonly unknown[]): unknown {
  const make: unknown = service
  // Proof: the parameters are what the types narrow; at run time it takes any.
  return (make as (...args: readonly unknown[]) => unknown)(...given)
}

describe('service()', () => {
  it('is data: nothing is made yet', () => {
    let made = 0
    const recipe = service(() => ++made, { close: () => {}, check: () => true })
    assert.ok(recipe instanceof ServiceRecipe)
    assert.equal(made, 0)
  })

  it('takes options that are not set', () => {
    assert.ok(loosely(() => 1, { close: undefined, check: undefined }) instanceof ServiceRecipe)
  })

  const REFUSED: readonly (readonly [about: string, given: readonly unknown[], says: string])[] = [
    ['a value', [{}], 'its first argument is not a function'],
    ['nothing', [], 'its first argument is not a function'],
    ['options that are none', [() => 1, 7], 'its options are no record'],
    ['options that are null', [() => 1, null], 'its options are no record'],
    ['a misspelt option', [() => 1, { closes: () => {} }], 'Did you mean "close"?'],
    ['an unknown option', [() => 1, { order: 1 }], 'unknown option "order". Known are close, check'],
    ['a close that is no function', [() => 1, { close: true }], '"close" is not a function'],
    ['a check that is no function', [() => 1, { check: 'yes' }], '"check" is not a function'],
  ]
  for (const [about, given, says] of REFUSED) {
    it(`refuses ${about}`, () => assertRefused(() => loosely(...given), 'SERVICE_INVALID', says))
  }
})
