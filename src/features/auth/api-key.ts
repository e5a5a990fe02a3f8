/** API keys, in a header, the query or a cookie. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { canBeSent, type ContextPlace, readContextSource } from '../../context/request-context.js'
import { challenge, makeCredentials, unauthorizedError } from '../../injection/credentials.js'
import type { CredentialsProvider, Verified } from '../../injection/credentials.js'
import { checkTexts, checkedVerify, authorizationError } from './authorization.js'

startStackAtCaller(apiKey)

/** Where an API key stands. */
export interface ApiKeyPlace {
  /** `query` puts it into logs of proxies; prefer a header. */
  readonly in: 'header' | 'query' | 'cookie'
  /** Name of the header, the key of the query, or the cookie. */
  readonly name: string
}

/**
 * Makes a guard that takes an API key. Without a valid key the answer is 401.
 *
 * @param place where the key stands
 * @param verify gets key and services; gives the value, or something falsy to refuse; may be async
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
  checkPlace(place)
  const { in: where, name } = place
  const text = challenge('ApiKey', { in: where, name })
  const key = where === 'header' ? name.toLowerCase() : name
  return makeCredentials({
    place: describeKeyPlace(where, key),
    security: { type: 'apiKey', in: where, name },
    challenge: text,
    find: (call) => {
      const credentials = readContextSource(call, where, key)
      // A repeated key is refused: it is unclear which one was meant.
      return typeof credentials === 'object' ? '' : (credentials ?? null)
    },
    verify: (shown, services) => shown !== '' && author(shown, services),
    refusal: () => unauthorizedError('The API key is not valid', text),
  })
}

/** Other schemes read parts of these two headers. */
function describeKeyPlace(where: ContextPlace, key: string): string {
  if (where === 'cookie') return `Cookie: ${key}`
  if (where === 'query') return `query ${key}`
  return SHARED.get(key) ?? `header ${key}`
}

const SHARED: ReadonlyMap<string, string> = new Map([
  ['authorization', 'Authorization'],
  ['cookie', 'Cookie'],
])

function checkPlace({ in: where, name }: ApiKeyPlace): void {
  const places: readonly ContextPlace[] = ['header', 'query', 'cookie']
  if (!places.includes(where)) {
    throw authorizationError('apiKey', `"in" is none of header, query and cookie. Write "in: 'header'"`)
  }
  if (name !== undefined && canBeSent(where, name)) return
  throw authorizationError('apiKey', '"name" cannot be a name there. Write "name: \'x-api-key\'"')
}
