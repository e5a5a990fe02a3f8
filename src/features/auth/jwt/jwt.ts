/** JSON Web Tokens: verified by keys and algorithms that the application has chosen (RFC 7519, RFC 8725). */
import { startStackAtCaller } from '../../../errors/author-calls.js'
import { invalidToken } from '../authorization.js'
import { hasSigned, keysFor, ALGORITHMS, readKey } from './keys.js'
import type { VerifyKey, JwkSet, JwtAlgorithm, JwtKey } from './keys.js'
import { checkClaims, type Claims, type Jws, type JwsHeader, parseJws, parseObject, type ClaimRules } from './token.js'
import { RemoteKeys, type RemoteKeySet, type RemoteSettings } from './remote-keys.js'
import { KeyObject } from 'node:crypto'
import { SetupError } from '../../../errors/setup-error.js'
import { ANYTHING, checkMembers, rule, type Rule, type Rules } from '../../../errors/known-keys.js'
import { isRecord, type UnknownRecord } from '../../../values/objects.js'

startStackAtCaller(jwt)

/**
 * Verifies a token.
 *
 * @param token as sent
 * @returns its claims; a promise of them where a key has to be fetched first
 * @throws HttpError 401 when the token is refused, 503 when there are no keys to check it with
 */
export type JwtVerifier = (token: string) => Claims | Promise<Claims>

/**
 * Makes a function that verifies tokens, for `bearer` or to be called by hand. It accepts a token that one of the keys has signed by
 * one of the algorithms, that has not expired, and that is from the issuer and for the audience. No answer or log shows a refused one.
 *
 * @param options algorithms, keys, and what the claims must be
 * @returns the function; it gives the claims, or throws an HTTP error 401 that says which check has failed
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
 * // What the issuer does, in another program.
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
    const keys = keySource instanceof RemoteKeys ? keySource.find(jws.header) : keysFor(keySource, jws.header)
    if (keys instanceof Promise) return keys.then((found) => verifyClaims(jws, found, settings))
    return verifyClaims(jws, keys, settings)
  }
}

function checkHeader({ alg, typ }: JwsHeader, { algorithms, type }: JwtSettings): void {
  if (!algorithms.includes(alg)) throw invalidToken('The algorithm of the token is not accepted')
  const tokenType = typ === undefined ? null : plainType(typ)
  if (type !== null && tokenType !== type) throw invalidToken('The token is of another type')
}

function verifyClaims(jws: Jws, keys: readonly VerifyKey[], { rules }: JwtSettings): Claims {
  if (!keys.some((key) => hasSigned(key, jws))) throw invalidToken('The token is not signed by a key that is known')
  return checkClaims(parseObject(jws.payload), rules)
}

/** Which tokens are accepted. */
export interface JwtOptions {
  /** The algorithms that are accepted; a token never has a say in this. */
  readonly algorithms: readonly JwtAlgorithm[]
  /** The keys that sign: one or more of them, a key set, or the URL of one. */
  readonly keys: JwtKey | readonly JwtKey[] | JwkSet | URL | RemoteKeySet
  /** Who issues tokens; from anyone who has the key unless given. */
  readonly issuer?: string | readonly string[]
  /** Whom tokens must be for; unless given, those that name anybody are refused. */
  readonly audience?: string | readonly string[]
  /** By how many seconds the clocks of issuer and application may differ; 5 unless given. */
  readonly leeway?: number
  /** Whether a token must say when it expires; `'required'` unless given. */
  readonly expiry?: 'required' | 'optional'
  /** What `typ` in the header of a token must be, such as `at+jwt`; not looked at unless given. */
  readonly type?: string
  /** The present, in ms since 1970; `Date.now` unless given. */
  readonly now?: () => number
}

interface JwtSettings {
  readonly algorithms: readonly string[]
  /** In the form of `plainType`; `null` when it is not looked at. */
  readonly type: string | null
  readonly rules: ClaimRules
  readonly keys: readonly VerifyKey[] | RemoteSettings
}

const RULES: Rules = {
  ...{ algorithms: ANYTHING, keys: ANYTHING },
  issuer: namesRule('issuer'),
  audience: namesRule('audience'),
  leeway: rangeRule('leeway', [0, 600], 'seconds'),
  expiry: rule(
    (value) => value === 'required' || value === 'optional',
    `"expiry" is neither 'required' nor 'optional'. Write one of them`,
  ),
  type: rule(isFilled, `"type" is not a text. Write "type: 'at+jwt'", or leave it out`),
  now: rule(isFunction, '"now" is not a function. Write "now: () => ms since 1970"'),
}

const RULES_OF_REMOTE: Rules = {
  url: ANYTHING,
  timeout: rangeRule('timeout', [1, 60_000], 'ms'),
  onFailure: rule(isFunction, '"onFailure" is not a function. Write "onFailure: (error) => …"'),
}

export function checkJwtOptions(given: JwtOptions): JwtSettings {
  if (!isDescription(given)) throw jwtOptionError('its options are no record. Write "jwt({ algorithms, keys })"')
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
  const hint = `Known are ${ALGORITHMS.join(', ')}`
  if (!Array.isArray(given) || given.length === 0) {
    throw jwtOptionError(`"algorithms" does not list what is accepted. Write "algorithms: ['ES256']". ${hint}`)
  }
  const unknown: unknown = given.find((algorithm) => !ALGORITHMS.includes(algorithm))
  if (unknown === undefined) return
  throw jwtOptionError(`"algorithms" lists ${JSON.stringify(unknown)}, which is not one of them. ${hint}`)
}

function namesRule(option: string): Rule {
  return rule((given) => {
    const names: readonly unknown[] = [given].flat()
    return names.length > 0 && names.every(isFilled)
  }, `"${option}" is not a text, or a list of texts. Leave it out, or name at least one`)
}

function rangeRule(option: string, [least, most]: readonly [number, number], unit: string): Rule {
  return (given) => {
    if (typeof given === 'number' && given >= least && given <= most) return null
    return `"${option}" is ${String(given)}. Give ${unit}, from ${least} to ${most}`
  }
}

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

function acceptedNames(given: string | readonly string[] | undefined): readonly string[] | null {
  return given === undefined ? null : [given].flat()
}

/** A `typ` in the form in which two are compared (RFC 7515 section 4.1.9): lower case, without `application/`. */
function plainType(type: string): string {
  return type.toLowerCase().replace(/^application\//, '')
}

function readKeys(given: unknown, algorithms: readonly string[], now: () => number): JwtSettings['keys'] {
  if (given instanceof URL) return readRemote({ url: given }, algorithms, now)
  if (isDescription(given) && 'url' in given) return readRemote(given, algorithms, now)
  if (isDescription(given) && 'keys' in given) return readSet(given['keys'], algorithms)
  const list: readonly unknown[] = [given].flat()
  if (list.length === 0) throw jwtOptionError('"keys" is empty. Give at least one key')
  return list.map((key) => readSingleKey(key, algorithms))
}

/** A text could be a secret, a key in PEM or a URL; guessing wrong would be a hole. */
function readSingleKey(given: unknown, algorithms: readonly string[]): VerifyKey {
  if (typeof given === 'string') {
    const ways = 'createPublicKey(pem)" or "createSecretKey(secret, \'utf8\')" of node:crypto, or "new URL(…)'
    throw jwtOptionError(`a key is a text. Write "${ways}"`)
  }
  const key = readKey(given)
  const kinds = 'Give a key for one of the "algorithms"'
  if (typeof key === 'string') throw jwtOptionError(`a key cannot be used: ${key}. ${kinds}`)
  if (algorithms.includes(key.algorithm)) return key
  throw jwtOptionError(`a key is for ${key.algorithm}, which "algorithms" does not list. ${kinds}`)
}

function readSet(given: unknown, algorithms: readonly string[]): readonly VerifyKey[] {
  const keys = Array.isArray(given) ? given.map(readKey) : []
  const usable = keys.flatMap((key) => (typeof key === 'string' || !algorithms.includes(key.algorithm) ? [] : [key]))
  if (usable.length > 0) return usable
  throw jwtOptionError('the key set holds no key that can be used. Give a set with a key for one of the "algorithms"')
}

function readRemote(given: object, algorithms: readonly string[], now: () => number): RemoteSettings {
  checkMembers(given, RULES_OF_REMOTE, jwtOptionError)
  if (algorithms.includes('HS256')) {
    throw jwtOptionError('what stands at a URL is no secret, and HS256 needs one. Leave HS256 out of "algorithms"')
  }
  // Proof: its members follow the rules; the URL is checked next.
  const { url, timeout = 5_000, onFailure = () => {} } = given as RemoteKeySet
  if (!isSafe(url)) {
    throw jwtOptionError('the URL of "keys" cannot be used. Give "new URL(\'https://…\')", without a password in it')
  }
  return { url, timeout, onFailure, now }
}

const LOOPBACK: readonly string[] = ['127.0.0.1', '[::1]', 'localhost']

function isSafe(url: unknown): boolean {
  if (!(url instanceof URL) || url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.includes(url.hostname))
}

/** Bytes have a method `keys`, and are no set of them. */
function isDescription(value: unknown): value is UnknownRecord {
  return isRecord(value) && !(value instanceof KeyObject) && !(value instanceof Uint8Array)
}

function jwtOptionError(why: string): SetupError {
  return new SetupError('JWT_INVALID', `Cannot verify tokens: ${why}`)
}
