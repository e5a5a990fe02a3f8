/** Data and functions of an app that its console uses. */
import { writeSync } from 'node:fs'
import type { Fact, RouteInfo } from '../wire/view-types.js'
import { VERSION } from '../../decorators/version.js'
import { TrustedProxies } from '../../http/forwarded.js'
import { ignoreErrors, LEVELS, tryLog } from '../../observe/logger.js'
import type { ContractSpec } from '../../route/contract.js'
import { contractLocation, Route } from '../../route/route.js'
import { offReason, readSettings, type ConsoleState } from './console-state.js'
import type { AppState } from '../../request/app-state.js'
import type { Documents } from '../../openapi/documents.js'
import type { Endpoint } from '../../request/endpoint.js'
import { readVariables, type Mode } from '../../values/mode.js'
import { hasMethods, isObjectOrFunction } from '../../values/objects.js'
import { guessEditor } from './guess-editor.js'
import type { Finding } from '../../check/findings.js'
import { isVerb, PLAIN_VERBS, VERB_NAMES } from '../../http/methods.js'
import { framePlace } from './stack.js'
import { DEFAULTS, type CommonOptions, type DevConsoleOptions, type VersionSettings } from '../../setup/options.js'
import type { Channel } from '../../observe/channel.js'
import type { Secrets } from '../../secrets/secrets.js'
import { operationOfAll } from '../../openapi/describe-endpoint.js'

export interface HostEndpoint extends RouteInfo {
  /** Vendor of the first schema in the contract; `null` if there is no schema. */
  readonly vendor: string | null
}

export interface ConsoleHost {
  readonly name: string
  readonly version: string
  /** Whether every client needs a token. If not, browsers on this machine can open the console without one. */
  readonly isGuarded: boolean
  /** Reason why the console is open or needs a token, worded to follow "because". */
  readonly reason: string
  /** Whether the process is a worker of `node:cluster`. */
  readonly isClusterWorker: boolean
  /** Whether `NODE_ENV` is `development`, or `devConsole` is set without a token. */
  readonly isDevelopment: boolean
  readonly options: DevConsoleOptions
  readonly proxies: TrustedProxies
  readonly channel: Channel
  readonly secrets: Secrets
  /** Indexed by endpoint number, which is the order of registration. */
  readonly endpoints: readonly HostEndpoint[]
  /** Header that contains the version, description of the source of the version, and version of requests without one; `null` if they get 400. */
  readonly versioning: { readonly header: string | null; readonly place: string; readonly fallback: string | null }
  readonly openapiPath: string | null
  readonly facts: readonly Fact[]
  /** Returns the OpenAPI document of all endpoints in all versions. */
  openapi(): object
  print(level: 'info' | 'warn', message: string): void
  /** Does the same as `print`, and writes the message to standard error if the log does not show it. */
  printAlways(message: string): void
}

export interface HostedApp {
  readonly options: CommonOptions
  readonly state: ConsoleState
  readonly mode: Mode
  readonly core: AppState
  readonly endpoints: readonly Endpoint[]
  readonly documents: Documents
  readonly versioning: VersionSettings
  readonly openapiPath: string | null
  readonly findings: () => readonly Finding[]
}

export function consoleHost(app: HostedApp): ConsoleHost {
  const { options, state, mode, core, endpoints, documents, versioning } = app
  const { devConsole = DEFAULTS.devConsole } = options
  const settings = readSettings(devConsole)
  const findings = app.findings()
  return {
    name: options.name ?? DEFAULTS.name,
    version: options.version ?? DEFAULTS.version,
    isGuarded: state === 'guarded',
    reason: offReason(devConsole, mode),
    isClusterWorker: isClusterWorker(),
    isDevelopment: mode === 'development' || (devConsole !== 'auto' && settings.token === undefined),
    options: completeOptions(settings, mode),
    proxies: new TrustedProxies(options.trustProxy ?? []),
    channel: core.channel,
    secrets: core.secrets,
    endpoints: endpoints.map((endpoint) => hostEndpoint(endpoint, findings)),
    versioning: {
      header: versioning.header ?? null,
      place: versioning.header ?? (versioning.place.replace(/^ in /, '') || 'a function of the app'),
      fallback: versioning.isRequired ? null : versioning.fallback,
    },
    openapiPath: app.openapiPath,
    facts: appFacts(options, core),
    openapi: () => documents.whole(),
    print: (level, message) => tryLog(core.logger, level, {}, message),
    printAlways: (message) => {
      const before = countWrittenBytes()
      tryLog(core.logger, 'info', {}, message)
      if (countWrittenBytes() !== before || isInLog(options.logger)) return
      // Synchronous, because `process.stderr` and `Console` emit an error that ends the process if the reader of a pipe is gone.
      ignoreErrors(() => writeSync(process.stderr.fd, `${message}\n`))
    },
  }
}

/**
 * Whether the process is a worker of `node:cluster`. Node deletes NODE_UNIQUE_ID before the app runs. The module is not imported, because an
 * audit of the package would then report that apps can start processes.
 */
function isClusterWorker(): boolean {
  return String(Reflect.get(process, 'moduleLoadList')).includes('internal/cluster/child')
}

/** Adds the editor that the environment reveals. Production never sends links to the console. */
function completeOptions(settings: DevConsoleOptions, mode: Mode): DevConsoleOptions {
  const editor = settings.editor ?? guessEditor(readVariables())
  const header = mode === 'production' ? false : settings.header
  return { ...settings, ...(editor === null ? {} : { editor }), ...(header === undefined ? {} : { header }) }
}

/** Returns the bytes written to standard output and standard error; 0 for files, so a link that is written to a file is also printed. */
function countWrittenBytes(): number {
  return [process.stdout, process.stderr].reduce((sum, { bytesWritten = 0 }) => sum + bytesWritten, 0)
}

/**
 * Whether the log contains lines at `info`. If the built-in logger writes to a file, a terminal at standard error gets the line too.
 * A logger of your own can write past `process.stdout`, as pino does. pino and winston have `isLevelEnabled`.
 */
function isInLog(logger: CommonOptions['logger']): boolean {
  if (!hasMethods(logger, LEVELS)) {
    const level = logger === undefined ? 'info' : readProperty(logger, 'level')
    return (level === 'info' || level === 'debug') && !process.stderr.isTTY
  }
  const isEnabled = readProperty(logger, 'isLevelEnabled')
  if (typeof isEnabled !== 'function') return process.stdout.isTTY
  return ignoreErrors(() => Reflect.apply(isEnabled, logger, ['info'])) !== false
}

function hostEndpoint(endpoint: Endpoint, findings: readonly Finding[]): HostEndpoint {
  const { route, verb, method, path, contract, constraint, sunset, meta } = endpoint
  const routeFindings = findings.filter((finding) => finding.route === route && finding.method === method)
  const version = VERSION.read(meta)
  return {
    id: `${route}.${verb}`,
    class: route,
    method,
    template: path,
    place: contract === undefined ? null : framePlace(contractLocation(contract), process.cwd()),
    decorators: endpoint.decorators.map((label) =>
      label === '@version' && version !== undefined ? `@version("${version.text}")` : label,
    ),
    version: constraint === null ? null : constraint.text,
    deprecated: sunset !== null,
    operation: operationOfAll(endpoint),
    vendor: contract === undefined ? null : findVendor(contract),
    warnings: routeFindings.map(({ message, fix }) => `${message}. ${fix}.`),
    // `create` is a subclass that has the services on its prototype. The methods are on the prototype of the route class.
    notes: [...upgradeNotes(endpoint), ...methodNotes(Object.getPrototypeOf(endpoint.create.prototype))],
  }
}

function upgradeNotes({ upgrade }: Endpoint): string[] {
  return upgrade === null ? [] : [`It hands the connection over to a protocol: clients have to ask for "${upgrade}".`]
}

/** A body kind has no vendor, but its schema has one. */
function findVendor({ params, query, headers, cookies, body, returns }: ContractSpec): string | null {
  const contractSchemas = [body, query, params, headers, cookies, returns]
  const schemas = contractSchemas.flatMap((schema: unknown) => [schema, readProperty(schema, 'schema')])
  const vendors = schemas.map((schema) => readProperty(readProperty(schema, '~standard'), 'vendor'))
  return vendors.find((vendor) => typeof vendor === 'string') ?? null
}

/** Also reads properties of functions, because a schema can be a function. */
function readProperty(value: unknown, key: string): unknown {
  return isObjectOrFunction(value) ? value[key] : undefined
}

/** Returns options that are not secret and can be displayed on one line. */
function appFacts(options: CommonOptions, { limits, validateResponses }: AppState): Fact[] {
  const { timeouts, trustProxy = [], signals = DEFAULTS.signals, metrics = 'none' } = options
  const allTimeouts = { ...DEFAULTS.timeouts, ...timeouts }
  return [
    ...Object.entries(limits).map(([name, value]) => {
      return { name: `limits.${name}`, value: value === undefined ? 'none' : `${value}${UNITS.get(name) ?? ''}` }
    }),
    ...Object.entries(allTimeouts).map(([name, ms]) => ({
      name: `timeouts.${name}`,
      value: ms > 0 ? `${ms} ms` : 'none',
    })),
    { name: 'trustProxy', value: trustProxy.join(', ') || 'none' },
    { name: 'validateResponses', value: String(validateResponses) },
    { name: 'metrics', value: typeof metrics === 'string' ? metrics : metrics.path },
    { name: 'signals', value: String(signals) },
  ]
}

/** Units of limits. The other limits are numbers of the things in their names. */
const UNITS = new Map(Object.entries({ body: ' bytes', headerBytes: ' bytes', url: ' characters' }))
const WORDS = [...PLAIN_VERBS, 'head', 'options'].join('|')
/** Matches `getById` and `get_by_id`, but not `getter`. */
const VERB_PREFIX = new RegExp(`^(?:${WORDS})[A-Z_\\d]`)
const VERB_NAME = new RegExp(`^(?:${WORDS})$`, 'i')

/** Returns notes about helpers that look like endpoints. They are allowed: a helper can have any name except the five verbs. */
export function methodNotes(prototype: object): string[] {
  return [...new Set(methodNames(prototype))]
    .filter((name) => !isVerb(name) && (VERB_PREFIX.test(name) || VERB_NAME.test(name)))
    .map((name) => `"${name}" is not an endpoint. Endpoints are the methods ${VERB_NAMES}.`)
}

/** Returns the names of methods. Does not call getters. */
function methodNames(prototype: object): string[] {
  if (prototype === Route.prototype) return []
  const members = Object.entries(Object.getOwnPropertyDescriptors(prototype))
  const methodList = members.filter(([, { value }]) => typeof value === 'function').map(([name]) => name)
  return [...methodList, ...methodNames(Object.getPrototypeOf(prototype))]
}
