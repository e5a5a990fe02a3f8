/** Prepares endpoints for a document, of one version or of all. */
import type { OpenApiParameter } from '../setup/document-types.js'
import { documentPath } from './document.js'
import type { DocumentedEndpoint } from './components.js'
import type { VersionSettings } from '../setup/options.js'
import type { Endpoint } from '../request/endpoint.js'
import { parseTemplate, type Template } from '../router/template.js'
import { satisfies } from '../versioning/constraint.js'
import { parseVersion, printVersion } from '../versioning/version.js'

export function documentedEndpoint(endpoint: Endpoint, versioning: VersionSettings): DocumentedEndpoint {
  const path = parseTemplate(endpoint.path, endpoint.route)
  return { endpoint, path, version: versionParameter(endpoint, versioning) }
}

/** Returns the parameter for the version, if clients send it in a header. */
function versionParameter(
  { constraint }: Endpoint,
  { header, fallback, isRequired }: VersionSettings,
): OpenApiParameter[] {
  if (constraint === null || header === undefined) return []
  const version = parseVersion(fallback)
  const isNeeded = isRequired || version === undefined || !satisfies(constraint, version)
  // No default satisfies the constraint of a required header. The example does.
  const [example] = constraint.intervals.map(({ from }) => printVersion(from))
  const schema = isNeeded ? { type: 'string', example } : { type: 'string', default: fallback }
  const description = `Version of the API: ${constraint.text}`
  return [{ name: header, in: 'header', description, ...(isNeeded && { required: true }), schema }]
}

/** Prepares an endpoint for the console's document of all endpoints. */
export function documentEndpoint(endpoint: Endpoint, versioning: VersionSettings): DocumentedEndpoint {
  return { endpoint, path: pathOfAll(endpoint), version: versionParameter(endpoint, versioning) }
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
