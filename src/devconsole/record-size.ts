/** How much memory a record takes: about, and rather more than less. */
import { framesOf } from './error-detail.js'
import type { ErrorDetail, Message, RequestRecord } from './wire.js'

const OF_RECORD = 1_500
const OF_ENTRY = 100

/**
 * Estimates the size of a record, its lines not counted.
 *
 * @param record filled
 * @returns bytes: two for each character of what can be long
 */
export function sizeOf(record: RequestRecord): number {
  const { request, response, calls, issues, error } = record
  const paths = record['url.path'].length + record['url.query'].length
  const texts = paths + ofMessage(request) + ofMessage(response) + (error === null ? 0 : ofError(error))
  const entries = [...calls.map(({ args }) => args), ...issues.map(({ message, received }) => message + received)]
  return OF_RECORD + 2 * texts + entries.reduce((sum, text) => sum + OF_ENTRY + 2 * text.length, 0)
}

function ofMessage({ headers, body }: Message): number {
  const fields = headers.reduce((sum, [name, value]) => sum + name.length + value.length + 50, 0)
  return fields + (body === null || body.text === null ? 0 : body.text.length)
}

function ofError(error: ErrorDetail): number {
  const { message, cause, members } = error
  const behind = [...(cause === null ? [] : [cause]), ...members].reduce((sum, each) => sum + ofError(each), 0)
  return message.length + framesOf(error).length * OF_ENTRY + behind
}
