/** Answers as texts: what is kept of one, and how it is given again. */
import { serializedReply, type FullReply } from '../context/reply.js'
import type { Payload } from '../http/payload.js'

/** What is never given again: it belongs to the first client or connection, or is made for each answer. */
const OWN: ReadonlySet<string> = new Set([
  ...['set-cookie', 'x-request-id', 'date', 'content-length', 'connection', 'keep-alive', 'proxy-authenticate'],
  ...['proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
])

/** These ask for the same request at another time. */
const LATER: ReadonlySet<number> = new Set([408, 425, 429])

interface KeptAnswer {
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

export function written({ status, headers, payload }: FullReply): string {
  const kept = [...headers].filter(([name]) => !OWN.has(name))
  const answer: KeptAnswer = { status, headers: kept, ...contentOf(payload) }
  return JSON.stringify(answer)
}

function contentOf({ type, data }: Payload): Pick<KeptAnswer, 'type' | 'text' | 'bytes'> {
  if (data === null) return {}
  if (typeof data === 'string') return { type, text: data }
  // Proof: contracts whose answers are streams were refused when the class was registered.
  return { type, bytes: Buffer.from(data as Uint8Array).toString('base64') }
}

/** Makes the reply again, marked as one that was given before. */
export function readAnswer(text: string): FullReply {
  // Proof: `written` has made it.
  const { status, headers, type, text: sent, bytes } = JSON.parse(text) as KeptAnswer
  const data = bytes === undefined ? (sent ?? null) : Buffer.from(bytes, 'base64')
  const body: unknown = typeof data === 'string' && type?.includes('json') === true ? JSON.parse(data) : data
  const fields = new Map([...headers, ['idempotent-replayed', 'true'] as const])
  return serializedReply(status, body, { type, data }, fields)
}
