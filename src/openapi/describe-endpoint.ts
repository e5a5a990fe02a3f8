/** Collects the properties of an endpoint that a document describes, for one version or for all. */
import { PreconditionRecipe } from '../features/caching/precondition.js'
import { CredentialsRecipe } from '../injection/credentials.js'
import { unwrapOverride } from '../injection/override.js'
import type { ProviderPlan } from '../injection/plan.js'
import type { ProviderRecipe } from '../injection/provide.js'
import type { OpenApiParameter } from '../setup/document-types.js'
import { documentPath } from './document.js'
import type { AnswerField, DocumentedEndpoint, SecurityNeed } from './components.js'
import type { VersionSettings } from '../setup/options.js'
import type { Endpoint } from '../request/endpoint.js'
import { parseTemplate, type Template } from '../router/template.js'
import { listSteps } from '../setup/plans.js'
import { satisfies } from '../versioning/constraint.js'
import { parseVersion, printVersion } from '../versioning/version.js'

export function documentedEndpoint(endpoint: Endpoint, versioning: VersionSettings): DocumentedEndpoint {
  const { route, verb, contract, tags, isPublic, isHidden, meta } = endpoint
  const providers = listProviders(endpoint.providers)
  return {
    route,
    verb,
    path: parseTemplate(endpoint.path, route),
    contract,
    tags,
    isHidden,
    meta,
    isDeprecated: endpoint.sunset !== null,
    sunset: endpoint.sunset === Infinity ? null : endpoint.sunset,
    isPublic,
    security: providers.flatMap(providerSecurity),
    needs: providers.map(({ needs }) => needs),
    isBodyRaw: endpoint.body?.kind === 'unparsed',
    parameters: [
      ...versionParameter(endpoint, versioning),
      ...conditionParameters(endpoint, providers),
      ...keyParameter(endpoint),
    ],
    problems: endpoint.problems,
    refusals: frameworkProblems(endpoint),
    fields: providers.flatMap((provider) => responseHeaders(unwrapOverride(provider))),
    errorFormat: endpoint.errorFormat,
  }
}

/** Returns the providers in the order in which they run. */
export function listProviders(plan: ProviderPlan | null): readonly ProviderRecipe[] {
  return listSteps(plan).map(({ provider }) => provider)
}

function providerSecurity(provider: ProviderRecipe): SecurityNeed[] {
  const { security } = provider.needs
  if (security === undefined) return []
  return [{ schemes: [security].flat(), isOptional: provider instanceof CredentialsRecipe && provider.isOptional }]
}

function responseHeaders({ fields }: ProviderRecipe): AnswerField[] {
  return Object.entries(fields).map(([name, field]) => ({ name, ...field }))
}

/** Returns the statuses of Verbena's own problems at this endpoint. Problems that any request can cause are not included. */
function frameworkProblems(endpoint: Endpoint): number[] {
  const { contract, body, sources, produces, timeout, idempotency, constraint, sunset } = endpoint
  const isKeyed = idempotency !== null
  const isVersioned = constraint !== null
  const facts: readonly (readonly [number, boolean])[] = [
    [400, body !== null || sources.length > 0 || contract === undefined || isKeyed || isVersioned],
    [406, produces !== null || isVersioned],
    [408, body !== null],
    [409, isKeyed],
    [410, Number.isFinite(sunset)],
    [412, contract?.etag === true],
    [413, body !== null],
    [415, body !== null && body.kind !== 'unparsed'],
    [422, sources.length > 0 || (body !== null && body.validate !== null) || isKeyed],
    [503, timeout > 0 || isKeyed],
  ]
  return [...facts.filter(([, holds]) => holds).map(([status]) => status), ...refusalsOfProviders(endpoint)]
}

function refusalsOfProviders({ providers, verb }: Endpoint): number[] {
  return listSteps(providers).flatMap(({ provider, refusal }) => {
    const { always, unsafe } = unwrapOverride(provider).frameworkErrors
    return [...(refusal === null ? [] : [refusal.status]), ...always, ...(verb === 'get' ? [] : unsafe)]
  })
}

/** Returns the parameter for the version, if clients send it in a header. */
function versionParameter({ constraint }: Endpoint, { header, fallback }: VersionSettings): OpenApiParameter[] {
  if (constraint === null || header === undefined) return []
  const version = parseVersion(fallback)
  const isNeeded = version === undefined || !satisfies(constraint, version)
  const schema = isNeeded ? { type: 'string' } : { type: 'string', default: fallback }
  const description = `Version of the API: ${constraint.text}`
  return [{ name: header, in: 'header', description, ...(isNeeded && { required: true }), schema }]
}

/** Returns the headers for conditional requests: `If-None-Match` for GET, and preconditions for other methods. */
function conditionParameters({ verb, contract }: Endpoint, providers: readonly ProviderRecipe[]): OpenApiParameter[] {
  if (verb === 'get') {
    return contract?.etag === true
      ? [condition('If-None-Match', 'ETag of a cached response; 304 if it is still current')]
      : []
  }
  const preconditions = providers.filter((provider) => provider instanceof PreconditionRecipe)
  if (preconditions.length === 0) return []
  const isRequired = preconditions.some((provider) => provider.isRequired)
  return [
    condition(
      'If-Match',
      `ETag of the version that was read; 412 if it has changed${isRequired ? ', 428 if missing' : ''}`,
    ),
    condition('If-None-Match', '"*" to create a resource; 412 if it already exists'),
  ]
}

/** Documents the key and how long it is stored, as the draft requires (draft-ietf-httpapi-idempotency-key-header section 2.5). */
function keyParameter({ idempotency }: Endpoint): OpenApiParameter[] {
  if (idempotency === null) return []
  const what =
    'Key of this request; send the same key to retry it. The request runs once, and a retry gets its response'
  const description = `${what}, marked by "Idempotent-Replayed: true", for ${idempotency.ttl / 1000} seconds`
  const schema = { type: 'string', minLength: 1, maxLength: 255 }
  return [
    { name: 'Idempotency-Key', in: 'header', description, ...(idempotency.isRequired && { required: true }), schema },
  ]
}

function condition(name: string, description: string): OpenApiParameter {
  return { name, in: 'header', description, schema: { type: 'string' } }
}

/** Describes an endpoint for the console's document of all endpoints. */
export function documentEndpoint(endpoint: Endpoint, versioning: VersionSettings): DocumentedEndpoint {
  const endpointInfo = documentedEndpoint(endpoint, versioning)
  const { constraint } = endpoint
  if (constraint === null) return endpointInfo
  const example = constraint.intervals
    .slice(0, 1)
    .map(({ from }) => printVersion(from))
    .join('')
  // A required parameter is a version header whose default does not satisfy the constraint. The example does.
  const parameters = endpointInfo.parameters.map((parameter) =>
    parameter.required === true ? { ...parameter, schema: { type: 'string', example } } : parameter,
  )
  return { ...endpointInfo, path: pathOfAll(endpoint), parameters }
}

/** Returns the path and method of an endpoint in the document of all endpoints; `null` if the endpoint is hidden. */
export function operationOfAll(endpoint: Endpoint): readonly [path: string, verb: string] | null {
  return endpoint.isHidden ? null : [documentPath(pathOfAll(endpoint)), endpoint.verb]
}

/** Returns the path with the version constraint as its last segment, so that it is unique. */
function pathOfAll({ path, route, constraint }: Endpoint): Template {
  const template = parseTemplate(path, route)
  if (constraint === null) return template
  return { ...template, segments: [...template.segments, { kind: 'literal', text: constraint.text }] }
}
