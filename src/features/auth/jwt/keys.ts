/** Keys that verify tokens (RFC 7517), each with its only algorithm (RFC 7518 section 3, RFC 8037 section 3.1). */
import { createHmac, createPublicKey, createSecretKey, KeyObject, timingSafeEqual, verify } from 'node:crypto'
import type { JsonWebKey } from 'node:crypto'
import { isObject } from '../../../values/objects.js'
import { valueOr } from '../../../values/quietly.js'
import type { Jws, JwsHeader } from './token.js'

/** JSON Web Key (RFC 7517): a public key, or a secret with `kty` `oct`. */
export interface Jwk {
  /** Key type, such as `EC`. */
  readonly kty: string
  /** Key id. A token selects its key with the same `kid`. */
  readonly kid?: string
  /** Parameters of the key type, and optional ones such as `use`, `key_ops` and `alg`. */
  readonly [member: string]: unknown
}

/** JSON Web Key Set (RFC 7517 section 5). */
export interface JwkSet {
  /** Keys; keys that cannot verify a token are ignored. */
  readonly keys: readonly Jwk[]
}

/** A key: a `KeyObject`, the bytes of a secret, or a JSON Web Key. */
export type JwtKey = KeyObject | Uint8Array | Jwk

export interface VerifyKey {
  readonly key: KeyObject
  readonly algorithm: JwtAlgorithm
  readonly kid: string | undefined
}

/** Reads a key. Returns the reason as a string if the key cannot be used. */
export function readKey(given: unknown): VerifyKey | string {
  if (given instanceof KeyObject) return toVerifyKey(given.type === 'private' ? createPublicKey(given) : given)
  if (given instanceof Uint8Array) return toVerifyKey(createSecretKey(given))
  return isJwk(given) ? readJwk(given) : 'it must be a KeyObject, a Uint8Array or a JWK'
}

function isJwk(given: unknown): given is Jwk {
  return isObject(given) && 'kty' in given
}

/** Finds the algorithm from the type of the key, so that a token cannot use a public key as an HMAC secret. */
function toVerifyKey(key: KeyObject, kid?: string): VerifyKey | string {
  const kind = key.type === 'secret' ? 'secret' : key.asymmetricKeyType
  const algorithm = ALGORITHMS.find((name) => PROFILES[name].kind === kind)
  if (algorithm === undefined) return 'no supported algorithm uses keys of its type'
  return PROFILES[algorithm].flawOf(key) ?? { key, algorithm, kid }
}

function readJwk(jwk: Jwk): VerifyKey | string {
  const { kid, use, key_ops: operations, alg }: { readonly [K in keyof Jwk]: unknown } = jwk
  if (kid !== undefined && typeof kid !== 'string') return 'its "kid" must be a string'
  if (use !== undefined && use !== 'sig') return 'its "use" must be "sig"'
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify'))) {
    return 'its "key_ops" must be an array with "verify"'
  }
  const key = importJwk(jwk)
  if (key === null) return 'its members are not a valid key'
  const verifyKey = toVerifyKey(key, kid)
  if (typeof verifyKey === 'string' || alg === undefined || alg === verifyKey.algorithm) return verifyKey
  return `its "alg" must be ${verifyKey.algorithm}, the algorithm of its type`
}

function importJwk(jwk: Jwk): KeyObject | null {
  if (jwk.kty === 'oct') return typeof jwk['k'] === 'string' ? createSecretKey(jwk['k'], 'base64url') : null
  // Proof: Node throws if a member is missing or has the wrong type.
  return valueOr<KeyObject | null>(() => createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' }), null)
}

/**
 * Returns the keys that may have signed a token: keys with the same `kid`, otherwise keys without one. For a token without `kid`, returns
 * all keys of its algorithm.
 */
export function matchingKeys(keys: readonly VerifyKey[], { alg, kid }: JwsHeader): readonly VerifyKey[] {
  const fitting = keys.filter(({ algorithm }) => algorithm === alg)
  if (kid === undefined) return fitting
  const named = fitting.filter((key) => key.kid === kid)
  return named.length > 0 ? named : fitting.filter((key) => key.kid === undefined)
}

/** Signature algorithm of a token (RFC 7518 section 3.1). */
export type JwtAlgorithm = 'HS256' | 'RS256' | 'ES256' | 'EdDSA'

/** An algorithm: its key type, its requirements for a key, and its verification. */
interface Profile {
  readonly kind: string
  readonly flawOf: (key: KeyObject) => string | null
  readonly isSigned: (key: KeyObject, content: Buffer, signature: Buffer) => boolean
}

const PROFILES: Readonly<Record<JwtAlgorithm, Profile>> = {
  HS256: {
    kind: 'secret',
    flawOf: ({ symmetricKeySize: bytes = 0 }) =>
      bytes < 32 ? `it has ${bytes} bytes, but HS256 requires at least 32` : null,
    isSigned: (key, content, signature) => {
      const mac = createHmac('sha256', key).update(content).digest()
      return signature.length === mac.length && timingSafeEqual(signature, mac)
    },
  },
  RS256: {
    kind: 'rsa',
    flawOf: ({ asymmetricKeyDetails: { modulusLength = 0, publicExponent = 0n } = {} }) => {
      if (modulusLength < 2048) return `it has ${modulusLength} bits, but RS256 requires at least 2048`
      return publicExponent < 3n ? 'its exponent must be at least 3' : null
    },
    isSigned: (key, content, signature) => verify('sha256', content, key, signature),
  },
  ES256: {
    kind: 'ec',
    flawOf: ({ asymmetricKeyDetails: { namedCurve = '' } = {} }) =>
      namedCurve === 'prime256v1' ? null : `its curve is ${namedCurve}, but ES256 requires P-256`,
    isSigned: (key, content, signature) => verify('sha256', content, { key, dsaEncoding: 'ieee-p1363' }, signature),
  },
  EdDSA: {
    kind: 'ed25519',
    flawOf: () => null,
    isSigned: (key, content, signature) => verify(null, content, key, signature),
  },
}

export const ALGORITHMS: readonly JwtAlgorithm[] = ['HS256', 'RS256', 'ES256', 'EdDSA']

/** Whether a key has signed a token. Uses the algorithm of the key, never the `alg` of the token. */
export function hasSigned({ key, algorithm }: VerifyKey, { content, signature }: Jws): boolean {
  return PROFILES[algorithm].isSigned(key, content, signature)
}
