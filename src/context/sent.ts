/** What a client has sent, one value at a time, for those who read without a schema. */
import { parseCookies } from '../http/cookies.js'
import { isToken } from '../http/fields.js'
import { parseQuery } from '../http/query.js'
import type { ContextSource } from './request-context.js'

export type Place = 'header' | 'query' | 'cookie'

/** Reads one value from the head of a request: as sent, decoded; an array for a repeated key of the query. */
export function sentIn(source: ContextSource, place: Place, name: string): string | readonly string[] | undefined {
  if (place === 'header') return source.exchange.header(name)
  if (place === 'cookie') return parseCookies(source.exchange.header('cookie'))[name]
  return parseQuery(source.query, Number.POSITIVE_INFINITY)[name]
}

export function canBeSent(place: Place, name: string): boolean {
  return place === 'query' ? name !== '' : isToken(name)
}
