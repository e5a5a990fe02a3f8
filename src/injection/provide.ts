/** `provide`, the needs of providers, and `uses`, which names providers. */
import { startStackAtCaller } from '../errors/author-calls.js'
import { CONTEXT_NAMES, type ContextName } from '../context/context-names.js'
import { describeForeign, markCopy } from '../errors/copies.js'
import type { Only } from '../errors/known-keys.js'
import {
  anyRule,
  checkArgument,
  checkOptions,
  choiceRule,
  functionRule,
  ONLY_TRUE,
  rule,
  type Rule,
  type Rules,
} from '../errors/options.js'
import { SetupError } from '../errors/setup-error.js'
import { isRecord } from '../values/objects.js'
import { isSchema, SCHEMA_RULE, type AnySchema, type Out } from '../validation/schema.js'
import type { ServiceValues, StartSettings } from './services.js'
import type { Context, Flat } from '../context/types.js'

startStackAtCaller(provide)

/** A request-scoped dependency: one value for each request, created if the endpoint or another provider uses it. */
export interface Provider<T, Services extends object = {}> {
  /** Type of the value; not present at run time. */
  readonly '~value': T
  /** Type of the services that it and the providers in `uses` require; not present at run time. */
  readonly '~services': (services: Services) => void
}

/** A provider of any value, with any services. */
export type AnyProvider = Provider<unknown, never>

/** Providers by name. The names of the context, such as `params` and `log`, are reserved. */
export type Uses = { readonly [name: string]: AnyProvider } & { readonly [K in ContextName]?: TakenName<K> }

type TakenName<K extends string> = `the name ${K} is taken by the context`

/** Schemas of the sources that arrive as strings. */
export interface TextSources {
  /** Path parameters, converted from strings to the types of the schema. */
  readonly params?: AnySchema
  /** The query, converted from strings to the types of the schema. */
  readonly query?: AnySchema
  /** Headers by lower-case name; only headers that the schema describes. */
  readonly headers?: AnySchema
  /** Cookies by name; only cookies that the schema describes. */
  readonly cookies?: AnySchema
}

/** Declared problems: a list of statuses, or for each status a description or a schema of its extension members. */
export type ErrorsSpec = readonly number[] | { readonly [status: number]: string | AnySchema }

/** Inputs of a provider, the providers that it uses, and its errors and security scheme. */
export interface Needs extends TextSources {
  /** Passes the bytes of the body to the provider, which then runs after the body is read and before it is parsed. */
  readonly rawBody?: true
  /** Other providers. Their values are in the input by name. */
  readonly uses?: Uses
  /** Problems that the provider throws, for the OpenAPI document and the typed client. */
  readonly errors?: ErrorsSpec
  /** Makes the provider a guard without a security scheme, such as a rate limit. */
  readonly guard?: true
  /** Security schemes of the provider. They make it a guard, which runs before the body is read. */
  readonly security?: SecurityScheme | readonly SecurityScheme[]
}

/** A Security Scheme Object of OpenAPI 3.1. */
export interface SecurityScheme {
  /** Type of the scheme. */
  readonly type: 'apiKey' | 'http' | 'mutualTLS' | 'oauth2' | 'openIdConnect'
  /** Fields of the type, such as `scheme: 'bearer'`. */
  readonly [key: string]: unknown
}

/** When the cleanup of a provider runs, which is the code after `yield`. */
export type Ends = 'before-response' | 'after-response'

/** Options of `provide`. */
export interface ProviderOptions {
  /** When the code after `yield` runs: before the headers are sent (default), or after the response. */
  readonly ends?: Ends
}

type SourcesIn<N> = { [K in keyof N & keyof TextSources]: Out<N[K]> }
type RawOf<N> = N extends { readonly rawBody: true } ? { rawBody: Uint8Array } : {}

/** The `uses` of a contract or of the needs of a provider. */
export type UsesIn<N> = N extends { readonly uses: infer U } ? U : {}

/** Values of providers by name. */
export type ValuesOf<U> = { -readonly [K in keyof U]: U[K] extends AnyProvider ? U[K]['~value'] : never }

/** Input of a provider function: validated sources, values of the providers that it uses, and the context. */
export type ProviderInput<N> = Flat<SourcesIn<N> & RawOf<N> & ValuesOf<UsesIn<N>>> & Context

/** Return type of a provider function: a value, a promise, or a generator that yields one value. */
type ProvidedValue<T> = AsyncGenerator<T, void, void> | Generator<T, void, void> | Promise<T> | T

type ProviderList<Errors> = Errors extends readonly (infer Status)[] ? Status : keyof Errors
// The type `number` may or may not include 403, so only literal types count.
type NamesRejection<Errors> = Extract<ProviderList<Errors>, 401 | 403 | '401' | '403'> extends never ? false : true
type CanReject<N> = N extends { readonly security: object }
  ? true
  : N extends { readonly errors: infer E }
    ? NamesRejection<E>
    : false

/** Value of a provider with needs `N`, without `false` if that rejects the request. */
type AcceptedValue<N, T> = CanReject<N> extends true ? Exclude<T, false> : T

type WantedServices<P> = P extends AnyProvider ? P['~services'] : never

/** Union with one function per provider, whose parameter is its services. `never` for `Uses` itself, which names no providers. */
export type WantOf<U> = string extends keyof U ? never : WantedServices<U[keyof U]>

// The tuple prevents distribution over the union, so TypeScript intersects the inferred parameters.
/** Intersection of the services of all functions in `Wants`. */
export type ServicesOf<Wants> = [Wants] extends [(services: infer S) => void] ? S : {}

/** Response headers that Verbena adds for a provider, for the OpenAPI document. `statuses` limits a header to these statuses. */
export interface ResponseFields {
  readonly [name: string]: {
    readonly description: string
    readonly schema: Readonly<Record<string, unknown>>
    readonly statuses?: readonly number[]
  }
}

/** Statuses of problems that Verbena sends because of a provider. They are in the OpenAPI document, but not in `report()` of tests. */
export interface FrameworkErrors {
  readonly always: readonly number[]
  /** For methods that may change something (RFC 9110 section 9.2.1). */
  readonly unsafe: readonly number[]
}

/** When a provider runs: as its needs require, as the last guard, or after the guards and before the body is read. */
type ProviderPhase = 'usual' | 'last guard' | 'behind guards'

export type Resolve = (input: object, services: ServiceValues) => unknown

export class ProviderRecipe implements Provider<never> {
  declare readonly '~value': never
  declare readonly '~services': () => void
  readonly needs: Needs
  readonly resolve: Resolve
  readonly ends: Ends
  readonly place: ProviderPhase
  readonly fields: ResponseFields = {}
  readonly frameworkErrors: FrameworkErrors = { always: [], unsafe: [] }
  readonly settings: readonly StartSettings[] = []
  /** Statuses in `needs.errors` that a GET cannot cause. */
  readonly unsafeErrors: readonly number[] = []
  /** Whether the provider identifies the client, so that shared caches must not store responses. */
  readonly readsCredentials: boolean
  /** Whether the cleanup runs after all others, instead of in reverse order. */
  readonly cleansUpLast: boolean = false

  constructor(needs: Needs, resolve: Resolve, ends: Ends = 'before-response', place: ProviderPhase = 'usual') {
    this.needs = needs
    this.resolve = resolve
    this.ends = ends
    this.place = place
    this.readsCredentials = needs.security !== undefined
  }

  /** Throws a setup error if an app cannot use both providers. */
  checkBeside(_other: ProviderRecipe): void {}
}

markCopy(ProviderRecipe.prototype, 'a provider')

/**
 * Creates a request-scoped dependency. Contracts, classes, groups and other providers name it in `uses`, and share its value in a request.
 *
 * A generator yields the value once. The code after `yield` is the cleanup, which runs before the headers are sent. If the request fails,
 * `yield` throws the error.
 *
 * If `needs` has `security`, or lists 401 or 403 in `errors`, the value `false` rejects the request: with 401 and a challenge, or
 * with 403.
 *
 * @param needs schemas of the sources, other providers, errors and security schemes; an unknown key is a compile error at that key
 * @param resolve receives the input and the services; may be async, a generator, or an async generator
 * @param options `ends: 'after-response'` runs the cleanup after the response
 * @returns the provider, for `uses`
 * @throws SetupError `OPTION_INVALID`
 *
 * @example
 * ```ts
 * import { createApp, provide, Route, type Input } from 'verbena'
 *
 * const language = provide({}, ({ request }) => request.headers['accept-language'] ?? 'en')
 *
 * class Home extends Route {
 *   static readonly get = this.contract({ uses: { language } })
 *   async get({ language }: Input<typeof Home.get>) {
 *     return language === 'de' ? 'hallo' : 'hello'
 *   }
 * }
 * const app = createApp({ routes: { Home } })
 * const response = await app.fetch(new Request('http://localhost/home'))
 * await response.text() // => 'hello'
 * ```
 */
export function provide<const N extends Needs, T, Services extends object = {}>(
  needs: N & Only<N, Needs>,
  resolve: (input: ProviderInput<N>, services: Services) => ProvidedValue<T>,
  options: ProviderOptions = {},
): Provider<AcceptedValue<N, Awaited<T>>, Services & ServicesOf<WantOf<UsesIn<N>>>> {
  checkOptions(needs, RULES, 'provide()')
  checkArgument(resolve, functionRule('provide({ … }, (input) => value)'), 'resolve', 'provide()')
  checkOptions(options, OPTIONS, 'provide()')
  // Proof: the input is built from `needs`, and the types of `createApp` require the services.
  return new ProviderRecipe(Object.freeze({ ...needs }), resolve as unknown as Resolve, options.ends)
}

/** Sources that arrive as strings, in the order in which their issues are reported. */
export const TEXT_SOURCES: readonly (keyof TextSources)[] = ['params', 'query', 'headers', 'cookies']

/** Rule for declared problems. */
export const ERRORS_RULE: Rule = rule(
  isErrors,
  'be an array of statuses from 400 to 599, or an object with a string or a schema for each',
  '[403]',
)

export const SOURCE_RULES: Rules<TextSources> = {
  params: SCHEMA_RULE,
  query: SCHEMA_RULE,
  headers: SCHEMA_RULE,
  cookies: SCHEMA_RULE,
}

const RULES: Rules<Needs> = {
  ...SOURCE_RULES,
  rawBody: ONLY_TRUE,
  uses: anyRule('{ user }'),
  guard: ONLY_TRUE,
  errors: ERRORS_RULE,
  security: rule(isSecurity, 'be a security scheme, or an array of them', "{ type: 'http', scheme: 'bearer' }"),
}

const OPTIONS: Rules<ProviderOptions> = { ends: choiceRule(['before-response', 'after-response'], "'after-response'") }

export function isErrors(errors: unknown): errors is ErrorsSpec {
  if (isErrorList(errors)) return true
  const isSaid = (saying: unknown): boolean => typeof saying === 'string' || isSchema(saying)
  if (!isRecord(errors)) return false
  return Object.entries(errors).every(([status, saying]) => isErrorStatus(Number(status)) && isSaid(saying))
}

export function isErrorList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isErrorStatus)
}

function isErrorStatus(status: unknown): boolean {
  return Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599
}

function isSecurity(security: unknown): boolean {
  const schemes = [security].flat()
  return schemes.length > 0 && schemes.every((scheme) => isRecord(scheme) && 'type' in scheme)
}

export interface NamedProvider {
  readonly name: string
  readonly provider: ProviderRecipe
}

export function readUses(value: unknown, where: string): readonly NamedProvider[] {
  if (!isRecord(value)) throw usesError(where, 'it must be an object. Write "uses: { user: currentUser }"')
  return Object.entries(value).map(([name, provider]) => {
    if (CONTEXT_NAMES.includes(name) || name in Object.prototype) {
      throw usesError(where, `the name "${name}" is reserved. Use another name`)
    }
    if (provider instanceof ProviderRecipe) return { name, provider }
    const foreign = describeForeign(provider)
    if (foreign !== undefined) throw usesError(where, `"${name}" is ${foreign}`)
    const fix = 'Pass the result of "provide(…)". It is undefined if two modules import each other'
    throw usesError(where, `"${name}" must be a provider. ${fix}`)
  })
}

export function usesError(where: string, why: string): SetupError {
  return new SetupError('USES_INVALID', `Cannot read uses of ${where}: ${why}`)
}
