/** Parsing of signed tokens (RFC 7515 section 7.1), and checks of their claims (RFC 7519 section 4.1). */
import { isRecord, type UnknownRecord } from '../../../values/objects.js'
import { discardPromise } from '../../../values/promises.js'
import { invalidToken } from '../authorization.js'

/** Header parameters that Verbena reads. */
export interface JwsHeader {
  readonly alg: string
  readonly kid: string | undefined
  readonly typ: string | undefined
}

/** A parsed token, not verified yet. */
export interface Jws {
  readonly header: JwsHeader
  readonly payload: Buffer
  /** The signed bytes: encoded header and payload, as they were sent. */
  readonly content: Buffer
  readonly signature: Buffer
}

/** Maximum number of characters. The same as the default limit of all headers, so a longer token cannot arrive in a header. */
export const MAX_TOKEN_LENGTH = 16_384

export function parseJws(token: string): Jws {
  if (token.length > MAX_TOKEN_LENGTH) throw invalidToken('The token is too long', 'malformed')
  const [first = '', second, third, fourth] = token.split('.', 4)
  if (second === undefined || third === undefined || fourth !== undefined) throw tokenSyntaxError()
  return {
    header: parseJwsHeader(decodeBase64Url(first)),
    payload: decodeBase64Url(second),
    content: Buffer.from(`${first}.${second}`, 'latin1'),
    signature: decodeBase64Url(third),
  }
}

/** Decodes base64url. Rejects other encodings of the same bytes, because they would bypass a list of revoked tokens. */
function decodeBase64Url(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw tokenSyntaxError()
  return bytes
}

function parseJwsHeader(bytes: Buffer): JwsHeader {
  const { alg, kid, typ, crit } = parseObject(bytes)
  if (crit !== undefined) throw invalidToken('The token requires an unknown extension', 'rejected')
  if (typeof alg !== 'string' || !isOptionalString(kid) || !isOptionalString(typ)) throw tokenSyntaxError()
  return { alg, kid, typ }
}

function isOptionalString(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string'
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function parseObject(bytes: Buffer): UnknownRecord {
  try {
    const value: unknown = JSON.parse(UTF8.decode(bytes))
    if (isRecord(value)) return value
  } catch {
    // Rejected below, like JSON that is not an object.
  }
  throw tokenSyntaxError()
}

function tokenSyntaxError(): Error {
  return invalidToken('The token is malformed', 'malformed')
}

/** Claims of a token. Only the registered claims below are checked; validate other claims before you use them. */
export interface Claims {
  /** Issuer. */
  readonly iss?: string
  /** Subject, usually the id of a user. */
  readonly sub?: string
  /** Audience: the services that may accept the token. */
  readonly aud?: string | readonly string[]
  /** Expiration time, in seconds since 1970. */
  readonly exp?: number
  /** Time before which the token is not valid, in seconds since 1970. */
  readonly nbf?: number
  /** Time of issue, in seconds since 1970. */
  readonly iat?: number
  /** Other claims, not checked. */
  readonly [claim: string]: unknown
}

/** Rules for the claims of a token. */
export interface ClaimRules {
  /** Accepted issuers; `null` accepts any. */
  readonly issuers: readonly string[] | null
  /** Accepted audiences; `null` accepts only tokens without an audience. */
  readonly audiences: readonly string[] | null
  /** Allowed clock difference in seconds. */
  readonly leeway: number
  readonly needsExpiry: boolean
  readonly now: () => number
}

export function checkClaims(claims: UnknownRecord, rules: ClaimRules): Claims {
  checkTimes(claims, rules)
  checkParties(claims, rules)
  if (!isOptionalString(claims['sub'])) throw wrongType()
  return claims
}

/** Reads the clock. Throws unless it returns a finite number, because with `NaN` no token would ever expire. */
export function readClock(now: () => unknown, use: string = 'verify a token: "now" of jwt(…)'): number {
  const ms = now()
  if (typeof ms === 'number' && Number.isFinite(ms)) return ms
  discardPromise(ms)
  throw new TypeError(`Cannot ${use} must return a number. Return ms since 1970`)
}

function checkTimes(claims: UnknownRecord, { leeway, needsExpiry, now }: ClaimRules): void {
  const seconds = readClock(now) / 1000
  const expires = readTimeClaim(claims, 'exp')
  const begins = readTimeClaim(claims, 'nbf')
  const issued = readTimeClaim(claims, 'iat')
  if (expires === undefined && needsExpiry) throw invalidToken('The token has no expiration time', 'rejected')
  if (expires !== undefined && seconds >= expires + leeway) throw invalidToken('The token has expired', 'expired')
  if (begins !== undefined && seconds < begins - leeway) throw invalidToken('The token is not valid yet', 'rejected')
  if (issued !== undefined && seconds < issued - leeway)
    throw invalidToken('The token was issued in the future', 'rejected')
}

function readTimeClaim(claims: UnknownRecord, name: string): number | undefined {
  const value = claims[name]
  if (value === undefined || (typeof value === 'number' && Number.isFinite(value))) return value
  throw wrongType()
}

function checkParties({ iss, aud }: UnknownRecord, { issuers, audiences }: ClaimRules): void {
  if (!isOptionalString(iss)) throw wrongType()
  if (issuers !== null && (iss === undefined || !issuers.includes(iss))) {
    throw invalidToken('The token is from another issuer', 'rejected')
  }
  // Without the `audience` option, only tokens without `aud` are accepted (RFC 7519 section 4.1.3).
  if (aud === undefined && audiences === null) return
  const named: readonly unknown[] = aud === undefined ? [] : [aud].flat()
  if (!named.every((audience) => typeof audience === 'string')) throw wrongType()
  if (!named.some((audience) => audiences?.includes(audience)))
    throw invalidToken('The token is for another audience', 'rejected')
}

function wrongType(): Error {
  return invalidToken('The token contains a claim of the wrong type', 'malformed')
}
