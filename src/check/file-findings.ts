/** Findings about files that browsers block in pages of other origins. */
import type { Endpoint } from '../request/endpoint.js'
import type { SecurityHeaders } from '../route/answer-options.js'
import { SERVES_FILES } from '../route/built-in-marks.js'
import type { Finding } from './findings.js'

const POLICY = 'cross-origin-resource-policy'
const FIX =
  `Move the files to a group with "securityHeaders: { api: { '${POLICY}': 'cross-origin' } }", ` +
  `or load them with "crossorigin" in the page`

/** Finds `files` with `cors` whose `Cross-Origin-Resource-Policy` makes browsers block them in an `<img>` (Fetch standard, section 3.7). */
export function blockedFiles(endpoints: readonly Endpoint[]): Finding[] {
  return endpoints.flatMap(({ route, method, path, meta, answers: { cors, securityHeaders } }) => {
    if (!SERVES_FILES.read(meta)?.endsWith('files') || cors === undefined || securityHeaders === undefined) return []
    if (resourcePolicy(securityHeaders) !== 'same-origin') return []
    const effect = 'browsers block its files in <img>, <video> and <script> of the pages that "cors" allows'
    const message = `"${method} ${path}" responds with "Cross-Origin-Resource-Policy: same-origin": ${effect}`
    return [{ code: 'FILES_BLOCKED', route, method, message, fix: FIX }]
  })
}

/** Returns the policy of responses other than pages. */
function resourcePolicy(options: SecurityHeaders): string | null {
  const changes = typeof options === 'string' ? {} : (options.api ?? {})
  const changed = Object.entries(changes).find(([name]) => name.toLowerCase() === POLICY)
  return changed === undefined ? 'same-origin' : changed[1]
}
