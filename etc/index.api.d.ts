import {
  y as RoutesOption,
  U as Uses,
  z as AppOptions,
  B as App,
  Q as RequiredServices,
  T as RouteBase,
  V as Context,
  X as AnySchema,
  Y as Out,
  Z as Middleware,
  _ as ErrorsSpec,
  $ as ErrorFormat,
  a0 as CorsOptions,
  a1 as SecurityHeaders,
  a2 as CheckedInput,
  a3 as Routes,
  G as Group,
  a4 as SchemaMembers,
  a5 as Flat,
  a6 as In,
  a7 as RequestView,
  a8 as ResponseView,
  a9 as Schema,
  aa as Needs,
  ab as Only,
  n as ProviderInput,
  P as Provider,
  r as ServicesOf,
  s as WantOf,
  ac as UsesIn,
  ad as CredentialsProvider,
  ae as Verified,
  a as JwtAlgorithm,
  S as Setting,
  J as JwtKey,
  af as JwkSet,
  ag as Claims,
} from './core.js'
export {
  ah as AdditionalServices,
  m as AnyProvider,
  ai as AnyRoute,
  aj as AppMetrics,
  ak as Around,
  al as BodyKind,
  am as BodyOptions,
  an as BytesBody,
  ao as CommonOptions,
  ap as CompressionOptions,
  aq as ContentCoding,
  ar as ContextName,
  as as Contract,
  at as ContractOf,
  au as ContractSpec,
  av as Converters,
  aw as CookieOptions,
  ax as DeclaredErrors,
  ay as DeclaresErrors,
  az as DecoratedEndpoint,
  D as Decorator,
  aA as DecoratorInput,
  aB as DecoratorSpec,
  aC as DescribeOptions,
  aD as DevConsoleOptions,
  aE as DocumentOptions,
  aF as EndpointDecorator,
  aG as EndpointDescription,
  aH as EndpointFigures,
  aI as EndpointView,
  aJ as Ends,
  aK as ErrorGiven,
  aL as ErrorMapper,
  aM as ErrorsIn,
  aN as EventsKind,
  aO as EventsOptions,
  aP as FieldsOf,
  aQ as Figures,
  aR as Finding,
  aS as FormBody,
  aT as Headed,
  aU as HeaderChanges,
  aV as HeaderMarks,
  aW as HttpError,
  aX as HttpErrorOptions,
  aY as HttpErrorParts,
  aZ as Input,
  a_ as JsonBody,
  a$ as JsonKind,
  b0 as JsonOptions,
  b1 as JsonSchema,
  b2 as Jwk,
  b3 as KindOptions,
  b4 as KnownErrorStatus,
  b5 as Limits,
  b6 as LinkAttributes,
  b7 as LinkParams,
  b8 as Linkable,
  b9 as ListenOptions,
  ba as ListenResult,
  bb as Logger,
  bc as LoggerOptions,
  bd as MakeReply,
  be as Meta,
  bf as MetricsOptions,
  bg as MiddlewareContext,
  bh as NoErrors,
  bi as NodeListener,
  bj as NumberedEndpoint,
  bk as OpenApiBody,
  bl as OpenApiComponents,
  bm as OpenApiContent,
  bn as OpenApiDocument,
  bo as OpenApiEncoding,
  bp as OpenApiHeader,
  bq as OpenApiInfo,
  br as OpenApiMediaType,
  bs as OpenApiOperation,
  bt as OpenApiOptions,
  bu as OpenApiParameter,
  bv as OpenApiPath,
  bw as OpenApiReference,
  bx as OpenApiResponse,
  by as OpenApiServer,
  bz as OpenApiTag,
  bA as OriginTest,
  bB as ParamsOf,
  bC as Problem,
  bD as ProblemMembers,
  bE as ProviderOptions,
  bF as QueryValue,
  bG as QueryValues,
  bH as Raw,
  bI as RedactOptions,
  bJ as RedirectStatus,
  R as Reply,
  bK as ReplyKind,
  bL as ReplyOf,
  bM as RequestEnd,
  bN as RequestError,
  bO as RequestIdOptions,
  bP as RequestInput,
  bQ as RequestIssue,
  bR as RequestRouted,
  bS as RequestStart,
  bT as ResponseOptions,
  bU as Result,
  bV as Returnable,
  bW as Returns,
  bX as Route,
  bY as RouteConstructor,
  bZ as SchemaDescriber,
  b_ as SchemaObject,
  b$ as SecurityHeaderSets,
  c0 as SecurityScheme,
  c1 as Server,
  c2 as Service,
  c3 as ServiceOptions,
  c4 as SetupCode,
  c5 as SetupError,
  c6 as SidedKind,
  c7 as StartedRequest,
  c8 as StreamEvent,
  c9 as TextBody,
  ca as Timeouts,
  cb as TrailingSlash,
  cc as UnauthorizedReason,
  cd as Upgrade,
  ce as Verb,
  cf as VerbMethodContext,
  cg as VersionFrom,
  ch as VersionParameter,
  ci as VersionReader,
  cj as Versioning,
  ck as WithErrors,
  cl as bytes,
  cm as decorator,
  cn as events,
  co as form,
  cp as json,
  cq as provide,
  cr as redirect,
  cs as reply,
  ct as service,
  cu as stream,
  cv as text,
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
type Verify<T, Services> = (credentials: UserPassword, services: Services) => T
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
declare function sameSecret(given: string | Uint8Array, expected: string | Uint8Array): boolean
export {
  AnySchema,
  App,
  AppOptions,
  Claims,
  Context,
  CorsOptions,
  CredentialsProvider,
  ErrorFormat,
  ErrorsSpec,
  Group,
  In,
  JwkSet,
  JwtAlgorithm,
  JwtKey,
  Middleware,
  Needs,
  Out,
  Provider,
  ProviderInput,
  RequestView,
  RequiredServices,
  ResponseView,
  RouteBase,
  Routes,
  Schema,
  SchemaMembers,
  SecurityHeaders,
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
  group,
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
  GroupOptions,
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
