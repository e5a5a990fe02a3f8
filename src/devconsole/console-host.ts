/** What an app tells its console. */
import type { ConsoleHost, HostEndpoint } from './host.js'
import type { Fact } from './wire-views-types.js'
import { VERSION } from '../decorators/version.js'
import { TrustedProxies } from '../http/forwarded.js'
import { tryLog } from '../logging/logger.js'
import type { ContractSpec } from '../route/contract-types.js'
import { placeOf } from '../route/places.js'
import { reasonOf, type ConsoleState } from './console-state.js'
import type { AppState } from '../request/app-state.js'
import type { Documents } from '../document/documents.js'
import type { Endpoint } from '../request/endpoint.js'
import type { Mode } from '../options/environment.js'
import type { Finding } from '../check/findings.js'
import { methodNotes } from './method-notes.js'
import { DEFAULTS, type CommonOptions } from '../options/options.js'
import type { VersionSettings } from '../options/settings.js'
import { operationOfAll } from '../document/whole-document.js'

/** An app that has a console. */
export interface HostedApp {
  readonly options: CommonOptions
  readonly state: ConsoleState
  readonly mode: Mode
  readonly core: AppState
  readonly endpoints: readonly Endpoint[]
  readonly documents: Documents
  readonly versioning: VersionSettings
  /** Where the document is served. */
  readonly openapiPath: string | null
  /** Looks for what is probably not meant. */
  readonly findings: () => readonly Finding[]
}

/** Gathers what the console is told. */
export function consoleHost(app: HostedApp): ConsoleHost {
  const { options, state, mode, core, endpoints, documents, versioning } = app
  const { devConsole = DEFAULTS.devConsole } = options
  const settings = typeof devConsole === 'object' ? devConsole : {}
  const findings = app.findings()
  return {
    name: options.name ?? DEFAULTS.name,
    version: options.version ?? DEFAULTS.version,
    isGuarded: state === 'guarded',
    reason: reasonOf(devConsole, mode),
    isDevelopment: mode === 'development' || (devConsole !== 'auto' && settings.token === undefined),
    options: settings,
    proxies: new TrustedProxies(options.trustProxy ?? []),
    channel: core.channel,
    secrets: core.secrets,
    endpoints: endpoints.map((endpoint) => hostEndpoint(endpoint, findings)),
    versioning: {
      header: versioning.header ?? null,
      place: versioning.header ?? (versioning.place.replace(/^ in /, '') || 'a function of the app'),
      fallback: versioning.fallback,
    },
    openapiPath: app.openapiPath,
    facts: factsOf(options, core),
    openapi: () => documents.whole(),
    print: (level, message) => tryLog(core.logger, level, {}, message),
  }
}

function hostEndpoint(endpoint: Endpoint, findings: readonly Finding[]): HostEndpoint {
  const { route, verb, method, path, contract, constraint, sunset, meta } = endpoint
  const own = findings.filter((finding) => finding.route === route && finding.method === method)
  const version = VERSION.read(meta)
  return {
    route,
    verb,
    method,
    path,
    place: contract === undefined ? undefined : placeOf(contract),
    decorators: endpoint.decorators.map((label) =>
      label === '@version' && version !== undefined ? `@version("${version.text}")` : label,
    ),
    constraint: constraint === null ? null : constraint.text,
    isDeprecated: sunset !== null,
    operation: operationOfAll(endpoint),
    vendor: contract === undefined ? null : vendorOf(contract),
    warnings: own.map(({ message, wayOut }) => `${message}. ${wayOut}.`),
    // Services stand on the prototype of the class that is bound to them.
    notes: methodNotes(Object.getPrototypeOf(endpoint.create.prototype)),
  }
}

/** A kind has no vendor, but the schema in it has. */
function vendorOf({ params, query, headers, cookies, body, returns }: ContractSpec): string | null {
  const schemas: readonly unknown[] = [body, query, params, headers, cookies, returns]
  for (const schema of schemas) {
    const vendor = vendorIn(schema) ?? vendorIn(memberOf(schema, 'schema'))
    if (vendor !== undefined) return vendor
  }
  return null
}

function vendorIn(schema: unknown): string | undefined {
  const vendor = memberOf(memberOf(schema, '~standard'), 'vendor')
  return typeof vendor === 'string' ? vendor : undefined
}

/** A schema may be a function. */
function memberOf(value: unknown, key: string): unknown {
  const holds = (typeof value === 'object' && value !== null) || typeof value === 'function'
  return holds ? Reflect.get(value, key) : undefined
}

/** Only what is no secret, and says something in a line. */
function factsOf(options: CommonOptions, { limits, validateResponses }: AppState): Fact[] {
  const { timeouts, trustProxy = [], signals = DEFAULTS.signals, metrics = 'none' } = options
  const all = { ...DEFAULTS.timeouts, ...timeouts }
  return [
    ...Object.entries(limits).map(([name, value]) => ({ name: `limits.${name}`, value: limitText(name, value) })),
    ...Object.entries(all).map(([name, value]) => ({
      name: `timeouts.${name}`,
      value: value > 0 ? `${value} ms` : 'none',
    })),
    { name: 'trustProxy', value: trustProxy.join(', ') || 'none' },
    { name: 'validateResponses', value: String(validateResponses) },
    { name: 'metrics', value: typeof metrics === 'string' ? metrics : metrics.path },
    { name: 'signals', value: String(signals) },
  ]
}

/** The others count what they are named after. */
const UNITS: ReadonlyMap<string, string> = new Map([
  ['body', ' bytes'],
  ['headerBytes', ' bytes'],
  ['url', ' characters'],
])

function limitText(name: string, value: number | undefined): string {
  return value === undefined ? 'none' : `${value}${UNITS.get(name) ?? ''}`
}
