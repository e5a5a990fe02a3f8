/** Answers as texts: what is kept of one, and how it is given again. */
import { serializedReply, type FullReply } from '../../context/reply.js'
import type { HttpError } from '../../errors/http-error.js'
import type { Payload } from '../../http/payload.js'
import { keyError } from './key.js'

/** Maximum size of a stored response in bytes, in any store. */
const MAX_SIZE = 1024 * 1024

/** What is never given again: it belongs to the first client or connection, or is made for each answer. */
const OWN: ReadonlySet<string> = new Set([
  ...['set-cookie', 'x-request-id', 'date', 'content-length', 'connection', 'keep-alive', 'proxy-authenticate'],
  ...['proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
])

/** These ask for the same request at another time. */
const LATER: ReadonlySet<number> = new Set([408, 425, 429])

/** Stored if the response is too large: the key stays completed, but there is nothing to replay. */
interface OmittedAnswer {
  readonly status: number
  readonly isTooLarge: true
}

interface StoredResponse {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly type?: string | undefined
  readonly text?: string
  /** In base64. */
  readonly bytes?: string
}

/** Whether an answer is the result of the request: a failure of the server is not, nor is one that asks for the same request again. */
export function isResult({ status, headers }: FullReply): boolean {
  if (status < 400) return true
  return status < 500 && !LATER.has(status) && !headers.has('retry-after')
}

/** Formats a response for the store; `null` if it is too large. */
export function storeBody({ status, headers, payload }: FullReply): string | null {
  const { data } = payload
  // Large content is not even copied.
  if ((typeof data === 'string' || data instanceof Uint8Array) && data.length > MAX_SIZE) return null
  const storedHeaders = [...headers].filter(([name]) => !OWN.has(name))
  const answer: StoredResponse = { status, headers: storedHeaders, ...encodeContent(payload) }
  const text = JSON.stringify(answer)
  return Buffer.byteLength(text) > MAX_SIZE ? null : text
}

/** Formats the entry that is stored in place of a response that is too large. */
export function writtenWithoutContent({ status }: FullReply): string {
  const answer: OmittedAnswer = { status, isTooLarge: true }
  return JSON.stringify(answer)
}

function encodeContent({ type, data }: Payload): Pick<StoredResponse, 'type' | 'text' | 'bytes'> {
  if (data === null) return {}
  if (typeof data === 'string') return { type, text: data }
  // Proof: contracts whose answers are streams were refused when the class was registered.
  return { type, bytes: Buffer.from(data as Uint8Array).toString('base64') }
}

/**
 * Makes the reply again, marked as one that was given before.
 *
 * @throws HttpError 409 if the response was too large to store
 */
export function readAnswer(text: string): FullReply {
  // Proof: `written` or `writtenWithoutContent` has made it.
  const answer = JSON.parse(text) as StoredResponse | OmittedAnswer
  if ('isTooLarge' in answer) throw tooLargeError(answer)
  const { status, headers, type, text: sent, bytes } = answer
  const data = bytes === undefined ? (sent ?? null) : Buffer.from(bytes, 'base64')
  const body: unknown = typeof data === 'string' && type?.includes('json') === true ? JSON.parse(data) : data
  const fields = new Map([...headers, ['idempotent-replayed', 'true'] as const])
  return serializedReply(status, body, { type, data }, fields)
}

function tooLargeError({ status }: OmittedAnswer): HttpError {
  const state = `The request with this Idempotency-Key is done, with status ${status}`
  return keyError(409, `${state}, but its response was too large to be repeated. Do not send the request again`)
}
