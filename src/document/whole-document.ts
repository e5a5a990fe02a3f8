/**
 * One document of all endpoints, whatever version they answer, for who looks at each of them and not at what a client sees: the
 * console. What has a constraint stands under its path with the constraint behind it, where no other endpoint stands.
 */
import type { DocumentedEndpoint } from '../openapi/documented-endpoint.js'
import { documentPath } from '../openapi/document.js'
import { parseTemplate, type Template } from '../router/template.js'
import type { Constraint } from '../versioning/constraint.js'
import { printVersion } from '../versioning/version.js'
import { documentedEndpoint } from './documented.js'
import type { Endpoint } from '../request/endpoint.js'
import type { VersionSettings } from '../options/app-settings.js'

/** Describes an endpoint for the document of all. */
export function endpointOfAll(endpoint: Endpoint, versioning: VersionSettings): DocumentedEndpoint {
  const documented = documentedEndpoint(endpoint, versioning)
  const { constraint } = endpoint
  if (constraint === null) return documented
  // The version alone; where the default will not do, a value that does.
  const parameters = documented.parameters.map((parameter) =>
    parameter.required === true ? { ...parameter, schema: { type: 'string', example: lowest(constraint) } } : parameter,
  )
  return { ...documented, path: apart(documented.path, constraint), parameters }
}

/**
 * Where an endpoint stands in the document of all. Returns key in `paths`, key of the operation; `null` for one that is
 * not in it.
 */
export function operationOfAll({
  path,
  route,
  verb,
  contract,
  constraint,
}: Endpoint): readonly [string, string] | null {
  if (contract?.hidden === true) return null
  const template = parseTemplate(path, route)
  return [documentPath(constraint === null ? template : apart(template, constraint)), verb]
}

function apart(template: Template, { text }: Constraint): Template {
  return { ...template, segments: [...template.segments, { kind: 'literal', text }] }
}

function lowest({ intervals }: Constraint): string {
  return intervals
    .slice(0, 1)
    .map(({ from }) => printVersion(from))
    .join('')
}
