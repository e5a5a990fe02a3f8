import {
  RoutesOption,
  Uses,
  AppOptions,
  App,
  RequiredServices,
  RouteBase,
  Context,
  AnySchema,
  Out,
  SchemaMembers,
  Flat,
  In,
  RequestView,
  ResponseView,
  Schema,
  Needs,
  Only,
  ProviderInput,
  Provider,
  ServicesOf,
  WantOf,
  UsesIn,
  CredentialsProvider,
  Verified,
  JwtAlgorithm,
  Setting,
  JwtKey,
  JwkSet,
  Claims,
} from './core.js'
export {
  AdditionalServices,
  AnyProvider,
  AnyRoute,
  AppMetrics,
  Around,
  AttachOptions,
  BodyKind,
  BodyOptions,
  BytesBody,
  CommonOptions,
  CompressionOptions,
  ContentCoding,
  ContextName,
  Contract,
  ContractMethod,
  ContractSpec,
  Converters,
  CookieOptions,
  CorsOptions,
  DeclaredErrors,
  DeclaresErrors,
  DecoratedEndpoint,
  Decorator,
  DecoratorInput,
  DecoratorSpec,
  DescribeOptions,
  DevConsoleOptions,
  DocumentOptions,
  EndpointDecorator,
  EndpointDescription,
  EndpointFigures,
  EndpointVerb,
  EndpointView,
  Ends,
  ErrorEventMark,
  ErrorFormat,
  ErrorGiven,
  ErrorMapper,
  ErrorsIn,
  ErrorsSpec,
  EventsKind,
  EventsOptions,
  FieldsOf,
  Figures,
  FileMark,
  Finding,
  FormBody,
  Group,
  GroupOptions,
  Headed,
  HeaderChanges,
  HeaderMarks,
  HttpError,
  HttpErrorOptions,
  HttpErrorParts,
  Input,
  JsonBody,
  JsonKind,
  JsonOptions,
  JsonSchema,
  Jwk,
  KindOptions,
  KnownErrorStatus,
  Limits,
  LinkAttributes,
  LinkParams,
  Linkable,
  ListenOptions,
  ListenResult,
  Logger,
  LoggerOptions,
  MakeReply,
  Meta,
  MetricsOptions,
  Middleware,
  MiddlewareContext,
  NoErrors,
  NodeListener,
  NumberedEndpoint,
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
  OtherHandler,
  ParamsOf,
  Problem,
  ProblemMembers,
  ProviderOptions,
  QueryValue,
  QueryValues,
  Raw,
  RedactOptions,
  RedirectStatus,
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
  ResponseOptions,
  Result,
  Returnable,
  Returns,
  Route,
  RouteConstructor,
  Routes,
  SchemaDescriber,
  SchemaObject,
  SecurityHeaderSets,
  SecurityHeaders,
  SecurityScheme,
  Server,
  Service,
  ServiceOptions,
  SetupCode,
  SetupError,
  SidedKind,
  StartedRequest,
  StreamEvent,
  TextBody,
  Timeouts,
  TrailingSlash,
  UnauthorizedReason,
  Upgrade,
  Verb,
  VerbMethodContext,
  VersionFrom,
  VersionParameter,
  VersionReader,
  Versioning,
  WithErrors,
  bytes,
  decorator,
  events,
  form,
  group,
  json,
  provide,
  redirect,
  reply,
  service,
  stream,
  text,
} from './core.js'
declare function createApp<
  const R extends RoutesOption,
  const DocumentUses extends Uses = {},
  const MetricsUses extends Uses = {},
  Format = unknown,
>(options: AppOptions<R, DocumentUses, MetricsUses, Format>): App<R, RequiredServices<R>, Format>
interface HealthOptions<U = Uses> {
  readonly timeout?: number
  readonly uses?: U
}
interface HealthRoute<Path extends string, U = {}> {
  new (): RouteBase<{}> & Readonly<Record<'get', (input: Context) => unknown>>
  readonly path: Path
  readonly uses: U
}
type HealthRoutes<U = {}> = {
  readonly Livez: HealthRoute<'/livez', U>
  readonly Readyz: HealthRoute<'/readyz', U>
}
declare function health<const U extends Uses = {}>(options?: HealthOptions<U>): HealthRoutes<U>
interface EnvironmentSource {
  readonly [name: string]: string | undefined
}
declare function environment<S extends AnySchema>(schema: S, source?: EnvironmentSource): Out<S>
interface OutgoingCall {
  readonly kind: string
  readonly text: string
  readonly params?: readonly unknown[] | undefined
  readonly target?: string | undefined
  readonly stack?: string | undefined
}
interface CallOutcome {
  readonly rows?: number | null | undefined
  readonly status?: number | undefined
}
interface StartedCall {
  run<T>(next: () => T): T
  end(outcome?: CallOutcome): void
  fail(error: unknown): void
}
declare function startCall(call: OutgoingCall): StartedCall | null
declare function observeCall<T>(call: OutgoingCall, run: () => T, outcome?: (result: Awaited<T>) => CallOutcome): T
declare function observed<T>(name: string, value: T): T
interface CursorOptions {
  readonly limit?: number
  readonly most?: number
  readonly query?: AnySchema
}
interface CursorQuery<Position, Options> {
  readonly '~standard': CursorMembers<Position, Options>
}
interface CursorMembers<Position, Options> extends Omit<SchemaMembers, 'types'> {
  readonly types?: CursorTypes<Position, Options>
}
interface CursorTypes<Position, Options> {
  readonly input: Flat<
    {
      readonly cursor?: string
      readonly limit?: number
    } & OtherMembers<Options>
  >
  readonly output: Flat<
    {
      readonly cursor: Out<Position> | undefined
      readonly limit: number
    } & OthersOut<Options>
  >
}
type OtherMembers<Options> = Options extends {
  readonly query: infer S
}
  ? In<S>
  : {}
type OthersOut<Options> = Options extends {
  readonly query: infer S
}
  ? Out<S>
  : {}
interface PageInput {
  readonly query: Readonly<Record<'limit', number>>
  readonly request: RequestView
  readonly response: ResponseView
}
interface Cursor<Position, Options = {}> {
  readonly query: CursorQuery<Position, Options>
  page<Row>(rows: readonly Row[], input: PageInput, positionOf: (row: Row) => In<Position>): readonly Row[]
  write(position: In<Position>): string
}
declare function cursor<Position extends Schema, const Options extends CursorOptions = {}>(
  position: Position,
  options?: Options,
): Cursor<Position, Options>
interface CacheControlOptions {
  readonly public?: boolean
  readonly private?: boolean
  readonly noStore?: boolean
  readonly noCache?: boolean
  readonly maxAge?: number
  readonly sharedMaxAge?: number
  readonly staleWhileRevalidate?: number
  readonly staleIfError?: number
  readonly mustRevalidate?: boolean
  readonly proxyRevalidate?: boolean
  readonly immutable?: boolean
  readonly noTransform?: boolean
}
declare function cacheControl(options: CacheControlOptions): string
type Revision = string | number | bigint | Date | null | undefined
interface PreconditionOptions {
  readonly required?: boolean
  readonly weak?: boolean
}
type PreconditionNeeds = Omit<Needs, 'rawBody' | 'security'>
declare function precondition<const N extends PreconditionNeeds, T extends Revision, Services extends object = {}>(
  needs: N & Only<N, PreconditionNeeds>,
  resolve: (input: ProviderInput<N>, services: Services) => T | Promise<T>,
  options?: PreconditionOptions,
): Provider<T, Services & ServicesOf<WantOf<UsesIn<N>>>>
type AnyCredentials = CredentialsProvider<unknown, never>
declare function anyOf<const P extends readonly [AnyCredentials, ...AnyCredentials[]]>(
  ...providers: P
): CredentialsProvider<P[number]['~value'], object & ServicesOf<P[number]['~services']>>
interface OptionalOptions {
  readonly invalid?: 'reject' | 'ignore'
}
declare function optional<T, Services extends object>(
  provider: CredentialsProvider<T, Services>,
  options?: OptionalOptions,
): CredentialsProvider<T | undefined, Services>
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
declare function sameSecret(received: string | Uint8Array, expected: string | Uint8Array): boolean
export {
  AnySchema,
  App,
  AppOptions,
  Claims,
  Context,
  CredentialsProvider,
  In,
  JwkSet,
  JwtAlgorithm,
  JwtKey,
  Needs,
  Out,
  Provider,
  ProviderInput,
  RequestView,
  RequiredServices,
  ResponseView,
  RouteBase,
  Schema,
  SchemaMembers,
  Setting,
  Uses,
  Verified,
  anyOf,
  apiKey,
  basic,
  bearer,
  cacheControl,
  createApp,
  cursor,
  environment,
  health,
  jwt,
  observeCall,
  observed,
  optional,
  precondition,
  sameSecret,
  startCall,
}
export type {
  ApiKeyPlace,
  BasicOptions,
  BearerOptions,
  CacheControlOptions,
  CallOutcome,
  Cursor,
  CursorOptions,
  CursorQuery,
  EnvironmentSource,
  HealthOptions,
  HealthRoute,
  HealthRoutes,
  JwtOptions,
  JwtVerifier,
  NamedUser,
  OptionalOptions,
  OutgoingCall,
  PageInput,
  Passwords,
  PreconditionNeeds,
  PreconditionOptions,
  RemoteKeySet,
  Revision,
  StartedCall,
  UserPassword,
}
