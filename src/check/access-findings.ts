/** Findings about endpoints that may send more than they should, or to anyone. */
import { listProviders } from '../openapi/describe-endpoint.js'
import { namesRefusal } from '../injection/credentials.js'
import { REPORTS_HEALTH, SERVES_FILES } from '../route/built-in-marks.js'
import type { Endpoint } from '../request/endpoint.js'
import type { Finding } from './findings.js'

/** Reports endpoints without a guard in an app where others have one. Without any guard the app is open on purpose. */
export function openEndpoints(endpoints: readonly Endpoint[]): Finding[] {
  if (!endpoints.some(hasGuard)) return []
  const open = endpoints.filter(
    (endpoint) => !endpoint.isPublic && !isHealth(endpoint) && !isPublicFolder(endpoint) && !canReject(endpoint),
  )
  const fix =
    'Add a guard to "uses" of the contract, the class or the group, or write "public: true" where everybody may ask'
  return open.map(({ route, verb, method, path }) => {
    const code = verb === 'get' ? 'READ_OPEN' : 'MUTATION_OPEN'
    const message = `"${method} ${path}" asks nobody who they are, as other endpoints do`
    return { code, route, method, message, fix: fix }
  })
}

/** Reports a document that anyone can read in an app where every endpoint has a guard. */
export function openDocument(endpoints: readonly Endpoint[], document: Endpoint | null): Finding[] {
  if (document === null || document.isPublic || canReject(document)) return []
  const guardable = endpoints.filter((endpoint) => !isHealth(endpoint))
  if (!guardable.some(hasGuard) || !guardable.every(canReject)) return []
  const { route, method, path } = document
  const message = `Anyone can read the document at "${path}", but every endpoint has a guard`
  const fix = 'Write "openapi: { uses: { … } }" with a guard, "openapi: { public: true }", or "openapi: false"'
  return [{ code: 'DOCUMENT_OPEN', route, method, message, fix }]
}

/** Reports endpoints whose responses no schema describes: they send all properties of what their methods return. */
export function missingReturns(endpoints: readonly Endpoint[]): Finding[] {
  const undescribed = endpoints.filter(
    ({ contract, upgrade, meta }) =>
      contract?.returns === undefined &&
      upgrade === null &&
      SERVES_FILES.read(meta) === undefined &&
      REPORTS_HEALTH.read(meta) === undefined,
  )
  return undescribed.map(({ route, verb, method, path, contract }) => {
    const message = `"${method} ${path}" sends everything that its method returns: no "returns" describes it`
    const where = contract === undefined ? `static readonly ${verb} = this.contract({ returns: … })` : 'returns: …'
    const fix = `Write "${where}" with a schema, or "returns: null" if it sends no body`
    return { code: 'RETURNS_MISSING', route, method, message, fix: fix }
  })
}

function isHealth({ meta }: Endpoint): boolean {
  return REPORTS_HEALTH.read(meta) !== undefined
}

/** The path of a folder itself is reported with its files, unless they are public. */
function isPublicFolder({ meta }: Endpoint): boolean {
  const mark = SERVES_FILES.read(meta)
  return mark === 'folder' || mark === 'public files'
}

function hasGuard({ providers }: Endpoint): boolean {
  return listProviders(providers).some(({ needs }) => needs.security !== undefined)
}

/** A provider without a security scheme can reject requests, too: one that verifies a signature, or the page that a request is from. */
function canReject({ providers, verb }: Endpoint): boolean {
  return listProviders(providers).some(
    ({ needs, frameworkErrors }) =>
      needs.security !== undefined ||
      namesRefusal(needs.errors) ||
      (verb !== 'get' && frameworkErrors.unsafe.includes(403)),
  )
}
