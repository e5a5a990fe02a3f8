/** What a client gives for one endpoint, computed from its contract. */
import type { Flat, QueryValues } from '../context/types.js'
import type { BodyKind, ReplyKind } from '../route/kinds.js'
import type { ParamsOf } from '../router/template.js'
import type { AnySchema, In } from '../validation/schema.js'

/** Stands for the contract of a method that has none. */
export interface NoContract {
  /** It takes any body, and its query as texts. */
  readonly '~none': true
}

/** What may be given with every call. */
export interface CallOptions {
  /** Header fields by name, after those of the client; `undefined` gives none. */
  readonly headers?: HeaderValues
  /** Gives the call up. */
  readonly signal?: AbortSignal | undefined
  /** How long all of it may take, in ms, streams included. */
  readonly timeout?: number | undefined
}

/** Header fields by name. */
export interface HeaderValues {
  readonly [name: string]: string | number | boolean | undefined
}

/** The options of a call: what the path and the contract ask for, and what may be given with every call. */
export type Asked<Spec, Path extends string> = Flat<
  AskedParams<Path> & AskedQuery<Spec> & AskedHeaders<Spec> & AskedBody<Spec> & AskedAs<Spec>
> &
  CallOptions

/** Numbers are written as texts. */
type AskedParams<Path extends string> = {} extends ParamsOf<Path> ? {} : { readonly params: TextParams<ParamsOf<Path>> }
type TextParams<Params> = { readonly [K in keyof Params]: string | number } & {}

// In tuples, so that a union of contracts is taken as a whole.
type AskedQuery<Spec> = [Spec] extends [{ readonly query: infer S }] ? Query<In<S>> : { readonly query?: QueryValues }
type Query<Value> = {} extends Value ? { readonly query?: Value } : { readonly query: Value }

type AskedHeaders<Spec> = [Spec] extends [{ readonly headers: infer S }] ? Headers<In<S>> : {}
type Headers<Value> = {} extends Value ? { readonly headers?: Value } : { readonly headers: Value }

type AskedBody<Spec> = [Spec] extends [{ readonly body: infer B }]
  ? BodyFor<B>
  : Spec extends NoContract
    ? { readonly body?: unknown }
    : {}
type BodyFor<B> = B extends BodyKind<unknown, infer Shape> ? Shape : Body<In<B>>
type Body<Value> = undefined extends Value ? { readonly body?: Value } : { readonly body: Value }

/** How the body of an answer is taken, where its media type need not tell. */
type AskedAs<Spec> = Spec extends { readonly returns: infer R } ? AsForReturns<R> : {}
// Schemas first: looking for kinds in one would instantiate all its methods, half of what a call costs.
type AsForReturns<R> = R extends AnySchema | null ? {} : AsFor<KindsIn<R>>
// oxlint-disable-next-line no-explicit-any -- a kind of whatever a handler returns
type AnyKind = ReplyKind<any>
type KindsIn<R> = R extends AnyKind ? R : Extract<R[keyof R], AnyKind>
type AsFor<K> = [K] extends [never] ? {} : AsOf<K extends ReplyKind<unknown, infer Shown> ? Shown : never>
type AsOf<Shown> = [Extract<Shown, AsyncIterable<Uint8Array>>] extends [never]
  ? { readonly as?: Exclude<Shown, AsyncIterable<unknown>> extends string ? 'text' : 'bytes' }
  : { readonly as: 'stream' }
