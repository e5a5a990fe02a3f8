/** The fields that an answer is written with: its own, and those of its content. */
import { Buffer } from 'node:buffer'
import type { Answer } from './exchange.js'
import { writeFields, type Fields } from './fields.js'
import { isChunks, type Payload } from './payload.js'

/**
 * The fields of an answer. What Node adds when it writes them is not among them: `Date`, and how the connection goes
 * on.
 */
export function headLines({ status, headers, payload, lines: own }: Answer, isLast: boolean): string[] {
  const lines: string[] = []
  if (payload.data !== null) contentLines(payload, headers, lines)
  else if (status !== 204 && status !== 304) lines.push('content-length', '0')
  if (headers.size > 0) writeFields(withoutFraming(headers, payload), lines)
  if (own !== undefined) for (const text of own) lines.push(text)
  if (isLast) lines.push('connection', 'close')
  return lines
}

function contentLines({ type, data }: Payload, headers: Fields, lines: string[]): void {
  const isBare = headers.size === 0
  if (type !== undefined && (isBare || !headers.has('content-type'))) lines.push('content-type', type)
  if (typeof data === 'string') lines.push('content-length', String(Buffer.byteLength(data)))
  else if (data instanceof Uint8Array) lines.push('content-length', String(data.byteLength))
  if (isBare || !headers.has('x-content-type-options')) lines.push('x-content-type-options', 'nosniff')
}

/** Two lengths, or a wrong one, make the client read one answer as two: only a stream may come with a length of its own. */
function withoutFraming(headers: Fields, { data }: Payload): Fields {
  const length = headers.get('content-length')
  if (length === undefined && !headers.has('transfer-encoding') && !headers.has('connection')) return headers
  const fields = new Map(headers)
  fields.delete('transfer-encoding')
  fields.delete('connection')
  if (!isChunks(data) || !/^[0-9]+$/.test(length ?? '')) fields.delete('content-length')
  return fields
}
