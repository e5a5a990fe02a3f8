/** A redeclared contract must keep the guards of the inherited contract. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bearer, createApp, HttpError, optional, provide, Route } from 'verbena'
import { session } from 'verbena/session'
import { override, testApp } from 'verbena/testing'
import * as z from 'zod'
import { sendRequest, assertSetupError, createUntypedApp } from '#test/apps.js'

const user = bearer(async (token) => (token === 'ada' ? { name: 'ada' } : undefined))
const admin = provide({ uses: { user }, errors: [403] }, ({ user: { name } }) => {
  if (name !== 'ada') throw new HttpError(403, 'Only for Ada')
  return name
})
const owner = provide({ uses: { admin } }, () => 'owner')
const signed = provide({ rawBody: true, errors: [401] }, () => true)
const checked = provide({ guard: true }, () => true)
const visitor = session({ schema: z.object({ id: z.string() }), keys: ['k'.repeat(32)] })
const tx = provide({}, () => 'tx')
const audit = provide({ uses: { user } }, () => 'audit')

/** Creates a class with a redeclared contract for `verb`, without the types that would reject it. */
function redeclared(uses: object | undefined, inherited: object, verb: 'get' | 'post' = 'post', statics: object = {}) {
  class Base extends Route {
    get() {
      return 'ok'
    }
    post() {
      return 'ok'
    }
  }
  Object.defineProperty(Base, verb, { value: Base.contract({ uses: { ...inherited } }) })
  class Sub extends Base {}
  const own = uses === undefined ? undefined : Sub.contract({ uses: { ...uses } })
  Object.defineProperty(Sub, verb, { value: own })
  for (const [name, value] of Object.entries(statics)) Object.defineProperty(Sub, name, { value })
  return Sub
}

describe('redeclared contract: inherited guards', () => {
  const MISSING: readonly (readonly [about: string, uses: object | undefined, inherited: object, says: string])[] = [
    ['without uses', {}, { user }, 'the guard "user" of the inherited contract is missing'],
    ['that is undefined', undefined, { user }, 'the guard "user" of the inherited contract is missing'],
    ['with another provider', { tx }, { user }, 'the guard "user" of the inherited contract is missing'],
    [
      'with the guard under another name',
      { me: user },
      { user },
      'the guard "user" of the inherited contract is missing',
    ],
    [
      'with another provider under the name of the guard',
      { user: tx },
      { user },
      'is replaced by a provider that does not use it',
    ],
    [
      'with the guard made optional',
      { user: optional(user) },
      { user },
      'is replaced by a provider that does not use it',
    ],
    ['without the session', {}, { visitor }, 'the guard "visitor" of the inherited contract is missing'],
    ['without the role', { user }, { user, admin }, 'the guard "admin" of the inherited contract is missing'],
    [
      'without a guard that has guard: true',
      {},
      { checked },
      'the guard "checked" of the inherited contract is missing',
    ],
    [
      'without a provider that verifies the raw body',
      {},
      { signed },
      'the guard "signed" of the inherited contract is missing',
    ],
    [
      'without a provider that uses the guard',
      { tx },
      { audit },
      'a guard that "audit" of the inherited contract uses is missing',
    ],
  ]
  for (const [about, uses, inherited, says] of MISSING) {
    it(`rejects a contract ${about}`, () => {
      assertSetupError(
        () => createUntypedApp({ routes: { Sub: redeclared(uses, inherited) } }),
        'USES_INVALID',
        '"Sub.post"',
        says,
      )
    })
  }

  const KEPT: readonly (readonly [about: string, uses: object, inherited: object, statics?: object])[] = [
    ['with the same guard', { user }, { user }],
    ['with a provider that uses the guard', { user: admin }, { user }],
    ['with a provider that uses the guard indirectly', { user: owner }, { user }],
    ['with more guards', { user, admin }, { user }],
    ['without providers that are not guards', {}, { tx }],
    ['with the guard in static uses', {}, { user }, { uses: { user } }],
    ['with the guard instead of a provider that uses it', { user }, { audit }],
    ['with an override of the guard', { user: override(user, () => ({ name: 'ben' })) }, { user }],
    [
      'with a provider that uses a guard with an override',
      { user: admin },
      { user: override(user, () => ({ name: 'ben' })) },
    ],
  ]
  for (const [about, uses, inherited, statics] of KEPT) {
    it(`accepts a contract ${about}`, () => {
      assert.ok(createUntypedApp({ routes: { Sub: redeclared(uses, inherited, 'post', statics) } }))
    })
  }

  it('requires the guards of all base classes', () => {
    class Top extends Route {
      static readonly get: unknown = this.contract({ uses: { user } })
      get() {
        return 'ok'
      }
    }
    class Middle extends Top {
      static override readonly get: unknown = this.contract({ uses: { user, admin } })
    }
    class Bottom extends Middle {
      static override readonly get: unknown = this.contract({ uses: { user } })
    }
    assertSetupError(() => createUntypedApp({ routes: { Bottom } }), 'USES_INVALID', '"Bottom.get"', '"admin"')
    assert.ok(createUntypedApp({ routes: { Middle } }))
  })

  it('accepts the guard again after a class without a contract', () => {
    class Middle extends redeclared({}, {}) {
      static post: unknown = undefined
    }
    class Bottom extends Middle {
      static override post: unknown = this.contract({ uses: { user } })
    }
    assert.ok(createUntypedApp({ routes: { Bottom } }))
  })

  it('requires the guards for all verbs and for overridden methods', () => {
    class Sub extends redeclared({}, { user }, 'get') {
      override get() {
        return 'open'
      }
    }
    assertSetupError(() => createUntypedApp({ routes: { Sub } }), 'USES_INVALID', '"Sub.get"')
  })

  it('runs the guard, and its override in a test', async () => {
    const app = createUntypedApp({ routes: { Sub: redeclared({ user: admin }, { user }) } })
    assert.equal((await sendRequest(app, '/sub', { method: 'POST' })).status, 401)
    assert.equal(
      (await sendRequest(app, '/sub', { method: 'POST', headers: { authorization: 'Bearer ada' } })).status,
      200,
    )
    const { api } = await testApp(createApp({ routes: { Sub: redeclared({ user: admin }, { user }) } }), {
      override: [override(admin, () => 'ben')],
    })
    assert.equal((await api('/sub').post()).status, 200)
  })

  it('accepts providers that use each other', () => {
    const needs: { uses: Record<string, typeof tx> } = { uses: {} }
    const round = provide(needs, () => 'round')
    needs.uses['round'] = round
    assert.ok(createUntypedApp({ routes: { Sub: redeclared({ tx }, { round }) } }))
  })
})
