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
} from './core.js'
export {
  AdditionalServices,
  AnyProvider,
  AnyRoute,
  ApiKeyPlace,
  AppMetrics,
  Around,
  AttachOptions,
  BasicOptions,
  BearerOptions,
  BodyKind,
  BodyOptions,
  BytesBody,
  Claims,
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
  JwkSet,
  JwtAlgorithm,
  JwtKey,
  JwtOptions,
  JwtVerifier,
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
  NamedUser,
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
  Passwords,
  Problem,
  ProblemMembers,
  ProviderOptions,
  QueryValue,
  QueryValues,
  Raw,
  RedactOptions,
  RedirectStatus,
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
  Setting,
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
  UserPassword,
  Verb,
  VerbMethodContext,
  Verified,
  VersionFrom,
  VersionParameter,
  VersionReader,
  Versioning,
  WithErrors,
  apiKey,
  basic,
  bearer,
  bytes,
  decorator,
  events,
  form,
  group,
  json,
  jwt,
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
declare function sameSecret(received: string | Uint8Array, expected: string | Uint8Array): boolean
export {
  AnySchema,
  App,
  AppOptions,
  Context,
  CredentialsProvider,
  In,
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
  Uses,
  anyOf,
  cacheControl,
  createApp,
  cursor,
  environment,
  health,
  observeCall,
  observed,
  optional,
  precondition,
  sameSecret,
  startCall,
}
export type {
  CacheControlOptions,
  CallOutcome,
  Cursor,
  CursorOptions,
  CursorQuery,
  EnvironmentSource,
  HealthOptions,
  HealthRoute,
  HealthRoutes,
  OptionalOptions,
  OutgoingCall,
  PageInput,
  PreconditionNeeds,
  PreconditionOptions,
  Revision,
  StartedCall,
}
