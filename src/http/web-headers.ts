/** The fields of a web `Response` (WHATWG Fetch): those of an answer, and of its content. */
import type { Answer } from './exchange.js'
import { writeFields } from './fields.js'
import { isChunks, type Payload } from './payload.js'

/**
 * The fields of an answer as those of a `Response`.
 *
 * @param answer that is sent
 * @returns its own, and those of its content
 */
export function webHeaders({ status, headers: fields, payload, lines: own = [] }: Answer): Headers {
  const headers = new Headers()
  if (payload.type !== undefined) headers.set('content-type', payload.type)
  if (payload.data !== null) headers.set('x-content-type-options', 'nosniff')
  const lines: string[] = []
  writeFields(fields, lines)
  lines.push(...own)
  for (let index = 0; index < lines.length; index += 2) {
    const [name = '', value = ''] = lines.slice(index, index + 2)
    addLine(headers, name, value)
  }
  setLength(headers, payload.data, status)
  return headers
}

function addLine(headers: Headers, name: string, value: string): void {
  if (name === 'set-cookie') headers.append(name, value)
  else headers.set(name, value)
}

function setLength(headers: Headers, data: Payload['data'], status: number): void {
  if (data === null) {
    if (status !== 204 && status !== 304) headers.set('content-length', '0')
  } else if (!isChunks(data)) headers.set('content-length', String(Buffer.byteLength(data)))
}
