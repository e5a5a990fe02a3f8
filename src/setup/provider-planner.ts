/** Plans the providers of an endpoint: which ones run, in which order, and who receives their values. */
import { SetupError } from '../errors/setup-error.js'
import { findRejection } from '../injection/credentials.js'
import { isBuiltOn, unwrapOverride } from '../injection/override.js'
import { isGuard, type NamedSlot, type NeededSource, type ProviderPlan, type ProviderStep } from '../injection/plan.js'
import {
  type ProviderRecipe,
  type NamedProvider,
  readUses,
  usesError,
  type TextSources,
  TEXT_SOURCES,
} from '../injection/provide.js'
import type { StartSettings } from '../injection/services.js'
import { NO_OVERRIDES, type Overrides } from './override.js'
import type { IdempotencyRecipe } from '../route/idempotency.js'
import type { Converters } from '../validation/describe-schema.js'
import { textSource, assertExpressible } from '../validation/text/string-source.js'

type PlanPhase = 'guards' | 'last' | 'early' | 'raw' | 'others'

interface ProviderNode extends Omit<ProviderStep, 'sources' | 'rejection'> {
  phase: PlanPhase | null
}

export class ProviderPlanner {
  readonly #converters: Converters
  readonly #overrides: Overrides
  readonly #sources = new Map<ProviderRecipe, readonly NeededSource[]>()
  /** Settings of all planned providers that are functions of the services. */
  readonly settings: Set<StartSettings> = new Set()

  constructor(converters: Converters, overrides: Overrides = NO_OVERRIDES) {
    this.#converters = converters
    this.#overrides = overrides
  }

  /**
   * Returns `null` if the endpoint uses no providers. Providers of groups always run as guards, and the handler does not receive their
   * values. The handler does not receive the value of `by` of idempotency either, which is the last guard. With idempotency, preconditions
   * run after the body is read, because the lookup of a key compares the bytes of the body, and a replay skips preconditions.
   */
  plan(
    ofGroups: readonly NamedProvider[],
    own: readonly NamedProvider[],
    where: string,
    once: Pick<IdempotencyRecipe, 'by' | 'within'> | null = null,
  ): ProviderPlan | null {
    const nodes: ProviderNode[] = []
    const groupSlots = ofGroups.map((entry) => this.#place(entry, nodes, []).slot)
    const placed = own.map((entry) => this.#place(entry, nodes, []))
    const lastSlot = once === null ? null : this.#place({ name: 'idempotency', provider: once.by }, nodes, []).slot
    if (nodes.length === 0) return null
    assignPhases(nodes, groupSlots, where)
    const stepsOf = (wanted: PlanPhase): ProviderStep[] =>
      nodes.filter(({ phase }) => phase === wanted).map((node) => this.#stepOf(node))
    const otherNodes = stepsOf('others')
    const guards = [...stepsOf('guards'), ...stepsOf('last')]
    const [early, raw] = [stepsOf('early'), stepsOf('raw')]
    return {
      ...(lastSlot === null ? { guards: [...guards, ...early], raw } : { guards, raw: [...early, ...raw] }),
      others: otherNodes.map((step) => ({ ...step, sources: [] })),
      contractSlots: uniqueNames(placed, where),
      sources: otherNodes.flatMap(({ slot, sources }) => sources.map((source) => ({ ...source, slot }))),
      grouped: groupSlots,
      last: lastSlot,
      within: findWithin(nodes, once?.within ?? null, where),
      readsCredentials: nodes.some(({ provider }) => unwrapOverride(provider).readsCredentials),
    }
  }

  /** Adds a provider to `nodes`, after the providers that it uses. */
  #place(entry: NamedProvider, nodes: ProviderNode[], trail: readonly NamedProvider[]): NamedSlot {
    const { name } = entry
    const provider = this.#overrides.of(entry.provider)
    const node = nodes.find((node) => node.provider === provider)
    if (node !== undefined) return { name, slot: node.slot }
    checkCycle(entry, trail)
    const used = readUses(provider.needs.uses ?? {}, `the provider "${name}"`)
    const uses = used.map((inner) => this.#place(inner, nodes, [...trail, entry]))
    const slot = nodes.length
    nodes.push({ provider, name, slot, uses, phase: null })
    return { name, slot }
  }

  #stepOf({ provider, name, slot, uses }: ProviderNode): ProviderStep {
    const sources = this.#sources.get(provider) ?? this.#prepare(provider, name)
    return { provider, name, slot, uses, sources, rejection: findRejection(unwrapOverride(provider)) }
  }

  /** Prepares a provider only once for all endpoints. */
  #prepare(provider: ProviderRecipe, name: string): readonly NeededSource[] {
    const sources = planSources(provider.needs, this.#converters, `the provider "${name}"`)
    for (const neighbor of this.#sources.keys()) provider.checkBeside(neighbor)
    for (const each of provider.settings) this.settings.add(each)
    this.#sources.set(provider, sources)
    return sources
  }
}

function checkCycle({ provider, name }: NamedProvider, trail: readonly NamedProvider[]): void {
  const start = trail.findIndex((before) => before.provider === provider)
  if (start < 0) return
  const circle = [...trail.slice(start).map((before) => before.name), name].join(' -> ')
  const fix = 'Move the shared code to a third provider'
  throw new SetupError('PROVIDER_CYCLE', `Cannot resolve "${name}": its providers use each other, ${circle}. ${fix}`)
}

/** Assigns each provider, with the providers that it uses, to the first phase that matches. */
function assignPhases(nodes: readonly ProviderNode[], grouped: readonly number[], where: string): void {
  for (const node of nodes) if (isGuard(node.provider)) collectPhase(nodes, node.slot, 'guards')
  for (const slot of grouped) if (phaseOrder(nodes, slot) === 'usual') collectPhase(nodes, slot, 'guards')
  for (const { provider, slot } of nodes)
    if (unwrapOverride(provider).place === 'last guard') collectPhase(nodes, slot, 'last')
  for (const { provider, slot } of nodes)
    if (unwrapOverride(provider).place === 'behind guards') collectPhase(nodes, slot, 'early')
  for (const slot of grouped) collectPhase(nodes, slot, 'guards')
  takeRaw(nodes, where)
  for (const { slot } of nodes) collectPhase(nodes, slot, 'others')
}

/** Returns the slot of the provider in whose transaction replies are stored; `null` for an override of a test, which has no transaction. */
function findWithin(nodes: readonly ProviderNode[], within: ProviderRecipe | null, where: string): number | null {
  if (within === null) return null
  const node = nodes.find(({ provider }) => unwrapOverride(provider) === within)
  // The override of a provider does not use the providers that it would use.
  if (node === undefined && nodes.some(({ provider }) => isBuiltOn(provider, within))) return null
  if (node === undefined)
    throw withinError(where, 'it is not a provider of the endpoint. Add it to "uses" of the contract or of the class')
  const { name, phase, provider, slot } = node
  if (phase === 'guards' || phase === 'last' || phase === 'early') {
    const state = `"${name}" is a guard or a precondition, or is used by one`
    throw withinError(where, `${state}, and these run before the key is looked up. Use a separate provider`)
  }
  if (within.ends === 'after-response')
    throw withinError(where, `"${name}" ends after the response. Remove "ends: 'after-response'"`)
  return provider === within ? slot : null
}

function withinError(where: string, why: string): SetupError {
  return new SetupError('CONTRACT_INVALID', `Cannot use "within" of the idempotency of ${where}: ${why}`)
}

function phaseOrder(nodes: readonly ProviderNode[], slot: number): ProviderRecipe['place'] | undefined {
  const node = nodes[slot]
  return node && unwrapOverride(node.provider).place
}

function takeRaw(nodes: readonly ProviderNode[], where: string): void {
  for (const { provider, phase, name, slot } of nodes) {
    if (provider.needs.rawBody !== true) continue
    if (phase === 'guards' || phase === 'early') {
      const state = `"${name}" needs "rawBody", but it is a guard or a precondition, or is used by one`
      const fix = 'Read the body in a separate provider'
      throw usesError(where, `${state}, and these run before the body is read. ${fix}`)
    }
    collectPhase(nodes, slot, 'raw')
  }
}

function collectPhase(nodes: readonly ProviderNode[], slot: number, phase: PlanPhase): void {
  const node = nodes[slot]
  if (node?.phase !== null) return
  node.phase = phase
  for (const used of node.uses) collectPhase(nodes, used.slot, phase)
}

const FIX =
  'Describe a string, a number, a boolean, or an array of these, or send the value in a JSON body. The schema can also parse a string'

export function planSources(schemas: TextSources, converters: Converters, where: string): NeededSource[] {
  return TEXT_SOURCES.flatMap((source) => {
    const schema = schemas[source]
    if (schema === undefined) return []
    const text = textSource(schema, converters, source)
    if (source !== 'params') assertExpressible(text, `"${source}" in ${where}`, FIX)
    return [{ source, text }]
  })
}

/** A class and a contract may use the same provider under the same name, but not two different providers. */
function uniqueNames(slots: readonly NamedSlot[], where: string): readonly NamedSlot[] {
  const byName = new Map<string, NamedSlot>()
  for (const entry of slots) {
    const replacement = byName.get(entry.name) ?? entry
    if (replacement.slot !== entry.slot) {
      throw usesError(where, `"${entry.name}" names two different providers. Rename one of them`)
    }
    byName.set(entry.name, entry)
  }
  return [...byName.values()]
}
