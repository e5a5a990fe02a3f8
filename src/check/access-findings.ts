/** Findings about endpoints without a guard, and about responses without a schema. */
import { listProviders } from '../setup/plans.js'
import { VERB_FACTS } from '../http/methods.js'
import { namesRejection } from '../injection/credentials.js'
import { REPORTS_HEALTH, SERVES_FILES } from '../route/built-in-marks.js'
import type { Endpoint } from '../request/endpoint.js'
import type { Finding } from './findings.js'

/** Reports endpoints without a guard if other endpoints have one. An app without any guard is open on purpose. */
export function unguardedEndpoints(endpoints: readonly Endpoint[]): Finding[] {
  if (!endpoints.some(hasGuard)) return []
  const open = endpoints.filter(
    (endpoint) => !endpoint.isPublic && !isHealth(endpoint) && !isPublicFolder(endpoint) && !canReject(endpoint),
  )
  const fix =
    'Add a guard to "uses" of the contract, the class or the group, or write "public: true" if anyone may use it'
  return open.map(({ route, verb, method, path }) => {
    const code = VERB_FACTS[verb].isSafe ? 'READ_OPEN' : 'MUTATION_OPEN'
    const message = `"${method} ${path}" has no guard, but other endpoints do`
    return { code, route, method, message, fix }
  })
}

/** Reports an OpenAPI document without a guard if every endpoint has one. */
export function openDocument(endpoints: readonly Endpoint[], document: Endpoint | null): Finding[] {
  if (document === null || document.isPublic || canReject(document)) return []
  const guardable = endpoints.filter((endpoint) => !isHealth(endpoint))
  if (!guardable.some(hasGuard) || !guardable.every(canReject)) return []
  const { route, method, path } = document
  const message = `Anyone can read the document at "${path}", but every endpoint has a guard`
  const fix = 'Write "openapi: { uses: { … } }" with a guard, "openapi: { public: true }", or "openapi: false"'
  return [{ code: 'DOCUMENT_OPEN', route, method, message, fix }]
}

/** Reports endpoints without `returns`. They send all properties of their return values. */
export function missingReturns(endpoints: readonly Endpoint[]): Finding[] {
  const undescribed = endpoints.filter(
    ({ contract, upgrade, meta }) =>
      contract?.returns === undefined &&
      upgrade === null &&
      SERVES_FILES.read(meta) === undefined &&
      REPORTS_HEALTH.read(meta) === undefined,
  )
  return undescribed.map(({ route, verb, method, path, contract }) => {
    const message = `"${method} ${path}" sends all properties of its return value, because no contract declares "returns"`
    const where = contract === undefined ? `static readonly ${verb} = this.contract({ returns: … })` : 'returns: …'
    const fix = `Write "${where}" with a schema, or "returns: null" if it sends no body`
    return { code: 'RETURNS_MISSING', route, method, message, fix }
  })
}

function isHealth({ meta }: Endpoint): boolean {
  return REPORTS_HEALTH.read(meta) !== undefined
}

/** Whether an endpoint serves public files or the root path of `files`, which is not reported separately. */
function isPublicFolder({ meta }: Endpoint): boolean {
  const mark = SERVES_FILES.read(meta)
  return mark === 'folder' || mark === 'public files'
}

function hasGuard({ providers }: Endpoint): boolean {
  return listProviders(providers).some(({ needs }) => needs.security !== undefined)
}

/**
 * Whether a provider can reject requests. This includes providers without a security scheme that verify a signature or the origin of a
 * request.
 */
export function canReject({ providers, verb }: Endpoint): boolean {
  return listProviders(providers).some(
    ({ needs, frameworkErrors }) =>
      needs.security !== undefined ||
      namesRejection(needs.errors) ||
      (!VERB_FACTS[verb].isSafe && frameworkErrors.unsafe.includes(403)),
  )
}
