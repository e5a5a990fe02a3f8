/** The guide of each export of the reference: by its name, or by its group in `src/*.ts`. */

const BY_GROUP = {
  Application: 'docs/options.md',
  'Routes and contracts': 'docs/guides/contracts.md',
  'Responses and errors': 'docs/guides/responses.md',
  'Services and providers': 'docs/guides/providers.md',
  Authentication: 'docs/guides/authentication.md',
  Client: 'docs/guides/client.md',
  Streams: 'docs/guides/client.md',
  Decorators: 'docs/guides/decorators.md',
  'JSON Lines': 'docs/guides/responses.md',
  Multipart: 'docs/guides/uploads.md',
  Files: 'docs/guides/files.md',
  'Rate limits': 'docs/guides/rate-limits.md',
  'Stores in PostgreSQL': 'docs/guides/postgres.md',
  'Stores in SQLite': 'docs/guides/sqlite.md',
  'Stores in Redis': 'docs/guides/scale.md',
  'OpenAPI documents': 'docs/guides/openapi.md',
  Idempotency: 'docs/guides/idempotency.md',
  Sessions: 'docs/guides/sessions.md',
  'Mounted handlers': 'docs/guides/mounted-handlers.md',
  Upgrades: 'docs/guides/upgrades.md',
  Testing: 'docs/guides/testing.md',
  Proofs: 'docs/guides/proofs.md',
  Authorization: 'docs/guides/proofs.md',
}

const BY_NAME = {
  'docs/getting-started.md': ['createApp', 'App'],
  'docs/guides/bodies.md': ['bytes', 'form', 'json', 'stream', 'text', 'BodyOptions', 'KindOptions', 'JsonOptions'],
  'docs/guides/browsers.md': ['CorsOptions', 'OriginTest', 'HeaderChanges', 'SecurityHeaders', 'SecurityHeaderSets'],
  'docs/guides/caching.md': [
    ...['cacheControl', 'CacheControlOptions', 'precondition'],
    ...['PreconditionNeeds', 'PreconditionOptions', 'Revision'],
  ],
  'docs/guides/compression.md': ['CompressionOptions', 'ContentCoding'],
  'docs/guides/console.md': ['DevConsoleOptions'],
  'docs/guides/decorators.md': [
    ...[
      'decorator',
      'Decorator',
      'DecoratorSpec',
      'DecoratorInput',
      'DecoratedEndpoint',
      'Around',
      'EndpointDecorator',
    ],
  ],
  'docs/guides/environment.md': ['environment', 'EnvironmentSource'],
  'docs/guides/errors.md': [
    ...['HttpError', 'HttpErrorOptions', 'HttpErrorParts', 'Problem', 'RequestIssue', 'ErrorFormat', 'ErrorMapper'],
    ...['KnownErrorStatus'],
  ],
  'docs/errors.md': ['SetupError', 'SetupCode'],
  'docs/guides/limits.md': ['Limits', 'Timeouts'],
  'docs/guides/logging.md': [
    ...['Logger', 'LoggerOptions', 'RedactOptions', 'RequestIdOptions', 'RequestStart', 'RequestRouted', 'RequestEnd'],
    ...['RequestError', 'log'],
  ],
  'docs/guides/middleware.md': ['Middleware', 'MiddlewareContext'],
  'docs/guides/openapi.md': [
    ...[
      'OpenApiOptions',
      'OpenApiInfo',
      'OpenApiServer',
      'OpenApiTag',
      'OpenApiDocument',
      'DocumentOptions',
      'Finding',
    ],
    ...['Converters', 'SchemaDescriber', 'DescribeOptions'],
  ],
  'docs/guides/pagination.md': ['cursor', 'Cursor', 'CursorOptions', 'CursorQuery', 'PageInput'],
  'docs/guides/queries.md': ['observeCall', 'observed', 'startCall', 'CallOutcome', 'OutgoingCall', 'StartedCall'],
  'docs/guides/responses.md': [
    'events',
    'EventsOptions',
    'StreamEvent',
    'ResponseOptions',
    'ResponseView',
    'CookieOptions',
  ],
  'docs/guides/routes.md': ['Route', 'group', 'Group', 'GroupOptions', 'LinkAttributes', 'TrailingSlash', 'Verb'],
  'docs/guides/services.md': ['service', 'Service', 'ServiceOptions'],
  'docs/guides/shutdown.md': ['health', 'HealthOptions'],
  'docs/guides/speed.md': ['speed', 'AppMetrics', 'EndpointFigures', 'Figures', 'MetricsOptions'],
  'docs/guides/versioning.md': ['version', 'Versioning', 'VersionFrom', 'VersionParameter', 'VersionReader'],
}

const GUIDES = new Map(Object.entries(BY_NAME).flatMap(([page, names]) => names.map((name) => [name, page])))

/** Returns the path of the guide of an export; `undefined` for inferred types. */
export function guideFor(name, group) {
  return GUIDES.get(name) ?? BY_GROUP[group]
}
