/** Providers: request-scoped dependencies as data, what they may be made of, and `uses`, which names them. */
import { startStackAtCaller } from '../errors/author-calls.js'
import { CONTEXT_NAMES, type ContextName } from '../context/context-names.js'
import { ANYTHING, checkMembers, type Only, rule, type Rule, type Rules } from '../errors/known-keys.js'
import { SetupError } from '../errors/setup-error.js'
import { isRecord } from '../values/objects.js'
import { isSchema, type AnySchema, type Out } from '../validation/schema.js'
import type { ServiceValues } from './service-store.js'
import type { Context, Flat } from '../context/types.js'

startStackAtCaller(provide)

/** A request-scoped dependency: a value for each request, made when an endpoint or another provider uses it. */
export interface Provider<T, Services extends object = {}> {
  /** What it gives; a type only. */
  readonly '~value': T
  /** The services it needs, those of the providers it uses included; a type only. */
  readonly '~services': (services: Services) => void
}

/** A provider of anything, whatever services it needs. */
export type AnyProvider = Provider<unknown, never>

/** Providers by the names under which they are used. */
export type Uses = { readonly [name: string]: AnyProvider } & { readonly [K in ContextName]?: TakenName<K> }

type TakenName<K extends string> = `the name ${K} is taken by the context`

/** Where the values of a request's head come from. */
export interface TextSources {
  /** Path parameters, as strings converted to what the schema describes. */
  readonly params?: AnySchema
  /** The query, its texts converted to what the schema describes. */
  readonly query?: AnySchema
  /** Headers by lower-case name, narrowed to those described. */
  readonly headers?: AnySchema
  /** Cookies by name, narrowed to those described. */
  readonly cookies?: AnySchema
}

/** Problems that are answered on purpose: their statuses, or for each status words or a schema of the members beside ours. */
export type ErrorsSpec = readonly number[] | { readonly [status: number]: string | AnySchema }

/** What a provider needs of the request, and what is said of it. */
export interface Needs extends TextSources {
  /** Gives the bytes of the body; the provider runs when they are there, before they are parsed. */
  readonly rawBody?: true
  /** Other providers, whose values it gets by name. */
  readonly uses?: Uses
  /** Statuses of problems it answers with on purpose, for document and client. */
  readonly errors?: ErrorsSpec
  /** Makes it a guard without a security scheme, such as a limit of requests. */
  readonly guard?: true
  /** How clients authenticate; makes it a guard, which runs before anything of the body is read. */
  readonly security?: SecurityScheme | readonly SecurityScheme[]
}

/** A Security Scheme Object of OpenAPI 3.1. */
export interface SecurityScheme {
  /** Kind of the scheme. */
  readonly type: 'apiKey' | 'http' | 'mutualTLS' | 'oauth2' | 'openIdConnect'
  /** What belongs to the kind, such as `scheme: 'bearer'`. */
  readonly [key: string]: unknown
}

/** When the part of a provider after its `yield` runs. */
export type Ends = 'before-response' | 'after-response'

/** How a provider ends. */
export interface ProviderOptions {
  /** When the part after `yield` runs: before the head of the answer is sent (the default), or once the answer has ended. */
  readonly ends?: Ends
}

type GivenSources<N> = { [K in keyof N & keyof TextSources]: Out<N[K]> }
type RawOf<N> = N extends { readonly rawBody: true } ? { rawBody: Uint8Array } : {}

/** What is used by a contract or by the needs of a provider. */
export type UsesIn<N> = N extends { readonly uses: infer U } ? U : {}

/** The values of providers, by name. */
export type ValuesOf<U> = { -readonly [K in keyof U]: U[K] extends AnyProvider ? U[K]['~value'] : never }

/** What a provider's function gets: the sources it needs, validated, the values it uses, and the context. */
export type ProviderInput<N> = Flat<GivenSources<N> & RawOf<N> & ValuesOf<UsesIn<N>>> & Context

/** What a provider's function returns: a value, a promise of it, or a generator that yields it once. */
type ProvidedValue<T> = AsyncGenerator<T, void, void> | Generator<T, void, void> | Promise<T> | T

type ProviderList<Errors> = Errors extends readonly (infer Status)[] ? Status : keyof Errors
// A wide `number` may be 403 or not: only a status that the compiler can see counts.
type NamesRefusal<Errors> = Extract<ProviderList<Errors>, 401 | 403 | '401' | '403'> extends never ? false : true
type Refuses<N> = N extends { readonly security: object }
  ? true
  : N extends { readonly errors: infer E }
    ? NamesRefusal<E>
    : false

/** What a provider with these needs gives: without `false` where that refuses the request. */
type AcceptedValue<N, T> = Refuses<N> extends true ? Exclude<T, false> : T

type Want<P> = P extends AnyProvider ? P['~services'] : never

/** One function for each provider, with the services it needs as parameter; none for `Uses` itself, which says nothing. */
export type WantOf<U> = string extends keyof U ? never : Want<U[keyof U]>

// In a tuple, so that a union of functions is taken as a whole: parameters inferred from all of them are intersected.
/** The services of all functions of `Wants`, together. */
export type ServicesOf<Wants> = [Wants] extends [(services: infer S) => void] ? S : {}

/** Header fields that a provider adds to answers by itself, for the document; `statuses` where only those have one. */
export interface AnswerFields {
  readonly [name: string]: {
    readonly description: string
    readonly schema: Readonly<Record<string, unknown>>
    readonly statuses?: readonly number[]
  }
}

const NO_ANSWER_FIELDS: AnswerFields = {}

/** Statuses of problems that Verbena itself responds with because of a provider. They are in the document, and not in `report()` of tests. */
export interface FrameworkErrors {
  /** For each method. */
  readonly always: readonly number[]
  /** For methods that may change something (RFC 9110 section 9.2.1). */
  readonly unsafe: readonly number[]
}

const NO_FRAMEWORK_ERRORS: FrameworkErrors = { always: [], unsafe: [] }

/** Where a provider runs by itself: as the last guard, behind the guards and before the body, or as its needs say. */
type ProviderPhase = 'usual' | 'last guard' | 'behind guards'

export type Resolve = (input: object, services: ServiceValues) => unknown

export class ProviderRecipe implements Provider<never> {
  declare readonly '~value': never
  declare readonly '~services': () => void
  readonly needs: Needs
  readonly resolve: Resolve
  readonly ends: Ends
  readonly place: ProviderPhase
  readonly fields: AnswerFields = NO_ANSWER_FIELDS
  readonly frameworkErrors: FrameworkErrors = NO_FRAMEWORK_ERRORS
  /** Statuses in `needs.errors` that a GET cannot cause. */
  readonly unsafeErrors: readonly number[] = []
  /** Whether it identifies the client, so that shared caches must not store responses. */
  readonly readsCredentials: boolean
  /** Whether its end runs behind all others, which would come before it in their order. */
  readonly cleansUpLast: boolean = false

  constructor(needs: Needs, resolve: Resolve, ends: Ends = 'before-response', place: ProviderPhase = 'usual') {
    this.needs = needs
    this.resolve = resolve
    this.ends = ends
    this.place = place
    this.readsCredentials = needs.security !== undefined
  }
}

/**
 * Makes a request-scoped dependency: one value for each request, for all contracts, classes, groups and providers that name it in `uses`.
 *
 * A generator yields the value once. What stands after `yield` runs before the head of the answer is sent; when the request
 * fails, the error is thrown in at the `yield`.
 *
 * Where `needs` has `security`, or names 401 or 403 in `errors`, the value `false` refuses the request: with 401 and a challenge, or
 * with 403.
 *
 * @param needs schemas of what it reads, other providers, and words for the document; an unknown key is an error at that key
 * @param resolve gets what it needs, and the services; may be async, a generator, or an async generator
 * @param options `ends: 'after-response'` runs what stands after `yield` once the answer has ended
 * @returns the provider, for `uses`
 * @throws SetupError `PROVIDER_INVALID`
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
  const untrusted: unknown = needs
  if (!isRecord(untrusted)) throw providerError('its needs are no record. Write "provide({ … }, (input) => value)"')
  checkMembers(untrusted, RULES, providerError, 'Needs have')
  checkProvider(resolve, options)
  // Proof: its input is made of its needs, and `createApp` checks by type that the services are there.
  return new ProviderRecipe(Object.freeze({ ...needs }), resolve as unknown as Resolve, options.ends)
}

/** The sources that are texts, in the order in which their issues are reported. */
export const TEXT_SOURCES: readonly (keyof TextSources)[] = ['params', 'query', 'headers', 'cookies']

/** What is wrong with `errors` that `isErrors` refuses. */
export const ERRORS_FLAW =
  '"errors" does not list statuses from 400 to 599, or says neither in words nor by a schema what they are. Write "errors: [403]"'

const RULES: Rules = {
  ...Object.fromEntries(TEXT_SOURCES.map((source) => [source, schemaRule(source)])),
  rawBody: rule((value) => value === true, '"rawBody" is not true. Write "rawBody: true", or leave it out'),
  uses: ANYTHING,
  guard: rule((value) => value === true, '"guard" is not true. Write "guard: true", or leave it out'),
  errors: rule(isErrors, ERRORS_FLAW),
  security: rule(isSecurity, `"security" is no scheme. Write "security: { type: 'http', scheme: 'bearer' }"`),
}

/** A rule of a member that is a schema. */
export function schemaRule(name: string): Rule {
  return rule(isSchema, `"${name}" is not a schema. Give a schema of a library that follows Standard Schema 1`)
}

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

function checkProvider(resolve: unknown, options: unknown): void {
  if (typeof resolve !== 'function') {
    throw providerError('its second argument is not a function. Write "provide({ … }, (input) => value)"')
  }
  if (!isRecord(options) || Object.keys(options).some((key) => key !== 'ends')) {
    throw providerError('its options are not known. Write "{ ends: \'after-response\' }", or leave them out')
  }
  if ([undefined, 'before-response', 'after-response'].some((ends) => ends === options['ends'])) return
  throw providerError(`"ends" is neither 'before-response' nor 'after-response'. Write one of them`)
}

function providerError(why: string): SetupError {
  return new SetupError('PROVIDER_INVALID', `Cannot make a provider: ${why}`)
}

export interface NamedProvider {
  readonly name: string
  readonly provider: ProviderRecipe
}

export function readUses(value: unknown, where: string): readonly NamedProvider[] {
  if (!isRecord(value)) throw usesError(where, 'it is not a record. Write "uses: { user: currentUser }"')
  return Object.entries(value).map(([name, provider]) => {
    if (CONTEXT_NAMES.includes(name) || name in Object.prototype) {
      throw usesError(where, `the name "${name}" is taken by something else. Use another name`)
    }
    if (provider instanceof ProviderRecipe) return { name, provider }
    const fix = 'Give what "provide(…)" returns; it is undefined where two modules import each other'
    throw usesError(where, `"${name}" is not a provider. ${fix}`)
  })
}

export function usesError(where: string, why: string): SetupError {
  return new SetupError('USES_INVALID', `Cannot read uses of ${where}: ${why}`)
}
