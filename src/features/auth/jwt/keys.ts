/** Keys that verify tokens (RFC 7517), and the one algorithm that each fits (RFC 7518 section 3, RFC 8037 section 3.1). */
import { createHmac, createPublicKey, createSecretKey, KeyObject, timingSafeEqual, verify } from 'node:crypto'
import type { JsonWebKey } from 'node:crypto'
import { isObject } from '../../../values/objects.js'
import { valueOr } from '../../../values/quietly.js'
import type { Jws, JwsHeader } from './token.js'

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

export interface VerifyKey {
  readonly key: KeyObject
  readonly algorithm: JwtAlgorithm
  readonly kid: string | undefined
}

/** Reads a key; a text says why it cannot be used. */
export function readKey(given: unknown): VerifyKey | string {
  if (given instanceof KeyObject) return toVerifyKey(given.type === 'private' ? createPublicKey(given) : given)
  if (given instanceof Uint8Array) return toVerifyKey(createSecretKey(given))
  return isJwk(given) ? readJwk(given) : 'it is no key'
}

function isJwk(given: unknown): given is Jwk {
  return isObject(given) && 'kty' in given
}

/** A public key is never a secret, whatever a token says. */
function toVerifyKey(key: KeyObject, kid?: string): VerifyKey | string {
  const kind = key.type === 'secret' ? 'secret' : key.asymmetricKeyType
  const algorithm = ALGORITHMS.find((name) => PROFILES[name].kind === kind)
  if (algorithm === undefined) return 'it is of a kind that no algorithm here uses'
  return PROFILES[algorithm].flawOf(key) ?? { key, algorithm, kid }
}

function readJwk(jwk: Jwk): VerifyKey | string {
  const { kid, use, key_ops: operations, alg }: { readonly [K in keyof Jwk]: unknown } = jwk
  if (kid !== undefined && typeof kid !== 'string') return 'its "kid" is not a string'
  if (use !== undefined && use !== 'sig') return 'its "use" is not "sig"'
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify'))) {
    return 'its "key_ops" do not hold "verify"'
  }
  const key = importJwk(jwk)
  if (key === null) return 'its members do not make a key'
  const verifyKey = toVerifyKey(key, kid)
  if (typeof verifyKey === 'string' || alg === undefined || alg === verifyKey.algorithm) return verifyKey
  return `its "alg" is not ${verifyKey.algorithm}, the one it fits`
}

function importJwk(jwk: Jwk): KeyObject | null {
  if (jwk.kty === 'oct') return typeof jwk['k'] === 'string' ? createSecretKey(jwk['k'], 'base64url') : null
  // Proof: what is missing in it, or of another type, makes Node throw.
  return valueOr<KeyObject | null>(() => createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' }), null)
}

/** The keys that may have signed a token: those it names, else those without a name; all of its algorithm when it names none. */
export function keysFor(keys: readonly VerifyKey[], { alg, kid }: JwsHeader): readonly VerifyKey[] {
  const fitting = keys.filter(({ algorithm }) => algorithm === alg)
  if (kid === undefined) return fitting
  const named = fitting.filter((key) => key.kid === kid)
  return named.length > 0 ? named : fitting.filter((key) => key.kid === undefined)
}

/** An algorithm by which tokens are signed. */
export type JwtAlgorithm = 'HS256' | 'RS256' | 'ES256' | 'EdDSA'

/** What an algorithm asks of a key, and how it verifies. */
interface Profile {
  readonly kind: string
  readonly flawOf: (key: KeyObject) => string | null
  readonly isSigned: (key: KeyObject, content: Buffer, signature: Buffer) => boolean
}

const PROFILES: Readonly<Record<JwtAlgorithm, Profile>> = {
  HS256: {
    kind: 'secret',
    flawOf: ({ symmetricKeySize: bytes = 0 }) => (bytes < 32 ? `it has ${bytes} bytes, and HS256 needs 32` : null),
    isSigned: (key, content, signature) => {
      const mac = createHmac('sha256', key).update(content).digest()
      return signature.length === mac.length && timingSafeEqual(signature, mac)
    },
  },
  RS256: {
    kind: 'rsa',
    flawOf: ({ asymmetricKeyDetails: { modulusLength = 0, publicExponent = 0n } = {} }) => {
      if (modulusLength < 2048) return `it has ${modulusLength} bits, and RS256 needs 2048`
      return publicExponent < 3n ? 'its exponent is 1' : null
    },
    isSigned: (key, content, signature) => verify('sha256', content, key, signature),
  },
  ES256: {
    kind: 'ec',
    flawOf: ({ asymmetricKeyDetails: { namedCurve = '' } = {} }) =>
      namedCurve === 'prime256v1' ? null : `its curve is ${namedCurve}, and ES256 needs P-256`,
    isSigned: (key, content, signature) => verify('sha256', content, { key, dsaEncoding: 'ieee-p1363' }, signature),
  },
  EdDSA: {
    kind: 'ed25519',
    flawOf: () => null,
    isSigned: (key, content, signature) => verify(null, content, key, signature),
  },
}

export const ALGORITHMS: readonly JwtAlgorithm[] = ['HS256', 'RS256', 'ES256', 'EdDSA']

/** Whether a key has signed a token. The algorithm is that of the key, never one that a token has named. */
export function hasSigned({ key, algorithm }: VerifyKey, { content, signature }: Jws): boolean {
  return PROFILES[algorithm].isSigned(key, content, signature)
}
