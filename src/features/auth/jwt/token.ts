/** Signed tokens: their parts (RFC 7515 section 7.1), and what their claims say to us and now (RFC 7519 section 4.1). */
import { isRecord, type UnknownRecord } from '../../../values/objects.js'
import { discardPromise } from '../../../values/promises.js'
import { invalidToken } from '../authorization.js'

/** What the header of a token says, as far as it is asked. */
export interface JwsHeader {
  readonly alg: string
  readonly kid: string | undefined
  readonly typ: string | undefined
}

/** A token taken apart; nothing in it is verified yet. */
export interface Jws {
  readonly header: JwsHeader
  readonly payload: Buffer
  /** What is signed: header and payload as they were sent. */
  readonly content: Buffer
  readonly signature: Buffer
}

/** As many characters as the default limit of all headers together: none that is longer can come in a header. */
const MAX_TOKEN_LENGTH = 16_384

export function parseJws(token: string): Jws {
  if (token.length > MAX_TOKEN_LENGTH) throw invalidToken('The token is too long')
  const [first = '', second, third, fourth] = token.split('.', 4)
  if (second === undefined || third === undefined || fourth !== undefined) throw tokenSyntaxError()
  return {
    header: parseJwsHeader(decodeBase64Url(first)),
    payload: decodeBase64Url(second),
    content: Buffer.from(`${first}.${second}`, 'latin1'),
    signature: decodeBase64Url(third),
  }
}

/** Only one text is accepted for a sequence of bytes: a list of withdrawn tokens would not know a second one. */
function decodeBase64Url(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw tokenSyntaxError()
  return bytes
}

function parseJwsHeader(bytes: Buffer): JwsHeader {
  const { alg, kid, typ, crit } = parseObject(bytes)
  if (crit !== undefined) throw invalidToken('The token needs an extension that is not known here')
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
    // Refused as what is no object.
  }
  throw tokenSyntaxError()
}

function tokenSyntaxError(): Error {
  return invalidToken('The token is malformed')
}

/** What a token says. Only the registered claims that are checked have a type; look at the others before using them. */
export interface Claims {
  /** Who issued it. */
  readonly iss?: string
  /** Whom it is about. */
  readonly sub?: string
  /** For whom it was issued. */
  readonly aud?: string | readonly string[]
  /** End of its life, in seconds since 1970. */
  readonly exp?: number
  /** Beginning of its life, in seconds since 1970. */
  readonly nbf?: number
  /** When it was issued, in seconds since 1970. */
  readonly iat?: number
  /** Whatever else it says. */
  readonly [claim: string]: unknown
}

/** What claims are held against. */
export interface ClaimRules {
  /** One of these has issued it; `null` when anyone may. */
  readonly issuers: readonly string[] | null
  /** It is for one of these; `null` when only tokens without an audience are accepted. */
  readonly audiences: readonly string[] | null
  /** By how many seconds clocks may differ. */
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

/** Reads the clock of an app. One that returns no number would accept expired tokens: nothing is greater than `NaN`. */
export function readClock(now: () => unknown): number {
  const ms = now()
  if (typeof ms === 'number' && Number.isFinite(ms)) return ms
  discardPromise(ms)
  throw new TypeError('Cannot verify a token: "now" of jwt(…) must return a number. Return ms since 1970')
}

function checkTimes(claims: UnknownRecord, { leeway, needsExpiry, now }: ClaimRules): void {
  const seconds = readClock(now) / 1000
  const expires = timeIn(claims, 'exp')
  const begins = timeIn(claims, 'nbf')
  const issued = timeIn(claims, 'iat')
  if (expires === undefined && needsExpiry) throw invalidToken('The token does not say when it expires')
  if (expires !== undefined && seconds >= expires + leeway) throw invalidToken('The token has expired')
  if (begins !== undefined && seconds < begins - leeway) throw invalidToken('The token is not valid yet')
  if (issued !== undefined && seconds < issued - leeway) throw invalidToken('The token was issued in the future')
}

function timeIn(claims: UnknownRecord, name: string): number | undefined {
  const value = claims[name]
  if (value === undefined || (typeof value === 'number' && Number.isFinite(value))) return value
  throw wrongType()
}

function checkParties({ iss, aud }: UnknownRecord, { issuers, audiences }: ClaimRules): void {
  if (!isOptionalString(iss)) throw wrongType()
  if (issuers !== null && (iss === undefined || !issuers.includes(iss))) {
    throw invalidToken('The token is from another issuer')
  }
  // An application that does not say who it is cannot be the audience of anything (RFC 7519 section 4.1.3).
  if (aud === undefined && audiences === null) return
  const named: readonly unknown[] = aud === undefined ? [] : [aud].flat()
  if (!named.every((audience) => typeof audience === 'string')) throw wrongType()
  if (!named.some((audience) => audiences?.includes(audience))) throw invalidToken('The token is for another audience')
}

function wrongType(): Error {
  return invalidToken('The token holds a claim of the wrong type')
}
