/** Claims: what a token says, and whether it says it to us and now (RFC 7519 section 4.1). */
import { invalidToken } from '../invalid-token.js'

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
  /** It is for one of these; `null` when it may be for nobody in particular. */
  readonly audiences: readonly string[] | null
  /** By how many seconds clocks may differ. */
  readonly leeway: number
  readonly needsExpiry: boolean
  /** The present, in ms since 1970. */
  readonly now: () => number
}

/** Checks the claims of a token whose signature is right. */
export function checkClaims(claims: Readonly<Record<string, unknown>>, rules: ClaimRules): Claims {
  checkTimes(claims, rules)
  checkParties(claims, rules)
  if (claims['sub'] !== undefined && typeof claims['sub'] !== 'string') throw malformed()
  return claims
}

function checkTimes(claims: Readonly<Record<string, unknown>>, { leeway, needsExpiry, now }: ClaimRules): void {
  const seconds = now() / 1000
  const expires = timeIn(claims, 'exp')
  const begins = timeIn(claims, 'nbf')
  const issued = timeIn(claims, 'iat')
  if (expires === undefined && needsExpiry) throw invalidToken('The token does not say when it expires')
  if (expires !== undefined && seconds >= expires + leeway) throw invalidToken('The token has expired')
  if (begins !== undefined && seconds < begins - leeway) throw invalidToken('The token is not valid yet')
  if (issued !== undefined && seconds < issued - leeway) throw invalidToken('The token was issued in the future')
}

function timeIn(claims: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = claims[name]
  if (value === undefined || (typeof value === 'number' && Number.isFinite(value))) return value
  throw malformed()
}

function checkParties({ iss, aud }: Readonly<Record<string, unknown>>, { issuers, audiences }: ClaimRules): void {
  if (iss !== undefined && typeof iss !== 'string') throw malformed()
  if (issuers !== null && (iss === undefined || !issuers.includes(iss))) {
    throw invalidToken('The token is from another issuer')
  }
  // Who does not say who it is cannot be the audience of anything (RFC 7519 section 4.1.3).
  if (aud === undefined && audiences === null) return
  const named = audiencesOf(aud)
  if (!named.some((audience) => audiences?.includes(audience))) throw invalidToken('The token is for another audience')
}

function audiencesOf(aud: unknown): readonly string[] {
  const named: readonly unknown[] = aud === undefined ? [] : [aud].flat()
  if (named.every((audience) => typeof audience === 'string')) return named
  throw malformed()
}

function malformed(): Error {
  return invalidToken('The token holds a claim of the wrong type')
}
