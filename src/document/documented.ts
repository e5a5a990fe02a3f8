/** From the endpoints of an app to what a document is made of. */
import { CredentialsRecipe } from '../injection/credentials.js'
import type { ProviderRecipe } from '../injection/provide.js'
import type { ProviderPlan } from '../injection/plan.js'
import type { OpenApiParameter } from '../openapi/document-types.js'
import type { DocumentedEndpoint, SecurityNeed } from '../openapi/documented-endpoint.js'
import { parseTemplate } from '../router/template.js'
import { satisfies } from '../versioning/constraint.js'
import { parseVersion } from '../versioning/version.js'
import type { Endpoint } from '../request/endpoint.js'
import type { VersionSettings } from '../options/settings.js'
import { stepsOf } from '../setup/provider-plan.js'

/** Describes an endpoint for the document. */
export function documentedEndpoint(endpoint: Endpoint, versioning: VersionSettings): DocumentedEndpoint {
  const { route, verb, contract, tags, meta } = endpoint
  const providers = providersOf(endpoint.providers)
  return {
    route,
    verb,
    path: parseTemplate(endpoint.path, route),
    contract,
    tags,
    meta,
    isDeprecated: endpoint.sunset !== null,
    security: providers.flatMap(securityOf),
    needs: providers.map(({ needs }) => needs),
    isBodyRaw: endpoint.body?.kind === 'unparsed',
    parameters: versionParameter(endpoint, versioning),
    errors: [...providers.map(({ needs }) => needs.errors ?? []), endpoint.errors],
    refusals: refusalsOf(endpoint),
  }
}

/** The providers of an endpoint, in the order in which they run. */
export function providersOf(plan: ProviderPlan | null): readonly ProviderRecipe[] {
  return stepsOf(plan).map(({ provider }) => provider)
}

function securityOf(provider: ProviderRecipe): SecurityNeed[] {
  const { security } = provider.needs
  if (security === undefined) return []
  return [{ schemes: [security].flat(), isOptional: provider instanceof CredentialsRecipe && provider.isOptional }]
}

/** What the framework itself answers with, beyond what any request can meet. */
function refusalsOf({ body, sources, produces, timeout, providers }: Endpoint): number[] {
  const facts: readonly (readonly [number, boolean])[] = [
    [400, body !== null || sources !== null],
    [406, produces !== null],
    [408, body !== null],
    [413, body !== null],
    [415, body !== null && body.kind !== 'unparsed'],
    [422, sources !== null || (body !== null && body.validate !== null)],
    [503, timeout > 0],
  ]
  return [...facts.filter(([, holds]) => holds).map(([status]) => status), ...byFalse(providers)]
}

/** Statuses by which providers refuse when they give `false`. */
function byFalse(plan: ProviderPlan | null): number[] {
  return stepsOf(plan).flatMap(({ refusal }) => (refusal === null ? [] : [refusal.status]))
}

/** Where the version stands in a header, that is a parameter like any other. */
function versionParameter({ constraint }: Endpoint, { header, fallback }: VersionSettings): OpenApiParameter[] {
  if (constraint === null || header === undefined) return []
  const version = parseVersion(fallback)
  const description = `Version of the API: ${constraint.text}`
  const base = { name: header, in: 'header', description } as const
  if (version === undefined || !satisfies(constraint, version)) {
    return [{ ...base, required: true, schema: { type: 'string' } }]
  }
  return [{ ...base, schema: { type: 'string', default: fallback } }]
}
