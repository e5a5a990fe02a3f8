/** The typed client: paths lead to endpoints; what these take and give is computed from contracts, or else from methods. */
import type { App } from '../app/app-types.js'
import type { Reply } from '../context/reply.js'
import type { Flat, QueryValues } from '../context/types.js'
import type { DeclaresErrors, Problem, ProblemMembers } from '../errors/http-error.js'
import type { KnownErrorStatus } from '../errors/status.js'
import type { Verb } from '../http/methods.js'
import type { KebabCase } from '../naming/kebab-case.js'
import type { DeclaredErrors, ErrorsIn, NoErrors, Returnable } from '../route/contract.js'
import type { BodyKind, ReplyKind, StreamEvent } from '../route/kinds.js'
import type { AnyRoute } from '../route/route.js'
import type { FieldsOf, Group, Routes } from '../route/route-types.js'
import type { ParamsOf } from '../router/template.js'
import type { AnySchema, In, Out } from '../validation/schema.js'

/** A client of an app: a function from paths to endpoints. */
export type Client<A> = A extends App<infer R, infer _S> ? ClientOf<R> : never

/** A client of the app's routes. */
export type ClientOf<R> = unknown extends R ? (path: Untyped) => never : At<ClassesByPath<R>>

type Untyped = 'the app has lost its routes: let "createApp" say its type, not an annotation'
type At<Classes> = <Path extends keyof Classes & string>(path: Path) => EndpointsAt<Classes[Path], Path>

/** The endpoints of a path, by verb. */
export type EndpointsAt<Class, Path extends string> = {
  readonly [V in VerbsOf<Class>]: EndpointCall<AskedOf<Class, V, Path>, AnswersOf<Class, V> | FailuresOf<Class, V>>
}

/** An endpoint as a client calls it. */
export type EndpointCall<Options, Answer> = {} extends Options
  ? (options?: Options) => Promise<Answer>
  : (options: Options) => Promise<Answer>

type VerbsOf<Class> = Class extends abstract new () => infer Instance ? keyof Instance & Verb : never
type SpecOf<Class, V extends Verb> = Class extends Record<V, { readonly '~spec': infer Spec }> ? Spec : NoContract

// Each class of a path for itself: versions give unions.
type AskedOf<Class, V extends Verb, Path extends string> = Class extends unknown ? AskedAt<Class, V, Path> : never
type AskedAt<Class, V extends Verb, Path extends string> =
  V extends VerbsOf<Class> ? Asked<SpecOf<Class, V>, Path> : never
type AnswersOf<Class, V extends Verb> = Class extends unknown ? Answers<SpecOf<Class, V>, Class, V> : never

/** Classes by path; those that share one, as versions do, as a union. */
export type ClassesByPath<R> = Mapped<R extends readonly (infer C)[] ? EntryOf<C, '', never> : EntriesIn<R, ''>>

interface Entry<Path, Class> {
  readonly path: Path
  readonly class: Class
}
type Mapped<E> = { [Each in E as PathIn<Each>]: ClassIn<Each> }

// A path that is no literal leads nowhere: its class has a `static path` that is not `readonly`.
type PathIn<E> = E extends Entry<infer Path extends string, unknown> ? (string extends Path ? never : Path) : never
type ClassIn<E> = E extends Entry<string, infer Class> ? Class : never

// Stops at the recursive constraint itself.
type EntriesIn<R, Above extends string> = string extends keyof R
  ? never
  : { [K in keyof R]: R[K] extends AnyRoute ? EntryOf<R[K], Above, K> : SectionIn<R[K], Mount<Above, K>> }[keyof R]

type SectionIn<S, Above extends string> =
  S extends Group<infer R> ? EntriesIn<R, Above> : S extends Routes ? EntriesIn<S, Above> : never

type Mount<Above extends string, K> = K extends `/${string}` ? `${Above}${K}` : Above
// A fallback answers what no other route has: its path says nothing of what is there.
type EntryOf<C, Above extends string, K> = C extends { readonly fallback: true }
  ? never
  : Entry<Rooted<`${Above}${PrefixOf<C>}${OwnPath<C, K>}`>, C>
type Rooted<Path extends string> = Path extends '' ? '/' : Path
type PrefixOf<C> = C extends { readonly prefix: infer Prefix extends string } ? Prefix : ''

// A class of an array, which has no key, is reached by its `static path` alone.
type OwnPath<C, K> = C extends { readonly path: infer Path extends string } ? Path : DerivedPath<K>
type DerivedPath<K> = K extends '/' ? '' : `/${KebabCase<K & string>}`

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

type AskedHeaders<Spec> = [Spec] extends [{ readonly headers: infer S }] ? HeadersFor<In<S>> : {}
type HeadersFor<Value> = {} extends Value ? { readonly headers?: Value } : { readonly headers: Value }

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

/** An answer that the API documents. */
export interface Success<Status = number, Body = unknown> {
  /** It is no problem. */
  readonly ok: true
  /** Status of the answer. */
  readonly status: Status
  /** The body, read: a value from JSON, a text, bytes, events as they come; `null` for an answer without a body. */
  readonly body: Body
  /** Its header fields. */
  readonly headers: Headers
}

/** An answer whose header fields the API documents. */
export interface HeadedSuccess<Status, Body, Fields> extends Success<Status, Body> {
  /** Its header fields; those of the document by name, as texts. */
  readonly headers: KnownHeaders<Fields> & Headers
}

/** Header fields that the document names. */
export interface KnownHeaders<Fields> {
  /**
   * Gives the text of a field.
   *
   * @param name as the schema spells it
   * @returns the text; `null` where a field that need not be there is not
   */
  get<Name extends keyof Fields>(name: Name): FieldText<Fields[Name]>
}
type FieldText<Value> = Value extends undefined ? null : Value

/** A problem (RFC 9457): whatever was answered as `application/problem+json`. */
export interface Failure<Status = KnownErrorStatus, Body = Problem> {
  /** It is a problem. */
  readonly ok: false
  /** Status of the answer. */
  readonly status: Status
  /** What is wrong. */
  readonly body: Body
  /** Its header fields. */
  readonly headers: Headers
}

// Each class of a path for itself: versions give unions.
type FailuresOf<Class, V extends Verb> = Class extends unknown ? FailuresAt<Class, V> : never
type FailuresAt<Class, V extends Verb> = V extends VerbsOf<Class> ? Failures<ErrorsAt<Class, V>> : never
// A subclass may declare more than the class in which the contract stands.
type ErrorsAt<Class, V extends Verb> = 'errors' extends keyof Class
  ? DeclaredErrors<Required<ErrorsOf<Class, V>>, ErrorsIn<Class>>
  : ErrorsOf<Class, V>
type ErrorsOf<Class, V extends Verb> = Class extends Record<V, DeclaresErrors<infer Errors>> ? Errors : NoErrors

/** A problem of any status but those whose members are described. */
export interface OtherFailure<Described> extends Failure<Exclude<KnownErrorStatus, Described>> {}

/** The problems of an endpoint: those whose members a schema describes, each with its body, and all others. */
export type Failures<Errors> = [keyof Errors & number] extends [never]
  ? Failure
  : FailuresBut<DescribedIn<Errors>> | DescribedFailures<Errors>[DescribedIn<Errors>] | Unlisted<UnlistedIn<Errors>>
type DescribedIn<Errors> = {
  [K in keyof Errors & number]: Errors[K] extends AnySchema | undefined ? K : never
}[keyof Errors & number]
type DescribedFailures<Errors> = { [K in keyof Errors]-?: Failure<K, ProblemWith<Json<Out<Errors[K]>>>> }
type FailuresBut<Described> = [Described] extends [never] ? Failure : OtherFailure<Described>
type UnlistedIn<Errors> = Exclude<keyof Errors & number, KnownErrorStatus | DescribedIn<Errors>>
type Unlisted<Status> = [Status] extends [never] ? never : Failure<Status>

// A member that the schema names replaces ours. Each branch of a union is a body of its own.
type ProblemWith<Members> = Members extends object ? Flat<OursBut<keyof Members> & Members> : Problem
type OursBut<Named> = { [K in keyof ProblemMembers as K extends Named ? never : K]: ProblemMembers[K] }

/** A contract that says what is returned. */
export interface WithReturns<R> {
  /** What it returns. */
  readonly returns: R
}

/** The answers of an endpoint that are no problems; none where the class has no such method. */
export type Answers<Spec, Class, V extends Verb> =
  Spec extends WithReturns<infer R>
    ? R extends Returnable
      ? SuccessOf<StatusOf<Spec>, R>
      : { [K in keyof R & number]: SuccessOf<K, R[K]> }[keyof R & number]
    : AnswerOf<ValueOf<Class, V>, StatusOf<Spec>>

type SuccessOf<Status, R> = '~headers' extends keyof R
  ? HeadedSuccess<Status, Shown<R>, FieldsOf<In<R['~headers']>>>
  : Success<Status, Shown<R>>

// oxlint-disable-next-line no-explicit-any -- whatever its parameters
type Method<Value> = (...given: any) => Value
type ValueOf<Class, V extends Verb> = Class extends abstract new () => { [K in V]: Method<infer Value> }
  ? Awaited<Value>
  : never

type StatusOf<Spec> = Spec extends { readonly status: infer Status }
  ? Status
  : Spec extends { readonly returns: null }
    ? 204
    : 200

type Shown<R> = R extends null ? null : R extends ReplyKind<unknown, infer Kind> ? ShownKind<Kind> : Json<Out<R>>
type ShownKind<Kind> =
  Kind extends AsyncIterable<StreamEvent<infer Data>> ? AsyncIterable<StreamEvent<Json<Data>>> : Kind

// Without `returns` the method says it.
type AnswerOf<Value, Status> =
  Value extends Reply<infer Own, infer Body>
    ? Success<Own, Unspoken<Body>>
    : Success<Value extends void ? 204 : Status, Unspoken<Value>>

type Unspoken<Value> = Value extends void ? null : Value extends Uint8Array ? Uint8Array : Streamed<Value>
type Streamed<Value> =
  Value extends AsyncIterable<infer Chunk> ? (Chunk extends string ? string : Uint8Array) : Sent<Value>
type Sent<Value> = Value extends Response ? unknown : Json<Value>

/** What a client gets where a server sends a value: what `toJSON` gives, such as a text for a `Date`; functions are left out. */
export type Json<T> = 0 extends 1 & T ? T : JsonOf<T>

type Scalar = string | number | boolean | null | undefined
// oxlint-disable-next-line no-explicit-any -- whatever its parameters
type NotSent = ((...given: any) => unknown) | symbol

type JsonOf<T> = T extends Scalar
  ? T
  : T extends { toJSON(key?: never): infer Shown }
    ? Json<Shown>
    : T extends object
      ? JsonObject<T>
      : unknown extends T
        ? T
        : never

type JsonObject<T> = T extends NotSent ? never : T extends readonly unknown[] ? JsonList<T> : JsonRecord<T>
type JsonList<T> = { [K in keyof T]: Json<T[K]> }
type JsonRecord<T> = { [K in keyof T as T[K] extends NotSent ? never : K]: Json<T[K]> } & {}
