import { KeyObject } from 'node:crypto'
import { IncomingMessage, ServerResponse, Server as Server$1 } from 'node:http'
import * as https from 'node:https'
import { Duplex } from 'node:stream'
declare const PARTS: readonly ['params', 'query', 'headers', 'cookies', 'body']
interface RequestIssue {
  readonly in: (typeof PARTS)[number]
  readonly pointer: string
  readonly message: string
}
interface ValidationMembers {
  readonly errors?: readonly RequestIssue[]
  readonly omitted?: number
}
interface HttpErrorParts {
  readonly type?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly cause?: unknown
}
interface HttpErrorOptions extends HttpErrorParts {
  readonly [extension: string]: unknown
}
type UnauthorizedReason = 'missing' | 'malformed' | 'expired' | 'rejected'
interface DeclaresErrors<Errors> {
  readonly '~errors'?: Errors
}
interface DescribedErrors {
  readonly '~standard': any
}
type ErrorMembers<S> = [S] extends [never] ? {} : DescribedMembers<S>
type DescribedMembers<S> = S extends DescribedErrors ? NonNullable<S['~standard']['types']>['input'] : {}
type ReservedMember = 'title' | 'status' | 'detail' | 'requestId'
type Sendable<M> = {
  readonly [K in keyof M as K extends keyof HttpErrorParts | ReservedMember ? never : K]: M[K]
}
type ErrorOptions$1<Members> = {} extends Members
  ? [detail?: string, members?: Members]
  : [detail: string | undefined, members: Members]
type ErrorMessage<T> = {
  [K in keyof T]: T[K]
} & {}
type ErrorGiven<S> = ErrorOptions$1<ErrorMessage<Sendable<ErrorMembers<Exclude<S, undefined>>> & HttpErrorParts>>
declare class HttpError extends Error {
  readonly status: number
  readonly type: string | undefined
  readonly detail: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly extensions: Readonly<Record<string, unknown>>
  readonly source: 'framework' | 'handler'
  readonly reason: UnauthorizedReason | undefined
  constructor(status: number, detail?: string, options?: HttpErrorOptions)
  get issues(): readonly RequestIssue[]
  static of<Errors extends object, const Status extends keyof Errors & number>(
    contract: DeclaresErrors<Errors>,
    status: Status,
    ...given: ErrorGiven<Errors[Status]>
  ): HttpError
}
interface Logger {
  debug(fields: object, message?: string): void
  info(fields: object, message?: string): void
  warn(fields: object, message?: string): void
  error(fields: object, message?: string): void
  child?(fields: object): Logger
}
declare const LEVELS: readonly ['debug', 'info', 'warn', 'error']
type Level = (typeof LEVELS)[number]
interface LoggerOptions {
  readonly level: Level | undefined
}
interface Reply<S extends number = number, B = unknown> {
  readonly status: S
  readonly body: B
  readonly headers: ReadonlyMap<string, string>
  readonly error?: unknown
  with(headers: Readonly<Record<string, string | null>>): this
}
type HeaderMarks<Fields> = {
  readonly [K in keyof Fields as `header ${Lowercase<K & string>}`]: Fields[K]
}
type ReplyOf<S extends number, B, Fields = {}> = S extends number ? MarkedReply<S, B, Fields> : never
type MarkedReply<S extends number, B, Fields> = {} extends Fields ? Reply<S, B> : Reply<S, B> & HeaderMarks<Fields>
interface MakeReply {
  <const S extends number>(status: S): ReplyOf<S, null>
  <const S extends number, B, const Fields extends Readonly<Record<string, string>> = {}>(
    status: S,
    body: B,
    headers?: Fields,
  ): ReplyOf<S, B, Fields>
}
declare const reply: MakeReply
type RedirectStatus = 301 | 302 | 303 | 307 | 308
declare function redirect<const S extends RedirectStatus = 302>(location: string, status?: S): ReplyOf<S, null>
interface CookieOptions {
  readonly domain?: string | undefined
  readonly expires?: Date | undefined
  readonly httpOnly?: boolean | undefined
  readonly maxAge?: number | undefined
  readonly partitioned?: boolean | undefined
  readonly path?: string | undefined
  readonly sameSite?: 'strict' | 'lax' | 'none' | undefined
  readonly secure?: boolean | undefined
}
declare const VERBS: readonly ['get', 'post', 'put', 'patch', 'delete', 'query']
type Verb = (typeof VERBS)[number]
type VerbsAt<Class> = Class extends abstract new () => infer Instance
  ? (keyof Instance & Exclude<Verb, 'query'>) | (keyof Instance & keyof Class & 'query')
  : never
type EndpointVerb = Verb | 'all'
type ParamsOf<Path> = Path extends string ? ParamsOfText<Path> : Record<never, string>
type ParamsOfText<Path extends string> = string extends Path
  ? {
      'declare it `static readonly`': never
    }
  : Path extends `${string}/:${string}`
    ? {
        'write `{name}` instead of `:name`': never
      }
    : {
        [Name in NamesIn<Path>]: string
      }
type NamesIn<Path extends string, Found extends string = never> = Path extends `${string}{${infer Text}}${infer Rest}`
  ? NamesIn<Rest, Found | WithoutDots<Text>>
  : Found
type WithoutDots<Text extends string> = Text extends `${infer Name}...` ? Name : Text
declare const SETUP_CODES: {
  readonly APP_STATE: 'The app is in the wrong state for this call'
  readonly CHECK_FAILED: 'The app has findings, and `strict` makes them errors'
  readonly CONTRACT_INVALID: 'A contract has an invalid part, or parts that contradict each other'
  readonly CONTRACT_UNUSED: 'A contract has no method with the same name'
  readonly DECORATOR_HIDDEN: 'Another decorator has replaced a decorated method'
  readonly DECORATOR_INVALID: 'A decorator is invalid'
  readonly DECORATOR_MISUSED: 'A decorator is used in an unsupported place'
  readonly DECORATOR_REPEATED: 'A decorator is used twice on the same method'
  readonly ENVIRONMENT_INVALID: 'Environment variables are missing or invalid'
  readonly LISTEN_FAILED: 'The server cannot listen on the address'
  readonly MIDDLEWARE_INVALID: 'A value in a list of middleware is not a middleware function'
  readonly OPTION_INVALID: 'An option or an argument is unknown, missing or invalid'
  readonly PROOF_INVALID: 'A proof cannot use its app, its actors, its examples or its file'
  readonly PROVIDER_CYCLE: 'Providers use each other in a cycle'
  readonly PROVIDER_INVALID: 'Providers of credentials cannot be combined'
  readonly ROUTE_CONFLICT: 'Two routes match the same requests'
  readonly ROUTE_EMPTY: 'A route has no endpoint'
  readonly ROUTE_FIELD: 'A property of a route class is declared in an unsupported way'
  readonly ROUTE_INVALID: 'A value in `routes` is neither a route class nor a section'
  readonly ROUTE_NAME: 'The name of a route cannot be used to derive its path'
  readonly SCHEMA_INEXPRESSIBLE: 'A query, header, cookie or form has a member that text cannot express'
  readonly SCHEMA_INVALID: 'A value that should be a schema does not follow Standard Schema'
  readonly SERVICE_FAILED: 'A service could not be created'
  readonly SERVICE_MISSING: 'A service reads another service that does not exist yet'
  readonly SERVICE_NAME: 'The name of a service is reserved'
  readonly TEMPLATE_INVALID: 'A path template is malformed'
  readonly TEST_INVALID: 'A test replaces or calls something that does not exist'
  readonly USES_INVALID: 'A value in `uses` is not a provider, or cannot be used there'
  readonly VERSION_CONFLICT: 'Version constraints of one path overlap or cannot be compared'
  readonly VERSION_CONSTRAINT: 'A version constraint is malformed or never satisfied'
}
type SetupCode = keyof typeof SETUP_CODES
declare class SetupError extends Error {
  readonly code: SetupCode
  constructor(code: SetupCode, message: string, options?: ErrorOptions)
}
interface Schema {
  readonly '~standard': SchemaMembers
}
interface SchemaMembers {
  readonly version: 1
  readonly vendor: string
  readonly validate: (value: unknown) => unknown
  readonly types?: SchemaTypes | undefined
  readonly jsonSchema?: SchemaDescriber | undefined
}
interface SchemaTypes {
  readonly input: unknown
  readonly output: unknown
}
interface SchemaDescriber {
  readonly input: (options: DescribeOptions) => unknown
  readonly output: (options: DescribeOptions) => unknown
}
interface DescribeOptions {
  readonly target: 'draft-2020-12'
  readonly libraryOptions?: Record<string, unknown> | undefined
}
interface AnySchema {
  readonly '~standard': any
}
type In<S> = S extends AnySchema ? NonNullable<S['~standard']['types']>['input'] : never
type Out<S> = S extends AnySchema ? NonNullable<S['~standard']['types']>['output'] : never
type Flat<T> = {
  [K in keyof T]: T[K]
} & {}
type Linkable = abstract new () => object
type StaticAt<T, K extends string> = T extends {
  readonly [X in K]: infer V
}
  ? V
  : {}
type ParamsAt<T> = ParamsOf<StaticAt<T, 'prefix'>> & ParamsOf<StaticAt<T, 'path'>>
type LinkParams<T> = {
  readonly [K in keyof ParamsAt<T>]: LinkParam<ParamsAt<T>[K], TakenAt<T, K>>
}
type LinkParam<Text, Taken> = [Text] extends [never] ? never : [Taken] extends [never] ? string | number : Known<Taken>
type Known<Taken> = unknown extends Taken ? QueryValue : Exclude<Taken, undefined>
type TakenAt<T, K> = {
  [V in Verb]: MemberOf<ParamsTakenBy<T, V>, K>
}[Verb]
type ParamsTakenBy<T, V extends Verb> =
  T extends Readonly<
    Record<
      V,
      {
        readonly '~spec': {
          readonly params: infer S
        }
      }
    >
  >
    ? In<S>
    : never
type MemberOf<Params, K> = K extends keyof Params ? Params[K] : never
interface QueryValues {
  readonly [key: string]: QueryValue | readonly QueryValue[] | undefined
}
type QueryValue = string | number | boolean
interface RequestView {
  readonly id: string
  readonly method: string
  readonly url: string
  readonly path: string
  readonly ip: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly idempotencyKey: string | undefined
  href<T extends Linkable>(route: T, params: Flat<LinkParams<T>>, query?: QueryValues): string
}
interface LinkAttributes {
  readonly [name: string]: string | undefined
}
interface ResponseView {
  header(name: string, value: string | null): void
  append(name: string, value: string): void
  link(rel: string, href: string, attributes?: LinkAttributes): void
  cookie(name: string, value: string | null, options?: CookieOptions): void
  after(task: () => unknown): void
}
interface Context {
  readonly request: RequestView
  readonly response: ResponseView
  readonly signal: AbortSignal
  readonly log: Logger
}
interface Meta {}
interface EndpointView {
  readonly route: string
  readonly method: string
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly meta: Meta
}
interface MiddlewareContext extends Context {
  readonly endpoint: EndpointView | undefined
}
type Middleware = (context: MiddlewareContext, next: () => Promise<Reply>) => Promise<Reply>
type ContextName =
  'params' | 'query' | 'headers' | 'cookies' | 'body' | 'rawBody' | 'request' | 'response' | 'signal' | 'log'
type Only<Given, Allowed> = {
  readonly [K in Exclude<keyof Given, keyof Allowed>]: UnknownKey<Given[K], K & string>
}
type UnknownKey<Value, K extends string> = 0 extends 1 & Value ? never : `unknown key: ${K}`
interface Service<T> {
  readonly '~service': T
}
interface ServiceOptions<T> {
  readonly close?: (value: T) => unknown
  readonly check?: (value: T) => unknown
}
declare function service<T, Made extends object = {}>(
  create: (made: Made) => T | Promise<T>,
  options?: ServiceOptions<T>,
): Service<T>
type Setting<T, Services extends object = {}> = T | ((services: Services) => T | Promise<T>)
interface Provider<T, Services extends object = {}> {
  readonly '~value': T
  readonly '~services': (services: Services) => void
}
type AnyProvider = Provider<unknown, never>
type Uses = {
  readonly [name: string]: AnyProvider
} & {
  readonly [K in ContextName]?: TakenName<K>
}
type TakenName<K extends string> = `the name ${K} is taken by the context`
interface TextSources {
  readonly params?: AnySchema
  readonly query?: AnySchema
  readonly headers?: AnySchema
  readonly cookies?: AnySchema
}
type ErrorsSpec =
  | readonly number[]
  | {
      readonly [status: number]: string | AnySchema
    }
interface Needs extends TextSources {
  readonly rawBody?: true
  readonly uses?: Uses
  readonly errors?: ErrorsSpec
  readonly guard?: true
  readonly security?: SecurityScheme | readonly SecurityScheme[]
}
interface SecurityScheme {
  readonly type: 'apiKey' | 'http' | 'mutualTLS' | 'oauth2' | 'openIdConnect'
  readonly [key: string]: unknown
}
type Ends = 'before-response' | 'after-response'
interface ProviderOptions {
  readonly ends?: Ends
}
type SourcesIn<N> = {
  [K in keyof N & keyof TextSources]: Out<N[K]>
}
type RawOf<N> = N extends {
  readonly rawBody: true
}
  ? {
      rawBody: Uint8Array
    }
  : {}
type UsesIn<N> = N extends {
  readonly uses: infer U
}
  ? U
  : {}
type ValuesOf<U> = {
  -readonly [K in keyof U]: U[K] extends AnyProvider ? U[K]['~value'] : never
}
type ProviderInput<N> = Flat<SourcesIn<N> & RawOf<N> & ValuesOf<UsesIn<N>>> & Context
type ProvidedValue<T> = AsyncGenerator<T, void, void> | Generator<T, void, void> | Promise<T> | T
type ProviderList<Errors> = Errors extends readonly (infer Status)[] ? Status : keyof Errors
type NamesRejection<Errors> = Extract<ProviderList<Errors>, 401 | 403 | '401' | '403'> extends never ? false : true
type CanReject<N> = N extends {
  readonly security: object
}
  ? true
  : N extends {
        readonly errors: infer E
      }
    ? NamesRejection<E>
    : false
type AcceptedValue<N, T> = CanReject<N> extends true ? Exclude<T, false> : T
type WantedServices<P> = P extends AnyProvider ? P['~services'] : never
type WantOf<U> = string extends keyof U ? never : WantedServices<U[keyof U]>
type ServicesOf<Wants> = [Wants] extends [(services: infer S) => void] ? S : {}
declare function provide<const N extends Needs, T, Services extends object = {}>(
  needs: N & Only<N, Needs>,
  resolve: (input: ProviderInput<N>, services: Services) => ProvidedValue<T>,
  options?: ProviderOptions,
): Provider<AcceptedValue<N, Awaited<T>>, Services & ServicesOf<WantOf<UsesIn<N>>>>
interface CredentialsProvider<T, Services extends object = {}> extends Provider<T, Services> {
  readonly '~credentials': true
}
type RejectedCredentials = false | null | undefined | '' | 0 | 0n
type Verified<T> = Exclude<Awaited<T>, RejectedCredentials>
interface ApiKeyPlace {
  readonly in: 'header' | 'query' | 'cookie'
  readonly name: string
}
declare function apiKey<T, Services extends object = {}>(
  place: ApiKeyPlace,
  verify: (key: string, services: Services) => T,
): CredentialsProvider<Verified<T>, Services>
interface RequestSignal {
  readonly signal: AbortSignal
}
interface BearerOptions {
  readonly scheme?: string
  readonly realm?: string
  readonly format?: string
}
declare function bearer<T, Services extends object = {}>(
  verify: (token: string, services: Services) => T,
  options?: BearerOptions,
): CredentialsProvider<Verified<T>, Services>
interface UserPassword {
  readonly username: string
  readonly password: string
}
interface BasicOptions {
  readonly realm?: string
}
interface Passwords {
  readonly [username: string]: string
}
interface NamedUser {
  readonly username: string
}
type Verify<T, Services> = (credentials: UserPassword, services: Services, request: RequestSignal) => T
declare function basic<T = NamedUser, Services extends object = {}>(
  users: Passwords | Verify<T, Services>,
  options?: BasicOptions,
): CredentialsProvider<Verified<T>, Services>
interface Claims {
  readonly iss?: string
  readonly sub?: string
  readonly aud?: string | readonly string[]
  readonly exp?: number
  readonly nbf?: number
  readonly iat?: number
  readonly [claim: string]: unknown
}
interface Jwk {
  readonly kty: string
  readonly kid?: string
  readonly [member: string]: unknown
}
interface JwkSet {
  readonly keys: readonly Jwk[]
}
type JwtKey = KeyObject | Uint8Array | Jwk
type JwtAlgorithm = 'HS256' | 'RS256' | 'ES256' | 'EdDSA'
interface RemoteKeySet {
  readonly url: URL
  readonly timeout?: number
  readonly onFailure?: (error: unknown) => void
}
type JwtVerifier<Services extends object = {}> = {} extends Services
  ? (token: string) => Claims | Promise<Claims>
  : (token: string, services: Services) => Claims | Promise<Claims>
declare function jwt<Services extends object = {}>(options: JwtOptions<Services>): JwtVerifier<Services>
interface JwtOptions<Services extends object = {}> {
  readonly algorithms: readonly JwtAlgorithm[]
  readonly keys: Setting<JwtKey | readonly JwtKey[] | JwkSet | URL | RemoteKeySet, Services>
  readonly issuer?: string | readonly string[]
  readonly audience?: string | readonly string[]
  readonly leeway?: number
  readonly expiry?: 'required' | 'optional'
  readonly type?: string
  readonly now?: () => number
}
type RequestHandler = (request: IncomingMessage, response: ServerResponse) => unknown
interface OtherHandler {
  readonly request: RequestHandler
  readonly upgrade?: ((request: IncomingMessage, socket: Duplex, head: Buffer) => unknown) | undefined
}
interface ListenOptions {
  readonly port?: number | undefined
  readonly host?: string | undefined
  readonly path?: string | undefined
  readonly tls?: https.ServerOptions | undefined
  readonly otherwise?: RequestHandler | OtherHandler | undefined
}
interface AttachOptions {
  readonly besides?: boolean | undefined
}
interface ListenResult {
  readonly port: number
  readonly host: string
  readonly url: string
}
type Server = Server$1 | https.Server
type NodeListener = (request: IncomingMessage, response: ServerResponse, next?: () => void) => void
interface DecoratorInput extends Context {
  readonly params: unknown
  readonly query: unknown
  readonly headers: unknown
  readonly cookies: unknown
  readonly body: unknown
}
interface DecoratedEndpoint {
  readonly route: string
  readonly method: string
  readonly path: string
  readonly meta: Meta
}
type Around = (input: DecoratorInput, proceed: () => unknown, endpoint: DecoratedEndpoint) => unknown
interface DecoratorSpec {
  readonly around?: Around
  readonly meta?: Partial<Meta>
  readonly errors?: readonly number[]
}
interface VerbMethodContext {
  readonly kind: 'method'
  readonly name: Verb
  readonly static: false
  addInitializer(initializer: (this: unknown) => void): void
}
interface EndpointDecorator {
  (
    method: object,
    context:
      | VerbMethodContext
      | "remove 'experimentalDecorators' from tsconfig.json, or write 'decorators: [log]' in the contract",
  ): void
  readonly '~decorator': true
}
type PlainDecorator<Options extends readonly unknown[]> = [] extends Options ? EndpointDecorator : unknown
type Decorator<Options extends readonly unknown[]> = PlainDecorator<Options> &
  ((...options: Options) => EndpointDecorator)
declare function decorator<Options extends readonly unknown[]>(
  define: (...options: Options) => DecoratorSpec,
): Decorator<Options>
interface Idempotency<Services extends object = {}, Required extends boolean = boolean> {
  readonly '~services': (services: Services) => void
  readonly '~required': Required
}
type SchemaObject = Readonly<Record<string, unknown>>
type JsonSchema = SchemaObject | boolean
type Converters = Readonly<Record<string, (schema: never, options?: never) => unknown>>
interface JsonBody<T> {
  readonly body: T
}
interface FormBody<T> {
  readonly body: T
  readonly headers: Readonly<Record<'content-type', 'application/x-www-form-urlencoded'>>
}
interface TextBody {
  readonly body: string
  readonly headers: Readonly<Record<'content-type', string>>
}
interface BytesBody extends Partial<Pick<TextBody, 'headers'>> {
  readonly body: Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array> | FormData
}
interface BodyKind<T, Options = unknown> {
  readonly '~body': T
  readonly '~options'?: Options
}
interface ReplyKind<T, Shown = unknown> {
  readonly '~reply': T
  readonly '~shown'?: Shown
}
interface Headed<S> {
  readonly '~headers': S
}
interface FileMark {
  readonly '~file': true
}
interface ErrorEventMark<Name> {
  readonly '~errorEvent': Name
}
interface Raw {
  readonly '~raw': true
}
interface WholeKind<S extends Schema> {
  readonly '~standard': S['~standard']
  readonly '~whole': true
}
interface StreamEvent<T> {
  readonly data: T
  readonly id?: string
  readonly event?: string
  readonly retry?: number
}
type JsonKind<S extends Schema, O> =
  O extends Readonly<Record<'headers', unknown>>
    ? SidedKind<O, PlainJsonKind<S, O>, WholeKind<S>>
    : O extends Readonly<Record<'project', false>>
      ? WholeKind<S>
      : PlainJsonKind<S, O>
type PlainJsonKind<S extends Schema, O> = BodyKind<Out<S>, JsonBody<In<S>>> &
  (O extends Readonly<Record<'raw', true>> ? Raw : unknown)
type SidedKind<O, Body, Returned, Only = keyof typeof BODY_OPTIONS> = [keyof O & Only] extends [never]
  ? O extends Readonly<Record<'headers', infer H>>
    ? Returned & Headed<H>
    : Body & Returned
  : Body
declare function json<S extends Schema, const O extends JsonOptions = {}>(schema: S, options?: O): JsonKind<S, O>
declare function form<S extends Schema>(schema: S, options?: BodyOptions): BodyKind<Out<S>, FormBody<In<S>>>
declare function text<const O extends KindOptions = {}>(
  options?: O,
): SidedKind<O, BodyKind<string, TextBody>, ReplyKind<string, string>, 'limit'>
declare function bytes<const O extends KindOptions = {}>(
  options?: O,
): SidedKind<O, BodyKind<Uint8Array, BytesBody>, ReplyKind<Uint8Array, Uint8Array>, 'limit'>
declare function stream<const O extends KindOptions = {}>(
  options?: O,
): SidedKind<
  O,
  BodyKind<AsyncIterable<Uint8Array>, BytesBody>,
  ReplyKind<AsyncIterable<Uint8Array | string>, AsyncIterable<Uint8Array>>,
  'limit'
>
declare function events<S extends Schema, const O extends EventsOptions = {}>(schema: S, options?: O): EventsKind<S, O>
type EventsKind<S extends Schema, O> = SidedKind<
  O,
  unknown,
  ReplyKind<AsyncIterable<StreamEvent<In<S>>>, AsyncIterable<StreamEvent<Out<S>>>> &
    ErrorEventMark<O extends Readonly<Record<'errorEvent', infer Name>> ? Name : 'error'>
>
interface ResponseOptions {
  readonly headers?: AnySchema
}
interface BodyOptions {
  readonly limit?: number
  readonly types?: readonly string[]
}
interface KindOptions extends BodyOptions, ResponseOptions {}
interface JsonOptions extends KindOptions {
  readonly raw?: boolean
  readonly project?: boolean
}
interface EventsOptions extends ResponseOptions {
  readonly heartbeat?: number
  readonly errorEvent?: string
  readonly project?: boolean
}
declare const BODY_OPTIONS: {
  readonly limit: true
  readonly types: true
  readonly raw: true
  readonly count: true
}
interface Sources extends TextSources {
  readonly body?: AnySchema | AnyBody
}
type Source = keyof Sources
type AnyBody = BodyKind<any>
type AnyReply = ReplyKind<any>
type Returnable = AnySchema | AnyReply | null
interface ContractSpec extends Sources {
  readonly uses?: Uses
  readonly returns?:
    | Returnable
    | {
        readonly [status: number]: Returnable
      }
  readonly status?: number
  readonly errors?: ErrorsSpec
  readonly idempotency?: Idempotency<never>
  readonly etag?: boolean
  readonly compression?: false
  readonly timeout?: number
  readonly summary?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly operationId?: string
  readonly hidden?: boolean
  readonly public?: boolean
  readonly decorators?: readonly EndpointDecorator[]
  readonly meta?: Meta
}
type TypedContract = Source | 'uses' | 'idempotency' | 'returns' | 'status'
interface Contract<Spec = unknown, Params = unknown, ClassUses = unknown, Errors = unknown> {
  readonly '~spec': Spec
  readonly '~params'?: Params
  readonly '~uses'?: ClassUses
  readonly '~errors'?: Errors
}
interface NoErrors {
  readonly '~'?: 1
}
interface WithErrors<E> {
  readonly errors: E
}
type ErrorsIn<T> = T extends WithErrors<infer E> ? E : never
type StatusesOf<E> = E extends readonly (infer Status)[] ? NarrowOf<Status & number> : keyof E & number
type NarrowOf<Status extends number> = number extends Status ? never : Status
type SchemaAt<E, Status> = [E] extends [readonly unknown[]] ? unknown : SchemaIn<E[Status & keyof E]>
type SchemaIn<Saying> = [Saying] extends [never] ? unknown : Saying extends AnySchema ? Saying : unknown
type Nearest<S, Outer> = S extends AnySchema ? S : Outer
type DeclaredErrors<Own, OfClass> = [Own | OfClass] extends [never]
  ? NoErrors
  : {
      readonly [K in StatusesOf<Own> | StatusesOf<OfClass> | '~']?: K extends number
        ? Nearest<SchemaAt<Own, K>, SchemaAt<OfClass, K>>
        : 1
    }
interface ContractMethod {
  <Class, const Spec extends ContractSpec>(
    this: Class,
    spec: Spec & Only<Spec, ContractSpec>,
  ): Contract<
    {
      [K in keyof Spec & TypedContract]: Spec[K]
    } & {},
    ParamsOf<StaticAt<Class, 'prefix'>> & ParamsOf<StaticAt<Class, 'path'>>,
    UsesIn<Class>,
    'errors' extends keyof Spec | keyof Class ? DeclaredErrors<ErrorsIn<Spec>, ErrorsIn<Class>> : NoErrors
  >
}
interface ProblemMembers {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail?: string
  readonly requestId: string
}
interface Problem extends ProblemMembers, ValidationMembers {
  readonly [extension: string]: unknown
}
interface ErrorFormat<S> {
  readonly mediaType?: string
  readonly schema: S
  readonly write: (problem: Problem, error: HttpError) => In<S>
}
interface RouteBase<Services> {
  readonly path?: 'declare it `static readonly path`'
  readonly '~services': (services: Services) => void
}
type AnyRoute = abstract new () => Pick<RouteBase<any>, '~services'>
interface RouteConstructor {
  new <Services extends object = {}>(): RouteBase<Services> & Services
  readonly contract: ContractMethod
}
declare const Route: RouteConstructor
type BodyOf<B> = B extends BodyKind<infer T> ? T : Out<B>
type MethodInput<Spec> = {
  [K in keyof Spec & Source]: K extends 'body' ? BodyOf<Spec[K]> : Out<Spec[K]>
}
type RawSources<Spec> = Spec extends {
  readonly body: Raw
}
  ? {
      rawBody: Uint8Array
    }
  : {}
type ParamsIn<Spec, Params> = 'params' extends keyof Spec
  ? {}
  : {
      params: Flat<Params>
    }
type RawInput = Contract<
  {
    query: UntypedMethod<RawQueryValues>
    body: UntypedMethod<unknown>
  },
  Record<string, string>,
  {}
>
interface UntypedMethod<Output> extends Schema {
  readonly '~standard': Schema['~standard'] & {
    readonly types?: {
      input: unknown
      output: Output
    }
  }
}
type RawQueryValues = Readonly<Record<string, string | readonly string[] | undefined>>
type Input<C = RawInput> =
  C extends Contract<infer Spec, infer Params, infer ClassUses>
    ? Flat<
        MethodInput<Spec> & RawSources<Spec> & ParamsIn<Spec, Params> & ValuesOf<UsesIn<Spec>> & ValuesOf<ClassUses>
      > &
        Context
    : never
type KindOrInput<R> = R extends ReplyKind<infer T> ? T : In<R>
type Value$1<R> = R extends null ? null : KindOrInput<R>
type BareRoute<R> = R extends null ? void | undefined : KindOrInput<R>
type Single<R> = BareRoute<R> | Reply<number, Value$1<R>>
type MarksOf<R, H> = '~file' extends keyof R ? unknown : HeaderMarks<FieldsOf<In<H>>>
type ReturnsOf<R> = R extends Returnable
  ? '~headers' extends keyof R
    ? BareRoute<R> | (Reply<number, Value$1<R>> & MarksOf<R, R['~headers']>)
    : Single<R>
  : {
      [K in keyof R & number]: '~headers' extends keyof R[K]
        ? Reply<K, Value$1<R[K]>> & MarksOf<R[K], R[K]['~headers']>
        : Reply<K, Value$1<R[K]>>
    }[keyof R & number]
type FieldsOf<Values> = {
  readonly [K in keyof Values]: TextOf<Values[K]>
} & {}
type TextOf<Value> = Value extends string | undefined ? Value : string
type ReturnsOfSpec<Spec> = Spec extends {
  returns: infer R
}
  ? ReturnsOf<R>
  : unknown
type Returns<C> = C extends Contract<infer Spec, infer _Params, infer _Uses> ? ReturnsOfSpec<Spec> : never
type Result<C> = Promise<Returns<C>>
interface Routes {
  readonly [key: string]: AnyRoute | Routes | Group<unknown> | Upgrade | Mount
}
interface Upgrade<UpgradeUses = unknown> {
  readonly '~upgrade': UpgradeUses
}
interface Mount<MountUses = unknown> {
  readonly '~mount': MountUses
}
interface Group<R, GroupUses = unknown, Format = unknown> {
  readonly '~group': R
  readonly '~uses'?: GroupUses
  readonly '~format'?: Format
}
type WantClass<C> = C extends abstract new () => RouteBase<infer S>
  ? ((services: S) => void) | WantOf<UsesIn<C>> | WantContract<C[keyof C & Verb]>
  : WantSection<C>
type WantContract<E> = E extends {
  readonly '~spec': infer Spec
}
  ? WantOf<UsesIn<Spec>> | WantOnce<Spec>
  : never
type WantOnce<Spec> = Spec extends {
  readonly idempotency: {
    readonly '~services': infer Want
  }
}
  ? Want
  : never
type WantSection<C> =
  C extends Group<infer R, infer U>
    ? WantIn<R> | WantOf<U>
    : C extends Upgrade<infer U> | Mount<infer U>
      ? WantOf<U>
      : C extends Routes
        ? WantIn<C>
        : never
type WantIn<R> = string extends keyof R ? never : WantClass<R[keyof R]>
type RequiredServices<R> = R extends readonly (infer C)[] ? ServicesOf<WantClass<C>> : ServicesOf<WantIn<R>>
type MatchesContract<C> = {
  [V in keyof C & Verb]: (input: Input<C[V]>) => Returns<C[V]> | Result<C[V]>
}
type CheckedRoute<C, K> = C extends abstract new () => MatchesContract<C> ? unknown : ContractMismatch<C, NameOf<K>>
type NameOf<K> = K extends `${number}` ? `routes[${K}]` : K & string
type ContractMismatch<C, Name extends string> = FirstBroken<C, Name, typeof VERBS>
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
  : {
      [K in keyof Value & string]: Value[K] extends PromiseLike<unknown> ? K : never
    }[keyof Value & string]
type StrayStatus<Value, E> =
  E extends Contract<{
    readonly returns: infer R
  }>
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
type CheckedInput<R> = string extends keyof R
  ? unknown
  : {
      readonly [K in keyof R]: CheckedEntry<R[K], K>
    }
interface OpenApiDocument {
  readonly openapi: '3.1.1' | '3.2.0'
  readonly info: OpenApiInfo
  readonly servers: readonly OpenApiServer[]
  readonly security?: readonly never[]
  readonly tags: readonly OpenApiTag[]
  readonly paths: Readonly<Record<string, OpenApiPath>>
  readonly 'x-mounted'?: readonly string[]
  readonly components: OpenApiComponents
}
interface OpenApiInfo {
  readonly title: string
  readonly version: string
  readonly [key: string]: unknown
}
interface OpenApiServer {
  readonly url: string
  readonly [key: string]: unknown
}
interface OpenApiTag {
  readonly name: string
  readonly description?: string
  readonly [key: string]: unknown
}
type OpenApiPath = Readonly<Record<string, OpenApiOperation>>
interface OpenApiOperation {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly deprecated?: true
  readonly 'x-sunset'?: string
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly OpenApiParameter[]
  readonly requestBody?: OpenApiBody
  readonly responses: Readonly<Record<string, OpenApiResponse | OpenApiReference>>
  readonly [extension: `x-${string}`]: unknown
}
interface OpenApiParameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly description?: string
  readonly required?: boolean
  readonly deprecated?: true
  readonly schema: JsonSchema
}
interface OpenApiBody {
  readonly required?: true
  readonly content: OpenApiContent
}
type OpenApiContent = Readonly<Record<string, OpenApiMediaType>>
interface OpenApiMediaType {
  readonly schema?: JsonSchema
  readonly itemSchema?: JsonSchema
  readonly encoding?: Readonly<Record<string, OpenApiEncoding>>
}
interface OpenApiEncoding {
  readonly contentType: string
}
interface OpenApiResponse {
  readonly description: string
  readonly headers?: Readonly<Record<string, OpenApiHeader>>
  readonly content?: OpenApiContent
}
interface OpenApiHeader extends Pick<OpenApiParameter, 'description' | 'required' | 'deprecated' | 'schema'> {}
interface OpenApiReference {
  readonly $ref: string
}
interface OpenApiComponents {
  readonly responses: Readonly<Record<string, OpenApiResponse>>
  readonly schemas: Readonly<Record<string, JsonSchema>>
  readonly securitySchemes?: Readonly<Record<string, SchemaObject>>
}
interface StartedRequest {
  readonly requestId: string
  readonly traceId: string | undefined
  readonly method: string
}
interface RequestInput {
  readonly params: unknown
  readonly query: unknown
  readonly headers: unknown
  readonly cookies: unknown
  readonly body: unknown
}
interface RequestStart extends StartedRequest {
  readonly url: string
}
interface RequestRouted extends StartedRequest {
  readonly route: string | undefined
  readonly template: string | undefined
  readonly path: string
  readonly endpoint: NumberedEndpoint | undefined
}
interface RequestEnd extends RequestRouted {
  readonly version: string | undefined
  readonly status: number
  readonly aborted: boolean
  readonly duration: number
  readonly error: unknown
  readonly input: RequestInput
  readonly output: unknown
  readonly meta: object | undefined
}
interface NumberedEndpoint {
  readonly number: number
}
interface RequestError extends RequestRouted {
  readonly error: unknown
  readonly message: string
}
interface Figures {
  readonly count: number
  readonly errors: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly max: number
  readonly rate: number
}
interface EndpointFigures extends Figures {
  readonly route: string
  readonly method: string
  readonly path: string
}
interface AppMetrics {
  readonly total: Figures
  readonly endpoints: readonly EndpointFigures[]
}
type ContentCoding = 'zstd' | 'br' | 'gzip'
type OriginTest = (origin: string) => boolean | Promise<boolean>
interface CorsOptions {
  readonly origins: string | readonly string[] | OriginTest
  readonly methods?: readonly string[]
  readonly headers?: readonly string[]
  readonly credentials?: boolean
  readonly expose?: readonly string[]
  readonly maxAge?: number
}
interface HeaderChanges {
  readonly [name: string]: string | null
}
interface SecurityHeaderSets {
  readonly api?: HeaderChanges
  readonly html?: HeaderChanges
}
type SecurityHeaders = 'api' | 'html' | SecurityHeaderSets
interface CompressionOptions {
  readonly encodings?: readonly ContentCoding[]
  readonly threshold?: number
  readonly types?: readonly string[]
}
interface RedactOptions {
  readonly headers?: readonly string[]
  readonly keys?: readonly string[]
  readonly values?: readonly RegExp[]
  readonly replaceDefaults?: boolean
}
type ErrorMapper = (error: unknown, context: Context) => HttpError | undefined
interface Limits {
  readonly body: number
  readonly depth: number
  readonly keys: number
  readonly headers: number
  readonly headerBytes: number
  readonly url: number
  readonly issues: number
  readonly connections: number | undefined
}
type TrailingSlash = 'strict' | 'ignore' | 'redirect'
interface VersionParameter {
  readonly mediaType: string
}
type VersionReader = (request: RequestView) => string | undefined
type VersionFrom = string | VersionParameter | VersionReader
interface CommonOptions {
  readonly name?: string
  readonly version?: string
  readonly middleware?: readonly Middleware[]
  readonly mapError?: ErrorMapper | readonly ErrorMapper[]
  readonly cors?: CorsOptions
  readonly compression?: CompressionOptions
  readonly securityHeaders?: SecurityHeaders
  readonly requestId?: RequestIdOptions
  readonly versioning?: Partial<Versioning>
  readonly logger?: Logger | LoggerOptions | false
  readonly accessLog?: boolean
  readonly redact?: RedactOptions
  readonly limits?: Partial<Limits>
  readonly timeouts?: Partial<Timeouts>
  readonly trailingSlash?: TrailingSlash
  readonly trustProxy?: readonly string[]
  readonly signals?: boolean
  readonly fastPath?: boolean
  readonly validateResponses?: boolean
  readonly openapi?: OpenApiOptions | false
  readonly strict?: boolean
  readonly jsonSchema?: Converters
  readonly metrics?: string | MetricsOptions
  readonly devConsole?: 'auto' | boolean | DevConsoleOptions
}
interface RequestIdOptions {
  readonly header?: boolean
}
interface Versioning {
  readonly from: VersionFrom
  readonly default: string | undefined
  readonly require: boolean
  readonly description: string | undefined
}
interface OpenApiOptions {
  readonly path?: string
  readonly version?: '3.1' | '3.2'
  readonly page?: string
  readonly info?: Partial<OpenApiInfo>
  readonly servers?: readonly OpenApiServer[]
  readonly tags?: readonly OpenApiTag[]
  readonly uses?: Uses
  readonly public?: boolean
}
interface MetricsOptions {
  readonly path: string
  readonly uses?: Uses
}
interface Timeouts {
  readonly headers: number
  readonly body: number
  readonly write: number
  readonly keepAlive: number
  readonly handler: number
  readonly start: number
  readonly drain: number
  readonly close: number
}
interface DevConsoleOptions {
  readonly allow?: readonly string[]
  readonly allowedHosts?: readonly string[]
  readonly token?: string
  readonly allowInProduction?: boolean
  readonly captureBodies?: 'text' | 'off' | 'raw'
  readonly bodyLimit?: number
  readonly captureConsole?: boolean
  readonly ignore?: readonly string[]
  readonly slow?: number
  readonly stall?: number
  readonly header?: boolean
  readonly keep?: string
  readonly editor?: string
}
interface Finding {
  readonly code:
    | 'BODY_REDIRECTED'
    | 'CLEANUP_EARLY'
    | 'COOKIE_LIST'
    | 'DOCUMENT_GAP'
    | 'DOCUMENT_OPEN'
    | 'FILES_BLOCKED'
    | 'FILES_SHARED'
    | 'GUARD_UNDECLARED'
    | 'INPUT_IMPOSSIBLE'
    | 'LISTENER_MISSING'
    | 'MUTATION_OPEN'
    | 'NAME_MANGLED'
    | 'PARAMS_DIFFER'
    | 'PATHS_OVERLAP'
    | 'PATH_UNPINNED'
    | 'QUERY_UNUSED'
    | 'READ_OPEN'
    | 'RESPONSE_UNDESCRIBED'
    | 'RETURNS_MISSING'
    | 'SCHEMA_UNDESCRIBED'
    | 'UPGRADE_UNREACHABLE'
    | 'VERB_MISSPELLED'
    | 'VERSION_GAP'
    | 'VERSION_UNPINNED'
  readonly route: string
  readonly method: string
  readonly message: string
  readonly fix: string
}
type RoutesOption = Routes | readonly AnyRoute[]
interface AdditionalServices {
  readonly [name: string]: unknown
}
type ServicesOption<N> = {} extends N ? ExtraServices : NeededServices<N>
interface ExtraServices {
  readonly services?: AdditionalServices
}
interface NeededServices<N> {
  readonly services: GivenServices<N> & AdditionalServices
}
type GivenServices<N> = {
  readonly [K in keyof N]: N[K] | Service<N[K]>
}
type AppOptions<R, DocumentUses = {}, MetricsUses = {}, Format = unknown> = CommonOptions &
  Inferred<R, DocumentUses, MetricsUses, Format> &
  ServicesOption<MissingServices<R, DocumentUses, MetricsUses>>
interface Inferred<R, DocumentUses, MetricsUses, Format> {
  readonly routes: R & CheckedInput<R>
  readonly openapi?:
    | {
        readonly uses?: DocumentUses
      }
    | false
  readonly metrics?:
    | {
        readonly uses?: MetricsUses
      }
    | string
  readonly errorFormat?: ErrorFormat<Format>
}
type MissingServices<R, D, M> = [keyof D | keyof M] extends [never]
  ? RequiredServices<R>
  : RequiredServices<R> & ServicesOf<WantOf<D> | WantOf<M>>
interface EndpointDescription {
  readonly route: string
  readonly verb: EndpointVerb
  readonly method: string
  readonly path: string
  readonly tags: readonly string[]
  readonly version: string | undefined
  readonly contract: ContractSpec | undefined
  readonly upgrade?: string
}
interface DocumentOptions {
  readonly version?: string | undefined
}
interface App<R = unknown, S = object, Format = unknown> extends AsyncDisposable {
  readonly name: string
  readonly version: string
  readonly '~routes'?: R
  readonly '~format'?: Format
  readonly handler: NodeListener
  readonly services: S & AdditionalServices
  start(): Promise<void>
  listen(options?: ListenOptions): Promise<ListenResult>
  attach(server: Server, options?: AttachOptions): void
  fetch(request: Request): Promise<Response>
  close(): Promise<void>
  routes(): EndpointDescription[]
  metrics(): AppMetrics
  openapi(wanted?: DocumentOptions): OpenApiDocument
  check(): Finding[]
}
type KnownErrorStatus =
  | 400
  | 401
  | 402
  | 403
  | 404
  | 405
  | 406
  | 407
  | 408
  | 409
  | 410
  | 411
  | 412
  | 413
  | 414
  | 415
  | 416
  | 417
  | 421
  | 422
  | 423
  | 424
  | 425
  | 426
  | 428
  | 429
  | 431
  | 451
  | 500
  | 501
  | 502
  | 503
  | 504
  | 505
  | 507
  | 508
  | 511
type KebabCase<Name extends string> = string extends Name ? string : Lowercase<Hyphenate<TrimStart<Name>, '', ''>>
type Separator = '_' | '$'
type TrimStart<Name extends string> = Name extends `${Separator}${infer Rest}` ? TrimStart<Rest> : Name
type Hyphenate<
  Name extends string,
  Before extends string,
  Done extends string,
> = Name extends `${infer Unit}${infer Rest}`
  ? Unit extends Separator
    ? AfterSeparator<TrimStart<Rest>, Done>
    : Unit extends Lowercase<Unit>
      ? Hyphenate<Rest, Unit, `${Done}${Unit}`>
      : Hyphenate<Rest, Unit, `${Done}${GapBeforeCapital<Before, Rest>}${Unit}`>
  : Done
type AfterSeparator<Rest extends string, Done extends string> = Rest extends '' ? Done : Hyphenate<Rest, '', `${Done}-`>
type GapBeforeCapital<Before extends string, Rest extends string> =
  Before extends Lowercase<Before> ? GapAfterOther<Before> : GapInRun<Rest>
type GapAfterOther<Before extends string> = Before extends '' ? '' : '-'
type GapInRun<Rest extends string> = Rest extends `${infer Unit}${string}` ? GapBeforeSmall<Unit> : ''
type GapBeforeSmall<Unit extends string> = Unit extends Uppercase<Unit> ? '' : '-'
interface Success<Status = number, Body = unknown> {
  readonly ok: true
  readonly status: Status
  readonly body: Body
  readonly headers: Headers
}
interface HeadedSuccess<Status, Body, Fields> extends Success<Status, Body> {
  readonly headers: KnownHeaders<Fields> & Headers
}
interface HeadedFailure<Status, Body, Fields> extends Failure<Status, Body> {
  readonly headers: KnownHeaders<Fields> & Headers
}
interface KnownHeaders<Fields> {
  get<Name extends keyof Fields>(name: Name): FieldText<Fields[Name]>
}
type FieldText<Value> = Value extends undefined ? null : Value
interface Failure<Status = KnownErrorStatus, Body = Problem> {
  readonly ok: false
  readonly status: Status
  readonly body: Body
  readonly headers: Headers
}
type Json<T> = 0 extends 1 & T ? T : JsonOf<T>
type Scalar = string | number | boolean | null | undefined
type NotSent = ((...args: any) => unknown) | symbol
type JsonOf<T> = T extends Scalar
  ? T
  : T extends {
        toJSON(key?: never): infer Shown
      }
    ? Json<Shown>
    : T extends object
      ? JsonObject<T>
      : unknown extends T
        ? T
        : never
type JsonObject<T> = T extends NotSent ? never : T extends readonly unknown[] ? JsonList<T> : JsonRecord<T>
type JsonList<T> = {
  [K in keyof T]: Json<T[K]>
}
type JsonRecord<T> = {
  [K in keyof T as T[K] extends NotSent ? never : K]: Json<T[K]>
} & {}
interface ReconnectOptions {
  readonly tries?: number | undefined
  readonly delay?: number | undefined
  readonly maxDelay?: number | undefined
}
type EventOptions<K> = [Extract<K, ErrorEventMark<unknown>>] extends [never]
  ? {}
  : StreamOptions<Extract<K, ErrorEventMark<unknown>>['~errorEvent']>
type StreamOptions<Name> = ReconnectOption &
  ([Name] extends ['error']
    ? {}
    : {
        readonly errorEvent: Name
      })
interface ReconnectOption {
  readonly reconnect?: boolean | ReconnectOptions | undefined
}
interface StreamFailure<Status = KnownErrorStatus, Body = Problem> extends Error {
  readonly name: 'StreamFailure'
  readonly status: Status
  readonly body: Body
}
interface EventStream<Data, Failed = Failure> extends AsyncIterable<StreamEvent<Data>> {
  readonly '~failed'?: Failed
}
type StreamFailureOf<Failed> = Failed extends Failure<infer Status, infer Body> ? StreamFailure<Status, Body> : never
declare function isStreamFailure<Failed = Failure>(
  error: unknown,
  _events?: EventStream<unknown, Failed>,
): error is StreamFailureOf<Failed>
type Client<A> = A extends App<infer R, infer _S, infer Format> ? ClientOf<R, Format> : never
type ClientOf<R, Format = unknown> = unknown extends R
  ? (path: UntypedClient) => never
  : PathTree<ClassesByPath<R>, Format>
type UntypedClient = 'the type of the app has no routes: let "createApp" infer it, without an annotation'
type PathTree<Classes, Format> = <Path extends keyof Classes & string>(
  path: Path,
) => EndpointsAt<Classes[Path], Path, Format>
type EndpointsAt<Class, Path extends string, Format = unknown> = {
  readonly [V in VerbsAt<Class>]: EndpointCall<
    OptionsOf<Class, V, Path>,
    ResponsesOf<Class, V, Format>,
    ContractSpecOf<Class, V>
  >
}
type EndpointCall<Options, Result, Spec = unknown> = {} extends Options
  ? (options?: Options) => Promise<Result>
  : [Options] extends [AsStream]
    ? StreamCall<Options, Result, Spec>
    : (options: Options) => Promise<Result>
type StreamCall<Options, Result, Spec> = [FileIn<Spec>] extends [never]
  ? (options: Options) => Promise<Result>
  : RangeCall<Options, Result>
type FileIn<Spec> = Spec extends {
  readonly returns:
    | FileMark
    | {
        readonly 200: FileMark
      }
}
  ? true
  : never
interface AsStream {
  readonly as: 'stream'
}
interface RangeCall<Options, Result> {
  (options: Options & RangeOption): Promise<Result | RangeOf<Result>>
  (options: Options): Promise<Result>
}
interface RangeOption {
  readonly headers: Readonly<Record<'range', string>>
}
type RangeOf<Result> = Result extends Success<200, infer Body> ? Success<206, Body> & Pick<Result, 'headers'> : never
type ContractSpecOf<Class, V extends Verb> =
  Class extends Record<
    V,
    {
      readonly '~spec': infer Spec
    }
  >
    ? Spec
    : NoContract
type OptionsOf<Class, V extends Verb, Path extends string> = Class extends unknown ? OptionsAt<Class, V, Path> : never
type OptionsAt<Class, V extends Verb, Path extends string> =
  V extends VerbsAt<Class> ? EndpointOptions<ContractSpecOf<Class, V>, Path> : never
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
type ClassesByPath<R> = MappedParams<R extends readonly (infer C)[] ? ClassMethods<C, '', never> : RouteEntries<R, ''>>
interface PathMethods<Path, Class> {
  readonly path: Path
  readonly class: Class
}
type MappedParams<E> = {
  [Each in E as JoinedPath<Each>]: RouteClass<Each>
}
type JoinedPath<E> =
  E extends PathMethods<infer Path extends string, unknown> ? (string extends Path ? never : Path) : never
type RouteClass<E> = E extends PathMethods<string, infer Class> ? Class : never
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
type GroupRoutes<E, Format> = unknown extends Format ? E : MarkedEntries<E, Format>
type MarkedEntries<E, Format> =
  E extends PathMethods<infer Path, infer Class> ? PathMethods<Path, Class & Marker<Class, Format>> : never
type Marker<Class, Format> = '~format' extends keyof Class ? unknown : Marked<Format>
interface Marked<Format> {
  readonly '~format': Format
}
type ClientMount<Above extends string, K> = K extends `/${string}` ? `${Above}${K}` : Above
type ClassMethods<C, Above extends string, K> = C extends {
  readonly fallback: true
}
  ? never
  : PathMethods<RootedPaths<`${Above}${GroupPrefix<C>}${OwnPath<C, K>}`>, C>
type RootedPaths<Path extends string> = Path extends '' ? '/' : Path
type GroupPrefix<C> = C extends {
  readonly prefix: infer Prefix extends string
}
  ? Prefix
  : ''
type OwnPath<C, K> = C extends {
  readonly path: infer Path extends string
}
  ? WithoutRoot<Path>
  : DerivedPath<K>
type WithoutRoot<Path extends string> = Path extends '/' ? '' : Path
type DerivedPath<K> = K extends '/' ? '' : `/${KebabCase<K & string>}`
interface NoContract {
  readonly '~none': true
}
interface CallOptions {
  readonly headers?: HeaderValues
  readonly signal?: AbortSignal | undefined
  readonly timeout?: number | undefined
}
interface HeaderValues {
  readonly [name: string]: QueryValue | readonly QueryValue[] | undefined
}
type EndpointOptions<Spec, Path extends string> = Flat<
  ParamsOption<Spec, Path> & QueryOption<Spec> & HeadersOption<Spec> & BodyOption<Spec> & AsOption<Spec>
> &
  CallOptions
type ParamsOption<Spec, Path extends string> =
  {} extends ParamsOf<Path>
    ? {}
    : {
        readonly params: TextParams<ParamsOf<Path>, ListParams<Spec>>
      }
type TextParams<Params, Lists> = {
  readonly [K in keyof Params]: K extends keyof Lists ? Lists[K] : string | number
} & {}
type ListParams<Spec> = [Spec] extends [
  {
    readonly params: infer S
  },
]
  ? Lists<In<S>>
  : {}
type Lists<Params> = {
  [K in keyof Params as Params[K] extends readonly unknown[] ? K : never]: Params[K]
}
type QueryOption<Spec> = [Spec] extends [
  {
    readonly query: infer S
  },
]
  ? Query<In<S>>
  : {
      readonly query?: QueryValues
    }
type Query<Value> = {} extends Value
  ? {
      readonly query?: Value
    }
  : {
      readonly query: Value
    }
type HeadersOption<Spec> = OwnHeadersOption<Spec> & KeyOption<Spec>
type OwnHeadersOption<Spec> = [Spec] extends [
  {
    readonly headers: infer S
  },
]
  ? RequestHeaders<In<S>>
  : {}
type KeyOption<Spec> = [Spec] extends [
  {
    readonly idempotency: {
      readonly '~required': infer Required
    }
  },
]
  ? Required extends true
    ? {
        readonly headers: IdempotencyKey
      }
    : {
        readonly headers?: Partial<IdempotencyKey>
      }
  : {}
type RequestHeaders<Value> = {} extends Value
  ? {
      readonly headers?: Value
    }
  : {
      readonly headers: Value
    }
interface IdempotencyKey {
  readonly 'idempotency-key': string
}
type BodyOption<Spec> = [Spec] extends [
  {
    readonly body: infer B
  },
]
  ? RequestBody<B>
  : Spec extends NoContract
    ? {
        readonly body?: unknown
      }
    : {}
type RequestBody<B> = B extends BodyKind<unknown, infer Shape> ? Shape : Body<In<B>>
type Body<Value> = undefined extends Value
  ? {
      readonly body?: Value
    }
  : {
      readonly body: Value
    }
type AsOption<Spec> = Spec extends {
  readonly returns: infer R
}
  ? AsForReturns<R>
  : {}
type AsForReturns<R> = R extends AnySchema | null ? {} : AsFor<DeclaredKinds<R>> & EventOptions<DeclaredKinds<R>>
type AnyKind = ReplyKind<any>
type DeclaredKinds<R> = R extends AnyKind ? R : Extract<R[keyof R], AnyKind>
type AsFor<K> = [K] extends [never] ? {} : AsOf<K extends ReplyKind<unknown, infer Shown> ? Shown : never>
type AsOf<Shown> = [Extract<Shown, AsyncIterable<Uint8Array>>] extends [never]
  ? AsOfWhole<Exclude<Shown, AsyncIterable<unknown>>>
  : AsStream
type AsOfWhole<Shown> = [Shown] extends [never]
  ? {}
  : {
      readonly as?: Shown extends string ? 'text' : 'bytes'
    }
type FailuresByStatus<Class, V extends Verb, Spec, Format> =
  V extends VerbsAt<Class>
    ? unknown extends Format
      ? Failures<ErrorsByStatus<Class, V>, ReturnedErrors<Spec>>
      : FormattedFailures<ErrorsByStatus<Class, V>, ReturnedErrors<Spec>, Json<Out<Format>>>
    : never
type ErrorsByStatus<Class, V extends Verb> = 'errors' extends keyof Class
  ? DeclaredErrors<Required<ErrorsOf<Class, V>>, ErrorsIn<Class>>
  : ErrorsOf<Class, V>
type ErrorsOf<Class, V extends Verb> = Class extends Record<V, DeclaresErrors<infer Errors>> ? Errors : NoErrors
interface OtherFailure<Described, Body = Problem> extends Failure<Exclude<KnownErrorStatus, Described>, Body> {}
type Failures<Errors, Returned = never> = [(keyof Errors & number) | Returned] extends [never]
  ? Failure
  : | FailuresBut<DescribedFailure<Errors> | Returned>
    | DescribedFailures<Errors>[Exclude<DescribedFailure<Errors>, Returned>]
    | Unlisted<Exclude<UnlistedFailure<Errors>, Returned>>
type FormattedFailures<Errors, Returned, Body> =
  FailuresBut<Returned, Body> | Unlisted<Exclude<keyof Errors & number, KnownErrorStatus | Returned>, Body>
type DescribedFailure<Errors> = {
  [K in keyof Errors & number]: Errors[K] extends AnySchema | undefined ? K : never
}[keyof Errors & number]
type DescribedFailures<Errors> = {
  [K in keyof Errors]-?: Failure<K, ProblemResponse<Json<Out<Errors[K]>>>>
}
type FailuresBut<Described, Body = Problem> = [Described] extends [never]
  ? Failure<KnownErrorStatus, Body>
  : OtherFailure<Described, Body>
type UnlistedFailure<Errors> = Exclude<keyof Errors & number, KnownErrorStatus | DescribedFailure<Errors>>
type Unlisted<Status, Body = Problem> = [Status] extends [never] ? never : Failure<Status, Body>
type ProblemResponse<Members> = Members extends object ? Flat<OursBut<keyof Members> & Members> : Problem
type OursBut<Named> = {
  [K in keyof ProblemMembers as K extends Named ? never : K]: ProblemMembers[K]
}
interface WithReturns<R> {
  readonly returns: R
}
type EndpointResponses<Spec, Class, V extends Verb, Failed = Failure> =
  Spec extends WithReturns<infer R>
    ? R extends Returnable
      ? SuccessOf<StatusOf<Spec>, R, Failed>
      : {
          [K in keyof R & number]: ReturnedOf<K, R[K], Failed | ReturnedFailures<R>>
        }[keyof R & number]
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
type Method$1<Value> = (...args: any) => Value
type ValueOf<Class, V extends Verb> = Class extends abstract new () => {
  [K in V]: Method$1<infer Value>
}
  ? Awaited<Value>
  : never
type StatusOf<Spec> = Spec extends {
  readonly status: infer Status
}
  ? Status
  : Spec extends {
        readonly returns: null
      }
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
type MethodResponse<Value, Status> =
  Value extends Reply<infer Own, infer Body>
    ? Success<Own, UndeclaredStatus<Body>>
    : Success<Value extends void ? 204 : Status, UndeclaredStatus<Value>>
type UndeclaredStatus<Value> = Value extends void ? null : Value extends Uint8Array ? Uint8Array : StreamedReply<Value>
type StreamedReply<Value> =
  Value extends AsyncIterable<infer Chunk> ? (Chunk extends string ? string : Uint8Array) : SentBody<Value>
type SentBody<Value> = Value extends Response ? unknown : Json<Value>
interface KeyClaim {
  readonly key: string
  readonly client: string
  readonly owner: string
  readonly request: string
  readonly lease: number
}
interface IncompleteKey {
  readonly state: 'claimed' | 'in-progress' | 'mismatch'
  readonly left?: number
}
interface CompletedKey {
  readonly state: 'completed'
  readonly response: string
}
type KeyState = IncompleteKey | CompletedKey
interface IdempotencyStore {
  claim(claim: KeyClaim): Promise<KeyState>
  complete(claim: KeyClaim, response: string, ttl: number): Promise<boolean>
  release(claim: KeyClaim): Promise<void>
}
interface IdempotencyStoreWithin<Through> extends IdempotencyStore {
  readonly completeWithin: (
    claim: KeyClaim,
    response: string,
    ttl: number,
    through: Through,
  ) => Promise<boolean> | boolean
}
type RedisClient = CallingClient | SendingClient
interface CallingClient {
  call(command: string, ...args: string[]): Promise<unknown>
}
interface SendingClient {
  sendCommand(args: string[]): Promise<unknown>
}
interface RedisIdempotencyOptions {
  readonly prefix?: string
}
declare function redisIdempotency(client: RedisClient, options?: RedisIdempotencyOptions): IdempotencyStore
interface Override {
  readonly '~override': true
}
declare function override<P extends AnyProvider>(provider: P, value: () => P['~value'] | Promise<P['~value']>): Override
interface GroupOptions<R, GroupUses = Uses, Format = unknown> {
  readonly middleware?: readonly Middleware[]
  readonly uses?: GroupUses
  readonly errors?: ErrorsSpec
  readonly tags?: readonly string[]
  readonly public?: boolean
  readonly errorFormat?: ErrorFormat<Format>
  readonly cors?: CorsOptions | false
  readonly securityHeaders?: SecurityHeaders | false
  readonly routes: R & CheckedInput<R>
}
declare function group<const R extends Routes, const GroupUses extends Uses = {}, Format = unknown>(
  options: GroupOptions<R, GroupUses, Format>,
): Group<R, GroupUses, Format>
type UpgradeRequest = IncomingMessage
interface Charge {
  readonly key: string
  readonly limit: number
  readonly window: number
  readonly cost: number
}
interface ChargeResult {
  readonly allowed: boolean
  readonly remaining: number
  readonly reset: number
  readonly retryAfter: number
}
interface LimitStore {
  take(charge: Charge): ChargeResult | Promise<ChargeResult>
}
interface RedisLimitsOptions {
  readonly prefix?: string
}
declare function redisLimits(client: RedisClient, options?: RedisLimitsOptions): LimitStore
type SessionWrite = 'new' | 'changed'
interface SessionStore {
  get(key: string): Promise<string | null | undefined> | string | null | undefined
  set(key: string, text: string, end: number, write: SessionWrite): Promise<boolean> | boolean
  delete(key: string): unknown
  touch(key: string, end: number): Promise<boolean> | boolean
}
interface TestOptions<Services = object> {
  readonly services?: Partial<GivenServices<Services>>
  readonly override?: readonly Override[]
  readonly strict?: boolean | StrictOptions
  readonly logger?: Logger | LoggerOptions | false
  readonly patience?: number
  readonly ip?: string
}
interface TestRequestOptions {
  readonly ip?: string
}
interface StrictOptions {
  readonly headers: readonly string[]
}
interface RedisSessionsOptions {
  readonly prefix?: string
}
declare function redisSessions(client: RedisClient, options?: RedisSessionsOptions): SessionStore
export {
  HttpError,
  Route,
  SetupError,
  apiKey,
  basic,
  bearer,
  bytes,
  decorator,
  events,
  form,
  group,
  isStreamFailure,
  json,
  jwt,
  override,
  provide,
  redirect,
  redisIdempotency,
  redisLimits,
  redisSessions,
  reply,
  service,
  stream,
  text,
}
export type {
  AdditionalServices,
  AnyProvider,
  AnyRoute,
  AnySchema,
  ApiKeyPlace,
  App,
  AppMetrics,
  AppOptions,
  Around,
  AsStream,
  AttachOptions,
  BasicOptions,
  BearerOptions,
  BodyKind,
  BodyOptions,
  BytesBody,
  CallOptions,
  Charge,
  ChargeResult,
  Claims,
  ClassesByPath,
  Client,
  ClientOf,
  CommonOptions,
  CompletedKey,
  CompressionOptions,
  ContentCoding,
  Context,
  ContextName,
  Contract,
  ContractMethod,
  ContractSpec,
  Converters,
  CookieOptions,
  CorsOptions,
  CredentialsProvider,
  DeclaredErrors,
  DeclaresErrors,
  DecoratedEndpoint,
  Decorator,
  DecoratorInput,
  DecoratorSpec,
  DescribeOptions,
  DevConsoleOptions,
  DocumentOptions,
  EndpointCall,
  EndpointDecorator,
  EndpointDescription,
  EndpointFigures,
  EndpointOptions,
  EndpointResponses,
  EndpointVerb,
  EndpointView,
  EndpointsAt,
  Ends,
  ErrorEventMark,
  ErrorFormat,
  ErrorGiven,
  ErrorMapper,
  ErrorsIn,
  ErrorsSpec,
  EventStream,
  EventsKind,
  EventsOptions,
  Failure,
  Failures,
  FieldsOf,
  Figures,
  FileMark,
  Finding,
  Flat,
  FormBody,
  FormattedFailures,
  Group,
  GroupOptions,
  Headed,
  HeadedFailure,
  HeadedSuccess,
  HeaderChanges,
  HeaderMarks,
  HeaderValues,
  HttpErrorOptions,
  HttpErrorParts,
  Idempotency,
  IdempotencyKey,
  IdempotencyStore,
  IdempotencyStoreWithin,
  In,
  IncompleteKey,
  Input,
  Json,
  JsonBody,
  JsonKind,
  JsonOptions,
  JsonSchema,
  Jwk,
  JwkSet,
  JwtAlgorithm,
  JwtKey,
  JwtOptions,
  JwtVerifier,
  KeyClaim,
  KeyState,
  KindOptions,
  KnownErrorStatus,
  KnownHeaders,
  Level,
  LimitStore,
  Limits,
  LinkAttributes,
  LinkParams,
  Linkable,
  ListenOptions,
  ListenResult,
  Logger,
  LoggerOptions,
  MakeReply,
  Marked,
  Meta,
  MetricsOptions,
  Middleware,
  MiddlewareContext,
  Mount,
  NamedUser,
  Needs,
  NoContract,
  NoErrors,
  NodeListener,
  NumberedEndpoint,
  Only,
  OpenApiBody,
  OpenApiComponents,
  OpenApiContent,
  OpenApiDocument,
  OpenApiEncoding,
  OpenApiHeader,
  OpenApiInfo,
  OpenApiMediaType,
  OpenApiOperation,
  OpenApiOptions,
  OpenApiParameter,
  OpenApiPath,
  OpenApiReference,
  OpenApiResponse,
  OpenApiServer,
  OpenApiTag,
  OriginTest,
  OtherFailure,
  OtherHandler,
  Out,
  Override,
  ParamsOf,
  Passwords,
  Problem,
  ProblemMembers,
  Provider,
  ProviderInput,
  ProviderOptions,
  QueryValue,
  QueryValues,
  RangeCall,
  RangeOption,
  Raw,
  ReconnectOption,
  ReconnectOptions,
  RedactOptions,
  RedirectStatus,
  RedisClient,
  RedisIdempotencyOptions,
  RedisLimitsOptions,
  RedisSessionsOptions,
  RemoteKeySet,
  Reply,
  ReplyKind,
  ReplyOf,
  RequestEnd,
  RequestError,
  RequestHandler,
  RequestIdOptions,
  RequestInput,
  RequestIssue,
  RequestRouted,
  RequestStart,
  RequestView,
  RequiredServices,
  ResponseOptions,
  ResponseView,
  Result,
  Returnable,
  Returns,
  RouteBase,
  RouteConstructor,
  Routes,
  RoutesOption,
  Schema,
  SchemaDescriber,
  SchemaMembers,
  SchemaObject,
  SecurityHeaderSets,
  SecurityHeaders,
  SecurityScheme,
  Server,
  Service,
  ServiceOptions,
  ServicesOf,
  SessionStore,
  SessionWrite,
  Setting,
  SetupCode,
  SidedKind,
  Source,
  StartedRequest,
  StreamEvent,
  StreamFailure,
  StreamFailureOf,
  StrictOptions,
  Success,
  TestOptions,
  TestRequestOptions,
  TextBody,
  TextSources,
  Timeouts,
  TrailingSlash,
  UnauthorizedReason,
  Upgrade,
  UpgradeRequest,
  UserPassword,
  Uses,
  UsesIn,
  Verb,
  VerbMethodContext,
  VerbsAt,
  Verified,
  VersionFrom,
  VersionParameter,
  VersionReader,
  Versioning,
  WantOf,
  WithErrors,
  WithReturns,
}
