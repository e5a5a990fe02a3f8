/** From a response of the Fetch standard to the answer of a call. */
import { CONTENT_TYPE, type Given } from './request.js'
import { readChunks, readEvents } from './streams.js'

/** An answer, read. */
export interface ReadAnswer {
  readonly ok: boolean
  readonly status: number
  readonly body: unknown
  readonly headers: Headers
}

/**
 * Reads a response: all of it, or of a stream its beginning. Returns the answer; `ok` is false for problems (RFC 9457).
 */
export async function readAnswer(response: Response, as: Given['as']): Promise<ReadAnswer> {
  const { status, headers, body } = response
  const type = headers.get(CONTENT_TYPE) ?? ''
  const ok = !type.includes('/problem+json')
  const form = (ok && as) || /^text(\/event)?|json/.exec(type)?.[0]
  return { ok, status, body: body && type ? await bodyOf(response, body, form) : null, headers }
}

async function bodyOf(response: Response, body: ByteStream, form: string | undefined): Promise<unknown> {
  if (form === 'stream') return readChunks(body)
  if (form === 'text/event') return readEvents(body)
  if (form === 'text') return response.text()
  if (form === 'json') return response.json()
  return new Uint8Array(await response.arrayBuffer())
}

type ByteStream = NonNullable<Response['body']>
