/** `override`: validation and needs. `test/testing` tests overrides in apps. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bearer, provide } from 'verbena'
import { override } from 'verbena/testing'
import * as z from 'zod'
import { isSecured, StandIn } from '#src/injection/override.js'
import { assertSetupError } from '#test/apps.js'

const user = bearer((token) => ({ id: token }))

function recipeOf(made: unknown): StandIn {
  assert.ok(made instanceof StandIn)
  return made
}

describe('override()', () => {
  it('rejects a value that is not a provider, and one that is not a function', () => {
    const loosely = (...given: readonly unknown[]) => Reflect.apply(override, undefined, given)
    assertSetupError(() => loosely({}, () => 1), 'TEST_INVALID', 'must be a provider')
    assertSetupError(() => loosely(user, { id: 'ada' }), 'TEST_INVALID', 'Write "override(provider, () => value)"')
  })

  it('keeps security and errors of a provider, and drops its sources', () => {
    const security = { type: 'http', scheme: 'signature' } as const
    const needs = { security, errors: [401], headers: z.object({ 'x-sig': z.string() }), rawBody: true } as const
    const standIn = recipeOf(
      override(
        provide(needs, () => 1),
        () => 2,
      ),
    )
    assert.deepEqual(standIn.needs, { security, errors: [401] })
    assert.deepEqual(
      recipeOf(
        override(
          provide({ query: z.object({}) }, () => 1),
          () => 2,
        ),
      ).needs,
      {},
    )
  })

  it('isSecured() is true if the provider, or one that it uses, has a security scheme', () => {
    const role = provide({ uses: { deep: provide({ uses: { user } }, () => 1) }, errors: [403] }, () => 1)
    const open = provide({ uses: { plain: provide({}, () => 1) } }, () => 1)
    const facts = [user, role, open].map((each) => isSecured(recipeOf(override(each, () => never()))))
    assert.deepEqual(facts, [true, true, false])
  })
})

function never(): never {
  throw new Error('nobody asks')
}
