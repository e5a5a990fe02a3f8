/** Verbena: class-based HTTP APIs. */
export { createApp } from './app/create-app.js'
export type {
  App,
  AppOptions,
  BuiltInUses,
  GuardedBy,
  DocumentWanted,
  EndpointDescription,
  Extra,
  ExtraServices,
  GivenServices,
  NeededServices,
  RoutesGiven,
  RoutesOption,
  ServicesOption,
} from './app/app-types.js'
export type { ErrorMapper, Limits } from './request/app-state.js'
export type { Finding } from './check/findings.js'
export { health } from './builtin/health.js'
export type { HealthMethods, HealthOptions, HealthRoute, HealthRoutes } from './builtin/health.js'
export type {
  CommonOptions,
  DevConsoleOptions,
  MetricsOptions,
  OpenApiOptions,
  Timeouts,
  Versioning,
} from './options/options.js'
export type { VersionFrom, VersionParameter, VersionReader } from './request/version-source.js'
export type { ContextName } from './context/context-names.js'
export type { Middleware, MiddlewareContext } from './context/middleware.js'
export { redirect, reply } from './context/reply.js'
export type { MakeReply, RedirectStatus, Reply, ReplyOf } from './context/reply.js'
export type {
  Context,
  EndpointView,
  Flat,
  Linkable,
  Meta,
  ParamsAt,
  QueryValue,
  QueryValues,
  RequestView,
  ResponseView,
} from './context/types.js'
export type { SetupCode } from './errors/setup-error.js'
export { HttpError } from './errors/http-error.js'
export type { HttpErrorOptions, Problem } from './errors/http-error.js'
export { SetupError } from './errors/setup-error.js'
export type { CookieOptions } from './http/cookies.js'
export type { Verb } from './http/methods.js'
export type { Listening, ListenOptions, NodeListener, Server } from './http/server.js'
export { anyOf } from './auth/any-of.js'
export type { AnyCredentials } from './auth/any-of.js'
export { apiKey } from './auth/api-key.js'
export type { ApiKeyPlace } from './auth/api-key.js'
export { basic } from './auth/basic.js'
export type { BasicOptions, NamedUser, Passwords, UserPassword } from './auth/basic.js'
export { bearer } from './auth/bearer.js'
export type { BearerOptions } from './auth/bearer.js'
export type { CredentialsProvider, Refused, Verified } from './injection/credentials.js'
export type { Jwk, JwkSet, JwtAlgorithm, JwtKey } from './auth/jwt/keys.js'
export type { Claims } from './auth/jwt/token.js'
export { jwt } from './auth/jwt/jwt.js'
export type { JwtVerifier } from './auth/jwt/jwt.js'
export type { JwtOptions } from './auth/jwt/jwt-options.js'
export type { RemoteKeySet } from './auth/jwt/remote-keys.js'
export type { Only } from './errors/known-keys.js'
export { optional } from './auth/optional.js'
export { provide } from './injection/provide.js'
export type {
  AnyProvider,
  Ends,
  Needs,
  Provided,
  Provider,
  ProviderInput,
  ProviderOptions,
  SecurityScheme,
  ServicesOf,
  TextSources,
  Uses,
  UsesIn,
  ValuesOf,
  WantOf,
} from './injection/provider-types.js'
export { sameSecret } from './auth/same-secret.js'
export { service } from './injection/service.js'
export type { Service, ServiceOptions } from './injection/service.js'
export type { Logger } from './logging/logger.js'
export type { KebabCase } from './naming/kebab-case.js'
export type {
  OpenApiBody,
  OpenApiComponents,
  OpenApiContent,
  OpenApiMediaType,
  OpenApiDocument,
  OpenApiInfo,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiPath,
  OpenApiReference,
  OpenApiResponse,
  OpenApiServer,
  OpenApiTag,
} from './openapi/document-types.js'
export type {
  AskedBytes,
  AskedForm,
  AskedJson,
  AskedText,
  BodyKind,
  EventsOptions,
  JsonKind,
  JsonOptions,
  KindOptions,
  Raw,
  RawWanted,
  ReplyKind,
  StreamEvent,
  Whole,
  WholeWanted,
} from './route/kinds.js'
export type { Contract, ContractOf, ContractSpec, Returnable, Source, Sources, Typed } from './route/contract.js'
export { decorator } from './route/decorator.js'
export type {
  Around,
  DecoratedEndpoint,
  Decorator,
  DecoratorInput,
  DecoratorSpec,
  EndpointDecorator,
  VerbMethodContext,
} from './route/decorator-types.js'
export { group } from './route/group.js'
export type { GroupOptions } from './route/group.js'
export type { Input, RawQueryValues, Result, Returns } from './route/input-types.js'
export { bytes, events, form, json, stream, text } from './route/kinds.js'
export { Route } from './route/route.js'
export type { AnyRoute, RouteBase, RouteConstructor } from './route/route.js'
export type { Checked, CheckedRoute, Group, Needed, Routes } from './route/routes-types.js'
export type { ParamsOf } from './router/template.js'
export type { AppMetrics, EndpointFigures, Figures } from './metrics/metrics.js'
export type {
  CallBegun,
  CallEnd,
  CallError,
  CallInput,
  CallLocated,
  CallStart,
  NumberedEndpoint,
} from './observe/event-types.js'
export type { RedactOptions } from './observe/secrets.js'
export type { Converters, JsonSchema, SchemaObject } from './validation/json-schema.js'
export type {
  AnySchema,
  DescribeOptions,
  In,
  Out,
  Schema,
  SchemaDescriber,
  SchemaMembers,
  SchemaTypes,
} from './validation/schema.js'
