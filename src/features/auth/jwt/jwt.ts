/** Verification of JSON Web Tokens with the keys and algorithms that you configure (RFC 7519, RFC 8725). */
import { startStackAtCaller } from '../../../errors/author-calls.js'
import { invalidToken } from '../authorization.js'
import { hasSigned, matchingKeys, ALGORITHMS, readKey } from './keys.js'
import type { VerifyKey, JwkSet, JwtAlgorithm, JwtKey } from './keys.js'
import { checkClaims, type Claims, type Jws, type JwsHeader, parseJws, parseObject, type ClaimRules } from './token.js'
import { RemoteKeys, type RemoteKeySet, type RemoteSettings } from './remote-keys.js'
import { KeyObject } from 'node:crypto'
import { SetupError } from '../../../errors/setup-error.js'
import { ANYTHING, checkMembers, rule, type Rule, type Rules } from '../../../errors/known-keys.js'
import { functionRule } from '../../../errors/option-rules.js'
import { isRecord, type UnknownRecord } from '../../../values/objects.js'

startStackAtCaller(jwt)

/**
 * Verifies a token.
 *
 * @param token compact serialization, as the client sent it
 * @returns the claims; a promise only if keys have to be fetched first
 * @throws HttpError 401 if the token is invalid, 503 if the keys cannot be fetched
 */
export type JwtVerifier = (token: string) => Claims | Promise<Claims>

/**
 * Creates a function that verifies tokens. Pass it to `bearer`, or call it yourself. A token must be signed with one of the keys and
 * algorithms, must not be expired, and must match `issuer` and `audience`. Invalid tokens never appear in responses or logs.
 *
 * @param options algorithms, keys, and required values of claims
 * @returns a function that returns the claims, or throws an `HttpError` 401 whose detail names the failed check
 * @throws SetupError `JWT_INVALID`
 *
 * @example
 * ```ts
 * import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
 * import { jwt } from 'verbena'
 *
 * const secret = randomBytes(32)
 * const issuer = 'https://login.example'
 * const verify = jwt({ algorithms: ['HS256'], keys: createSecretKey(secret), issuer, audience: 'https://api.example' })
 *
 * // The issuer creates the token in a different program.
 * const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
 * const claims = { sub: 'ada', iss: issuer, aud: 'https://api.example', exp: Math.floor(Date.now() / 1000) + 60 }
 * const content = `${part({ alg: 'HS256' })}.${part(claims)}`
 * const token = `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`
 * const { sub } = await verify(token)
 * sub // => 'ada'
 * ```
 */
export function jwt(options: JwtOptions): JwtVerifier {
  const settings = checkJwtOptions(options)
  const keyOption = settings.keys
  const keySource = 'url' in keyOption ? new RemoteKeys(keyOption) : keyOption
  return (token) => {
    const jws = parseJws(token)
    checkHeader(jws.header, settings)
    const keys = keySource instanceof RemoteKeys ? keySource.find(jws.header) : matchingKeys(keySource, jws.header)
    if (keys instanceof Promise) return keys.then((found) => verifyClaims(jws, found, settings))
    return verifyClaims(jws, keys, settings)
  }
}

function checkHeader({ alg, typ }: JwsHeader, { algorithms, type }: JwtSettings): void {
  if (!algorithms.includes(alg)) throw invalidToken('The algorithm of the token is not accepted')
  const tokenType = typ === undefined ? null : plainType(typ)
  if (type !== null && tokenType !== type) throw invalidToken('The type of the token is not accepted')
}

function verifyClaims(jws: Jws, keys: readonly VerifyKey[], { rules }: JwtSettings): Claims {
  if (!keys.some((key) => hasSigned(key, jws))) throw invalidToken('The token is not signed by a known key')
  return checkClaims(parseObject(jws.payload), rules)
}

/** Options of `jwt`. */
export interface JwtOptions {
  /** Accepted algorithms. The `alg` of a token can only select one of them. */
  readonly algorithms: readonly JwtAlgorithm[]
  /** Keys that verify signatures: one key, an array, a key set, or the URL of a key set. */
  readonly keys: JwtKey | readonly JwtKey[] | JwkSet | URL | RemoteKeySet
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
  readonly keys: readonly VerifyKey[] | RemoteSettings
}

const RULES: Rules = {
  ...{ algorithms: ANYTHING, keys: ANYTHING },
  issuer: namesRule('issuer'),
  audience: namesRule('audience'),
  leeway: rangeRule('leeway', [0, 600], 'seconds'),
  expiry: rule((value) => value === 'required' || value === 'optional', `"expiry" must be 'required' or 'optional'`),
  type: rule(isFilled, `"type" must be a non-empty string. Write "type: 'at+jwt'", or remove it`),
  now: functionRule('now', '() => Date.now()'),
}

const RULES_OF_REMOTE: Rules = {
  url: ANYTHING,
  timeout: rangeRule('timeout', [1, 60_000], 'ms'),
  onFailure: functionRule('onFailure', '(error) => …'),
}

export function checkJwtOptions(given: JwtOptions): JwtSettings {
  if (!isDescription(given)) throw jwtOptionError('the options must be an object. Write "jwt({ algorithms, keys })"')
  checkMembers(given, RULES, jwtOptionError)
  checkAlgorithms(given.algorithms)
  const { issuer, audience, leeway = 5, expiry, type, now = Date.now } = given
  const algorithms = [...given.algorithms]
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
    keys: readKeys(given.keys, algorithms, now),
  }
}

function checkAlgorithms(given: unknown): void {
  const hint = `Supported algorithms are ${ALGORITHMS.join(', ')}`
  if (!Array.isArray(given) || given.length === 0) {
    throw jwtOptionError(`"algorithms" must be a non-empty array. Write "algorithms: ['ES256']". ${hint}`)
  }
  const unknown: unknown = given.find((algorithm) => !ALGORITHMS.includes(algorithm))
  if (unknown === undefined) return
  throw jwtOptionError(`"algorithms" contains ${JSON.stringify(unknown)}, which is not supported. ${hint}`)
}

function namesRule(option: string): Rule {
  return rule((given) => {
    const names: readonly unknown[] = [given].flat()
    return names.length > 0 && names.every(isFilled)
  }, `"${option}" must be a non-empty string or an array of such strings. Add at least one, or remove the option`)
}

function rangeRule(option: string, [least, most]: readonly [number, number], unit: string): Rule {
  return (given) => {
    if (typeof given === 'number' && given >= least && given <= most) return null
    return `"${option}" must be a number of ${unit} from ${least} to ${most}, not ${String(given)}`
  }
}

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function acceptedNames(given: string | readonly string[] | undefined): readonly string[] | null {
  return given === undefined ? null : [given].flat()
}

/** Normalizes a `typ` for comparison: lower case, without `application/` (RFC 7515 section 4.1.9). */
function plainType(type: string): string {
  return type.toLowerCase().replace(/^application\//, '')
}

function readKeys(given: unknown, algorithms: readonly string[], now: () => number): JwtSettings['keys'] {
  if (given instanceof URL) return readRemote({ url: given }, algorithms, now)
  if (isDescription(given) && 'url' in given) return readRemote(given, algorithms, now)
  if (isDescription(given) && 'keys' in given) return readSet(given['keys'], algorithms)
  const list: readonly unknown[] = [given].flat()
  if (list.length === 0) throw jwtOptionError('"keys" is empty. Add at least one key')
  return list.map((key) => readSingleKey(key, algorithms))
}

/** Rejects strings: one could be a secret, a PEM key or a URL, and a wrong guess could accept forged tokens. */
function readSingleKey(given: unknown, algorithms: readonly string[]): VerifyKey {
  if (typeof given === 'string') {
    const ways = 'createPublicKey(pem)" or "createSecretKey(secret, \'utf8\')" of node:crypto, or "new URL(…)'
    throw jwtOptionError(`a key must not be a string. Write "${ways}"`)
  }
  const key = readKey(given)
  const kinds = 'Pass a key for one of the "algorithms"'
  if (typeof key === 'string') throw jwtOptionError(`a key cannot be used: ${key}. ${kinds}`)
  if (algorithms.includes(key.algorithm)) return key
  throw jwtOptionError(`"algorithms" does not contain ${key.algorithm}, the algorithm of a key. ${kinds}`)
}

function readSet(given: unknown, algorithms: readonly string[]): readonly VerifyKey[] {
  const keys = Array.isArray(given) ? given.map(readKey) : []
  const usable = keys.flatMap((key) => (typeof key === 'string' || !algorithms.includes(key.algorithm) ? [] : [key]))
  if (usable.length > 0) return usable
  throw jwtOptionError('the key set contains no usable key. Pass a set with a key for one of the "algorithms"')
}

function readRemote(given: object, algorithms: readonly string[], now: () => number): RemoteSettings {
  checkMembers(given, RULES_OF_REMOTE, jwtOptionError)
  if (algorithms.includes('HS256')) {
    throw jwtOptionError('HS256 requires a secret key, but keys at a URL are public. Remove HS256 from "algorithms"')
  }
  // Proof: `checkMembers` has checked the other options, and the URL is checked below.
  const { url, timeout = 5_000, onFailure = () => {} } = given as RemoteKeySet
  if (!isSafe(url)) {
    throw jwtOptionError(
      'the URL of "keys" must be a URL object with https: and without credentials. Write "new URL(\'https://…\')"',
    )
  }
  return { url, timeout, onFailure, now }
}

const LOOPBACK: readonly string[] = ['127.0.0.1', '[::1]', 'localhost']

function isSafe(url: unknown): boolean {
  if (!(url instanceof URL) || url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.includes(url.hostname))
}

/** Whether a value is a plain object. A `Uint8Array` has a `keys` method, but is not a key set. */
function isDescription(value: unknown): value is UnknownRecord {
  return isRecord(value) && !(value instanceof KeyObject) && !(value instanceof Uint8Array)
}

function jwtOptionError(why: string): SetupError {
  return new SetupError('JWT_INVALID', `Cannot verify tokens: ${why}`)
}
