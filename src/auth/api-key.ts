/** API keys, in a header, the query or a cookie. */
import { canBeSent, sentIn, type Place } from '../context/sent.js'
import {
  challenge,
  type CredentialsProvider,
  makeCredentials,
  unauthorized,
  type Verified,
} from '../injection/credentials.js'
import { checkTexts, checkedVerify, invalid } from './authorization.js'

/** Where an API key stands. */
export interface ApiKeyPlace {
  /** `query` puts it into logs of proxies; prefer a header. */
  readonly in: 'header' | 'query' | 'cookie'
  /** Name of the header, the key of the query, or the cookie. */
  readonly name: string
}

/**
 * Makes a provider that takes an API key. Without a key, and with one that is refused, the answer is 401. It is a
 * guard.
 *
 * @param place where the key stands
 * @param verify gets the key and the services; gives the value, or anything that counts as false to refuse the key;
 *   may be async
 * @returns the provider, for `uses`
 * @throws SetupError `PROVIDER_INVALID`
 *
 * @example
 * ```ts
 * import { apiKey, createApp, Route, sameSecret, type Input } from 'verbena'
 *
 * const partner = apiKey({ in: 'header', name: 'X-API-Key' }, (key) => sameSecret(key, 'k-3141') && { name: 'ACME' })
 *
 * class Orders extends Route {
 *   static readonly get = this.contract({ uses: { partner } })
 *   async get({ partner }: Input<typeof Orders.get>) {
 *     return partner.name
 *   }
 * }
 * const app = createApp({ routes: { Orders } })
 * const response = await app.fetch(new Request('http://localhost/orders', { headers: { 'x-api-key': 'k-3141' } }))
 * await response.text() // => 'ACME'
 * ```
 */
export function apiKey<T, Services extends object = {}>(
  place: ApiKeyPlace,
  verify: (key: string, services: Services) => T,
): CredentialsProvider<Verified<T>, Services> {
  checkTexts('apiKey', place, ['in', 'name'])
  const author = checkedVerify<string>('apiKey', verify)
  const where = readPlace(place)
  const text = challenge('ApiKey', where)
  const key = where.in === 'header' ? where.name.toLowerCase() : where.name
  return makeCredentials({
    place: `${where.in} ${key}`,
    security: { type: 'apiKey', ...where },
    challenge: text,
    find: (call) => {
      const sent = sentIn(call, where.in, key)
      if (sent === undefined) return null
      // A repeated key is refused: it is unclear which one was meant.
      return typeof sent === 'string' ? sent : ''
    },
    verify: (shown, services) => shown !== '' && author(shown, services),
    refusal: () => unauthorized('The API key is not valid', text),
  })
}

function readPlace(place: ApiKeyPlace): { readonly in: Place; readonly name: string } {
  const { in: where, name }: { readonly [K in keyof ApiKeyPlace]?: unknown } = place
  if (!isPlace(where)) throw invalid('apiKey', `"in" is none of header, query and cookie. Write "in: 'header'"`)
  if (typeof name === 'string' && canBeSent(where, name)) return { in: where, name }
  throw invalid('apiKey', '"name" cannot be a name there. Write "name: \'x-api-key\'"')
}

function isPlace(value: unknown): value is Place {
  return value === 'header' || value === 'query' || value === 'cookie'
}
