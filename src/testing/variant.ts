/** Variant of an app for tests: the same routes and options with replaced services and providers. The original app does not change. */
import type { GivenServices } from '../app/app-types.js'
import { makeApp } from '../app/create-app.js'
import { RunningApp, type AppParts } from '../app/running-app.js'
import { describeForeign } from '../errors/copies.js'
import { SetupError } from '../errors/setup-error.js'
import { suggestion } from '../errors/known-keys.js'
import { anyRule, checkOptions, objectRule, rule, textRule, type Rules } from '../errors/options.js'
import { isNetwork } from '../http/forwarded.js'
import { WebExchange } from '../http/web-exchange.js'
import { StandIn, type Override } from '../injection/override.js'
import { Overrides } from '../setup/override.js'
import { ServiceRecipe } from '../injection/services.js'
import type { Logger, LoggerOptions } from '../observe/logger.js'
import type { Call } from '../request/call.js'
import { findLateChange } from '../observe/late-change.js'
import { formatFaults } from '../request/error-format.js'
import { unendedProviders } from '../request/late.js'
import { serve } from '../request/pipeline.js'
import { noop } from '../values/noop.js'

/** Options of `testApp`. */
export interface TestOptions<Services = object> {
  /** Replacements of services by name, as values or `service(…)`. */
  readonly services?: Partial<GivenServices<Services>>
  /** Replacements of providers, created by `override`. */
  readonly override?: readonly Override[]
  /** Whether responses that are not in the OpenAPI document throw a `TestFailure`, or exceptions to this; default `true`. */
  readonly strict?: boolean | StrictOptions
  /** Your logger, or `{ level: 'info' }` for the built-in logger; default: no logging. */
  readonly logger?: Logger | LoggerOptions | false
  /** Maximum time in ms that `close` waits for requests and tasks; default 1,000. */
  readonly patience?: number
  /** IP address of the client; default `127.0.0.1`. An empty string is a client without an address, as on a Unix socket. */
  readonly ip?: string
}

/** Options of one request of a test app. */
export interface TestRequestOptions {
  /** IP address of the client; default: the `ip` of the test app. */
  readonly ip?: string
}

/** Exceptions to `strict`. */
export interface StrictOptions {
  /** Names of headers that tests accept without documentation, in upper or lower case. */
  readonly headers: readonly string[]
}

/** Address of a request in a test, as over a socket to this machine. */
export const TEST_ADDRESS = '127.0.0.1'

export interface TestedRequest {
  readonly response: Response
  readonly call: Call
  /** Index of the endpoint in the app; -1 if no endpoint handled the request. */
  readonly at: number
  /** Error thrown by the error format; `undefined` if it did not fail. */
  readonly fault: unknown
}

export class Variant<R, S> {
  readonly app: RunningApp<R, S>
  readonly source: AppParts
  readonly #ip: string
  readonly parts: AppParts
  /** Requests that may still be in progress. */
  readonly #calls = new Set<Call>()

  constructor(app: unknown, testOptions: TestOptions<S>) {
    checkOptions(testOptions, RULES, 'testApp()')
    const { services = {}, override = [], strict = true, logger = false, patience = 1000 } = testOptions
    this.#ip = testOptions.ip ?? TEST_ADDRESS
    const source = requireAppParts(app)
    const { options } = source
    const overrides = new Overrides(override.map(checkedOverride))
    const replacements: object = options.services ?? {}
    const replaced = Object.fromEntries(Object.entries(services).filter(([, value]) => value !== undefined))
    checkReplacedServices(replaced, Object.keys(replacements))
    const timeouts = { ...options.timeouts, close: patience }
    const changed = { ...options, logger, timeouts, devConsole: false, services: { ...replacements, ...replaced } }
    const borrowed = borrowedNames(replacements, replaced)
    this.source = source
    this.app = makeApp<R, S>(changed, { overrides, borrowed, documents: source.documents, isStrict: strict !== false })
    this.parts = requireAppParts(this.app)
    overrides.checkUsed()
  }

  /** Starts the app. If that fails, closes the services that were created, because the test gets no app to close. */
  async start(): Promise<void> {
    try {
      await this.app.start()
    } catch (error) {
      await this.app.close()
      throw error
    }
  }

  /** Handles a request. The app must be started. */
  async ask(request: Request, options: TestRequestOptions = {}): Promise<TestedRequest> {
    checkOptions(options, REQUEST_RULES, 'fetch()')
    const { ip = this.#ip } = options
    let resolve: (response: Response) => void = noop
    const received = new Promise<Response>((resolved) => (resolve = resolved))
    const { state } = this.parts
    const call = serve(state, new WebExchange(request, resolve, ip), state.serviceLog.start)
    this.#calls.add(call)
    const response = await received
    if (call.stage === 'concluded' && call.tasks === null && unendedProviders(call).length === 0)
      this.#calls.delete(call)
    const at = this.parts.registry.endpoints.findIndex((endpoint) => call.isRouted && endpoint === call.endpoint)
    return { response, call, at, fault: formatFaults.get(call) }
  }

  /** Closes the variant and returns descriptions of requests and providers that are not done. */
  async close(): Promise<string[]> {
    await this.app.close()
    const { work } = this.parts.state
    const openWork = [...this.#calls].flatMap(openResources)
    if (openWork.length > 0 || work.running === 0) return openWork
    return [`requests in progress: ${work.running}, because a response was not read or a task is running`]
  }
}

function requireAppParts(app: unknown): AppParts {
  const parts = RunningApp.partsOf(app)
  if (parts !== undefined) return parts
  const why = 'it must be an app of "createApp". Pass the return value of "createApp"'
  const foreign = describeForeign(app)
  throw new SetupError('TEST_INVALID', `Cannot test the app: ${foreign === undefined ? why : `it is ${foreign}`}`)
}

const REQUEST_RULES: Rules<TestRequestOptions> = {
  ip: textRule(
    (text) => text === '' || (isNetwork(text) && !text.includes('/')),
    'be an IP address, or an empty string for a client without an address',
    "'203.0.113.9'",
  ),
}

const RULES: Rules<TestOptions> = {
  services: objectRule('{ db }'),
  override: rule(Array.isArray, 'be an array of overrides', '[override(provider, () => value)]'),
  strict: anyRule('false'),
  logger: anyRule("{ level: 'info' }"),
  patience: anyRule('1_000'),
  ...REQUEST_RULES,
}

function checkedOverride(standIn: unknown): StandIn {
  if (standIn instanceof StandIn) return standIn
  const foreign = describeForeign(standIn)
  if (foreign !== undefined) throw new SetupError('TEST_INVALID', `Cannot test the app: an override is ${foreign}`)
  const fix = 'Write "override: [override(provider, () => value)]"'
  throw new SetupError('TEST_INVALID', `Cannot test the app: all items of "override" must be overrides. ${fix}`)
}

function checkReplacedServices(replaced: object, known: readonly string[]): void {
  const name = Object.keys(replaced).find((each) => !known.includes(each))
  if (name === undefined) return
  const state = `the app has no service with this name.${suggestion(name, known)} Its services are ${known.join(', ') || 'none'}`
  throw new SetupError('TEST_INVALID', `Cannot replace the service "${name}": ${state}`)
}

/** Returns the names of services that the original app closes: plain values that are not replaced. */
function borrowedNames(services: object, replaced: object): ReadonlySet<string> {
  const values = Object.entries(services).filter(([, value]) => !(value instanceof ServiceRecipe))
  return new Set(values.map(([name]) => name).filter((name) => !Object.hasOwn(replaced, name)))
}

function openResources(call: Call): string[] {
  const { endpoint, exchange, path } = call
  const late = findLateChange(call)
  if (late !== undefined) return [`the response header "${late}" of ${call.label} was set after the headers were sent`]
  const what = `${exchange.method} ${endpoint?.path ?? path}`
  const names = unendedProviders(call).map((name) => `the provider "${name}" of ${what} has not finished its cleanup`)
  if (names.length > 0) return names
  return call.isSent ? [] : [`${what} has no response`]
}
