import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { provide, Route } from 'verbena'
import { readClassUses } from '#src/route/class-uses.js'
import { assertRefused, loosely } from '#test/apps.js'

const user = provide({}, () => 'user')
const admin = provide({ uses: { user } }, () => 'admin')
const owner = provide({ uses: { admin } }, () => 'owner')
const tx = provide({}, () => 'tx')

abstract class SignedIn extends Route {
  static readonly uses: object = { user }
}

/** A class below `SignedIn` with `uses` of its own, or none. */
function below(uses?: unknown, base: typeof SignedIn = SignedIn) {
  class Sub extends base {
    get() {}
  }
  if (uses !== undefined) Object.defineProperty(Sub, 'uses', { value: uses })
  return Sub
}

const namesOf = (routeClass: new () => object): string[] => readClassUses(routeClass, 'Sub').map(({ name }) => name)

describe('readClassUses()', () => {
  it('reads nothing where nothing is declared', () => {
    class Plain extends Route {}
    assert.deepEqual(namesOf(Plain), [])
  })

  it('inherits them, and takes more in the order in which they stand', () => {
    assert.deepEqual(namesOf(below()), ['user'])
    assert.deepEqual(namesOf(below({ tx, user })), ['tx', 'user'])
  })

  it('takes a provider in the place of one that it uses, through others too', () => {
    for (const uses of [{ user: admin }, { user: owner }]) assert.deepEqual(namesOf(below(uses)), ['user'])
  })

  const DROPPED: readonly (readonly [about: string, uses: unknown, says: string])[] = [
    ['nothing', {}, '"user" is inherited, and it is missing'],
    ['others alone', { tx }, '"user" is inherited, and it is missing'],
    ['the same under another name', { me: user }, '"user" is inherited, and it is missing'],
    ['another in its place', { user: tx }, 'another provider stands there, which does not use it'],
  ]
  for (const [about, uses, says] of DROPPED) {
    it(`refuses ${about} instead of what is inherited`, () => {
      assertRefused(
        () => loosely({ routes: { Sub: below(uses) } }),
        'USES_INVALID',
        'the class "Sub"',
        says,
        '...super',
      )
    })
  }

  it('refuses to drop what a class further up says', () => {
    const Middle = below({ user, tx })
    assert.deepEqual(namesOf(below({ user, tx }, Middle)), ['user', 'tx'])
    for (const uses of [{ user }, { tx }]) {
      assertRefused(() => readClassUses(below(uses, Middle), 'Sub'), 'USES_INVALID', 'it is missing')
    }
  })

  it('reads providers that use each other to the end', () => {
    const needs: { uses: Record<string, typeof user> } = { uses: {} }
    const round = provide(needs, () => 'round')
    needs.uses['round'] = round
    assertRefused(() => readClassUses(below({ user: round }), 'Sub'), 'USES_INVALID', 'does not use it')
  })
})

describe('names in uses', () => {
  class Users extends Route {
    helper() {}
    get() {}
  }

  it('are not those of members of the class', () => {
    class OfClass extends Users {
      static readonly uses = { helper: user }
    }
    class OfContract extends Users {
      static readonly get = this.contract({ uses: { helper: user } })
    }
    for (const routes of [{ OfClass }, { OfContract }]) {
      assertRefused(() => loosely({ routes }), 'USES_INVALID', 'it has a member "helper"', 'Rename')
    }
  })

  it('may be those of services', () => {
    class Named extends Users {
      static readonly uses = { db: user }
    }
    assert.ok(loosely({ routes: { Named }, services: { db: 1 } }))
  })
})
