/** Query strings, flat: `a[b]=1` is the key `a[b]` (WHATWG URL, application/x-www-form-urlencoded). */
import { HttpError } from '../errors/http-error.js'
import { clientRecord, type ClientRecord } from './record.js'

/** The values of a query by key; a repeated key has an array, in the order sent. */
export type RawQuery = ClientRecord<string | string[]>

/**
 * Reads a query string whose percent-encodings are known to be sound.
 *
 * @param text the query without `?`
 * @param maximum how many pairs are read
 * @returns the values by key, without a prototype
 * @throws HttpError 400 when there are more pairs than `maximum`
 */
export function parseQuery(text: string, maximum: number): RawQuery {
  const query: RawQuery = clientRecord()
  let pairs = 0
  for (let start = 0; start < text.length;) {
    const found = text.indexOf('&', start)
    const end = found < 0 ? text.length : found
    if (end > start) {
      if (++pairs > maximum) throw new HttpError(400, `The query has more than ${maximum} values`)
      addPair(query, text.slice(start, end))
    }
    start = end + 1
  }
  return query
}

function addPair(query: RawQuery, pair: string): void {
  const equals = pair.indexOf('=')
  const key = decode(equals < 0 ? pair : pair.slice(0, equals))
  const value = equals < 0 ? '' : decode(pair.slice(equals + 1))
  const present = query[key]
  if (present === undefined) query[key] = value
  else if (typeof present === 'string') query[key] = [present, value]
  else present.push(value)
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  return spaced.includes('%') ? decodeURIComponent(spaced) : spaced
}

/**
 * Reads a form, `application/x-www-form-urlencoded`.
 *
 * @param text of the body
 * @param maximum how many pairs are read
 * @returns the values by key, without a prototype
 * @throws HttpError 400 for a broken percent-encoding, or more pairs than `maximum`
 */
export function parseForm(text: string, maximum: number): RawQuery {
  try {
    return parseQuery(text, maximum)
  } catch (error) {
    const isBroken = error instanceof URIError
    throw new HttpError(
      400,
      isBroken ? 'The form holds a broken percent-encoding' : `The form has more than ${maximum} values`,
    )
  }
}
