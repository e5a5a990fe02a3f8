/** What a handler gets and what it returns, computed from its contract. */
import type { Reply } from '../context/reply.js'
import type { Context, Flat } from '../context/types.js'
import type { UsesIn, ValuesOf } from '../injection/provide.js'
import type { In, Out, Schema } from '../validation/schema.js'
import type { Contract, Returnable, Source } from './contract.js'
import type { BodyKind, Raw, ReplyKind } from './kinds.js'

type BodyOf<B> = B extends BodyKind<infer T> ? T : Out<B>
type Given<Spec> = { [K in keyof Spec & Source]: K extends 'body' ? BodyOf<Spec[K]> : Out<Spec[K]> }
type RawOf<Spec> = Spec extends { readonly body: Raw } ? { rawBody: Uint8Array } : {}
type ParamsIn<Spec, Params> = 'params' extends keyof Spec ? {} : { params: Flat<Params> }
type RawInput = Contract<{ query: Untyped<RawQueryValues>; body: Untyped<unknown> }, Record<string, string>, {}>

/** Stands for a schema where no contract names one. */
interface Untyped<Output> extends Schema {
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
    ? Flat<Given<Spec> & RawOf<Spec> & ParamsIn<Spec, Params> & ValuesOf<UsesIn<Spec>> & ValuesOf<ClassUses>> & Context
    : never

type KindOrIn<R> = R extends ReplyKind<infer T> ? T : In<R>
type Value<R> = R extends null ? null : KindOrIn<R>
type Bare<R> = R extends null ? void | undefined : KindOrIn<R>
type Single<R> = Bare<R> | Reply<number, Value<R>>
// Not an alias for the replies of a record: the compiler's errors would show its name, and the schemas, for the replies.
type ReturnsOf<R> = R extends Returnable
  ? Single<R>
  : { [K in keyof R & number]: Reply<K, Value<R[K]>> }[keyof R & number]
type ReturnsOfSpec<Spec> = Spec extends { returns: infer R } ? ReturnsOf<R> : unknown

/** What a handler of this contract returns, when it is not async. */
export type Returns<C> = C extends Contract<infer Spec, infer _Params, infer _Uses> ? ReturnsOfSpec<Spec> : never

/** What an async handler of this contract returns. */
export type Result<C> = Promise<Returns<C>>
