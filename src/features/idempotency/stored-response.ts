/**
 * Serializes responses for the store, and creates replies from stored responses.
 *
 * @see docs/decisions/0031-bounds-of-idempotent-responses.md
 */
import { serializedReply, type FullReply } from '../../context/reply.js'
import type { HttpError } from '../../errors/http-error.js'
import type { Payload } from '../../http/payload.js'
import { keyError } from './key.js'

/** Maximum size of a stored response in bytes, in any store. */
const MAX_SIZE = 1024 * 1024

/** Headers that are never stored. They belong to one client or connection, or are set for each response. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  ...['set-cookie', 'x-request-id', 'date', 'content-length', 'connection', 'keep-alive', 'proxy-authenticate'],
  ...['proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
])

/** Error statuses after which the client should send the same request again later. */
const LATER_HEADERS: ReadonlySet<number> = new Set([408, 425, 429])

/** Stored in place of a response that is too large. The key stays completed, but cannot be replayed. */
interface OmittedResponse {
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

/** Whether a response is the final result of its request. Server errors and responses that ask for a later retry are not. */
export function isResult({ status, headers }: FullReply): boolean {
  if (status < 400) return true
  return status < 500 && !LATER_HEADERS.has(status) && !headers.has('retry-after')
}

/** Formats a response for the store; `null` if it is too large. */
export function storeBody({ status, headers, payload }: FullReply): string | null {
  const { data } = payload
  // Checked first, to avoid copying large content.
  if ((typeof data === 'string' || data instanceof Uint8Array) && data.length > MAX_SIZE) return null
  const storedHeaders = [...headers].filter(([name]) => !OWN_HEADERS.has(name))
  const response: StoredResponse = { status, headers: storedHeaders, ...encodeContent(payload) }
  const text = JSON.stringify(response)
  return Buffer.byteLength(text) > MAX_SIZE ? null : text
}

/** Formats the entry that is stored in place of a response that is too large. */
export function formatOmitted({ status }: FullReply): string {
  const response: OmittedResponse = { status, isTooLarge: true }
  return JSON.stringify(response)
}

function encodeContent({ type, data }: Payload): Pick<StoredResponse, 'type' | 'text' | 'bytes'> {
  if (data === null) return {}
  if (typeof data === 'string') return { type, text: data }
  // Proof: contracts with `idempotency` cannot return streams; a setup error rejects them.
  return { type, bytes: Buffer.from(data as Uint8Array).toString('base64') }
}

/**
 * Creates the reply for a retry from a stored response, with `Idempotent-Replayed: true`.
 *
 * @throws HttpError 409 if the response was too large to store
 */
export function readStoredReply(text: string): FullReply {
  // Proof: the store returns strings that were serialized in this file.
  const response = JSON.parse(text) as StoredResponse | OmittedResponse
  if ('isTooLarge' in response) throw tooLargeError(response)
  const { status, headers, type, text: sent, bytes } = response
  const data = bytes === undefined ? (sent ?? null) : Buffer.from(bytes, 'base64')
  const body: unknown = typeof data === 'string' && type?.includes('json') === true ? JSON.parse(data) : data
  const fields = new Map([...headers, ['idempotent-replayed', 'true'] as const])
  return serializedReply(status, body, { type, data }, fields)
}

function tooLargeError({ status }: OmittedResponse): HttpError {
  const state = `The request with this Idempotency-Key was completed with status ${status}`
  return keyError(409, `${state}, but its response was too large to store. Do not send the request again`)
}
