/** Types of the client: maps paths to endpoints, whose options and responses come from contracts, or else from methods. */
import type { App } from '../app/app-types.js'
import type { Reply } from '../context/reply.js'
import type { Flat, QueryValue, QueryValues } from '../context/types.js'
import type { DeclaresErrors } from '../errors/http-error.js'
import type { Problem, ProblemMembers } from '../errors/problem.js'
import type { KnownErrorStatus } from '../errors/status.js'
import type { Verb, VerbsAt } from '../http/methods.js'
import type { KebabCase } from '../naming/kebab-case.js'
import type { DeclaredErrors, ErrorsIn, NoErrors, Returnable } from '../route/contract.js'
import type { BodyKind, ErrorEventMark, FileMark, ReplyKind, StreamEvent } from '../route/kinds.js'
import type { AnyRoute } from '../route/route.js'
import type { FieldsOf, Group, Routes } from '../route/route-types.js'
import type { ParamsOf } from '../router/template.js'
import type { AnySchema, In, Out } from '../validation/schema.js'
import type { Failure, HeadedFailure, HeadedSuccess, Success } from './response-types.js'
import type { Json } from './json-types.js'
import type { EventOptions } from './reconnect.js'
import type { EventStream } from './stream-failure.js'

/** Client of an app: a function that returns the endpoints of a path. */
export type Client<A> = A extends App<infer R, infer _S, infer Format> ? ClientOf<R, Format> : never

/** Client of an app's routes. `Format` is the schema of the app's `errorFormat`; without it, errors are problem details. */
export type ClientOf<R, Format = unknown> = unknown extends R
  ? (path: UntypedClient) => never
  : PathTree<ClassesByPath<R>, Format>

type UntypedClient = 'the type of the app has no routes: let "createApp" infer it, without an annotation'
type PathTree<Classes, Format> = <Path extends keyof Classes & string>(
  path: Path,
) => EndpointsAt<Classes[Path], Path, Format>

/** Endpoints of a path, by verb. */
export type EndpointsAt<Class, Path extends string, Format = unknown> = {
  readonly [V in VerbsAt<Class>]: EndpointCall<
    OptionsOf<Class, V, Path>,
    ResponsesOf<Class, V, Format>,
    ContractSpecOf<Class, V>
  >
}

/** Function that sends a request to an endpoint. `options` can be omitted if no option is required. */
export type EndpointCall<Options, Result, Spec = unknown> = {} extends Options
  ? (options?: Options) => Promise<Result>
  : [Options] extends [AsStream]
    ? StreamCall<Options, Result, Spec>
    : (options: Options) => Promise<Result>

// In tuples, so that the types do not distribute over a union of contracts.
type StreamCall<Options, Result, Spec> = [FileIn<Spec>] extends [never]
  ? (options: Options) => Promise<Result>
  : RangeCall<Options, Result>
type FileIn<Spec> = Spec extends { readonly returns: FileMark | { readonly 200: FileMark } } ? true : never

/** Option of endpoints that send a stream. */
export interface AsStream {
  /** Reads the body as chunks of bytes. */
  readonly as: 'stream'
}

/** Function that requests a file, or a range of it. */
export interface RangeCall<Options, Result> {
  /** Requests a range. The response is the range (206) or, if the server sends more than that, the file. */
  (options: Options & RangeOption): Promise<Result | RangeOf<Result>>
  /** Requests the whole file. */
  (options: Options): Promise<Result>
}

/** Option of a request for a range. */
export interface RangeOption {
  /** The range, such as `bytes=0-99` (RFC 9110 section 14). */
  readonly headers: Readonly<Record<'range', string>>
}
type RangeOf<Result> = Result extends Success<200, infer Body> ? Success<206, Body> & Pick<Result, 'headers'> : never

type ContractSpecOf<Class, V extends Verb> =
  Class extends Record<V, { readonly '~spec': infer Spec }> ? Spec : NoContract

// Distributes over the classes of a path, because versions of an API can share a path.
type OptionsOf<Class, V extends Verb, Path extends string> = Class extends unknown ? OptionsAt<Class, V, Path> : never
type OptionsAt<Class, V extends Verb, Path extends string> =
  V extends VerbsAt<Class> ? EndpointOptions<ContractSpecOf<Class, V>, Path> : never
// Not a named type, so that a hover shows the members of the union.
type ResponsesOf<Class, V extends Verb, Format> =
  Class extends Marked<infer Own>
    ? | EndpointResponses<ContractSpecOf<Class, V>, Class, V, FailuresByStatus<Class, V, ContractSpecOf<Class, V>, Own>>
      | FailuresByStatus<Class, V, ContractSpecOf<Class, V>, Own>
    : | EndpointResponses<
          ContractSpecOf<Class, V>,
          Class,
          V,
          FailuresByStatus<Class, V, ContractSpecOf<Class, V>, Format>
        >
      | FailuresByStatus<Class, V, ContractSpecOf<Class, V>, Format>

/** Route classes by path; a union if versions share a path. */
export type ClassesByPath<R> = MappedParams<
  R extends readonly (infer C)[] ? ClassMethods<C, '', never> : RouteEntries<R, ''>
>

interface PathMethods<Path, Class> {
  readonly path: Path
  readonly class: Class
}
type MappedParams<E> = { [Each in E as JoinedPath<Each>]: RouteClass<Each> }

// Paths of type `string` are omitted: their class has a `static path` that is not `readonly`.
type JoinedPath<E> =
  E extends PathMethods<infer Path extends string, unknown> ? (string extends Path ? never : Path) : never
type RouteClass<E> = E extends PathMethods<string, infer Class> ? Class : never

// `never` for `Routes` itself, which is recursive.
type RouteEntries<R, Above extends string> = string extends keyof R
  ? never
  : {
      [K in keyof R]: R[K] extends AnyRoute ? ClassMethods<R[K], Above, K> : SectionRoutes<R[K], ClientMount<Above, K>>
    }[keyof R]

type SectionRoutes<S, Above extends string> =
  S extends Group<infer R, infer _U, infer Format>
    ? GroupRoutes<RouteEntries<R, Above>, Format>
    : S extends Routes
      ? RouteEntries<S, Above>
      : never

// Marks the classes of a group with its error format, unless an inner group has marked them already.
type GroupRoutes<E, Format> = unknown extends Format ? E : MarkedEntries<E, Format>
type MarkedEntries<E, Format> =
  E extends PathMethods<infer Path, infer Class> ? PathMethods<Path, Class & Marker<Class, Format>> : never
type Marker<Class, Format> = '~format' extends keyof Class ? unknown : Marked<Format>

/** Route class in a group with an `errorFormat`. */
export interface Marked<Format> {
  /** Schema of the error format; exists only as a type. */
  readonly '~format': Format
}

type ClientMount<Above extends string, K> = K extends `/${string}` ? `${Above}${K}` : Above
// Omits fallbacks, because their path does not show which paths exist.
type ClassMethods<C, Above extends string, K> = C extends { readonly fallback: true }
  ? never
  : PathMethods<RootedPaths<`${Above}${GroupPrefix<C>}${OwnPath<C, K>}`>, C>
type RootedPaths<Path extends string> = Path extends '' ? '/' : Path
type GroupPrefix<C> = C extends { readonly prefix: infer Prefix extends string } ? Prefix : ''

// Classes in an array have no key, so they need a `static path`.
type OwnPath<C, K> = C extends { readonly path: infer Path extends string } ? WithoutRoot<Path> : DerivedPath<K>
// After a prefix, `/` is the prefix itself.
type WithoutRoot<Path extends string> = Path extends '/' ? '' : Path
type DerivedPath<K> = K extends '/' ? '' : `/${KebabCase<K & string>}`

/** Replaces the contract of a method without one. */
export interface NoContract {
  /** Such a method accepts any body, and a query of strings. Exists only as a type. */
  readonly '~none': true
}

/** Options of every request. */
export interface CallOptions {
  /** Headers by name. They replace headers of the client; `undefined` is ignored. */
  readonly headers?: HeaderValues
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined
  /** Timeout in ms of the whole request, including streams; default: no timeout. */
  readonly timeout?: number | undefined
}

/** Headers by name. The items of an array are separated by commas. */
export interface HeaderValues {
  readonly [name: string]: QueryValue | readonly QueryValue[] | undefined
}

/** Options of a request: parameters of the path, inputs of the contract, and `CallOptions`. */
export type EndpointOptions<Spec, Path extends string> = Flat<
  ParamsOption<Spec, Path> & QueryOption<Spec> & HeadersOption<Spec> & BodyOption<Spec> & AsOption<Spec>
> &
  CallOptions

type ParamsOption<Spec, Path extends string> =
  {} extends ParamsOf<Path> ? {} : { readonly params: TextParams<ParamsOf<Path>, ListParams<Spec>> }
type TextParams<Params, Lists> = {
  readonly [K in keyof Params]: K extends keyof Lists ? Lists[K] : string | number
} & {}

/** Path parameters whose schema takes a list. */
type ListParams<Spec> = [Spec] extends [{ readonly params: infer S }] ? Lists<In<S>> : {}
type Lists<Params> = { [K in keyof Params as Params[K] extends readonly unknown[] ? K : never]: Params[K] }

// In tuples, so that the types do not distribute over a union of contracts.
type QueryOption<Spec> = [Spec] extends [{ readonly query: infer S }] ? Query<In<S>> : { readonly query?: QueryValues }
type Query<Value> = {} extends Value ? { readonly query?: Value } : { readonly query: Value }

type HeadersOption<Spec> = OwnHeadersOption<Spec> & KeyOption<Spec>
type OwnHeadersOption<Spec> = [Spec] extends [{ readonly headers: infer S }] ? RequestHeaders<In<S>> : {}
type KeyOption<Spec> = [Spec] extends [{ readonly idempotency: { readonly '~required': infer Required } }]
  ? Required extends true
    ? { readonly headers: IdempotencyKey }
    : { readonly headers?: Partial<IdempotencyKey> }
  : {}
type RequestHeaders<Value> = {} extends Value ? { readonly headers?: Value } : { readonly headers: Value }

/** Header that makes it safe to retry a request. */
export interface IdempotencyKey {
  /** Unique key for each operation, such as `crypto.randomUUID()`. Send the same key when you retry the request. */
  readonly 'idempotency-key': string
}

type BodyOption<Spec> = [Spec] extends [{ readonly body: infer B }]
  ? RequestBody<B>
  : Spec extends NoContract
    ? { readonly body?: unknown }
    : {}
type RequestBody<B> = B extends BodyKind<unknown, infer Shape> ? Shape : Body<In<B>>
type Body<Value> = undefined extends Value ? { readonly body?: Value } : { readonly body: Value }

/** Option `as`, which selects how to read a response whose media type the contract does not fix. */
type AsOption<Spec> = Spec extends { readonly returns: infer R } ? AsForReturns<R> : {}
// Checks for schemas first. Looking for kinds in a schema would instantiate all its methods, which is half of the compile time of a call.
type AsForReturns<R> = R extends AnySchema | null ? {} : AsFor<DeclaredKinds<R>> & EventOptions<DeclaredKinds<R>>
// oxlint-disable-next-line no-explicit-any -- matches kinds of any value
type AnyKind = ReplyKind<any>
type DeclaredKinds<R> = R extends AnyKind ? R : Extract<R[keyof R], AnyKind>
type AsFor<K> = [K] extends [never] ? {} : AsOf<K extends ReplyKind<unknown, infer Shown> ? Shown : never>
type AsOf<Shown> = [Extract<Shown, AsyncIterable<Uint8Array>>] extends [never]
  ? AsOfWhole<Exclude<Shown, AsyncIterable<unknown>>>
  : AsStream

type AsOfWhole<Shown> = [Shown] extends [never] ? {} : { readonly as?: Shown extends string ? 'text' : 'bytes' }

type FailuresByStatus<Class, V extends Verb, Spec, Format> =
  V extends VerbsAt<Class>
    ? unknown extends Format
      ? Failures<ErrorsByStatus<Class, V>, ReturnedErrors<Spec>>
      : FormattedFailures<ErrorsByStatus<Class, V>, ReturnedErrors<Spec>, Json<Out<Format>>>
    : never
// Includes the errors of a subclass, which can declare more than the class of the contract.
type ErrorsByStatus<Class, V extends Verb> = 'errors' extends keyof Class
  ? DeclaredErrors<Required<ErrorsOf<Class, V>>, ErrorsIn<Class>>
  : ErrorsOf<Class, V>
type ErrorsOf<Class, V extends Verb> = Class extends Record<V, DeclaresErrors<infer Errors>> ? Errors : NoErrors

/** Failure with any status that has no separate type. */
export interface OtherFailure<Described, Body = Problem> extends Failure<Exclude<KnownErrorStatus, Described>, Body> {}

/** Failures of an endpoint: a type for each status whose members have a schema, and one for all others. */
export type Failures<Errors, Returned = never> = [(keyof Errors & number) | Returned] extends [never]
  ? Failure
  : | FailuresBut<DescribedFailure<Errors> | Returned>
    | DescribedFailures<Errors>[Exclude<DescribedFailure<Errors>, Returned>]
    | Unlisted<Exclude<UnlistedFailure<Errors>, Returned>>

/** Failures of an endpoint with an `errorFormat`. All errors have the same type of body. */
export type FormattedFailures<Errors, Returned, Body> =
  FailuresBut<Returned, Body> | Unlisted<Exclude<keyof Errors & number, KnownErrorStatus | Returned>, Body>
type DescribedFailure<Errors> = {
  [K in keyof Errors & number]: Errors[K] extends AnySchema | undefined ? K : never
}[keyof Errors & number]
type DescribedFailures<Errors> = { [K in keyof Errors]-?: Failure<K, ProblemResponse<Json<Out<Errors[K]>>>> }
type FailuresBut<Described, Body = Problem> = [Described] extends [never]
  ? Failure<KnownErrorStatus, Body>
  : OtherFailure<Described, Body>
type UnlistedFailure<Errors> = Exclude<keyof Errors & number, KnownErrorStatus | DescribedFailure<Errors>>
type Unlisted<Status, Body = Problem> = [Status] extends [never] ? never : Failure<Status, Body>

// Members in the schema replace members of `ProblemMembers`. Distributes over unions.
type ProblemResponse<Members> = Members extends object ? Flat<OursBut<keyof Members> & Members> : Problem
type OursBut<Named> = { [K in keyof ProblemMembers as K extends Named ? never : K]: ProblemMembers[K] }

/** Contract with `returns`. */
export interface WithReturns<R> {
  /** Schema or kind of the response, or one for each status. */
  readonly returns: R
}

/**
 * Responses of an endpoint, from its contract or else from its method; `never` if the class does not have the method. `Failed` is the type
 * of its other failures, for event streams.
 */
export type EndpointResponses<Spec, Class, V extends Verb, Failed = Failure> =
  Spec extends WithReturns<infer R>
    ? R extends Returnable
      ? SuccessOf<StatusOf<Spec>, R, Failed>
      : { [K in keyof R & number]: ReturnedOf<K, R[K], Failed | ReturnedFailures<R>> }[keyof R & number]
    : MethodResponse<ValueOf<Class, V>, StatusOf<Spec>>

type ErrorText = `4${string}` | `5${string}`
type ReturnedOf<Status extends number, R, Failed> = `${Status}` extends ErrorText
  ? FailureOf<Status, R>
  : SuccessOf<Status, R, Failed>
type ReturnedFailures<R> = {
  [K in keyof R & number]: `${K}` extends ErrorText ? FailureOf<K, R[K]> : never
}[keyof R & number]
type FailureOf<Status, R> = '~headers' extends keyof R
  ? HeadedFailure<Status, ClientResponse<R>, FieldsOf<In<R['~headers']>>>
  : Failure<Status, ClientResponse<R>>

type ReturnedErrors<Spec> = Spec extends WithReturns<infer R> ? ResponseStatuses<R> : never
type ResponseStatuses<R> = R extends Returnable ? never : ErrorsAmong<keyof R & number>
type ErrorsAmong<Status extends number> = Status extends unknown
  ? `${Status}` extends ErrorText
    ? Status
    : never
  : never

type SuccessOf<Status, R, Failed> = '~headers' extends keyof R
  ? HeadedSuccess<Status, ClientResponse<R, Failed>, FieldsOf<In<R['~headers']>>>
  : Success<Status, ClientResponse<R, Failed>>

// oxlint-disable-next-line no-explicit-any -- matches any parameters
type Method<Value> = (...args: any) => Value
type ValueOf<Class, V extends Verb> = Class extends abstract new () => { [K in V]: Method<infer Value> }
  ? Awaited<Value>
  : never

type StatusOf<Spec> = Spec extends { readonly status: infer Status }
  ? Status
  : Spec extends { readonly returns: null }
    ? 204
    : 200

type ClientResponse<R, Failed = Failure> = R extends null
  ? null
  : R extends ReplyKind<unknown, infer Kind>
    ? ShownKind<R, Kind, Failed>
    : Json<Out<R>>
type ShownKind<R, Kind, Failed> =
  Kind extends AsyncIterable<infer Item>
    ? R extends ErrorEventMark<unknown>
      ? EventStream<Json<DataOf<Item>>, Failed>
      : ShownItems<Kind, Item>
    : Kind
type ShownItems<Kind, Item> = [Item] extends [Uint8Array] ? Kind : AsyncIterable<Json<Item>>
type DataOf<Item> = Item extends StreamEvent<infer Data> ? Data : never

// Without `returns`, the type comes from the method.
type MethodResponse<Value, Status> =
  Value extends Reply<infer Own, infer Body>
    ? Success<Own, UndeclaredStatus<Body>>
    : Success<Value extends void ? 204 : Status, UndeclaredStatus<Value>>

type UndeclaredStatus<Value> = Value extends void ? null : Value extends Uint8Array ? Uint8Array : StreamedReply<Value>
type StreamedReply<Value> =
  Value extends AsyncIterable<infer Chunk> ? (Chunk extends string ? string : Uint8Array) : SentBody<Value>
type SentBody<Value> = Value extends Response ? unknown : Json<Value>
