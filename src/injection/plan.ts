/** The plan of an endpoint: which providers run, in which order, and what gets their values. */
import { SetupError } from '../errors/setup-error.js'
import type { Converters } from '../validation/json-schema.js'
import { assertExpressible, textSource, type StringSource } from '../validation/text/string-source.js'
import { readUses, TEXT_SOURCES, usesError } from './provide.js'
import type { NamedProvider, ProviderRecipe, TextSources } from './provide.js'
import { isSecured, NO_OVERRIDES, unwrapOverride, type Overrides } from './override.js'
import { namesRefusal, findRefusal, type Refusal } from './credentials.js'

interface NeededSource {
  readonly source: keyof TextSources
  readonly text: StringSource
}

/** A name in an input, and the slot in which its value is found. */
export interface NamedSlot {
  readonly name: string
  readonly slot: number
}

export interface ProviderStep {
  readonly provider: ProviderRecipe
  /** The name it was first found under, for log and errors. */
  readonly name: string
  readonly slot: number
  readonly uses: readonly NamedSlot[]
  /** What is validated when its turn comes. */
  readonly sources: readonly NeededSource[]
  /** How the request is refused when the value is `false`; `null` where that is a value like any other. */
  readonly refusal: Refusal | null
}

/** The providers of an endpoint, each once and behind those it uses. */
export interface ProviderPlan {
  /** They run before anything of the body is read; preconditions and sessions come last. */
  readonly guards: readonly ProviderStep[]
  /** They run when the bytes of the body are there, before they are parsed. */
  readonly raw: readonly ProviderStep[]
  /** They run when all sources are valid. */
  readonly others: readonly ProviderStep[]
  readonly given: readonly NamedSlot[]
  /** What the others need; validated together with the sources of the contract. */
  readonly sources: readonly (NeededSource & { readonly slot: number })[]
  readonly grouped: readonly number[]
  /** Slot of the guard that runs behind all others; `null` where none does. */
  readonly last: number | null
  readonly readsCredentials: boolean
}

type PlanPhase = 'guards' | 'last' | 'early' | 'raw' | 'others'

interface ProviderNode extends Omit<ProviderStep, 'sources' | 'refusal'> {
  phase: PlanPhase | null
}

export class ProviderPlanner {
  readonly #converters: Converters
  readonly #overrides: Overrides
  readonly #sources = new Map<ProviderRecipe, readonly NeededSource[]>()

  constructor(converters: Converters, overrides: Overrides = NO_OVERRIDES) {
    this.#converters = converters
    this.#overrides = overrides
  }

  /**
   * Returns `null` where nothing is used. What groups use are always guards, and the handler does not get their values, nor that of `last`,
   * a guard for what looks at the bytes of the body: preconditions wait for that.
   */
  plan(
    ofGroups: readonly NamedProvider[],
    own: readonly NamedProvider[],
    where: string,
    last: NamedProvider | null = null,
  ): ProviderPlan | null {
    const nodes: ProviderNode[] = []
    const groupSlots = ofGroups.map((entry) => this.#place(entry, nodes, []).slot)
    const placed = own.map((entry) => this.#place(entry, nodes, []))
    const lastSlot = last === null ? null : this.#place(last, nodes, []).slot
    if (nodes.length === 0) return null
    assignPhases(nodes, groupSlots, where)
    const stepsOf = (wanted: PlanPhase): ProviderStep[] =>
      nodes.filter(({ phase }) => phase === wanted).map((node) => this.#stepOf(node))
    const otherNodes = stepsOf('others')
    const guards = [...stepsOf('guards'), ...stepsOf('last')]
    const [early, raw] = [stepsOf('early'), stepsOf('raw')]
    return {
      ...(last === null ? { guards: [...guards, ...early], raw } : { guards, raw: [...early, ...raw] }),
      others: otherNodes.map((step) => ({ ...step, sources: [] })),
      given: uniqueNames(placed, where),
      sources: otherNodes.flatMap(({ slot, sources }) => sources.map((source) => ({ ...source, slot }))),
      grouped: groupSlots,
      last: lastSlot,
      readsCredentials: nodes.some(({ provider }) => unwrapOverride(provider).readsCredentials),
    }
  }

  /** Adds a provider to `nodes`, behind those that it uses. */
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

  /** The sources of a provider are prepared once, however many endpoints use it. */
  #stepOf({ provider, name, slot, uses }: ProviderNode): ProviderStep {
    const sources =
      this.#sources.get(provider) ?? planSources(provider.needs, this.#converters, `the provider "${name}"`)
    this.#sources.set(provider, sources)
    return { provider, name, slot, uses, sources, refusal: findRefusal(unwrapOverride(provider)) }
  }
}

function checkCycle({ provider, name }: NamedProvider, trail: readonly NamedProvider[]): void {
  const start = trail.findIndex((before) => before.provider === provider)
  if (start < 0) return
  const circle = [...trail.slice(start).map((before) => before.name), name].join(' -> ')
  const fix = 'Take what both need into a third provider'
  throw new SetupError('PROVIDER_CYCLE', `Cannot resolve "${name}": its providers use each other, ${circle}. ${fix}`)
}

/** Guards take with them what they use, and so do preconditions and those that need the bytes of the body. */
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

function phaseOrder(nodes: readonly ProviderNode[], slot: number): ProviderRecipe['place'] | undefined {
  const node = nodes[slot]
  return node && unwrapOverride(node.provider).place
}

function takeRaw(nodes: readonly ProviderNode[], where: string): void {
  for (const { provider, phase, name, slot } of nodes) {
    if (provider.needs.rawBody !== true) continue
    if (phase === 'guards' || phase === 'early') {
      const state = `"${name}" needs "rawBody", but it is a guard or a precondition, or one of these uses it`
      const fix = 'Look at the body in another provider'
      throw usesError(where, `${state}, and guards run before the body is read. ${fix}`)
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

/** A guard says so, has a security scheme, or uses a provider that has one and names 401 or 403, as roles do. */
export function isGuard(provider: ProviderRecipe): boolean {
  const { guard, security, errors } = provider.needs
  return guard === true || security !== undefined || (isSecured(provider) && namesRefusal(errors))
}

const FIX =
  'Describe a string, number, boolean, or a list of these, or send the value in a JSON body. A string can be parsed by the schema'

/** The sources of a contract, or of what a provider needs, each with what reads it. */
export function planSources(schemas: TextSources, converters: Converters, where: string): NeededSource[] {
  return TEXT_SOURCES.flatMap((source) => {
    const schema = schemas[source]
    if (schema === undefined) return []
    const narrow = source === 'headers' || source === 'cookies'
    const text = textSource(schema, converters, narrow)
    if (source !== 'params') assertExpressible(text, `"${source}" in ${where}`, FIX)
    return [{ source, text }]
  })
}

/** Class and contract may use the same provider under one name, but not two. */
function uniqueNames(given: readonly NamedSlot[], where: string): readonly NamedSlot[] {
  const byName = new Map<string, NamedSlot>()
  for (const entry of given) {
    const replacement = byName.get(entry.name) ?? entry
    if (replacement.slot !== entry.slot) {
      throw usesError(where, `"${entry.name}" stands for two providers. Give one of them another name`)
    }
    byName.set(entry.name, entry)
  }
  return [...byName.values()]
}
