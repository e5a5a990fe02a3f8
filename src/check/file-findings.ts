/** Findings about files that browsers block in pages of other origins, or that shared caches send without a guard. */
import { canReject } from './access-findings.js'
import type { Endpoint } from '../request/endpoint.js'
import type { SecurityHeaders } from '../route/response-options.js'
import { SERVES_FILES } from '../route/built-in-marks.js'
import type { Finding } from './findings.js'

const POLICY = 'cross-origin-resource-policy'
const FIX =
  `Move the files to a group with "securityHeaders: { api: { '${POLICY}': 'cross-origin' } }", ` +
  `or load them with "crossorigin" in the page`

/** Finds `files` with `cors` whose `Cross-Origin-Resource-Policy` makes browsers block them in an `<img>` (Fetch standard, section 3.7). */
export function blockedFiles(endpoints: readonly Endpoint[]): Finding[] {
  return endpoints.flatMap(({ route, method, path, meta, responseSettings: { cors, securityHeaders } }) => {
    if (!SERVES_FILES.read(meta)?.endsWith('files') || cors === undefined || securityHeaders === undefined) return []
    if (resourcePolicy(securityHeaders) !== 'same-origin') return []
    const effect = 'browsers block its files in <img>, <video> and <script> of the pages that "cors" allows'
    const message = `"${method} ${path}" responds with "Cross-Origin-Resource-Policy: same-origin": ${effect}`
    return [{ code: 'FILES_BLOCKED', route, method, message, fix: FIX }]
  })
}

/** Finds `files` with `public: true` and a guard. A shared cache sends the files without a request to the app. */
export function sharedFiles(endpoints: readonly Endpoint[]): Finding[] {
  const guarded = endpoints.filter((endpoint) => canReject(endpoint) || endpoint.providers?.readsCredentials === true)
  const shared = guarded.filter(({ meta }) => SERVES_FILES.read(meta) === 'public files')
  return shared.map(({ route, method, path }) => {
    const message = `"${method} ${path}" has a guard, but "public: true" lets shared caches send its files without the guard`
    const fix = 'Remove "public: true" of files(), or move the files to a group without guards'
    return { code: 'FILES_SHARED', route, method, message, fix }
  })
}

/** Returns the policy of responses other than pages. */
function resourcePolicy(options: SecurityHeaders): string | null {
  const changes = typeof options === 'string' ? {} : (options.api ?? {})
  const changed = Object.entries(changes).find(([name]) => name.toLowerCase() === POLICY)
  return changed === undefined ? 'same-origin' : changed[1]
}
