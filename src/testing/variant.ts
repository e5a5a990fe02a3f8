/** A variant of an app for tests: the same routes and options, other services and providers. The app itself stays as it is. */
import { makeApp } from '../app/create-app.js'
import { RunningApp, type AppParts } from '../app/running-app.js'
import { SetupError } from '../errors/setup-error.js'
import { suggestion } from '../errors/known-keys.js'
import { WebExchange } from '../http/web-exchange.js'
import { StandIn, Overrides } from '../injection/override.js'
import { ServiceRecipe } from '../injection/service.js'
import type { ServiceValues } from '../injection/service-store.js'
import type { GivenOptions } from '../options/options.js'
import type { Call } from '../request/call.js'
import { serve } from '../request/way.js'
import type { FullOptions } from './test-options.js'

export interface Asked {
  readonly response: Response
  readonly call: Call
  /** Position of its endpoint in the app; -1 where none of the app's has answered. */
  readonly at: number
}

export class Variant<R, S> {
  readonly app: RunningApp<R, S>
  /** The parts of the app itself. */
  readonly source: AppParts
  readonly #parts: AppParts
  /** Calls that may not be over. */
  readonly #calls = new Set<Call>()

  constructor(app: unknown, changes: FullOptions) {
    const source = partsOf(app)
    const overrides = new Overrides(changes.overrides.map(checkedOverride))
    const options = variantOptions(source.options, changes)
    const borrowed = borrowedNames(source.options.services ?? {}, changes.services)
    this.source = source
    this.app = makeApp<R, S>(options, { overrides, borrowed, documents: source.documents })
    this.#parts = partsOf(this.app)
    overrides.checkUsed()
  }

  /** Answers a request, once the app is started. */
  async ask(request: Request): Promise<Asked> {
    const waiting = new Waiting()
    const call = serve(this.#parts.state, new WebExchange(request, (response) => waiting.resolve(response)))
    this.#calls.add(call)
    const response = await waiting.response
    if (call.stage === 'sent' && call.providers.unended.length === 0) this.#calls.delete(call)
    return { response, call, at: this.#positionOf(call) }
  }

  /** What was refused before an endpoint was asked is the answer of none. */
  #positionOf({ endpoint, refusal }: Call): number {
    if (endpoint === null || refusal !== undefined) return -1
    return this.#parts.registry.endpoints.indexOf(endpoint)
  }

  /** Closes the variant, and looks for what its user has left open. */
  async close(): Promise<string[]> {
    await this.app.close()
    const { work } = this.#parts.state
    const found = [...this.#calls].flatMap(stateOf)
    if (found.length > 0 || work.running === 0) return found
    return [`calls are not over: ${work.running}, by an answer that was not read or a task that runs after it`]
  }
}

/** A promise that is made before what resolves it. */
class Waiting {
  resolve: (response: Response) => void = () => {}
  readonly response: Promise<Response> = new Promise((resolve) => {
    this.resolve = resolve
  })
}

function partsOf(app: unknown): AppParts {
  const parts = RunningApp.partsOf(app)
  if (parts !== undefined) return parts
  throw new SetupError('TEST_INVALID', 'Cannot test the app: it is none. Give what "createApp" returns')
}

function checkedOverride(given: unknown): StandIn {
  if (given instanceof StandIn) return given
  const wayOut = 'Write "override: [override(provider, () => value)]"'
  throw new SetupError('TEST_INVALID', `Cannot test the app: something in "override" is no override. ${wayOut}`)
}

/** Without the console: it would record every call, and nobody would see it. */
function variantOptions(options: GivenOptions, { services, logger, patience }: FullOptions): GivenOptions {
  const known = Object.keys(options.services ?? {})
  for (const name of Object.keys(services)) {
    if (known.includes(name)) continue
    const wayOut = `Its services are ${known.join(', ') || 'none'}`
    throw new SetupError(
      'TEST_INVALID',
      `Cannot replace the service "${name}": the app has none of this name.${suggestion(name, known)} ${wayOut}`,
    )
  }
  return {
    ...options,
    logger,
    devConsole: false,
    services: { ...options.services, ...services },
    timeouts: { ...options.timeouts, close: patience },
  }
}

/** Values belong to the app, which ends them; recipes make values that belong to the variant. */
function borrowedNames(services: object, replaced: ServiceValues): ReadonlySet<string> {
  const names = Object.entries(services).flatMap(([name, value]) => (value instanceof ServiceRecipe ? [] : [name]))
  return new Set(names.filter((name) => !Object.hasOwn(replaced, name)))
}

function stateOf({ stage, providers, endpoint, exchange, path }: Call): string[] {
  const what = `${exchange.method} ${endpoint?.path ?? path}`
  const names = providers.unended.map((name) => `the provider "${name}" of ${what} has not ended`)
  if (names.length > 0) return names
  return stage === 'sent' ? [] : [`${what} was not answered`]
}
