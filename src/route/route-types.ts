/** Types computed from contracts and routes: input and return types of handlers, and required services. */
import type { HeaderMarks, Reply } from '../context/reply.js'
import type { Context, Flat } from '../context/types.js'
import type { UsesIn, ValuesOf, ServicesOf, WantOf } from '../injection/provide.js'
import type { In, Out, Schema } from '../validation/schema.js'
import type { Contract, Returnable, Source } from './contract.js'
import type { BodyKind, Raw, ReplyKind } from './kinds.js'
import type { Verb, VERBS } from '../http/methods.js'
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

/** Schema type of an endpoint without a contract. */
interface UntypedMethod<Output> extends Schema {
  readonly '~standard': Schema['~standard'] & { readonly types?: { input: unknown; output: Output } }
}

/** A query without a schema: strings by key, arrays for repeated keys. */
export type RawQueryValues = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Input of a handler: the validated sources of its contract, `params`, the values of the providers in `uses` of contract and class, and
 * `request`, `response`, `signal`, `log`. Without a contract, plain `Input` also contains the raw `query` and a `body` of type `unknown`.
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

type KindOrInput<R> = R extends ReplyKind<infer T> ? T : In<R>
type Value<R> = R extends null ? null : KindOrInput<R>
type BareRoute<R> = R extends null ? void | undefined : KindOrInput<R>
type Single<R> = BareRoute<R> | Reply<number, Value<R>>
// The headers of a file are only checked at run time, because the type of `sendFile` does not have them.
type MarksOf<R, H> = '~file' extends keyof R ? unknown : HeaderMarks<FieldsOf<In<H>>>
// The replies by status are inlined, because TypeScript errors would show the name of an alias and the schemas instead of the replies.
type ReturnsOf<R> = R extends Returnable
  ? '~headers' extends keyof R
    ? BareRoute<R> | (Reply<number, Value<R>> & MarksOf<R, R['~headers']>)
    : Single<R>
  : {
      [K in keyof R & number]: '~headers' extends keyof R[K]
        ? Reply<K, Value<R[K]>> & MarksOf<R[K], R[K]['~headers']>
        : Reply<K, Value<R[K]>>
    }[keyof R & number]

/** Headers that a schema accepts. All values are strings, even if the schema converts them. */
export type FieldsOf<Values> = { readonly [K in keyof Values]: TextOf<Values[K]> } & {}
type TextOf<Value> = Value extends string | undefined ? Value : string

type ReturnsOfSpec<Spec> = Spec extends { returns: infer R } ? ReturnsOf<R> : unknown

/** Return type of a synchronous handler with this contract. */
export type Returns<C> = C extends Contract<infer Spec, infer _Params, infer _Uses> ? ReturnsOfSpec<Spec> : never

/** Return type of an async handler with this contract. A method without `async` has `Returns` instead. */
export type Result<C> = Promise<Returns<C>>

/** Routes by name: classes, groups, upgrades, mounted handlers, and sections: objects of these, under a name or a prefix such as `'/v1'`. */
export interface Routes {
  readonly [key: string]: AnyRoute | Routes | Group<unknown> | Upgrade | Mount
}

/** Result of `upgrade` from `verbena/upgrade`. */
export interface Upgrade<UpgradeUses = unknown> {
  /** Type of the providers whose values the handler receives; not present at run time. */
  readonly '~upgrade': UpgradeUses
}

/** Result of `mount` from `verbena/mount`. */
export interface Mount<MountUses = unknown> {
  /** Type of the providers whose values the handler receives; not present at run time. */
  readonly '~mount': MountUses
}

/** Result of `group`. */
export interface Group<R, GroupUses = unknown, Format = unknown> {
  /** Routes of the group. */
  readonly '~group': R
  /** Type of the guards of the group; not present at run time. */
  readonly '~uses'?: GroupUses
  /** Type of the schema of the error format; not present at run time. */
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
    : C extends Upgrade<infer U> | Mount<infer U>
      ? WantOf<U>
      : C extends Routes
        ? WantIn<C>
        : never
// Stops at `Routes` itself. Otherwise, TypeScript instantiates inline `services` endlessly (TS2589).
type WantIn<R> = string extends keyof R ? never : WantClass<R[keyof R]>

/** All services that the routes and their providers require. */
export type RequiredServices<R> = R extends readonly (infer C)[] ? ServicesOf<WantClass<C>> : ServicesOf<WantIn<R>>

type MatchesContract<C> = { [V in keyof C & Verb]: (input: Input<C[V]>) => Returns<C[V]> | Result<C[V]> }

/** `unknown` if the methods of the class match their contracts, otherwise a string type with the error. */
type CheckedRoute<C, K> = C extends abstract new () => MatchesContract<C> ? unknown : ContractMismatch<C, NameOf<K>>

// The types up to `CheckedEntry` are only evaluated for an error.
type NameOf<K> = K extends `${number}` ? `routes[${K}]` : K & string
type ContractMismatch<C, Name extends string> = FirstBroken<C, Name, typeof VERBS>
// Returns only the first error, because TypeScript abbreviates a union as `ContractMismatch<typeof Users, "Users">`.
type FirstBroken<C, Name extends string, Verbs> = Verbs extends readonly [infer V extends Verb, ...infer Rest]
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
  : `${Where}() has an input that does not match its contract: write 'input: Input<typeof ${Where}>'`
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
  : `returns a value that does not match its contract: write ': ${Annotation<Given>}<typeof ${Where}>' after its parameters to see the difference`
type Annotation<Given> = Given extends PromiseLike<unknown> ? 'Result' : 'Returns'

type CheckedEntry<E, K> = E extends AnyRoute ? CheckedRoute<E, K> : E extends Routes ? CheckedInput<E> : unknown

/** Checks that methods match their contracts. A mismatch is a type error at the key of the route. */
export type CheckedInput<R> = string extends keyof R ? unknown : { readonly [K in keyof R]: CheckedEntry<R[K], K> }
