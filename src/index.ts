/**
 * `verbena`: apps, routes, contracts, responses, services, providers and authentication.
 *
 * @module
 */

// # Application
export { createApp } from './app/create-app.js'
export { health } from './app/health.js'
export type { HealthOptions } from './app/health.js'
export type { App, AppOptions, EndpointDescription, DocumentOptions } from './app/app-types.js'
export type {
  CommonOptions,
  Timeouts,
  RequestIdOptions,
  Versioning,
  MetricsOptions,
  OpenApiOptions,
  DevConsoleOptions,
} from './setup/options.js'
export { environment } from './setup/environment.js'
export type { EnvironmentSource } from './setup/environment.js'
export type {
  CompressionOptions,
  CorsOptions,
  HeaderChanges,
  OriginTest,
  SecurityHeaders,
  SecurityHeaderSets,
} from './route/response-options.js'
export type { ContentCoding } from './http/codings.js'
export type { Limits, ErrorMapper, TrailingSlash } from './request/app-state.js'
export type { VersionFrom, VersionParameter, VersionReader } from './setup/version-source.js'
export type { OpenApiInfo, OpenApiServer, OpenApiTag, OpenApiDocument } from './setup/document-types.js'
export type { RedactOptions } from './secrets/secrets.js'
export type { AttachOptions, ListenOptions, ListenResult, NodeListener, Server } from './http/server.js'
export type { OtherHandler, RequestHandler } from './http/other-handler.js'
export type { Middleware, MiddlewareContext } from './context/middleware.js'
export type { Logger, LoggerOptions } from './observe/logger.js'
export type { Finding } from './check/findings.js'
export { observeCall, observed, startCall } from './observe/outgoing-call.js'
export type { CallOutcome, OutgoingCall, StartedCall } from './observe/outgoing-call.js'
export type { AppMetrics, EndpointFigures, Figures } from './observe/metrics.js'
export type { RequestStart, RequestRouted, RequestEnd, RequestError } from './observe/event-types.js'
export type { Converters } from './validation/describe-schema.js'
export type { SchemaDescriber, DescribeOptions } from './validation/schema.js'

// # Routes and contracts
export { Route } from './route/route.js'
export { group } from './route/group.js'
export type { GroupOptions } from './route/group.js'
export { decorator } from './route/decorator.js'
export { cursor } from './features/pagination/cursor.js'
export type { Cursor, CursorOptions, CursorQuery, PageInput } from './features/pagination/cursor.js'
export { bytes, events, form, json, stream, text } from './route/kinds.js'
export type {
  ResponseOptions,
  BodyOptions,
  KindOptions,
  JsonOptions,
  EventsOptions,
  StreamEvent,
} from './route/kinds.js'
export type { Input, Result, Returns } from './route/route-types.js'
export type { Context, LinkAttributes, RequestView, ResponseView, EndpointView, Meta } from './context/types.js'
export type { CookieOptions } from './http/cookies.js'
export type { ContractSpec, Contract } from './route/contract.js'
export type { Schema } from './validation/schema.js'
export type { Group } from './route/route-types.js'
export type { EndpointVerb, Verb } from './http/methods.js'
export type {
  Decorator,
  DecoratorSpec,
  DecoratorInput,
  DecoratedEndpoint,
  Around,
  EndpointDecorator,
} from './route/decorator.js'

// # Responses and errors
export { reply, redirect } from './context/reply.js'
export type { Reply, RedirectStatus } from './context/reply.js'
export { cacheControl } from './features/caching/cache-control.js'
export type { CacheControlOptions } from './features/caching/cache-control.js'
export { HttpError } from './errors/http-error.js'
export type { HttpErrorOptions, HttpErrorParts, UnauthorizedReason } from './errors/http-error.js'
export type { Problem } from './errors/problem.js'
export type { RequestIssue } from './errors/request-issue.js'
export type { ErrorFormat } from './route/error-format.js'
export type { KnownErrorStatus } from './errors/status.js'
export { SetupError } from './errors/setup-error.js'
export type { SetupCode } from './errors/setup-error.js'

// # Services and providers
export { service } from './injection/services.js'
export type { Service, ServiceOptions } from './injection/services.js'
export { provide } from './injection/provide.js'
export type { Provider, ProviderOptions, AnyProvider, Needs, Ends, SecurityScheme, Uses } from './injection/provide.js'
export { precondition } from './features/caching/precondition.js'
export type { PreconditionNeeds, PreconditionOptions, Revision } from './features/caching/precondition.js'

// # Authentication
export { anyOf, optional } from './features/auth/any-of.js'
export type { OptionalOptions } from './features/auth/any-of.js'
export { apiKey } from './features/auth/api-key.js'
export type { ApiKeyPlace } from './features/auth/api-key.js'
export { basic } from './features/auth/authorization.js'
export type { BasicOptions, NamedUser, Passwords, UserPassword } from './features/auth/authorization.js'
export { bearer } from './features/auth/authorization.js'
export type { BearerOptions } from './features/auth/authorization.js'
export { jwt } from './features/auth/jwt/jwt.js'
export type { JwtVerifier } from './features/auth/jwt/jwt.js'
export { sameSecret } from './features/auth/same-secret.js'
export type { JwtOptions } from './features/auth/jwt/jwt.js'
export type { JwtAlgorithm, JwtKey, Jwk, JwkSet } from './features/auth/jwt/keys.js'
export type { Claims } from './features/auth/jwt/token.js'

// # Inferred types
export type { AdditionalServices } from './app/app-types.js'
export type { RemoteKeySet } from './features/auth/jwt/remote-keys.js'
export type { HealthRoute, HealthRoutes } from './app/health.js'
export type { ContextName } from './context/context-names.js'
export type { HeaderMarks, MakeReply, ReplyOf } from './context/reply.js'
export type { Linkable, LinkParams, QueryValue, QueryValues } from './context/types.js'
export type { DeclaresErrors, ErrorGiven } from './errors/http-error.js'
export type { ProblemMembers } from './errors/problem.js'
export type { CredentialsProvider, Verified } from './injection/credentials.js'
export type { ErrorsSpec, ProviderInput } from './injection/provide.js'
export type { Setting } from './injection/services.js'
export type { StartedRequest, RequestInput, NumberedEndpoint } from './observe/event-types.js'
export type {
  OpenApiBody,
  OpenApiComponents,
  OpenApiContent,
  OpenApiEncoding,
  OpenApiHeader,
  OpenApiMediaType,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiPath,
  OpenApiReference,
  OpenApiResponse,
} from './setup/document-types.js'
export type { ContractMethod, DeclaredErrors, ErrorsIn, NoErrors, Returnable, WithErrors } from './route/contract.js'
export type { VerbMethodContext } from './route/decorator.js'
export type { BytesBody, FormBody, JsonBody, TextBody } from './route/client-bodies.js'
export type {
  BodyKind,
  ErrorEventMark,
  EventsKind,
  FileMark,
  Headed,
  JsonKind,
  Raw,
  ReplyKind,
  SidedKind,
} from './route/kinds.js'
export type { AnyRoute, RouteBase, RouteConstructor } from './route/route.js'
export type { FieldsOf, RequiredServices, Routes, Upgrade } from './route/route-types.js'
export type { ParamsOf } from './router/template.js'
export type { JsonSchema, SchemaObject } from './validation/json-schema.js'
export type { AnySchema, In, Out, SchemaMembers } from './validation/schema.js'
