/** Responses of the console. All have headers that protect them from other sites and from caches. */
import { createHash } from 'node:crypto'
import type { Exchange } from '../../http/exchange.js'
import type { Chunks } from '../../http/chunks.js'

const PROTECTIVE_HEADERS: readonly (readonly [string, string])[] = [
  ['cache-control', 'no-store'],
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['cross-origin-opener-policy', 'same-origin'],
  ['x-robots-tag', 'noindex'],
]

/** Hashes of the scripts and of the style that a page may contain or load. */
export interface PageHashes {
  readonly scripts: readonly string[]
  readonly style: string
}

export interface ConsoleResponse {
  readonly status: number
  readonly type: string
  readonly data: string | Chunks
  readonly headers?: readonly (readonly [string, string])[]
}

export function sendConsoleResponse(exchange: Exchange, { status, type, data, headers = [] }: ConsoleResponse): void {
  exchange.send({ status, headers: new Map([...PROTECTIVE_HEADERS, ...headers]), payload: { type, data } }, null)
}

export function jsonResponse(value: unknown, status: number = 200): ConsoleResponse {
  return { status, type: 'application/json', data: JSON.stringify(value) }
}

export function consoleProblem(status: number, detail: string): ConsoleResponse {
  return jsonResponse({ status, detail }, status)
}

/** Creates the response to a rejected request. It contains no data of the app. */
export function rejectionResponse(
  status: number,
  detail: string,
  headers: ConsoleResponse['headers'] = [],
): ConsoleResponse {
  return { status, type: 'text/plain; charset=utf-8', data: `${detail}\n`, headers }
}

/** Creates the response with a script of the page. Browsers run it only if it has the hash that the page names. */
export function scriptResponse(data: string): ConsoleResponse {
  return { status: 200, type: 'text/javascript; charset=utf-8', data }
}

export function pageResponse(html: string, hashes: PageHashes, status: number = 200): ConsoleResponse {
  const headers = [['content-security-policy', contentSecurityPolicy(hashes)]] as const
  return { status, type: 'text/html; charset=utf-8', data: html, headers }
}

function contentSecurityPolicy({ scripts, style }: PageHashes): string {
  const sources = scripts.length === 0 ? ["'none'"] : scripts.map((hash) => `'${hash}'`)
  return [
    "default-src 'none'",
    `script-src ${sources.join(' ')}`,
    `style-src '${style}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}

export function sha256Source(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
