/** The types of providers: what they need, and what they give. */
import type { ContextName } from '../context/context-names.js'
import type { Context, Flat } from '../context/types.js'
import type { AnySchema, Out, Schema } from '../validation/schema.js'

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

/** What a provider needs of the request, and what is said of it. */
export interface Needs extends TextSources {
  /** Gives the bytes of the body; the provider runs when they are there, before they are parsed. */
  readonly rawBody?: true
  /** Other providers, whose values it gets by name. */
  readonly uses?: Uses
  /** Statuses of problems it answers with on purpose, for document and client. */
  readonly errors?: readonly number[] | { readonly [status: number]: string | Schema }
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
export type Provided<T> = AsyncGenerator<T, void, void> | Generator<T, void, void> | Promise<T> | T

type Listed<Errors> = Errors extends readonly (infer Status)[] ? Status : keyof Errors
// A wide `number` may be 403 or not: only a status that the compiler can see counts.
type NamesRefusal<Errors> = Extract<Listed<Errors>, 401 | 403 | '401' | '403'> extends never ? false : true
type Refuses<N> = N extends { readonly security: object }
  ? true
  : N extends { readonly errors: infer E }
    ? NamesRefusal<E>
    : false

/** What a provider with these needs gives: without `false` where that refuses the request. */
export type Accepted<N, T> = Refuses<N> extends true ? Exclude<T, false> : T

type Want<P> = P extends AnyProvider ? P['~services'] : never

/** One function for each provider, with the services it needs as parameter; none for `Uses` itself, which says nothing. */
export type WantOf<U> = string extends keyof U ? never : Want<U[keyof U]>

// In a tuple, so that a union of functions is taken as a whole: parameters inferred from all of them are intersected.
/** The services of all functions of `Wants`, together. */
export type ServicesOf<Wants> = [Wants] extends [(services: infer S) => void] ? S : {}
