/** Places of a request that can contain an API key. */
import type { ContextSource } from '../../context/request-context.js'
import { parseCookies } from '../../http/cookies.js'
import { isToken } from '../../http/fields.js'
import { parseQuery } from '../../http/target.js'

export type ContextPlace = 'header' | 'query' | 'cookie'

/** Returns one header, cookie or query value. Cookies and query values are decoded; a repeated query key returns an array. */
export function readContextSource(
  source: ContextSource,
  place: ContextPlace,
  name: string,
): string | readonly string[] | undefined {
  if (place === 'header') return source.exchange.header(name)
  if (place === 'cookie') return parseCookies(source.exchange.header('cookie'))[name]
  return parseQuery(source.query, Number.POSITIVE_INFINITY)[name]
}

export function canBeSent(place: ContextPlace, name: string): boolean {
  return place === 'query' ? name !== '' : isToken(name)
}
