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
export type Client<A> = A extends App<infer R, infer _S, infer Format> ? ClientOf<R, Format> : never

/** A client of the app's routes, whose errors follow a schema, or are problem details. */
export type ClientOf<R, Format = unknown> = unknown extends R
  ? (path: UntypedClient) => never
  : At<ClassesByPath<R>, Format>

type UntypedClient = 'the app has lost its routes: let "createApp" say its type, not an annotation'
type At<Classes, Format> = <Path extends keyof Classes & string>(path: Path) => EndpointsAt<Classes[Path], Path, Format>

/** The endpoints of a path, by verb. */
export type EndpointsAt<Class, Path extends string, Format = unknown> = {
  readonly [V in VerbsOf<Class>]: EndpointCall<AskedOf<Class, V, Path>, GivenOf<Class, V, Format>>
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
// A union without a name of its own: a hover shows its members.
type GivenOf<Class, V extends Verb, Format> =
  Class extends Marked<infer Own>
    ? Answers<SpecOf<Class, V>, Class, V> | FailuresAt<Class, V, SpecOf<Class, V>, Own>
    : Answers<SpecOf<Class, V>, Class, V> | FailuresAt<Class, V, SpecOf<Class, V>, Format>

/** Classes by path; those that share one, as versions do, as a union. */
export type ClassesByPath<R> = Mapped<R extends readonly (infer C)[] ? EntryOf<C, '', never> : EntriesIn<R, ''>>

interface PathMethods<Path, Class> {
  readonly path: Path
  readonly class: Class
}
type Mapped<E> = { [Each in E as PathIn<Each>]: ClassIn<Each> }

// A path that is no literal leads nowhere: its class has a `static path` that is not `readonly`.
type PathIn<E> =
  E extends PathMethods<infer Path extends string, unknown> ? (string extends Path ? never : Path) : never
type ClassIn<E> = E extends PathMethods<string, infer Class> ? Class : never

// Stops at the recursive constraint itself.
type EntriesIn<R, Above extends string> = string extends keyof R
  ? never
  : {
      [K in keyof R]: R[K] extends AnyRoute ? EntryOf<R[K], Above, K> : SectionIn<R[K], ClientMount<Above, K>>
    }[keyof R]

type SectionIn<S, Above extends string> =
  S extends Group<infer R, infer _U, infer Format>
    ? GroupIn<EntriesIn<R, Above>, Format>
    : S extends Routes
      ? EntriesIn<S, Above>
      : never

// A group with a format of errors marks its classes; those of a group in it have that one's.
type GroupIn<E, Format> = unknown extends Format ? E : MarkedEntries<E, Format>
type MarkedEntries<E, Format> =
  E extends PathMethods<infer Path, infer Class> ? PathMethods<Path, Class & Marker<Class, Format>> : never
type Marker<Class, Format> = '~format' extends keyof Class ? unknown : Marked<Format>

/** A class in a group with a format of errors. */
export interface Marked<Format> {
  /** Its schema; a type only. */
  readonly '~format': Format
}

type ClientMount<Above extends string, K> = K extends `/${string}` ? `${Above}${K}` : Above
// A fallback answers what no other route has: its path says nothing of what is there.
type EntryOf<C, Above extends string, K> = C extends { readonly fallback: true }
  ? never
  : PathMethods<RootedPaths<`${Above}${PrefixOf<C>}${OwnPath<C, K>}`>, C>
type RootedPaths<Path extends string> = Path extends '' ? '/' : Path
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

type AskedHeaders<Spec> = AskedOwnHeaders<Spec> & AskedKey<Spec>
type AskedOwnHeaders<Spec> = [Spec] extends [{ readonly headers: infer S }] ? HeadersFor<In<S>> : {}
type AskedKey<Spec> = [Spec] extends [{ readonly idempotency: { readonly '~required': infer Required } }]
  ? Required extends true
    ? { readonly headers: IdempotencyKey }
    : { readonly headers?: Partial<IdempotencyKey> }
  : {}
type HeadersFor<Value> = {} extends Value ? { readonly headers?: Value } : { readonly headers: Value }

/** Makes it safe to send a request again. */
export interface IdempotencyKey {
  /** One for each thing that is to be done, such as `crypto.randomUUID()`; the same when the request is sent again. */
  readonly 'idempotency-key': string
}

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

/** An answer that the API documents, below status 400. */
export interface Success<Status = number, Body = unknown> {
  /** It is no error. */
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

/** An error of `returns` whose header fields the API documents. */
export interface HeadedFailure<Status, Body, Fields> extends Failure<Status, Body> {
  /** Its header fields; those of the document by lower-case name, as texts. */
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

/** An answer from status 400 on: a problem (RFC 9457), what the app's `errorFormat` makes of it, or what `returns` declares. */
export interface Failure<Status = KnownErrorStatus, Body = Problem> {
  /** It is an error. */
  readonly ok: false
  /** Status of the answer. */
  readonly status: Status
  /** What is wrong; of a status that `returns` declares, what it says. */
  readonly body: Body
  /** Its header fields. */
  readonly headers: Headers
}

type FailuresAt<Class, V extends Verb, Spec, Format> =
  V extends VerbsOf<Class>
    ? unknown extends Format
      ? Failures<ErrorsAt<Class, V>, ReturnedErrors<Spec>>
      : FormattedFailures<ErrorsAt<Class, V>, ReturnedErrors<Spec>, Json<Out<Format>>>
    : never
// A subclass may declare more than the class in which the contract stands.
type ErrorsAt<Class, V extends Verb> = 'errors' extends keyof Class
  ? DeclaredErrors<Required<ErrorsOf<Class, V>>, ErrorsIn<Class>>
  : ErrorsOf<Class, V>
type ErrorsOf<Class, V extends Verb> = Class extends Record<V, DeclaresErrors<infer Errors>> ? Errors : NoErrors

/** A failure of any status but those that are described on their own. */
export interface OtherFailure<Described, Body = Problem> extends Failure<Exclude<KnownErrorStatus, Described>, Body> {}

/** The problems of an endpoint: those whose members a schema describes, each with its body, and all others. */
export type Failures<Errors, Returned = never> = [(keyof Errors & number) | Returned] extends [never]
  ? Failure
  : | FailuresBut<DescribedIn<Errors> | Returned>
    | DescribedFailures<Errors>[Exclude<DescribedIn<Errors>, Returned>]
    | Unlisted<Exclude<UnlistedIn<Errors>, Returned>>

/** The errors of an endpoint whose bodies have a format: all the same, whatever their problems hold. */
export type FormattedFailures<Errors, Returned, Body> =
  FailuresBut<Returned, Body> | Unlisted<Exclude<keyof Errors & number, KnownErrorStatus | Returned>, Body>
type DescribedIn<Errors> = {
  [K in keyof Errors & number]: Errors[K] extends AnySchema | undefined ? K : never
}[keyof Errors & number]
type DescribedFailures<Errors> = { [K in keyof Errors]-?: Failure<K, ProblemWith<Json<Out<Errors[K]>>>> }
type FailuresBut<Described, Body = Problem> = [Described] extends [never]
  ? Failure<KnownErrorStatus, Body>
  : OtherFailure<Described, Body>
type UnlistedIn<Errors> = Exclude<keyof Errors & number, KnownErrorStatus | DescribedIn<Errors>>
type Unlisted<Status, Body = Problem> = [Status] extends [never] ? never : Failure<Status, Body>

// A member that the schema names replaces ours. Each branch of a union is a body of its own.
type ProblemWith<Members> = Members extends object ? Flat<OursBut<keyof Members> & Members> : Problem
type OursBut<Named> = { [K in keyof ProblemMembers as K extends Named ? never : K]: ProblemMembers[K] }

/** A contract that says what is returned. */
export interface WithReturns<R> {
  /** What it returns. */
  readonly returns: R
}

/** The answers of an endpoint that its contract or its method says; none where the class has no such method. */
export type Answers<Spec, Class, V extends Verb> =
  Spec extends WithReturns<infer R>
    ? R extends Returnable
      ? SuccessOf<StatusOf<Spec>, R>
      : { [K in keyof R & number]: ReturnedOf<K, R[K]> }[keyof R & number]
    : AnswerOf<ValueOf<Class, V>, StatusOf<Spec>>

type ErrorText = `4${string}` | `5${string}`
type ReturnedOf<Status extends number, R> = `${Status}` extends ErrorText ? FailureOf<Status, R> : SuccessOf<Status, R>
type FailureOf<Status, R> = '~headers' extends keyof R
  ? HeadedFailure<Status, ClientResponse<R>, FieldsOf<In<R['~headers']>>>
  : Failure<Status, ClientResponse<R>>

type ReturnedErrors<Spec> = Spec extends WithReturns<infer R> ? StatusesIn<R> : never
type StatusesIn<R> = R extends Returnable ? never : ErrorsAmong<keyof R & number>
type ErrorsAmong<Status extends number> = Status extends unknown
  ? `${Status}` extends ErrorText
    ? Status
    : never
  : never

type SuccessOf<Status, R> = '~headers' extends keyof R
  ? HeadedSuccess<Status, ClientResponse<R>, FieldsOf<In<R['~headers']>>>
  : Success<Status, ClientResponse<R>>

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

type ClientResponse<R> = R extends null
  ? null
  : R extends ReplyKind<unknown, infer Kind>
    ? ShownKind<Kind>
    : Json<Out<R>>
type ShownKind<Kind> =
  Kind extends AsyncIterable<StreamEvent<infer Data>> ? AsyncIterable<StreamEvent<Json<Data>>> : Kind

// Without `returns` the method says it.
type AnswerOf<Value, Status> =
  Value extends Reply<infer Own, infer Body>
    ? Success<Own, Unspoken<Body>>
    : Success<Value extends void ? 204 : Status, Unspoken<Value>>

type Unspoken<Value> = Value extends void ? null : Value extends Uint8Array ? Uint8Array : StreamedReply<Value>
type StreamedReply<Value> =
  Value extends AsyncIterable<infer Chunk> ? (Chunk extends string ? string : Uint8Array) : SentBody<Value>
type SentBody<Value> = Value extends Response ? unknown : Json<Value>

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
