/** A variant of an app for tests: the same routes and options, other services and providers. The app itself stays as it is. */
import type { GivenServices } from '../app/app-types.js'
import { makeApp } from '../app/create-app.js'
import { RunningApp, type AppParts } from '../app/running-app.js'
import { SetupError } from '../errors/setup-error.js'
import { checkKeys, suggestion } from '../errors/known-keys.js'
import { WebExchange } from '../http/web-exchange.js'
import { Overrides, StandIn, type Override } from '../injection/override.js'
import { ServiceRecipe } from '../injection/service-store.js'
import type { Logger } from '../observe/logger.js'
import { findLateChange, type Call } from '../request/call.js'
import { unendedProviders } from '../request/late.js'
import { serve } from '../request/pipeline.js'
import { noop } from '../values/ignore.js'

/** In which a test app differs from the app, and how closely it looks. */
export interface TestOptions<Services = object> {
  /** Values, or `service(…)`, in the place of services of these names. */
  readonly services?: Partial<GivenServices<Services>>
  /** Providers that are replaced. */
  readonly override?: readonly Override[]
  /** Whether an answer that is not in the document fails the call, `true` unless given; `headers` names those that need no word. */
  readonly strict?: boolean | StrictOptions
  /** Takes the lines of the log; silent unless given. */
  readonly logger?: Logger | false
  /** How long `close` waits for what is not done, in ms; 1,000 unless given. */
  readonly patience?: number
}

/** What strictness leaves out. */
export interface StrictOptions {
  /** Names of header fields that a document needs no word for, in any case. */
  readonly headers: readonly string[]
}

const KEYS: readonly string[] = ['services', 'override', 'strict', 'logger', 'patience']

export interface TestedRequest {
  readonly response: Response
  readonly call: Call
  /** Position of its endpoint in the app; -1 where none of the app's has answered. */
  readonly at: number
  /** Why the format of errors has failed; `undefined` where it has not. */
  readonly fault: unknown
}

export class Variant<R, S> {
  readonly app: RunningApp<R, S>
  readonly source: AppParts
  readonly #parts: AppParts
  /** Calls that may not be over. */
  readonly #calls = new Set<Call>()

  constructor(app: unknown, given: TestOptions<S>) {
    checkKeys(given, KEYS, (key, help) => {
      return new SetupError('OPTION_INVALID', `Cannot use the option "${key}" of testApp(): it is unknown.${help}`)
    })
    const { services = {}, override = [], strict = true, logger = false, patience = 1000 } = given
    const source = requireAppParts(app)
    const { options } = source
    const overrides = new Overrides(override.map(checkedOverride))
    const replacements: object = options.services ?? {}
    const replaced = Object.fromEntries(Object.entries(services).filter(([, value]) => value !== undefined))
    checkOverride(replaced, Object.keys(replacements))
    const timeouts = { ...options.timeouts, close: patience }
    const changed = { ...options, logger, timeouts, devConsole: false, services: { ...replacements, ...replaced } }
    const borrowed = borrowedNames(replacements, replaced)
    this.source = source
    this.app = makeApp<R, S>(changed, { overrides, borrowed, documents: source.documents, isStrict: strict !== false })
    this.#parts = requireAppParts(this.app)
    overrides.checkUsed()
  }

  /** Answers a request, once the app is started. */
  async ask(request: Request): Promise<TestedRequest> {
    let resolve: (response: Response) => void = noop
    const answer = new Promise<Response>((resolved) => (resolve = resolved))
    const call = serve(this.#parts.state, new WebExchange(request, resolve))
    this.#calls.add(call)
    const response = await answer
    if (call.isConcluded && call.tasks === null && call.providers.unended.length === 0) this.#calls.delete(call)
    // What was refused before an endpoint was asked is the answer of none.
    const isAnswered = call.refusal === undefined
    const at = this.#parts.registry.endpoints.findIndex((endpoint) => isAnswered && endpoint === call.endpoint)
    return { response, call, at, fault: this.#parts.state.formats?.faults.get(call) }
  }

  /** Closes the variant, and looks for what its user has left open. */
  async close(): Promise<string[]> {
    await this.app.close()
    const { work } = this.#parts.state
    const openWork = [...this.#calls].flatMap(openResources)
    if (openWork.length > 0 || work.running === 0) return openWork
    return [`calls are not over: ${work.running}, by an answer that was not read or a task that runs after it`]
  }
}

function requireAppParts(app: unknown): AppParts {
  const parts = RunningApp.partsOf(app)
  if (parts !== undefined) return parts
  throw new SetupError('TEST_INVALID', 'Cannot test the app: it is none. Give what "createApp" returns')
}

function checkedOverride(given: unknown): StandIn {
  if (given instanceof StandIn) return given
  const fix = 'Write "override: [override(provider, () => value)]"'
  throw new SetupError('TEST_INVALID', `Cannot test the app: something in "override" is no override. ${fix}`)
}

function checkOverride(replaced: object, known: readonly string[]): void {
  const name = Object.keys(replaced).find((each) => !known.includes(each))
  if (name === undefined) return
  const state = `the app has none of this name.${suggestion(name, known)} Its services are ${known.join(', ') || 'none'}`
  throw new SetupError('TEST_INVALID', `Cannot replace the service "${name}": ${state}`)
}

/** Values belong to the app, which ends them; recipes make values that belong to the variant. */
function borrowedNames(services: object, replaced: object): ReadonlySet<string> {
  const values = Object.entries(services).filter(([, value]) => !(value instanceof ServiceRecipe))
  return new Set(values.map(([name]) => name).filter((name) => !Object.hasOwn(replaced, name)))
}

function openResources(call: Call): string[] {
  const { stage, endpoint, exchange, path } = call
  const late = findLateChange(call)
  if (late !== undefined) return [`the header "${late}" of the answer of ${call.label} was set after its head had left`]
  const what = `${exchange.method} ${endpoint?.path ?? path}`
  const names = unendedProviders(call).map((name) => `the provider "${name}" of ${what} has not ended`)
  if (names.length > 0) return names
  return stage === 'sent' ? [] : [`${what} was not answered`]
}
