/** The plan of an endpoint: which providers run, in which order, and what gets their values. */
import { SetupError } from '../errors/setup-error.js'
import type { Converters } from '../validation/json-schema.js'
import { textSource, type TextSource } from '../validation/text/text-source.js'
import { type NamedProvider, type ProviderRecipe, readUses, TEXT_SOURCES, usesError } from './provide.js'
import { isSecured, NO_OVERRIDES, originalOf, type Overrides } from './override.js'
import type { TextSources } from './provider-types.js'
import { namesRefusal, refusalOf, type Refusal } from './credentials.js'

interface NeededSource {
  readonly source: keyof TextSources
  readonly text: TextSource
}

/** A name in an input, and the slot in which its value is found. */
export interface NamedSlot {
  readonly name: string
  readonly slot: number
}

/** One provider of an endpoint. */
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
  /** They run before anything of the body is read. */
  readonly guards: readonly ProviderStep[]
  /** They run when the bytes of the body are there, before they are parsed. */
  readonly raw: readonly ProviderStep[]
  /** They run when all sources are valid. */
  readonly others: readonly ProviderStep[]
  readonly given: readonly NamedSlot[]
  /** What the others need; validated together with the sources of the contract. */
  readonly sources: readonly (NeededSource & { readonly slot: number })[]
  readonly grouped: readonly number[]
}

type Phase = 'guards' | 'raw' | 'others'

/** A provider as one endpoint uses it. */
interface Node {
  readonly provider: ProviderRecipe
  readonly name: string
  readonly slot: number
  readonly uses: readonly NamedNode[]
  phase: Phase | null
}

interface NamedNode {
  readonly name: string
  readonly node: Node
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
   * The plan of an endpoint; `null` where nothing is used. What its groups use are guards, whatever they are made of, and give
   * the handler nothing; it gets what class and contract use.
   */
  plan(ofGroups: readonly NamedProvider[], own: readonly NamedProvider[], where: string): ProviderPlan | null {
    const nodes: Nodes = new Map()
    const grouped = ofGroups.map((entry) => nodeOf(entry, nodes, this.#overrides, []))
    const given = own.map((entry) => nodeOf(entry, nodes, this.#overrides, []))
    if (nodes.size === 0) return null
    const list = [...nodes.values()]
    assignPhases(list, grouped, where)
    const stepsOf = (wanted: Phase): ProviderStep[] =>
      list.filter(({ phase }) => phase === wanted).map((node) => this.#stepOf(node))
    const others = stepsOf('others')
    return {
      guards: stepsOf('guards'),
      raw: stepsOf('raw'),
      others: others.map((step) => ({ ...step, sources: [] })),
      given: uniqueNames(given, where).map(slotOf),
      sources: others.flatMap(({ slot, sources }) => sources.map((source) => ({ ...source, slot }))),
      grouped: grouped.map(({ node }) => node.slot),
    }
  }

  #stepOf({ provider, name, slot, uses }: Node): ProviderStep {
    const refusal = refusalOf(originalOf(provider))
    return { provider, name, slot, uses: uses.map(slotOf), sources: this.#sourcesOf(provider), refusal }
  }

  /** Prepared once, however many endpoints use it. */
  #sourcesOf(provider: ProviderRecipe): readonly NeededSource[] {
    const known = this.#sources.get(provider)
    if (known !== undefined) return known
    const made = sourcesOf(provider.needs, this.#converters)
    this.#sources.set(provider, made)
    return made
  }
}

type Nodes = Map<ProviderRecipe, Node>

/** Adds a provider to `nodes`, behind those that it uses. */
function nodeOf(entry: NamedProvider, nodes: Nodes, overrides: Overrides, trail: readonly NamedProvider[]): NamedNode {
  const { name } = entry
  const provider = overrides.of(entry.provider)
  const known = nodes.get(provider)
  if (known !== undefined) return { name, node: known }
  checkCycle(entry, trail)
  const uses = readUses(provider.needs.uses ?? {}, `the provider "${name}"`).map((used) =>
    nodeOf(used, nodes, overrides, [...trail, entry]),
  )
  const made: Node = { provider, name, slot: nodes.size, uses, phase: null }
  nodes.set(provider, made)
  return { name, node: made }
}

function checkCycle({ provider, name }: NamedProvider, trail: readonly NamedProvider[]): void {
  const start = trail.findIndex((before) => before.provider === provider)
  if (start < 0) return
  const circle = [...trail.slice(start).map((before) => before.name), name].join(' -> ')
  const wayOut = 'Take what both need into a third provider'
  throw new SetupError('PROVIDER_CYCLE', `Cannot resolve "${name}": its providers use each other, ${circle}. ${wayOut}`)
}

/** Guards take with them what they use, and so do those that need the bytes of the body. */
function assignPhases(nodes: readonly Node[], grouped: readonly NamedNode[], where: string): void {
  for (const node of nodes) if (isGuard(node)) take(node, 'guards')
  for (const { node } of grouped) take(node, 'guards')
  for (const node of nodes) {
    if (node.provider.needs.rawBody !== true) continue
    if (node.phase === 'guards') throw rawGuard(where, node.name)
    take(node, 'raw')
  }
  for (const node of nodes) take(node, 'others')
}

function take(node: Node, phase: Phase): void {
  if (node.phase !== null) return
  node.phase = phase
  for (const used of node.uses) take(used.node, phase)
}

/** A guard has a security scheme, or uses a provider that has one and names 401 or 403, as roles do. */
function isGuard({ provider }: Node): boolean {
  const { security, errors } = provider.needs
  return security !== undefined || (isSecured(provider) && namesRefusal(errors))
}

function rawGuard(where: string, name: string): SetupError {
  const state = `"${name}" needs "rawBody", but it is a guard, or a guard uses it, and guards run before the body is read`
  return usesError(where, `${state}. Look at the body in a provider that is no guard`)
}

/** The sources of a contract, or of what a provider needs, each with what reads it. */
export function sourcesOf(schemas: TextSources, converters: Converters): NeededSource[] {
  return TEXT_SOURCES.flatMap((source) => {
    const schema = schemas[source]
    if (schema === undefined) return []
    const narrow = source === 'headers' || source === 'cookies'
    return [{ source, text: textSource(schema, { converters, narrow }) }]
  })
}

/** Class and contract may use the same provider under one name, but not two. */
function uniqueNames(given: readonly NamedNode[], where: string): readonly NamedNode[] {
  const byName = new Map<string, NamedNode>()
  for (const entry of given) {
    const other = byName.get(entry.name) ?? entry
    if (other.node !== entry.node) {
      throw usesError(where, `"${entry.name}" stands for two providers. Give one of them another name`)
    }
    byName.set(entry.name, entry)
  }
  return [...byName.values()]
}

function slotOf({ name, node }: NamedNode): NamedSlot {
  return { name, slot: node.slot }
}
