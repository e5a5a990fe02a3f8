/** The fields of a web `Response` (WHATWG Fetch): those of an answer, and of its content. */
import type { Answer } from './exchange.js'
import { headLines } from './head-lines.js'

/** The fields of an answer as those of a `Response`. */
export function webHeaders(answer: Answer): Headers {
  const headers = new Headers()
  const lines = headLines(answer, false)
  for (let index = 0; index < lines.length; index += 2) {
    const [name = '', value = ''] = lines.slice(index, index + 2)
    if (name === 'set-cookie') headers.append(name, value)
    else headers.set(name, value)
  }
  return headers
}
