/** Signing of JSON Web Tokens (RFC 7519), the counterpart of `jwt`. */
import { startStackAtCaller } from '../../../errors/author-calls.js'
import {
  anyRule,
  checkOptions,
  functionRule,
  optionError,
  rangeRule,
  mandatory,
  type Rules,
} from '../../../errors/options.js'
import type { SetupError } from '../../../errors/setup-error.js'
import { isPlainRecord, type UnknownRecord } from '../../../values/objects.js'
import { readSigningKey, signContent, type JwtAlgorithm, type JwtKey, type TokenKey } from './keys.js'
import { ALGORITHM_RULE, FILLED, NAMES, TYPE_RULE } from './rules.js'
import { MAX_TOKEN_LENGTH, readClock } from './token.js'

startStackAtCaller(jwtSigner)

/** Options of `jwtSigner`. */
export interface JwtSignerOptions {
  /** Private key, or a secret of at least 32 bytes for HS256: a `KeyObject`, the bytes of a secret, or a JSON Web Key. */
  readonly key: JwtKey
  /** Algorithm of the key. */
  readonly algorithm: JwtAlgorithm
  /** Lifetime of a token in seconds, at most ten years. `exp` is the current time plus this number. */
  readonly expiresIn: number
  /** Value of `iss`. Default: none. */
  readonly issuer?: string
  /** Value of `aud`. Default: none. */
  readonly audience?: string | readonly string[]
  /** `kid` in the header, which selects a key of several. Default: the `kid` of a JSON Web Key, or none. */
  readonly keyId?: string
  /** `typ` in the header, such as `at+jwt`. Default: none. */
  readonly type?: string
  /** Returns the current time in ms since 1970; default `Date.now`. */
  readonly now?: () => number
}

/** Claims of a new token. `exp` and `iat` are set by `jwtSigner`. Any other claim must be a value that JSON can represent. */
export interface NewClaims {
  /** Issuer; not with the option `issuer`. */
  readonly iss?: string
  /** Subject, usually the id of a user. */
  readonly sub?: string
  /** Audience; not with the option `audience`. */
  readonly aud?: string | readonly string[]
  /** Time before which the token is not valid, in seconds since 1970, at most ten years from now. */
  readonly nbf?: number
  /** Id of the token. */
  readonly jti?: string
  /** Set by the option `expiresIn`. */
  readonly exp?: never
  /** Set by the option `now`. */
  readonly iat?: never
  /** Other claims. Anyone who has the token can read them. */
  readonly [claim: string]: unknown
}

/**
 * Signs a token.
 *
 * @param claims a plain object; properties with the value `undefined` are omitted
 * @returns the token in compact serialization (RFC 7515 section 7.1)
 * @throws TypeError if an option already sets a claim, if a registered claim has the wrong type, or if JSON cannot represent a claim, such
 *   as a `Set`, `NaN` or an invalid date
 * @throws RangeError if the token would be longer than 16,384 characters, the maximum that `jwt` accepts
 */
export type JwtSigner = (claims: NewClaims) => string

/**
 * Creates a function that signs tokens. The key is read and checked once. Each token has `iat`, the current time, and `exp`; `jwt` and
 * other libraries can verify it. Tokens are signed, not encrypted: do not put secrets into claims.
 *
 * @param options key, algorithm, lifetime, and constant claims
 * @returns a function that returns a token for claims
 * @throws SetupError `OPTION_INVALID`, for example for a public key, a short secret, or an algorithm that does not fit the key
 *
 * @example
 * ```ts
 * import { generateKeyPairSync } from 'node:crypto'
 * import { jwt } from 'verbena'
 * import { jwtSigner } from 'verbena/auth'
 *
 * const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
 * const issuer = 'https://login.example'
 * const audience = 'https://api.example'
 *
 * const sign = jwtSigner({ key: privateKey, algorithm: 'ES256', expiresIn: 900, issuer, audience })
 * const token = sign({ sub: 'ada' })
 *
 * const verify = jwt({ keys: publicKey, algorithms: ['ES256'], issuer, audience })
 * const claims = await verify(token)
 * claims.sub // => 'ada'
 * ```
 */
export function jwtSigner(options: JwtSignerOptions): JwtSigner {
  const { key, header, constants, expiresIn, now } = checkSignerOptions(options)
  return (claims) => {
    const ownClaims = checkNewClaims(claims, constants)
    const iat = Math.floor(readClock(now, 'sign a token: "now" of jwtSigner(…)') / 1000)
    if (Number(ownClaims['nbf'] ?? 0) > iat + TEN_YEARS)
      throw claimError('the claim "nbf" must be at most ten years from now. Write it in seconds since 1970')
    const payload = encodeClaims({ ...ownClaims, ...constants, iat, exp: iat + expiresIn })
    const content = `${header}.${payload}`
    const token = `${content}.${signContent(key, Buffer.from(content, 'latin1')).toString('base64url')}`
    if (token.length <= MAX_TOKEN_LENGTH) return token
    throw new RangeError(
      `Cannot sign a token: it has ${token.length} characters, more than ${MAX_TOKEN_LENGTH}. Remove claims`,
    )
  }
}

interface SignerSettings {
  readonly key: TokenKey
  /** Encoded header, the same for all tokens. */
  readonly header: string
  /** Claims that options set. */
  readonly constants: UnknownRecord
  readonly expiresIn: number
  readonly now: () => number
}

/** In seconds. A time in ms is always later. */
const TEN_YEARS = 315_360_000

const RULES: Rules<JwtSignerOptions> = {
  key: mandatory(anyRule('createPrivateKey(pem)')),
  algorithm: mandatory(ALGORITHM_RULE),
  expiresIn: mandatory(rangeRule([1, TEN_YEARS], '900', ' of seconds')),
  issuer: FILLED,
  audience: NAMES,
  keyId: { ...FILLED, example: "'k1'" },
  type: TYPE_RULE,
  now: functionRule('() => Date.now()'),
}

function checkSignerOptions(options: JwtSignerOptions): SignerSettings {
  checkOptions(options, RULES, 'jwtSigner()')
  const { algorithm, expiresIn, issuer, audience, keyId, type, now = () => Date.now() } = options
  const key = checkSigningKey(options.key, algorithm)
  if (keyId !== undefined && key.kid !== undefined && key.kid !== keyId) {
    throw optionError('jwtSigner()', 'keyId', 'it differs from the "kid" of the key. Remove it')
  }
  const header = { alg: algorithm, typ: type, kid: keyId ?? key.kid }
  return {
    key,
    header: Buffer.from(JSON.stringify(header)).toString('base64url'),
    constants: {
      ...(issuer === undefined ? {} : { iss: issuer }),
      ...(audience === undefined ? {} : { aud: typeof audience === 'string' ? audience : [...audience] }),
    },
    expiresIn,
    now,
  }
}

function checkSigningKey(keyInput: unknown, algorithm: JwtAlgorithm): TokenKey {
  if (typeof keyInput === 'string') {
    const ways = 'createPrivateKey(pem)" or "createSecretKey(secret, \'utf8\')'
    throw signingKeyError(`it must not be a string. Write "${ways}" of node:crypto`)
  }
  const key = readSigningKey(keyInput)
  const fix = `Pass a key for ${algorithm}`
  if (typeof key === 'string') throw signingKeyError(`${key}. ${fix}`)
  if (key.algorithm === algorithm) return key
  throw signingKeyError(`it is a key for ${key.algorithm}, not for "algorithm". ${fix}`)
}

function signingKeyError(why: string): SetupError {
  return optionError('jwtSigner()', 'key', why)
}

const isText = (value: unknown): boolean => typeof value === 'string'

/** Types of the registered claims (RFC 7519 section 4.1). A token with any other type would be rejected. */
const CLAIM_RULES: readonly (readonly [claim: string, isValid: (value: unknown) => boolean, rest: string])[] = [
  ['iss', isText, 'a string. Pass a string'],
  ['sub', isText, 'a string. Write "sub: String(id)"'],
  [
    'aud',
    (value) => isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText)),
    'a string or a non-empty array of strings. Pass a string',
  ],
  ['nbf', Number.isFinite, 'a number. Write it in seconds since 1970'],
  ['jti', isText, 'a string. Write "jti: randomUUID()"'],
]

/** Returns a copy of the claims, because properties may be getters, which can return another value later. */
function checkNewClaims(newClaims: unknown, constants: UnknownRecord): UnknownRecord {
  if (!isPlainRecord(newClaims)) throw claimError('the claims must be a plain object. Write "sign({ sub })"')
  const claims: UnknownRecord = { ...newClaims }
  const options = { exp: 'expiresIn', iat: 'now', iss: 'issuer', aud: 'audience' }
  for (const [claim, option] of Object.entries(options)) {
    const isSet = claim === 'exp' || claim === 'iat' || claim in constants
    if (!isSet || claims[claim] === undefined) continue
    throw claimError(`the option "${option}" of jwtSigner(…) sets the claim "${claim}". Remove it from the claims`)
  }
  for (const [claim, isValid, rest] of CLAIM_RULES) {
    if (claims[claim] !== undefined && !isValid(claims[claim])) throw claimError(`the claim "${claim}" must be ${rest}`)
  }
  // `JSON.stringify` would write the result of this function instead of the claims.
  if (typeof claims['toJSON'] === 'function') throw claimError('the claims have a function "toJSON". Remove it')
  return claims
}

/** Throws for a value that JSON replaces, omits or empties, such as `NaN`, a function or a `Set`. */
function encodeClaims(claims: UnknownRecord): string {
  let claim = ''
  function check(this: UnknownRecord, key: string, value: unknown): unknown {
    if (this === claims) claim = key
    if (isUnserializable(this, this[key], value)) throw new TypeError('This value has no JSON form')
    return value
  }
  try {
    return Buffer.from(JSON.stringify(claims, check)).toString('base64url')
  } catch (cause) {
    const fix = 'Use strings, finite numbers, booleans, arrays and plain objects'
    throw claimError(`JSON cannot represent the claim "${claim}". ${fix}`, cause)
  }
}

/** @param value `original`, or the result of its `toJSON` */
function isUnserializable(holder: unknown, original: unknown, value: unknown): boolean {
  if (value === undefined) return original !== undefined || Array.isArray(holder)
  if (value === null) return original !== null
  if (typeof value === 'number') return !Number.isFinite(value)
  if (typeof value !== 'object') return typeof value === 'function' || typeof value === 'symbol'
  return !Array.isArray(value) && Object.prototype.toString.call(value) !== '[object Object]'
}

function claimError(why: string, cause?: unknown): TypeError {
  return new TypeError(`Cannot sign a token: ${why}`, { cause })
}
