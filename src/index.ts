/** Verbena: class-based HTTP APIs. */
export { createApp } from './app/create-app.js'
export type {
  App,
  AppOptions,
  EndpointDescription,
  Extra,
  ExtraServices,
  NeededServices,
  RoutesGiven,
  RoutesOption,
  ServicesOption,
} from './app/app-types.js'
export type { ErrorMapper, Limits } from './app/core.js'
export type { Finding } from './app/findings.js'
export type { CommonOptions, Timeouts } from './app/options.js'
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
export type { SetupCode } from './errors/catalogue.js'
export { HttpError } from './errors/http-error.js'
export type { HttpErrorOptions } from './errors/http-error.js'
export type { Problem } from './errors/problem.js'
export { SetupError } from './errors/setup-error.js'
export type { CookieOptions } from './http/cookies.js'
export type { Verb } from './http/methods.js'
export type { Listening, ListenOptions, NodeListener, Server } from './http/server.js'
export type { Logger } from './logging/logger.js'
export type { KebabCase } from './naming/kebab-case.js'
export type {
  Contract,
  ContractOf,
  ContractSpec,
  Only,
  Returnable,
  Source,
  Sources,
  Typed,
} from './route/contract-types.js'
export { group } from './route/group.js'
export type { GroupOptions } from './route/group.js'
export type { Input, RawQueryValues, Result, Returns } from './route/input-types.js'
export { bytes, events, form, json, stream, text } from './route/kinds.js'
export type { EventsOptions, JsonOptions, KindOptions } from './route/kind-options.js'
export type { BodyKind, Raw, RawWanted, ReplyKind, StreamEvent } from './route/kinds.js'
export { Route } from './route/route.js'
export type { AnyRoute, RouteBase, RouteConstructor } from './route/route.js'
export type { Checked, CheckedRoute, Group, Needed, Routes } from './route/routes-types.js'
export type { ParamsOf } from './router/template.js'
export type { Converters } from './validation/json-schema.js'
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
