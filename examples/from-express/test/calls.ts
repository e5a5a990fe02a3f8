/** The 17 calls of a page, in order, with the responses that it expects from the Express app and from each step. */
import { ORIGIN } from '../settings.js'

export interface Call {
  readonly method: string
  readonly path: string
  readonly init?: RequestInit
  readonly status: number
  /** The JSON of the response; `error` stands for any error message, `undefined` for a response without JSON. */
  readonly body?: unknown
  /** Other headers of the response. */
  readonly headers?: Readonly<Record<string, string>>
}

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

function json(value: unknown): RequestInit {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

function photo(bytes: Uint8Array<ArrayBuffer>): RequestInit {
  const body = new FormData()
  body.append('photo', new File([bytes], 'photo.png', { type: 'image/png' }))
  return { body }
}

const note = { id: 1, text: 'Buy tea', author: 'ada' }
const preflight = { 'access-control-request-method': 'DELETE' }
const allowed = { 'access-control-allow-origin': ORIGIN, 'access-control-allow-credentials': 'true' }

export const CALLS: readonly Call[] = [
  { method: 'GET', path: '/notes', status: 200, body: [] },
  { method: 'POST', path: '/notes', init: json({ text: 'Buy tea' }), status: 401, body: { error: 'Sign in first' } },
  {
    method: 'POST',
    path: '/session',
    init: json({ name: 'ada', password: 'wrong' }),
    status: 401,
    body: { error: 'Name or password is wrong' },
  },
  { method: 'POST', path: '/session', init: json({ name: 'ada', password: 'correct horse' }), status: 204 },
  { method: 'GET', path: '/me', status: 200, body: { name: 'ada' } },
  {
    method: 'POST',
    path: '/notes',
    init: json({ text: 'Buy tea' }),
    status: 201,
    body: note,
    headers: { location: '/notes/1' },
  },
  { method: 'POST', path: '/notes', init: json({ text: 7 }), status: 422, body: 'error' },
  { method: 'GET', path: '/notes/1', status: 200, body: note },
  { method: 'GET', path: '/notes/99', status: 404, body: { error: 'No note 99' } },
  { method: 'POST', path: '/notes/1/photo', init: photo(PIXEL), status: 201, body: { size: PIXEL.length } },
  { method: 'POST', path: '/notes/1/photo', init: photo(new Uint8Array(1_500_000)), status: 413, body: 'error' },
  {
    method: 'GET',
    path: '/notes/1/photo',
    status: 200,
    headers: { 'content-type': 'image/png', 'content-length': String(PIXEL.length) },
  },
  { method: 'GET', path: '/report', status: 500, body: { error: 'Something went wrong' } },
  { method: 'OPTIONS', path: '/notes/1', init: { headers: preflight }, status: 204, headers: allowed },
  { method: 'GET', path: '/none', status: 404, body: 'error' },
  { method: 'DELETE', path: '/notes/1', status: 204 },
  { method: 'DELETE', path: '/session', status: 204 },
]
