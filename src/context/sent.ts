/** What a client has sent, one value at a time, for those who read without a schema. */
import { parseCookies } from '../http/cookies.js'
import { isToken } from '../http/fields.js'
import { parseQuery } from '../http/query.js'
import type { ContextSource } from './request-context.js'

/** A place in the head of a request. */
export type Place = 'header' | 'query' | 'cookie'

/**
 * Reads one value from the head of a request. Returns the value as sent, decoded; an array for a repeated key of the
 * query; `undefined` when it is absent.
 */
export function sentIn(source: ContextSource, place: Place, name: string): string | readonly string[] | undefined {
  if (place === 'header') return source.exchange.header(name)
  if (place === 'cookie') return parseCookies(source.exchange.header('cookie'))[name]
  return parseQuery(source.query, Number.POSITIVE_INFINITY)[name]
}

/** Tells whether a place can hold a name. */
export function canBeSent(place: Place, name: string): boolean {
  return place === 'query' ? name !== '' : isToken(name)
}
