/** Keys that verify tokens, from what an author or a key set gives (RFC 7517). */
import { createPublicKey, createSecretKey, KeyObject, type JsonWebKey } from 'node:crypto'
import { fitOf, type JwtAlgorithm } from './algorithm.js'
import type { JwsHeader } from './jws.js'

/** A key in JSON (RFC 7517), public, or a secret of kind `oct`. */
export interface Jwk {
  /** Kind of the key. */
  readonly kty: string
  /** Id of the key, by which a token names it. */
  readonly kid?: string
  /** What belongs to the kind. */
  readonly [member: string]: unknown
}

/** A key set in JSON (RFC 7517 section 5). */
export interface JwkSet {
  /** Its keys; those that cannot verify a token are passed over. */
  readonly keys: readonly Jwk[]
}

/** One key: a `KeyObject`, the bytes of a secret, or a key in JSON. */
export type JwtKey = KeyObject | Uint8Array | Jwk

/** A key, and the algorithm it is for. */
export interface VerifyKey {
  readonly key: KeyObject
  readonly algorithm: JwtAlgorithm
  readonly kid: string | undefined
}

/** A key, or why there is none. */
export type FoundKey = VerifyKey | { readonly flaw: string }

/** Reads a key. */
export function readKey(given: unknown): FoundKey {
  if (given instanceof KeyObject) return keyed(given.type === 'private' ? createPublicKey(given) : given, undefined)
  if (given instanceof Uint8Array) return keyed(createSecretKey(given), undefined)
  if (isJwk(given)) return readJwk(given)
  return { flaw: 'it is no key' }
}

function isJwk(given: unknown): given is Jwk {
  return typeof given === 'object' && given !== null && 'kty' in given
}

function keyed(key: KeyObject, kid: string | undefined): FoundKey {
  const fit = fitOf(key)
  return 'flaw' in fit ? fit : { key, algorithm: fit.algorithm, kid }
}

function readJwk(jwk: Jwk): FoundKey {
  const { kid, use, key_ops: operations, alg } = jwk
  const given: { readonly kid?: unknown } = jwk
  if (given.kid !== undefined && typeof given.kid !== 'string') return { flaw: 'its "kid" is not a string' }
  if (use !== undefined && use !== 'sig') return { flaw: 'its "use" is not "sig"' }
  if (operations !== undefined && !includesVerify(operations)) return { flaw: 'its "key_ops" do not hold "verify"' }
  const key = importJwk(jwk)
  if (key === null) return { flaw: 'its members do not make a key' }
  const found = keyed(key, kid)
  if ('flaw' in found || alg === undefined || alg === found.algorithm) return found
  return { flaw: `its "alg" is not ${found.algorithm}, the one it fits` }
}

function includesVerify(operations: unknown): boolean {
  return Array.isArray(operations) && operations.includes('verify')
}

function importJwk(jwk: Jwk): KeyObject | null {
  if (jwk.kty === 'oct') return typeof jwk['k'] === 'string' ? createSecretKey(jwk['k'], 'base64url') : null
  try {
    // Proof: what is missing in it, or of another type, makes Node throw.
    return createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' })
  } catch {
    return null
  }
}

/**
 * Chooses the keys that may have signed a token: those it names, else those without a name. A token that names no key
 * is tried with all keys of its algorithm.
 */
export function keysFor(keys: readonly VerifyKey[], { alg, kid }: JwsHeader): readonly VerifyKey[] {
  const fitting = keys.filter(({ algorithm }) => algorithm === alg)
  if (kid === undefined) return fitting
  const named = fitting.filter((key) => key.kid === kid)
  return named.length > 0 ? named : fitting.filter((key) => key.kid === undefined)
}
