/** Routes and requests for tests of `cors`. */
import { events, HttpError, Route, stream, type CorsOptions } from 'verbena'
import * as z from 'zod'
import { createUntypedApp, sendRequest } from '#test/apps.js'

export const PAGE = 'https://app.example'
export const OTHER = 'https://other.example'
export const cors: CorsOptions = { origins: [PAGE] }
export const fromPage = { headers: { origin: PAGE } }

export class Notes extends Route {
  static readonly get = this.contract({ query: z.object({ page: z.int().optional() }), etag: true })
  get({ query }: { query: { page?: number | undefined } }) {
    if (query.page === 0) throw new Error('as it happens')
    return ['Buy tea']
  }
  post() {
    throw new HttpError(403, 'No')
  }
}

export class Ticks extends Route {
  static readonly get = this.contract({ returns: events(z.number()) })
  async *get() {
    yield { data: 1 }
  }
}

export class Lines extends Route {
  static readonly get = this.contract({ returns: stream() })
  async *get() {
    yield 'one'
  }
}

/** Returns the preflight that a browser sends before a request of a page. */
export function preflight(method: string, origin = PAGE, names?: string): RequestInit {
  const asked = names === undefined ? {} : { 'access-control-request-headers': names }
  return { method: 'OPTIONS', headers: { origin, 'access-control-request-method': method, ...asked } }
}

/** Returns the response headers that matter for CORS. */
export function corsHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-') || name === 'vary'))
}

export const NOT_SHARED = { vary: 'origin' }
export const SHARED = { 'access-control-allow-origin': PAGE, vary: 'origin' }

/** Sends a request to an app with `cors`; returns its status and CORS headers. */
export async function sendForCors(options: object, target: string, init: RequestInit = fromPage) {
  const { status, headers } = await sendRequest(
    createUntypedApp({ routes: { Notes, Ticks, Lines }, cors, ...options }),
    target,
    init,
  )
  return [status, corsHeaders(headers)] as const
}
