import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { precondition, provide, type AnyProvider } from 'verbena'
import type { ProviderPlan } from '#src/injection/plan.js'
import { ProviderPlanner } from '#src/setup/provider-planner.js'
import { ProviderRecipe, readUses } from '#src/injection/provide.js'
import { assertSetupError } from '#test/apps.js'
import * as fc from 'fast-check'
import * as z from 'zod'

type Layers = Partial<Record<'group' | 'class' | 'contract', object>>

const security = { type: 'http' } as const
const value = () => 1

/** Returns the plan of an endpoint with these `uses`. */
function planOf({ group = {}, class: ofClass = {}, contract = {} }: Layers): ProviderPlan | null {
  const own = [...readUses(ofClass, 'the class "Users"'), ...readUses(contract, 'a contract of "Users"')]
  return new ProviderPlanner({}).plan(readUses(group, 'a group'), own, '"Users.get"')
}

/** Returns the names of the steps: guards | raw | others. */
function orderOf(layers: Layers): string {
  const plan = planOf(layers)
  const phases = plan === null ? [] : [plan.guards, plan.raw, plan.others]
  return phases.map((steps) => steps.map(({ name }) => name).join(' ')).join(' | ')
}

const a = provide({}, value)
const b = provide({}, value)
const onA = provide({ uses: { a } }, value)
const onBoth = provide({ uses: { b, onA } }, value)
const user = provide({ security }, value)
const guarded = provide({ security, uses: { a } }, value)
const profile = provide({ uses: { user } }, value)
const admin = provide({ uses: { user }, errors: [403] }, value)
const member = provide({ uses: { profile }, errors: { 401: 'Who are you?' } }, value)
const found = provide({ uses: { user }, errors: [404] }, value)
const picky = provide({ errors: [403] }, value)
const raw = provide({ rawBody: true }, value)
const rawOnA = provide({ rawBody: true, uses: { a } }, value)
const onRaw = provide({ uses: { raw } }, value)

const ORDERS: readonly (readonly [about: string, layers: Layers, order: string])[] = [
  ['no providers if none are used', {}, ''],
  [
    'providers of group, class and contract in this order',
    { contract: { a }, class: { b }, group: { onA: picky } },
    'onA |  | b a',
  ],
  ['used providers before the provider that uses them', { contract: { onBoth } }, ' |  | b a onA onBoth'],
  ['each provider once, at its first use', { class: { onA, a }, contract: { onBoth, a } }, ' |  | a onA b onBoth'],
  ['a provider with a security scheme first', { class: { a }, contract: { b, user } }, 'user |  | a b'],
  ['providers that a guard uses among the guards', { class: { b }, contract: { guarded } }, 'a guarded |  | b'],
  ['roles first', { class: { a }, contract: { admin } }, 'user admin |  | a'],
  ['roles that use a scheme indirectly first', { contract: { a, member } }, 'user profile member |  | a'],
  ['providers that do not reject after the body', { contract: { found, profile } }, 'user |  | found profile'],
  ['a provider with 403 but without a scheme after the body', { contract: { picky } }, ' |  | picky'],
  ['all providers of a group first', { group: { a, onBoth }, class: { user } }, 'a b onA onBoth user |  | '],
  [
    'providers of the raw body between guards and others',
    { class: { a, user }, contract: { raw, b } },
    'user | raw | a b',
  ],
  [
    'providers that a raw provider uses among the raw providers',
    { class: { b, a }, contract: { rawOnA } },
    ' | a rawOnA | b',
  ],
  ['providers that use a raw provider after it', { contract: { onRaw } }, ' | raw | onRaw'],
  [
    'providers that guards and raw providers use among the guards',
    { contract: { rawOnA, guarded } },
    'a guarded | rawOnA | ',
  ],
]

describe('ProviderPlanner', () => {
  for (const [about, layers, order] of ORDERS) {
    it(`puts ${about}`, () => assert.equal(orderOf(layers), order))
  }

  it('returns null if no providers are used', () => {
    assert.equal(planOf({}), null)
  })

  it('passes values of class and contract to handlers, not of groups or used providers', () => {
    const plan = planOf({ group: { b }, class: { one: a, user }, contract: { onA, user } })
    assert.deepEqual(
      plan?.contractSlots.map(({ name }) => name),
      ['one', 'user', 'onA'],
    )
  })

  it('maps names to the slots of their providers', () => {
    const plan = planOf({ class: { first: a, second: a }, contract: { onBoth } })
    const steps = [...(plan?.guards ?? []), ...(plan?.others ?? [])]
    const slotAt = (provider: AnyProvider) => steps.find((step) => Object.is(step.provider, provider))?.slot
    assert.equal(new Set(steps.map(({ slot }) => slot)).size, steps.length)
    assert.deepEqual(plan?.contractSlots.slice(0, 2), [
      { name: 'first', slot: slotAt(a) },
      { name: 'second', slot: slotAt(a) },
    ])
    assert.deepEqual(steps.find((step) => Object.is(step.provider, onBoth))?.uses, [
      { name: 'b', slot: slotAt(b) },
      { name: 'onA', slot: slotAt(onA) },
    ])
  })

  it('validates sources of guards separately, and all other sources with the contract', () => {
    const query = z.object({ page: z.string() })
    const plan = planOf({
      contract: {
        key: provide({ security, query, headers: z.object({}) }, value),
        sig: provide({ rawBody: true, headers: z.object({}) }, value),
        page: provide({ query, cookies: z.object({}), params: z.object({}) }, value),
      },
    })
    const sourcesOf = (steps: ProviderPlan['guards'] = []) =>
      steps.map(({ sources }) => sources.map((each) => each.source))
    assert.deepEqual(sourcesOf(plan?.guards), [['query', 'headers']])
    assert.deepEqual(sourcesOf(plan?.raw), [['headers']])
    assert.deepEqual(sourcesOf(plan?.others), [[]])
    const [step] = plan?.others ?? []
    assert.deepEqual(
      plan?.sources.map(({ source, slot }) => [source, slot]),
      [
        ['params', step?.slot],
        ['query', step?.slot],
        ['cookies', step?.slot],
      ],
    )
  })

  it('prepares the sources of a provider once for all endpoints', () => {
    const key = provide({ security, query: z.object({}) }, value)
    const planner = new ProviderPlanner({})
    const uses = readUses({ key }, 'a')
    const [one, two] = [planner.plan([], uses, 'a'), planner.plan([], uses, 'b')]
    assert.equal(one?.guards[0]?.sources, two?.guards[0]?.sources)
  })

  it('accepts one provider twice under one name, but not two providers', () => {
    assert.equal(orderOf({ class: { user }, contract: { user } }), 'user |  | ')
    assertSetupError(
      () => planOf({ class: { user }, contract: { user: a } }),
      'USES_INVALID',
      '"Users.get"',
      '"user" names two different providers',
    )
  })

  it('rejects a cycle, and prints it', () => {
    const uses: Record<string, AnyProvider> = {}
    const first = provide({ uses }, value)
    const second = provide({ uses: { first } }, value)
    const third = provide({ uses: { second } }, value)
    uses['third'] = third
    const circle = 'first -> third -> second -> first'
    assertSetupError(() => planOf({ contract: { onA, first } }), 'PROVIDER_CYCLE', `use each other, ${circle}.`)
    const own: Record<string, AnyProvider> = {}
    own['self'] = provide({ uses: own }, value)
    assertSetupError(() => planOf({ class: own }), 'PROVIDER_CYCLE', 'self -> self', 'a third provider')
  })

  it('rejects guards that need the body', () => {
    const late = provide({ uses: { rawUser: raw }, security }, value)
    const REFUSED: readonly (readonly [layers: Layers, name: string])[] = [
      [{ group: { raw } }, 'raw'],
      [{ class: { key: provide({ security, rawBody: true }, value) } }, 'key'],
      [{ contract: { late } }, 'rawUser'],
      [{ contract: { raw }, group: { onRaw } }, 'raw'],
    ]
    for (const [layers, name] of REFUSED) {
      assertSetupError(() => planOf(layers), 'USES_INVALID', `"${name}" needs "rawBody"`, 'these run before the body')
    }
  })

  it('rejects a used value that is not a provider, and names both', () => {
    // Proof: the test passes a value that the types reject.
    const uses = { later: undefined } as unknown as Record<string, AnyProvider>
    const broken = provide({ uses }, value)
    assertSetupError(
      () => planOf({ class: { broken } }),
      'USES_INVALID',
      'the provider "broken"',
      '"later" must be a provider',
    )
  })

  it('plans every used provider once, after the providers that it uses', () => {
    // Each provider uses some of the earlier ones. Any of them may have a scheme, need the raw body, or be a role.
    const shape = fc.array(
      fc.record({
        uses: fc.array(fc.nat(20), { maxLength: 3 }),
        kind: fc.constantFrom('plain', 'plain', 'secured', 'role', 'raw'),
      }),
      { minLength: 1, maxLength: 12 },
    )
    fc.assert(
      fc.property(shape, fc.array(fc.nat(20), { minLength: 1, maxLength: 4 }), (nodes, wanted) => {
        const made: AnyProvider[] = []
        const usesOf: number[][] = []
        for (const [index, { uses, kind }] of nodes.entries()) {
          const used = index === 0 || kind === 'raw' ? [] : [...new Set(uses.map((each) => each % index))]
          const clean = used.filter((each) => kind === 'plain' || !reachesRaw(each, usesOf, nodes))
          usesOf.push(clean)
          const given = Object.fromEntries(clean.map((each) => [`p${each}`, made[each]]))
          // Proof: all names exist in the map.
          const uses2 = given as Record<string, AnyProvider>
          made.push(provide({ uses: uses2, ...NEEDS[kind] }, value))
        }
        const roots = [...new Set(wanted.map((each) => each % nodes.length))]
        const plan = planOf({ contract: Object.fromEntries(roots.map((each) => [`p${each}`, made[each]])) })
        const order = [...(plan?.guards ?? []), ...(plan?.raw ?? []), ...(plan?.others ?? [])]
        const names = order.map(({ provider }) => made.findIndex((each) => Object.is(each, provider)))
        assert.deepEqual(names.toSorted(byNumber), closure(roots, usesOf).toSorted(byNumber))
        for (const [place, name] of names.entries()) {
          for (const used of usesOf[name] ?? []) assert.ok(names.indexOf(used) < place, `${used} after ${name}`)
        }
        const secured = names.filter((name) => nodes[name]?.kind === 'secured')
        const guards = names.slice(0, plan?.guards.length ?? 0)
        assert.ok(secured.every((name) => guards.includes(name)))
      }),
    )
  })
})

describe('ProviderPlanner: within', () => {
  const by = provide({ guard: true }, value)
  const late = provide({}, value, { ends: 'after-response' })
  const stepOf = (uses: object, within: AnyProvider) => {
    assert.ok(within instanceof ProviderRecipe && by instanceof ProviderRecipe)
    const plan = new ProviderPlanner({}).plan([], readUses(uses, 'a test'), '"Users.post"', { by, within })
    return plan?.others.find(({ slot }) => slot === plan.within)?.provider
  }

  it('finds the slot of the provider, which the endpoint uses itself or through others', () => {
    assert.equal(stepOf({ b, a }, a), a)
    assert.equal(stepOf({ onBoth }, a), a)
  })

  it('rejects a provider that is missing, runs before the lookup of the key, or ends after the response', () => {
    const wrong: readonly (readonly [object, AnyProvider, RegExp])[] = [
      [{ b }, a, /it is not a provider of the endpoint\. Add it to "uses"/],
      [{ guarded }, a, /"a" is a guard or a precondition, or is used by one/],
      [{ user }, user, /"user" is a guard or a precondition/],
      [{ b }, by, /"idempotency" is a guard or a precondition/],
      [{ revision: precondition({ uses: { a } }, value) }, a, /"a" is a guard or a precondition/],
      [{ late }, late, /"late" ends after the response\. Remove "ends: 'after-response'"/],
    ]
    for (const [uses, within, why] of wrong) {
      const reject = (): unknown => stepOf(uses, within)
      assertSetupError(reject, 'CONTRACT_INVALID', 'Cannot use "within" of the idempotency of "Users.post": ', why)
    }
  })
})

const NEEDS = { plain: {}, secured: { security }, role: { errors: [403] }, raw: { rawBody: true } } as const

const byNumber = (one: number, other: number): number => one - other

function closure(roots: readonly number[], usesOf: readonly (readonly number[])[]): number[] {
  const seen = new Set<number>()
  const visit = (node: number): void => {
    seen.add(node)
    for (const used of usesOf[node] ?? []) visit(used)
  }
  for (const root of roots) visit(root)
  return [...seen]
}

function reachesRaw(node: number, usesOf: readonly (readonly number[])[], nodes: readonly { kind: string }[]): boolean {
  return closure([node], usesOf).some((each) => nodes[each]?.kind === 'raw')
}
