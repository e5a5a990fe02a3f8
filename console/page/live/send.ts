/** Sends requests from the page to the app. */
import { REPLAY_HEADER } from '../../../src/devconsole/wire/request-types.js'
import { withCredentials } from '../pure/credentials.js'
import { settableHeaders, type SendableRequest } from '../pure/messages.js'
import { readCredential, setCookies } from './credentials.js'

/** The response to a request that was sent from the page. */
export interface TryResponse {
  readonly status: number
  readonly duration: number
  readonly type: string | null
  readonly headers: readonly (readonly [string, string])[]
  readonly bytes: ArrayBuffer
  readonly text: string
}

/** Sends a request to the app. Credentials of the tab replace redacted ones. */
export async function sendTry(request: SendableRequest, origin: string, signal?: AbortSignal): Promise<TryResponse> {
  const complete = withCredentials(request, readCredential)
  const restore = setCookies(complete.cookies ?? '')
  const begin = performance.now()
  try {
    const response = await fetch(complete.url, { ...fetchOptions(complete, origin), signal: signal ?? null })
    const bytes = await response.arrayBuffer()
    const type = response.headers.get('content-type')
    const duration = performance.now() - begin
    return { status: response.status, duration, type, headers: [...response.headers], bytes, text: decode(bytes, type) }
  } finally {
    restore()
  }
}

function fetchOptions(request: SendableRequest, origin: string): RequestInit {
  const headers = new Headers()
  for (const [name, value] of settableHeaders(request.headers)) headers.append(name, value)
  headers.set(REPLAY_HEADER, origin)
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD'
  const body = hasBody ? toFetchBody(request) : null
  const credentials = opensPrompt(request, headers) ? 'omit' : 'same-origin'
  return { method: request.method, headers, body, credentials, redirect: 'manual', cache: 'no-store' }
}

/** For a 401 with `WWW-Authenticate: Basic`, browsers open a prompt, unless the request has no credentials of the browser. */
function opensPrompt({ cookies = '', isBasic = false }: SendableRequest, headers: Headers): boolean {
  return cookies === '' && (isBasic || /^basic /i.test(headers.get('authorization') ?? ''))
}

function toFetchBody({ body, parts }: SendableRequest): string | FormData | null {
  if (parts === undefined) return body
  const form = new FormData()
  for (const [name, value] of parts) form.append(name, value)
  return form
}

function decode(bytes: ArrayBuffer, type: string | null): string {
  const [, charset = 'utf-8'] = /charset="?([\w-]+)/i.exec(type ?? '') ?? []
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}
