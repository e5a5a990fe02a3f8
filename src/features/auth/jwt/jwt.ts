/** Verification of JSON Web Tokens with the keys and algorithms that you configure (RFC 7519, RFC 8725). */
import { startStackAtCaller } from '../../../errors/author-calls.js'
import {
  anyRule,
  checkOptions,
  choiceRule,
  functionRule,
  mandatory,
  rule,
  type Rules,
} from '../../../errors/options.js'
import type { Setting } from '../../../injection/services.js'
import { invalidToken, storeStartSettings } from '../authorization.js'
import { findKeys, keyReader, ServiceKeys } from './key-source.js'
import { hasSigned, type TokenKey, type JwkSet, type JwtAlgorithm, type JwtKey } from './keys.js'
import { RemoteKeys, type RemoteKeySet, type RemoteSettings } from './remote-keys.js'
import { ALGORITHM_RULE, NAMES, numberRule, TYPE_RULE } from './rules.js'
import { checkClaims, type Claims, type Jws, type JwsHeader, parseJws, parseObject, type ClaimRules } from './token.js'

startStackAtCaller(jwt)

/**
 * Verifies a token.
 *
 * @param token compact serialization, as the client sent it
 * @param services services of the app, as `bearer` passes them; only if `keys` is a function of the services
 * @returns the claims; a promise only if the keys are fetched first, or if `keys` returns a promise
 * @throws HttpError 401 if the token is invalid, 503 if the keys are unavailable
 */
export type JwtVerifier<Services extends object = {}> = {} extends Services
  ? (token: string) => Claims | Promise<Claims>
  : (token: string, services: Services) => Claims | Promise<Claims>

/**
 * Creates a function that verifies tokens. Pass it to `bearer`, or call it yourself. A token must be signed with one of the keys and
 * algorithms, must not be expired, and must match `issuer` and `audience`. Invalid tokens never appear in responses or logs.
 *
 * `keys` can be a function of the services, sync or async. It is called for each token, so new keys are used immediately. If you pass the
 * verifier to `bearer`, it is also called when the app starts, and invalid keys are a setup error.
 *
 * @param options algorithms, keys, and required values of claims
 * @returns a function that returns the claims, or throws an `HttpError` 401 whose detail names the failed check
 * @throws SetupError `OPTION_INVALID`; for the result of a function `keys`, when the app starts
 *
 * @example
 * ```ts
 * import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
 * import { bearer, createApp, jwt, Route, type Input } from 'verbena'
 *
 * interface Config {
 *   readonly tokenKey: KeyObject
 * }
 * const issuer = 'https://login.example'
 * const keys = ({ config }: { config: Config }) => config.tokenKey
 * const user = bearer(jwt({ algorithms: ['HS256'], keys, issuer, audience: 'https://api.example' }))
 *
 * class Me extends Route {
 *   static readonly get = this.contract({ uses: { user } })
 *   async get({ user }: Input<typeof Me.get>) {
 *     return user.sub
 *   }
 * }
 * const secret = randomBytes(32)
 * const config: Config = { tokenKey: createSecretKey(secret) }
 * const app = createApp({ services: { config }, routes: { Me } })
 *
 * // The issuer creates the token in a different program.
 * const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
 * const claims = { sub: 'ada', iss: issuer, aud: 'https://api.example', exp: Math.floor(Date.now() / 1000) + 60 }
 * const content = `${part({ alg: 'HS256' })}.${part(claims)}`
 * const token = `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`
 * const response = await app.fetch(new Request('http://localhost/me', { headers: { authorization: `Bearer ${token}` } }))
 * await response.text() // => 'ada'
 * ```
 */
export function jwt<Services extends object = {}>(options: JwtOptions<Services>): JwtVerifier<Services> {
  const settings = checkJwtOptions(options)
  const { keys: constants, serviceKeys } = settings
  const source = 'url' in constants ? new RemoteKeys(constants) : constants
  const verify = (token: string, services?: unknown): Claims | Promise<Claims> => {
    const jws = parseJws(token)
    checkHeader(jws.header, settings)
    const keys = serviceKeys === null ? findKeys(source, jws.header) : serviceKeys.find(jws.header, services)
    if (keys instanceof Promise) return keys.then((found) => verifyClaims(jws, found, settings))
    return verifyClaims(jws, keys, settings)
  }
  if (serviceKeys !== null) storeStartSettings(verify, serviceKeys)
  return verify
}

function checkHeader({ alg, typ }: JwsHeader, { algorithms, type }: JwtSettings): void {
  if (!algorithms.includes(alg)) throw invalidToken('The algorithm of the token is not accepted', 'rejected')
  const tokenType = typ === undefined ? null : plainType(typ)
  if (type !== null && tokenType !== type) throw invalidToken('The type of the token is not accepted', 'rejected')
}

function verifyClaims(jws: Jws, keys: readonly TokenKey[], { rules }: JwtSettings): Claims {
  if (!keys.some((key) => hasSigned(key, jws))) throw invalidToken('The token is not signed by a known key', 'rejected')
  return checkClaims(parseObject(jws.payload), rules)
}

/** Options of `jwt`. */
export interface JwtOptions<Services extends object = {}> {
  /** Accepted algorithms. The `alg` of a token can only select one of them. */
  readonly algorithms: readonly JwtAlgorithm[]
  /**
   * Keys that verify signatures: one key, an array, a key set, or the URL of a key set. Or a function of the services that returns them; to
   * read the keys only once, return the same object for each token.
   */
  readonly keys: Setting<JwtKey | readonly JwtKey[] | JwkSet | URL | RemoteKeySet, Services>
  /** Accepted values of `iss`. Default: any issuer, or none. */
  readonly issuer?: string | readonly string[]
  /** Accepted values of `aud`. Default: only tokens without `aud` are accepted. */
  readonly audience?: string | readonly string[]
  /** Allowed clock difference between issuer and app in seconds, from 0 to 600; default 5. */
  readonly leeway?: number
  /** Whether a token must have `exp`; default `'required'`. */
  readonly expiry?: 'required' | 'optional'
  /** Required `typ` in the header of a token, such as `at+jwt`. Default: any type, or none. */
  readonly type?: string
  /** Returns the current time in ms since 1970; default `Date.now`. */
  readonly now?: () => number
}

interface JwtSettings {
  readonly algorithms: readonly string[]
  /** Result of `plainType`; `null` if any type is accepted. */
  readonly type: string | null
  readonly rules: ClaimRules
  /** Constant keys; empty if `keys` is a function. */
  readonly keys: readonly TokenKey[] | RemoteSettings
  /** Keys from the services; `null` if they are constants. */
  readonly serviceKeys: ServiceKeys | null
}

const RULES: Rules<JwtOptions> = {
  algorithms: mandatory(
    rule(
      (value) => Array.isArray(value) && value.length > 0 && value.every(ALGORITHM_RULE.isValid),
      `be a non-empty array, and each algorithm must ${ALGORITHM_RULE.must}`,
      "['ES256']",
    ),
  ),
  keys: mandatory(anyRule('createPublicKey(pem)')),
  issuer: NAMES,
  audience: NAMES,
  leeway: numberRule([0, 600], 'seconds', '5'),
  expiry: choiceRule(['required', 'optional'], "'optional'"),
  type: TYPE_RULE,
  now: functionRule('() => Date.now()'),
}

export function checkJwtOptions<Services extends object>(options: JwtOptions<Services>): JwtSettings {
  checkOptions(options, RULES, 'jwt()')
  const { issuer, audience, leeway = 5, expiry, type, now = () => Date.now() } = options
  const algorithms = [...options.algorithms]
  const readKeys = keyReader(algorithms, now)
  const { keys }: { readonly keys: unknown } = options
  const isFunction = typeof keys === 'function'
  return {
    algorithms,
    type: type === undefined ? null : plainType(type),
    rules: {
      issuers: acceptedNames(issuer),
      audiences: acceptedNames(audience),
      leeway,
      needsExpiry: expiry !== 'optional',
      now,
    },
    keys: isFunction ? [] : readKeys(keys),
    serviceKeys: isFunction ? new ServiceKeys((services) => keys(services), readKeys) : null,
  }
}

function acceptedNames(names: string | readonly string[] | undefined): readonly string[] | null {
  return names === undefined ? null : [names].flat()
}

/** Normalizes a `typ` for comparison: lower case, without `application/` (RFC 7515 section 4.1.9). */
function plainType(type: string): string {
  return type.toLowerCase().replace(/^application\//, '')
}
