/** Options of an app: types, defaults, and the settings that are derived from them. */
import type { Middleware } from '../context/middleware.js'
import type { Uses } from '../injection/provide.js'
import type { Logger, LoggerOptions } from '../observe/logger.js'
import type { RedactOptions } from '../secrets/secrets.js'
import type { OpenApiInfo, OpenApiServer, OpenApiTag } from './document-types.js'
import type { ErrorMapper, Limits, TrailingSlash } from '../request/app-state.js'
import type { VersionSource } from '../request/endpoint.js'
import { type VersionFrom, versionSource } from './version-source.js'
import type {
  ResponseChanges,
  ResponseSettings,
  CompressionOptions,
  CorsOptions,
  SecurityHeaders,
} from '../route/response-options.js'
import type { ErrorFormatSpec } from '../route/error-format.js'
import type { Converters } from '../validation/describe-schema.js'
import type { ServerSettings } from '../http/connection.js'

/** Options of `createApp` that do not depend on the types of routes and services. */
export interface CommonOptions {
  /** Name of the API; default `'app'`. */
  readonly name?: string
  /** Version of the API; default `'0.0.0'`. */
  readonly version?: string
  /** Middleware of every request, outermost first. */
  readonly middleware?: readonly Middleware[]
  /** Converts errors of your code into HTTP errors. If you pass several functions, the first that returns an error is used. */
  readonly mapError?: ErrorMapper | readonly ErrorMapper[]
  /** Cross-origin access for browsers (CORS); default: no access. */
  readonly cors?: CorsOptions
  /** Compression of responses for clients that accept it; `{}` uses the defaults. Default: no compression. */
  readonly compression?: CompressionOptions
  /** Security headers of every response: `'api'`, `'html'`, or an object with changes to them. Default: no security headers. */
  readonly securityHeaders?: SecurityHeaders
  /** Where clients find the id of their request. */
  readonly requestId?: RequestIdOptions
  /** How requests specify the API version, for endpoints with a `@version` constraint. */
  readonly versioning?: Partial<Versioning>
  /**
   * Your logger, `{ level: 'info' }` for the level of the built-in logger, or `false` for no log. The built-in logger writes JSON lines to
   * standard output, formatted for reading if that is a terminal. An object without methods is read as options.
   */
  readonly logger?: Logger | LoggerOptions | false
  /** Whether each request of the app, with or without a route, logs one line with the fields of `@log`; default `false`. */
  readonly accessLog?: boolean
  /** Additional values to hide in lines of `@log` and in the console; with `replaceDefaults`, instead of the defaults. */
  readonly redact?: RedactOptions
  /** Limits of request sizes and of connections. */
  readonly limits?: Partial<Limits>
  /** Timeouts in ms. */
  readonly timeouts?: Partial<Timeouts>
  /**
   * Handling of `/users/` if a route has the path `/users`: `'strict'` responds 404, `'ignore'` treats it as `/users`, and `'redirect'`
   * redirects to `/users` with 308 (RFC 9110 section 15.4.9). Default: `'strict'`.
   */
  readonly trailingSlash?: TrailingSlash
  /**
   * Addresses and networks (`'10.0.0.0/8'`) of proxies whose forwarding headers are trusted, and `'unix'` for peers on the Unix socket that
   * the app listens on. Default: no proxy is trusted.
   */
  readonly trustProxy?: readonly string[]
  /** Whether SIGTERM and SIGINT close a listening app and end the process; default `true`. */
  readonly signals?: boolean
  /** Whether `listen` and `attach` use undocumented internals of Node for speed, after checking that they work; default `true`. */
  readonly fastPath?: boolean
  /**
   * Whether responses are validated against `returns`, and members of problems against `errors`; default `true`. With `false`, unknown
   * properties are still stripped from responses.
   */
  readonly validateResponses?: boolean
  /** Path and general information of the OpenAPI document; `false` disables the path. */
  readonly openapi?: OpenApiOptions | false
  /** Whether findings of `check()` are setup errors; default: `false`. */
  readonly strict?: boolean
  /** JSON Schema converters by vendor, for libraries whose schemas cannot be converted to JSON Schema otherwise. */
  readonly jsonSchema?: Converters
  /** Path of the app's metrics in the OpenMetrics format, or an object with path and guards. Default: metrics have no path. */
  readonly metrics?: string | MetricsOptions
  /** Console at `/__dev__`; default `'auto'`, which decides by `NODE_ENV` and never enables it in `production`. */
  readonly devConsole?: 'auto' | boolean | DevConsoleOptions
}

/** All options of `createApp`, without their generic types. */
export interface UntypedAppOptions extends CommonOptions {
  readonly routes: unknown
  readonly errorFormat?: ErrorFormatSpec
  readonly services?: object
}

/** Where clients find the id of their request. */
export interface RequestIdOptions {
  /** Whether every response has the header `X-Request-Id`; default `false`, which sends it only with errors. */
  readonly header?: boolean
}

/** How requests specify the API version. */
export interface Versioning {
  /** A header name, `{ mediaType: 'version' }` for a parameter of `Accept`, or a function of the request. Default `'accept-version'`. */
  readonly from: VersionFrom
  /** Version of requests that do not specify one; default: the version of the app. */
  readonly default: string | undefined
  /** Whether a request without a version, to a method with versions, gets 400. Default `false`. Not together with `default`. */
  readonly require: boolean
  /** For documents: a sentence about how requests select a version. Default: one about the header. A function has no default. */
  readonly description: string | undefined
}

/** Options of the OpenAPI document. They add to the information from routes and contracts. */
export interface OpenApiOptions {
  /**
   * Path of the document; default `'/openapi.json'`. A route with the default path replaces the document. A route with a path that you set
   * here is a setup error.
   */
  readonly path?: string
  /** Version of OpenAPI that the document follows: `'3.1'` or `'3.2'`, which describes the items of streams. Default: `'3.1'`. */
  readonly version?: '3.1' | '3.2'
  /** Path of a page that explains the API, with the guards of the document; default: no page. */
  readonly page?: string
  /** Further information, such as `description`, `contact` and `license`. `title` and `version` default to name and version of the app. */
  readonly info?: Partial<OpenApiInfo>
  /** Servers of the API; default: the server that serves the document. */
  readonly servers?: readonly OpenApiServer[]
  /** Descriptions of tags, in the order of the document. */
  readonly tags?: readonly OpenApiTag[]
  /** Guards of the document's path, by name. The app must provide the services that they require. */
  readonly uses?: Uses
  /** Whether a document without a guard is intended, even if all endpoints have one. Only disables the finding of `check()`. */
  readonly public?: boolean
}

/** Path of the app's metrics, and its guards. */
export interface MetricsOptions {
  /** A path without parameters. */
  readonly path: string
  /** Guards of the path, by name. The app must provide the services that they require. */
  readonly uses?: Uses
}

/** Timeouts of an app, in ms; 0 disables a timeout. */
export interface Timeouts {
  /** Maximum time to receive the headers of a request; default 10,000. */
  readonly headers: number
  /** Maximum time until the first byte of a body and between its bytes; default 30,000. Longer bodies need 1 kB per second on average. */
  readonly body: number
  /** Maximum time without progress while a response is sent; default 30,000. A client must also read 1 kB per second on average. */
  readonly write: number
  /** Maximum time that a connection stays open without a request; default 5,000. */
  readonly keepAlive: number
  /** Maximum time of a handler whose contract has no `timeout`; default 0. */
  readonly handler: number
  /** Maximum time to create a service when the app starts; default 60,000. */
  readonly start: number
  /** Time for which `close` still accepts requests, but closes each connection after its next response; default 0. */
  readonly drain: number
  /** Maximum time that `close` waits for requests and tasks in progress; default 10,000. With 0 it does not wait. */
  readonly close: number
}

interface Defaults extends Required<
  Pick<
    CommonOptions,
    'name' | 'version' | 'accessLog' | 'trailingSlash' | 'validateResponses' | 'strict' | 'signals' | 'fastPath'
  >
> {
  readonly requestId: Required<RequestIdOptions>
  readonly versioning: Versioning
  readonly limits: Limits
  readonly timeouts: Timeouts
  readonly redact: Readonly<Record<'headers' | 'keys' | 'values', undefined>> & { readonly replaceDefaults: boolean }
  readonly openapi: { readonly path: string; readonly version: '3.1'; readonly public: false } & Readonly<
    Record<'page' | 'info' | 'servers' | 'tags' | 'uses', undefined>
  >
  readonly devConsole: 'auto'
}

/** Defaults of options; `docs/options.md` lists them. */
export const DEFAULTS: Defaults = {
  name: 'app',
  version: '0.0.0',
  requestId: { header: false },
  versioning: { from: 'accept-version', default: undefined, require: false, description: undefined },
  accessLog: false,
  redact: { headers: undefined, keys: undefined, values: undefined, replaceDefaults: false },
  limits: {
    body: 1024 * 1024,
    depth: 64,
    keys: 1000,
    headers: 200,
    headerBytes: 16 * 1024,
    url: 8 * 1024,
    issues: 100,
    connections: undefined,
  },
  timeouts: {
    headers: 10_000,
    body: 30_000,
    write: 30_000,
    keepAlive: 5_000,
    handler: 0,
    start: 60_000,
    drain: 0,
    close: 10_000,
  },
  trailingSlash: 'strict',
  validateResponses: true,
  strict: false,
  openapi: {
    path: '/openapi.json',
    version: '3.1',
    page: undefined,
    info: undefined,
    servers: undefined,
    tags: undefined,
    uses: undefined,
    public: false,
  },
  devConsole: 'auto',
  signals: true,
  fastPath: true,
}

/** Returns the options, with defaults for missing and `undefined` options. */
export function withDefaults<T extends object>(defaults: T, options: Partial<T> = {}): T {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined)
  return { ...defaults, ...Object.fromEntries(entries) }
}

/** Options of the console. Passing an object enables it. */
export interface DevConsoleOptions {
  /** Addresses and networks (`'172.17.0.1'`, `'172.16.0.0/12'`) that may open the console in addition to this machine. Requires `token`. */
  readonly allow?: readonly string[]
  /** Host names of the console, in addition to `localhost` and the loopback addresses. */
  readonly allowedHosts?: readonly string[]
  /** Secret that is required to open the console; at least 16 characters. */
  readonly token?: string
  /** Whether the console may run if `NODE_ENV` is `production`; default `false`. Requires `token`. */
  readonly allowInProduction?: boolean
  /** `'text'` records bodies in which Verbena can hide secrets, `'raw'` also records other bodies, `'off'` records none. */
  readonly captureBodies?: 'text' | 'off' | 'raw'
  /** Maximum number of characters of a JSON response body that is recorded, up to 1,048,576; default 262,144. */
  readonly bodyLimit?: number
  /** Whether to record `console.log` and similar functions; default `false`, because it makes each `await` slower. */
  readonly captureConsole?: boolean
  /** Paths of requests that are not recorded; `*` matches any characters. */
  readonly ignore?: readonly string[]
  /** Duration in ms from which a request counts as slow; default 800. */
  readonly slow?: number
  /** Delay of the event loop in ms from which it counts as a stall; default 200. */
  readonly stall?: number
  /** Whether responses have `X-Dev-Console` with the URL of their record; default `true` in development. Never in production. */
  readonly header?: boolean
  /**
   * File that stores failed, slow, invalid and pinned requests, such as `'.dev/console.json'`, so that the console still has them after a
   * restart of the app. Secrets are replaced. Not allowed if `NODE_ENV` is `production`.
   */
  readonly keep?: string
  /**
   * Link to your editor, such as `'vscode://file/{file}:{line}:{column}'`; default: guessed from the environment. Schemes that browsers
   * open themselves are invalid.
   */
  readonly editor?: string
}

export function serverSettings(
  limits: Limits,
  options: Pick<CommonOptions, 'timeouts' | 'fastPath'>,
  report: ServerSettings['report'],
): ServerSettings {
  const timeouts = withDefaults(DEFAULTS.timeouts, options.timeouts)
  const { headers: headersTimeout, keepAlive: keepAliveTimeout, body: bodyTimeout, write: writeTimeout } = timeouts
  const { headers, headerBytes, connections } = limits
  const fastPath = options.fastPath ?? DEFAULTS.fastPath
  const timeLimits = { headersTimeout, keepAliveTimeout, bodyTimeout, writeTimeout }
  return { headers, headerBytes, connections, ...timeLimits, fastPath, report }
}

export interface VersionSettings extends VersionSource {
  /** Version of requests that do not specify one, as written in the options. */
  readonly fallback: string
  /** Whether `fallback` is `versioning.default`; otherwise it is the version of the app. */
  readonly isPinned: boolean
  /** Whether requests must specify a version. Documents then use `fallback` only if no version is requested from them. */
  readonly isRequired: boolean
  /** The author's sentence about how requests select a version. */
  readonly description: string | undefined
}

export function versionSettings(options: Pick<CommonOptions, 'version' | 'versioning'>): VersionSettings {
  const { from, default: pinned, require, description } = withDefaults(DEFAULTS.versioning, options.versioning)
  const fallback = pinned ?? options.version ?? DEFAULTS.version
  return { ...versionSource(from), fallback, isPinned: pinned !== undefined, isRequired: require, description }
}

export function pickResponseSettings({
  cors,
  securityHeaders,
  compression,
  requestId,
}: CommonOptions): ResponseSettings {
  const hasRequestId = requestId?.header ?? DEFAULTS.requestId.header
  return { cors: enabledCors(cors), securityHeaders, compression, hasRequestId }
}

/** Applies the response options of a group to the options around it. */
export function readResponseSettings(outer: ResponseSettings, changes: ResponseChanges): ResponseSettings {
  if (changes.cors === undefined && changes.securityHeaders === undefined) return outer
  const { cors = outer.cors, securityHeaders = outer.securityHeaders } = changes
  return { ...outer, cors: enabledCors(cors), securityHeaders: securityHeaders || undefined }
}

/** Returns `undefined` for `false` and for an empty array of origins, so that both have the cost of no CORS. */
function enabledCors(cors: CorsOptions | false | undefined): CorsOptions | undefined {
  return cors === false || (Array.isArray(cors?.origins) && cors.origins.length === 0) ? undefined : cors
}
