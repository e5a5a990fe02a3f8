/** `app.check()`: collects all findings. */
import type { Documents } from '../openapi/documents.js'
import { SetupError } from '../errors/setup-error.js'
import type { AppServices } from '../injection/services.js'
import type { SetupContext } from '../setup/prepare.js'
import type { Registry } from '../setup/register.js'
import type { Endpoint } from '../request/endpoint.js'
import { missingReturns, openDocument, unguardedEndpoints } from './access-findings.js'
import { blockedFiles, sharedFiles } from './file-findings.js'
import { cookieLists, paramsDiffer, undeclaredGuards, versionFindings, type Finding } from './findings.js'
import { pathFindings, redirectedBodies } from './path-findings.js'
import { schemaFindings } from './schema-findings.js'
import { connectionsWithoutListener } from './service-findings.js'
import { earlyCleanups } from './stream-findings.js'
import { misspelledVerbs } from './verb-findings.js'

interface CheckedParts {
  readonly registry: Registry
  readonly preparation: SetupContext
  readonly documents: Documents
  /** Endpoint of the OpenAPI document, or of its page; `null` if none is served. */
  readonly documentEndpoint: Endpoint | null
  readonly state: { readonly services: AppServices; readonly trailingSlash: string }
}

export function checkApp({ registry, preparation, documents, documentEndpoint, state }: CheckedParts): Finding[] {
  const { endpoints } = registry
  const { converters, versioning } = preparation
  // The findings about methods, overlaps and responses do not apply to mounted handlers.
  const ofRoutes = endpoints.filter(({ verb }) => verb !== 'all')
  return [
    ...mangledNames(registry),
    ...unpinnedPaths(registry),
    ...misspelledVerbs(ofRoutes),
    ...pathFindings(ofRoutes.filter(({ isFallback }) => !isFallback)),
    ...pathFindings(ofRoutes.filter(({ isFallback }) => isFallback)),
    ...redirectedBodies(endpoints, state.trailingSlash),
    ...unguardedEndpoints(endpoints),
    ...openDocument(endpoints, documentEndpoint),
    ...undeclaredGuards(endpoints),
    ...blockedFiles(endpoints),
    ...earlyCleanups(endpoints),
    ...sharedFiles(endpoints),
    ...endpoints.flatMap((endpoint) => paramsDiffer(endpoint, converters)),
    ...cookieLists(endpoints),
    ...schemaFindings(endpoints, converters),
    ...documentFindings(documents),
    ...versionFindings(endpoints, versioning),
    ...missingReturns(ofRoutes),
    ...connectionsWithoutListener(endpoints, state.services),
  ]
}

function mangledNames({ endpoints, mangled }: Registry): Finding[] {
  return firstEndpoints(mangled, endpoints).map(({ route, method }) => {
    const message = `The name "${route}" looks changed by a bundler, and appears in the log and the OpenAPI document`
    const fix = 'Register the class in an object: "routes: { UserProfiles }"'
    return { code: 'NAME_MANGLED', route, method, message, fix }
  })
}

function unpinnedPaths({ endpoints, unpinned }: Registry): Finding[] {
  return firstEndpoints(unpinned, endpoints).map(({ route, method, path }) => {
    const message = `The path "${path}" comes from the name of a class in an array, which bundlers can change`
    const fix = `Write "routes: { ${route} }", or add "static readonly path = '/…'" to the class`
    return { code: 'PATH_UNPINNED', route, method, message, fix }
  })
}

function firstEndpoints(names: ReadonlySet<string>, endpoints: readonly Endpoint[]): Endpoint[] {
  return [...names].flatMap((name) => endpoints.filter(({ route }) => route === name).slice(0, 1))
}

function documentFindings(documents: Documents): Finding[] {
  return documents.findings().map(({ route, verb, message, fix }) => {
    return { code: 'DOCUMENT_GAP', route, method: verb.toUpperCase(), message, fix }
  })
}

/** Throws a setup error that lists all findings. */
export function rejectFindings(findings: readonly Finding[], endpoints: readonly Endpoint[]): void {
  if (findings.length === 0) return
  const list = findings.map(({ code, route, method, message, fix }) => {
    return `${code} of "${route}.${method.toLowerCase()}": ${message}. ${fix}`
  })
  const error = new SetupError(
    'CHECK_FAILED',
    `Cannot create the app: "strict" is true, but check() has findings. ${list.join('\n')}`,
  )
  rejected.set(error, { findings, endpoints })
  throw error
}

/** The findings of a strict app, and its endpoints. */
export interface Rejection {
  readonly findings: readonly Finding[]
  readonly endpoints: readonly Endpoint[]
}

const rejected = new WeakMap<SetupError, Rejection>()

/** Returns the reason for an error of `rejectFindings`; `undefined` for any other error. */
export function rejectionReason(error: SetupError): Rejection | undefined {
  return rejected.get(error)
}
