/** API keys in a header, the query or a cookie. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { checkOptions, choiceRule, optionError, mandatory, stringRule, type Rules } from '../../errors/options.js'
import { canBeSent, type ContextPlace, readContextSource } from './credential-place.js'
import { unauthorizedError, type HttpError, type UnauthorizedReason } from '../../errors/http-error.js'
import { formatChallenges, makeCredentials } from '../../injection/credentials.js'
import type { CredentialsProvider, Verified } from '../../injection/credentials.js'
import { checkedVerify, findStartSettings } from './authorization.js'

startStackAtCaller(apiKey)

/** Location of an API key in the request. */
export interface ApiKeyPlace {
  /** Part of the request. Prefer a header, because proxies log the query. */
  readonly in: 'header' | 'query' | 'cookie'
  /** Name of the header, query parameter or cookie. */
  readonly name: string
}

/**
 * Creates a guard that requires an API key. Without a valid key, the response is 401.
 *
 * @param place header, query parameter or cookie that contains the key
 * @param verify receives the key and the services. Returns the value of the provider, or a falsy value to reject the key; may be async
 * @returns the provider, for `uses`
 * @throws SetupError `OPTION_INVALID`
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
  checkOptions(place, RULES, 'apiKey()')
  const author = checkedVerify<string>('apiKey', verify, 'place, ')
  const { in: where, name } = place
  if (!canBeSent(where, name)) {
    throw optionError('apiKey()', 'name', `it must be a valid name of a ${where}. Write "name: 'x-api-key'"`)
  }
  const text = formatChallenges('ApiKey', { in: where, name })
  const key = where === 'header' ? name.toLowerCase() : name
  const keyError = (reason: UnauthorizedReason): HttpError =>
    unauthorizedError('The API key is not valid', text, reason)
  return makeCredentials({
    place: describeKeyPlace(where, key),
    security: { type: 'apiKey', in: where, name },
    challenge: text,
    find: (call) => {
      const credentials = readContextSource(call, where, key)
      // A repeated key is rejected, because it is unclear which value the client means.
      return typeof credentials === 'object' ? '' : (credentials ?? null)
    },
    settings: findStartSettings(verify),
    verify: (shown, services) => {
      if (shown === '') throw keyError('malformed')
      return author(shown, services)
    },
    rejectionError: () => keyError('rejected'),
  })
}

/** Returns the place for `anyOf`. `Authorization` and `Cookie` are written as in other schemes, which read parts of these headers. */
function describeKeyPlace(where: ContextPlace, key: string): string {
  if (where === 'cookie') return `Cookie: ${key}`
  if (where === 'query') return `query ${key}`
  return RESERVED_HEADERS.get(key) ?? `header ${key}`
}

const RESERVED_HEADERS: ReadonlyMap<string, string> = new Map([
  ['authorization', 'Authorization'],
  ['cookie', 'Cookie'],
])

const RULES: Rules<ApiKeyPlace> = {
  in: mandatory(choiceRule(['header', 'query', 'cookie'])),
  name: mandatory(stringRule("'x-api-key'")),
}
