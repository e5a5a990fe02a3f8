/** Security headers of the OWASP Secure Headers Project and REST Security Cheat Sheet. The guide about browsers explains each. */
import { applyChanges, toHeaderChanges, NO_FIELDS, overlayFields, type HeaderMap } from '../../http/fields.js'
import type { HeaderChanges, SecurityHeaders } from '../../route/response-options.js'
import type { Call } from '../../request/call.js'

const BOTH: HeaderMap = new Map([
  ['strict-transport-security', 'max-age=31536000; includeSubDomains'],
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
  ['x-permitted-cross-domain-policies', 'none'],
  ['cross-origin-resource-policy', 'same-origin'],
])

const API_HEADERS: HeaderMap = new Map([
  ...BOTH,
  ['referrer-policy', 'no-referrer'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
])

const PAGE_POLICY = [
  ...["default-src 'self'", "base-uri 'self'", "form-action 'self'", "object-src 'none'", "frame-ancestors 'none'"],
  'upgrade-insecure-requests',
].join('; ')

/** Browser features to disable; a page that needs one names it. Chromium logs an error on each page for each name that it does not know. */
const FEATURES = [
  ...['accelerometer', 'autoplay', 'camera', 'clipboard-read', 'clipboard-write', 'cross-origin-isolated'],
  ...['display-capture', 'encrypted-media', 'fullscreen', 'gamepad', 'geolocation', 'gyroscope', 'hid'],
  ...['idle-detection', 'keyboard-map', 'magnetometer', 'microphone', 'midi', 'payment'],
  ...['picture-in-picture', 'publickey-credentials-get', 'screen-wake-lock', 'serial', 'sync-xhr', 'unload', 'usb'],
  'xr-spatial-tracking',
]

const PAGE_HEADERS: HeaderMap = new Map([
  ...BOTH,
  // With `no-referrer`, browsers send `Origin: null` with forms (Fetch standard, section 3.2). Over plain HTTP, where browsers send no
  // `Sec-Fetch-Site`, the origin check of sessions would reject these forms.
  ['referrer-policy', 'same-origin'],
  ['content-security-policy', PAGE_POLICY],
  ['cross-origin-opener-policy', 'same-origin'],
  ['cross-origin-embedder-policy', 'require-corp'],
  ['permissions-policy', FEATURES.map((name) => `${name}=()`).join(', ')],
])

/** Default for responses without the `CACHING_HEADERS`, by which an author allows caching. */
const NOT_STORED: HeaderMap = new Map([['cache-control', 'no-store']])
const CACHING_HEADERS = ['etag', 'last-modified', 'expires']
const PAGE = /^text\/html[ \t]*(?:;|$)/i

/**
 * Adds headers that a response does not have yet. Skips a 304, because its headers would change the page in the client's cache. If the
 * endpoint reads credentials, the 304 gets the `Cache-Control` of its 200, because the default would replace it in that cache.
 */
export function securityHeaders(options: SecurityHeaders): (call: Call) => undefined {
  const { api = {}, html = {} } = typeof options === 'string' ? {} : options
  const stored = options === 'html' ? NO_FIELDS : NOT_STORED
  const [ofApi, ofPages] = [preparedSet(API_HEADERS, stored, api), preparedSet(PAGE_HEADERS, stored, html)]
  return (call) => {
    const { headers, payload, status } = call.reply
    const { usual, cacheable } = PAGE.test(headers.get('content-type') ?? payload.type ?? '') ? ofPages : ofApi
    if (status === 304) {
      const value = cacheable.get('cache-control')
      if (value === undefined || call.providers === null || !call.endpoint?.credentialHeaders) return
      call.reply = call.reply.withFields(overlayFields(new Map([['cache-control', value]]), headers))
      return
    }
    const set = CACHING_HEADERS.some((field) => headers.has(field)) ? cacheable : usual
    call.reply = call.reply.withFields(overlayFields(set, headers))
  }
}

/** Returns a set of headers for most responses (`usual`) and for responses that may be cached (`cacheable`). */
function preparedSet(
  set: HeaderMap,
  stored: HeaderMap,
  changes: HeaderChanges,
): Readonly<Record<'usual' | 'cacheable', HeaderMap>> {
  const headerChanges = toHeaderChanges(changes)
  return { usual: applyChanges(overlayFields(set, stored), headerChanges), cacheable: applyChanges(set, headerChanges) }
}
