/** The options of an app: their types, their defaults, and what server and versions take of them. */
import type { Middleware } from '../context/middleware.js'
import type { Uses } from '../injection/provide.js'
import type { Logger } from '../observe/logger.js'
import type { RedactOptions } from '../secrets/secrets.js'
import type { OpenApiInfo, OpenApiServer, OpenApiTag } from '../route/document-types.js'
import type { ErrorMapper, Limits, TrailingSlash } from '../request/app-state.js'
import { type VersionFrom, versionSource, type VersionSource } from '../request/version-source.js'
import type { ResponseSettings, CompressionOptions, CorsOptions, SecurityHeaders } from '../route/answer-options.js'
import type { ErrorFormatSpec } from '../route/error-format.js'
import type { Converters } from '../validation/json-schema.js'
import type { ServerSettings } from '../http/connection.js'

/** The options that do not depend on the types of routes and services. */
export interface CommonOptions {
  /** Name of the API; `'app'` unless given. */
  readonly name?: string
  /** Version of the API; `'0.0.0'` unless given. */
  readonly version?: string
  /** Wraps every answer, outermost first. */
  readonly middleware?: readonly Middleware[]
  /** Turns the application's own errors into HTTP errors; the first that answers counts. */
  readonly mapError?: ErrorMapper | readonly ErrorMapper[]
  /** Which pages of other origins may read answers; none unless given. */
  readonly cors?: CorsOptions
  /** Compresses answers for clients that take them so; `{}` in the usual way; none unless given. */
  readonly compression?: CompressionOptions
  /** Security headers for every answer: those of an API, of an app of pages, or with changes; none unless given. */
  readonly securityHeaders?: SecurityHeaders
  /** How requests name the version of the API that they ask for, where `@version` has put a constraint. */
  readonly versioning?: Partial<Versioning>
  /** Takes log lines; JSON lines on standard output unless given, readable on a terminal; `false` is silent. */
  readonly logger?: Logger | false
  /** What lines of `@log` and the console hide, beside what they always do, or with `replaceDefaults` instead of it. */
  readonly redact?: RedactOptions
  /** Bounds on what a request may cost. */
  readonly limits?: Partial<Limits>
  /** Time-outs in ms. */
  readonly timeouts?: Partial<Timeouts>
  /**
   * What `/users/` is where a route has the path `/users`: `'strict'`, the default, makes it 404, `'ignore'` answers as at `/users`, and
   * `'redirect'` sends the client there with 308 (RFC 9110 section 15.4.9).
   */
  readonly trailingSlash?: TrailingSlash
  /**
   * Addresses and networks (`'10.0.0.0/8'`) of proxies whose forwarding headers count, and `'unix'` for peers on the Unix socket that the
   * app listens on; none unless given.
   */
  readonly trustProxy?: readonly string[]
  /** Whether SIGTERM and SIGINT close a listening app and end the process; `true` unless given. */
  readonly signals?: boolean
  /** Whether `listen` takes ways through Node that are not documented, after a check that they work; `true` unless given. */
  readonly fastPath?: boolean
  /** Whether answers are validated against `returns`, and members of problems against `errors`; `false` still projects answers. */
  readonly validateResponses?: boolean
  /** The OpenAPI document: where it is served, and what it says of the whole; `false` serves none. */
  readonly openapi?: OpenApiOptions | false
  /** Whether findings of `check()` are setup errors; default: `false`. */
  readonly strict?: boolean
  /** JSON Schema converters by vendor, for libraries whose schemas do not describe themselves. */
  readonly jsonSchema?: Converters
  /** A path at which the app shows its metrics, as OpenMetrics text, or path and guards; none unless given. */
  readonly metrics?: string | MetricsOptions
  /** The console at `/__dev__`; `'auto'` unless given: by `NODE_ENV`, and never where that is `production`. */
  readonly devConsole?: 'auto' | boolean | DevConsoleOptions
}

/** All options, as an app keeps them. */
export interface GivenOptions extends CommonOptions {
  readonly routes: unknown
  readonly errorFormat?: ErrorFormatSpec
  readonly services?: object
}

/** How requests name the version that they ask for. */
export interface Versioning {
  /** Where: the name of a header, `{ mediaType: 'version' }` for a parameter of `Accept`, or a function of the request. */
  readonly from: VersionFrom
  /** The version of requests that name none; the version of the app unless given. */
  readonly default: string | undefined
}

/** Where the OpenAPI document is served, and what it says beside what routes and contracts say. */
export interface OpenApiOptions {
  /** Its path, `'/openapi.json'` unless given: where a route has that, none is served. One that is given must be free. */
  readonly path?: string
  /** Replaces title and version, which are those of the app, and adds to them: `description`, `contact`, `license`. */
  readonly info?: Partial<OpenApiInfo>
  /** Where the API is reached; the server that the document comes from unless given. */
  readonly servers?: readonly OpenApiServer[]
  /** What is said of tags, in the order in which the document has them. */
  readonly tags?: readonly OpenApiTag[]
  /** Guards of its path, by name; the services that they need must be among those of the app. */
  readonly uses?: Uses
  /** Whether everybody may read it in an app whose endpoints all have a guard: it changes what `check()` reports, and nothing else. */
  readonly public?: boolean
}

/** Where an app shows its metrics. */
export interface MetricsOptions {
  /** A path without parameters. */
  readonly path: string
  /** Guards of it, by name; the services that they need must be among those of the app. */
  readonly uses?: Uses
}

/** Time-outs of an app, in ms; 0 switches one off. */
export interface Timeouts {
  /** Until the head of a request must be complete. */
  readonly headers: number
  /** To the first byte of a body and between its bytes; after that it must bring 1 kB a second on average. */
  readonly body: number
  /** In which a reader must take something of an answer, and 1 kB a second on average. */
  readonly write: number
  /** For which an idle connection is kept. */
  readonly keepAlive: number
  /** For a handler, where its contract says nothing; none unless given. */
  readonly handler: number
  /** How long `close` goes on as before, but ends each connection with its next answer, before it begins to close; 0 closes at once. */
  readonly drain: number
  /** How long `close` waits for work in hand; 0 does not wait. */
  readonly close: number
}

interface Defaults extends Required<
  Pick<CommonOptions, 'name' | 'version' | 'trailingSlash' | 'validateResponses' | 'strict' | 'signals' | 'fastPath'>
> {
  readonly versioning: Versioning
  readonly limits: Limits
  readonly timeouts: Timeouts
  readonly redact: Readonly<Record<'headers' | 'keys' | 'values', undefined>> & { readonly replaceDefaults: boolean }
  readonly openapi: { readonly path: string; readonly public: false } & Readonly<
    Record<'info' | 'servers' | 'tags' | 'uses', undefined>
  >
  readonly devConsole: 'auto'
}

/** The defaults of the options that have one; `docs/options.md` lists them. */
export const DEFAULTS: Defaults = {
  name: 'app',
  version: '0.0.0',
  versioning: { from: 'accept-version', default: undefined },
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
  timeouts: { headers: 10_000, body: 30_000, write: 30_000, keepAlive: 5_000, handler: 0, drain: 0, close: 10_000 },
  trailingSlash: 'strict',
  validateResponses: true,
  strict: false,
  openapi: {
    path: '/openapi.json',
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

/** Lays what was given over the defaults; `undefined` gives nothing. */
export function withDefaults<T extends object>(defaults: T, given: Partial<T> = {}): T {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...defaults, ...Object.fromEntries(entries) }
}

/** How the console is set up; giving a record switches it on. */
export interface DevConsoleOptions {
  /** Addresses and networks (`'172.17.0.1'`, `'172.16.0.0/12'`) that may see it beside this machine; they need a `token`. */
  readonly allow?: readonly string[]
  /** Names that it may be reached by, beside `localhost` and the loopback addresses. */
  readonly allowedHosts?: readonly string[]
  /** A secret of 16 characters or more that is needed to see it. */
  readonly token?: string
  /** Whether it may run where `NODE_ENV` is `production`; it needs a `token` there. */
  readonly allowInProduction?: boolean
  /** What is kept of bodies: `'text'` where they are text and secrets can be found in them, `'raw'` longer ones too, `'off'` none. */
  readonly captureBodies?: 'text' | 'off' | 'raw'
  /** Whether lines of `console.log` and the like stand in its log; `false` unless given, because it costs something at each `await`. */
  readonly captureConsole?: boolean
  /** Paths of requests that are not recorded; `*` stands for anything. */
  readonly ignore?: readonly string[]
  /** From how many ms on a request is slow; 800 unless given. */
  readonly slow?: number
  /** From how many ms on a delay of the event loop is a stall; 200 unless given. */
  readonly stall?: number
  /** A link into an editor: `'vscode://file/{file}:{line}:{column}'`, with no scheme that browsers open themselves; none unless given. */
  readonly editor?: string
}

export function serverSettings(
  limits: Limits,
  given: Pick<CommonOptions, 'timeouts' | 'fastPath'>,
  report: ServerSettings['report'],
): ServerSettings {
  const timeouts = withDefaults(DEFAULTS.timeouts, given.timeouts)
  const { headers: headersTimeout, keepAlive: keepAliveTimeout, body: bodyTimeout, write: writeTimeout } = timeouts
  const { headers, headerBytes, connections } = limits
  const fastPath = given.fastPath ?? DEFAULTS.fastPath
  const timeLimits = { headersTimeout, keepAliveTimeout, bodyTimeout, writeTimeout }
  return { headers, headerBytes, connections, ...timeLimits, fastPath, report }
}

export interface VersionSettings extends VersionSource {
  /** The version of requests that name none, as its author wrote it. */
  readonly fallback: string
  /** Whether `versioning.default` says so; else it is the version of the app. */
  readonly isPinned: boolean
}

export function versionSettings(options: Pick<CommonOptions, 'version' | 'versioning'>): VersionSettings {
  const { from, default: pinned } = withDefaults(DEFAULTS.versioning, options.versioning)
  const fallback = pinned ?? options.version ?? DEFAULTS.version
  return { ...versionSource(from), fallback, isPinned: pinned !== undefined }
}

export function answerOptions({ cors, securityHeaders, compression }: CommonOptions): ResponseSettings {
  return { cors, securityHeaders, compression }
}
