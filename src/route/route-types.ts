/** What is computed from contracts and routes: what handlers get and return, and which services routes need. */
import type { HeaderMarks, Reply } from '../context/reply.js'
import type { Context, Flat } from '../context/types.js'
import type { UsesIn, ValuesOf, ServicesOf, WantOf } from '../injection/provide.js'
import type { In, Out, Schema } from '../validation/schema.js'
import type { Contract, Returnable, Source } from './contract.js'
import type { BodyKind, Raw, ReplyKind } from './kinds.js'
import type { Verb } from '../http/methods.js'
import type { AnyRoute, RouteBase } from './route.js'

type BodyOf<B> = B extends BodyKind<infer T> ? T : Out<B>
type MethodInput<Spec> = { [K in keyof Spec & Source]: K extends 'body' ? BodyOf<Spec[K]> : Out<Spec[K]> }
type RawSources<Spec> = Spec extends { readonly body: Raw } ? { rawBody: Uint8Array } : {}
type ParamsIn<Spec, Params> = 'params' extends keyof Spec ? {} : { params: Flat<Params> }
type RawInput = Contract<
  { query: UntypedMethod<RawQueryValues>; body: UntypedMethod<unknown> },
  Record<string, string>,
  {}
>

/** Stands for a schema where no contract names one. */
interface UntypedMethod<Output> extends Schema {
  readonly '~standard': Schema['~standard'] & { readonly types?: { input: unknown; output: Output } }
}

/** A query that no schema describes: texts by key, an array where a key is repeated. */
export type RawQueryValues = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * What a handler gets: the sources its contract names, validated; `params`; the values of the providers that contract and class
 * use; and `request`, `response`, `signal`, `log`.
 * Without a contract (`Input` alone) also the raw `query` and a `body` of type `unknown`.
 *
 * @example
 * ```ts
 * import { Route, type Input } from 'verbena'
 *
 * class Notes extends Route {
 *   static readonly path = '/notes/{id}'
 *   static readonly get = this.contract({ summary: 'Read a note' })
 *   async get({ params }: Input<typeof Notes.get>) {
 *     return { id: params.id.toUpperCase() }
 *   }
 * }
 * Notes.path // => '/notes/{id}'
 * ```
 */
export type Input<C = RawInput> =
  C extends Contract<infer Spec, infer Params, infer ClassUses>
    ? Flat<
        MethodInput<Spec> & RawSources<Spec> & ParamsIn<Spec, Params> & ValuesOf<UsesIn<Spec>> & ValuesOf<ClassUses>
      > &
        Context
    : never

type KindOrIn<R> = R extends ReplyKind<infer T> ? T : In<R>
type Value<R> = R extends null ? null : KindOrIn<R>
type BareRoute<R> = R extends null ? void | undefined : KindOrIn<R>
type Single<R> = BareRoute<R> | Reply<number, Value<R>>
// Not an alias for the replies of a record: the compiler's errors would show its name, and the schemas, for the replies.
type ReturnsOf<R> = R extends Returnable
  ? '~headers' extends keyof R
    ? BareRoute<R> | (Reply<number, Value<R>> & HeaderMarks<FieldsOf<In<R['~headers']>>>)
    : Single<R>
  : {
      [K in keyof R & number]: '~headers' extends keyof R[K]
        ? Reply<K, Value<R[K]>> & HeaderMarks<FieldsOf<In<R[K]['~headers']>>>
        : Reply<K, Value<R[K]>>
    }[keyof R & number]

/** Header fields whose values a schema takes: texts, of which it may make something else. */
export type FieldsOf<Values> = { readonly [K in keyof Values]: TextOf<Values[K]> } & {}
type TextOf<Value> = Value extends string | undefined ? Value : string

type ReturnsOfSpec<Spec> = Spec extends { returns: infer R } ? ReturnsOf<R> : unknown

/** What a handler of this contract returns, when it is not async. */
export type Returns<C> = C extends Contract<infer Spec, infer _Params, infer _Uses> ? ReturnsOfSpec<Spec> : never

/** What an async handler of this contract returns. */
export type Result<C> = Promise<Returns<C>>

/** Routes by name: classes, groups, and sections, which are records of these under a name or a prefix (`'/v1'`). */
export interface Routes {
  readonly [key: string]: AnyRoute | Routes | Group<unknown> | Upgrade
}

/** What `upgrade` of `verbena/upgrade` makes. */
export interface Upgrade<UpgradeUses = unknown> {
  /** Providers whose values its handler gets; a type only. */
  readonly '~upgrade': UpgradeUses
}

/** What `group` makes. */
export interface Group<R, GroupUses = unknown, Format = unknown> {
  /** Its routes. */
  readonly '~group': R
  /** Providers that guard it; a type only. */
  readonly '~uses'?: GroupUses
  /** The schema of its errors; a type only. */
  readonly '~format'?: Format
}

type WantClass<C> = C extends abstract new () => RouteBase<infer S>
  ? ((services: S) => void) | WantOf<UsesIn<C>> | WantContract<C[keyof C & Verb]>
  : WantSection<C>
type WantContract<E> = E extends { readonly '~spec': infer Spec } ? WantOf<UsesIn<Spec>> | WantOnce<Spec> : never
type WantOnce<Spec> = Spec extends { readonly idempotency: { readonly '~services': infer Want } } ? Want : never
type WantSection<C> =
  C extends Group<infer R, infer U>
    ? WantIn<R> | WantOf<U>
    : C extends Upgrade<infer U>
      ? WantOf<U>
      : C extends Routes
        ? WantIn<C>
        : never
// Stops at the recursive constraint itself: without this, services written inline are an endless instantiation (TS2589).
type WantIn<R> = string extends keyof R ? never : WantClass<R[keyof R]>

/** The services that the routes and the providers they use need, taken together. */
export type RequiredServices<R> = R extends readonly (infer C)[] ? ServicesOf<WantClass<C>> : ServicesOf<WantIn<R>>

type MatchesContract<C> = { [V in keyof C & Verb]: (input: Input<C[V]>) => Returns<C[V]> | Result<C[V]> }

/** `unknown` for a class whose methods keep their contracts, else the text of the error. */
type CheckedRoute<C, K> = C extends abstract new () => MatchesContract<C> ? unknown : ContractMismatch<C, NameOf<K>>

// All from here to `Checked` is computed only for the text of an error.
type NameOf<K> = K extends `${number}` ? `routes[${K}]` : K & string
type ContractMismatch<C, Name extends string> = FirstBroken<C, Name, VerbList>
type VerbList = ['get', 'post', 'put', 'patch', 'delete']
// One of them, because the compiler abbreviates a union: `Broken<typeof Users, "Users">`.
type FirstBroken<C, Name extends string, Verbs> = Verbs extends [infer V extends Verb, ...infer Rest]
  ? V extends keyof C
    ? C extends abstract new () => Pick<MatchesContract<C>, V>
      ? FirstBroken<C, Name, Rest>
      : BrokenMethod<C, Name, V>
    : FirstBroken<C, Name, Rest>
  : never
type BrokenMethod<C, Name extends string, V extends Verb & keyof C> = C extends abstract new () => {
  readonly [K in V]: infer Method
}
  ? BrokenCall<`${Name}.${V}`, Method, C[V]>
  : `${Name} has a contract for '${V}' but no such method: write 'async ${V}(input: Input<typeof ${Name}.${V}>)', or remove the contract`
type BrokenCall<Where extends string, Method, E> = Method extends (input: Input<E>) => infer Given
  ? BrokenReturn<Where, Given, Awaited<Given>, E>
  : `${Where}() takes what its contract does not give: write 'input: Input<typeof ${Where}>'`
type BrokenReturn<Where extends string, Given, Value, E> = [PromisesIn<Value>] extends [never]
  ? [StrayStatus<Value, E>] extends [never]
    ? `${Where}() ${WrongReturn<Where, Given, Value>}`
    : `${Where}() replies with ${StrayStatus<Value, E>}: name it in 'returns', or throw an HttpError`
  : `${Where}() returns a promise in '${PromisesIn<Value>}': await it`
type PromisesIn<Value> = Value extends Reply<number, infer Body> ? PromisesAt<Body> : PromisesAt<Value>
type PromisesAt<Value> = Value extends readonly (infer Item)[]
  ? Item extends PromiseLike<unknown>
    ? 'each item'
    : never
  : { [K in keyof Value & string]: Value[K] extends PromiseLike<unknown> ? K : never }[keyof Value & string]
type StrayStatus<Value, E> =
  E extends Contract<{ readonly returns: infer R }>
    ? R extends Returnable
      ? never
      : UnknownMember<Value, keyof R>
    : never
type UnknownMember<Value, Known> = Value extends Reply<infer Status> ? Exclude<Status, Known> : never
type WrongReturn<Where extends string, Given, Value> = [Value] extends [void]
  ? "returns nothing: return what its contract describes, or declare 'returns: null'"
  : `returns what its contract does not: write ': ${Annotation<Given>}<typeof ${Where}>' behind its parameters to see where`
type Annotation<Given> = Given extends PromiseLike<unknown> ? 'Result' : 'Returns'

type CheckedEntry<E, K> = E extends AnyRoute ? CheckedRoute<E, K> : E extends Routes ? CheckedInput<E> : unknown

/** Routes whose methods keep their contracts; where one does not, an error at its key. */
export type CheckedInput<R> = string extends keyof R ? unknown : { readonly [K in keyof R]: CheckedEntry<R[K], K> }
