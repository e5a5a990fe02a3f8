/** Keys that verify tokens (RFC 7517), and the one algorithm that each fits (RFC 7518 section 3, RFC 8037 section 3.1). */
import {
  createHmac,
  createPublicKey,
  createSecretKey,
  type JsonWebKey,
  KeyObject,
  timingSafeEqual,
  verify,
} from 'node:crypto'
import { isObject } from '../../values/objects.js'
import type { JwsHeader } from './token.js'

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

/** Why a key cannot be used. */
interface Flaw {
  readonly flaw: string
}

export function readKey(given: unknown): VerifyKey | Flaw {
  if (given instanceof KeyObject) return keyed(given.type === 'private' ? createPublicKey(given) : given, undefined)
  if (given instanceof Uint8Array) return keyed(createSecretKey(given), undefined)
  if (isJwk(given)) return readJwk(given)
  return { flaw: 'it is no key' }
}

function isJwk(given: unknown): given is Jwk {
  return isObject(given) && 'kty' in given
}

function keyed(key: KeyObject, kid: string | undefined): VerifyKey | Flaw {
  const fit = fitOf(key)
  return 'flaw' in fit ? fit : { key, algorithm: fit.algorithm, kid }
}

function readJwk(jwk: Jwk): VerifyKey | Flaw {
  const { kid, use, key_ops: operations, alg } = jwk
  const given: { readonly kid?: unknown } = jwk
  if (given.kid !== undefined && typeof given.kid !== 'string') return { flaw: 'its "kid" is not a string' }
  if (use !== undefined && use !== 'sig') return { flaw: 'its "use" is not "sig"' }
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify'))) {
    return { flaw: 'its "key_ops" do not hold "verify"' }
  }
  const key = importJwk(jwk)
  if (key === null) return { flaw: 'its members do not make a key' }
  const found = keyed(key, kid)
  if ('flaw' in found || alg === undefined || alg === found.algorithm) return found
  return { flaw: `its "alg" is not ${found.algorithm}, the one it fits` }
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

/** An algorithm by which tokens are signed. */
export type JwtAlgorithm = 'HS256' | 'RS256' | 'ES256' | 'EdDSA'

/** A signature, what it stands under, and the key that should have made it. */
interface Signed {
  readonly key: KeyObject
  readonly content: Buffer
  readonly signature: Buffer
}

const VERIFIERS: Readonly<Record<JwtAlgorithm, (signed: Signed) => boolean>> = {
  HS256: hasOurMac,
  RS256: ({ key, content, signature }) => verify('sha256', content, key, signature),
  ES256: ({ key, content, signature }) => verify('sha256', content, { key, dsaEncoding: 'ieee-p1363' }, signature),
  EdDSA: ({ key, content, signature }) => verify(null, content, key, signature),
}

/** Every algorithm that can be allowed. */
export const ALGORITHMS: readonly string[] = Object.keys(VERIFIERS)

/** Whether a signature is right. The algorithm is that of the key, never one that a token has named. */
export function isSignedBy(algorithm: JwtAlgorithm, signed: Signed): boolean {
  return VERIFIERS[algorithm](signed)
}

function hasOurMac({ key, content, signature }: Signed): boolean {
  const mac = createHmac('sha256', key).update(content).digest()
  return signature.length === mac.length && timingSafeEqual(signature, mac)
}

const SECRET_BYTES = 32
const RSA_BITS = 2048
const RSA_EXPONENT = 3n

type Fit = Flaw | { readonly algorithm: JwtAlgorithm }

/** A public key is never a secret, whatever a token says. */
function fitOf(key: KeyObject): Fit {
  if (key.type === 'secret') return fitOfSecret(key)
  if (key.asymmetricKeyType === 'rsa') return fitOfRsa(key)
  if (key.asymmetricKeyType === 'ec') return fitOfCurve(key)
  if (key.asymmetricKeyType === 'ed25519') return { algorithm: 'EdDSA' }
  return { flaw: 'it is of a kind that no algorithm here uses' }
}

function fitOfSecret({ symmetricKeySize = 0 }: KeyObject): Fit {
  if (symmetricKeySize >= SECRET_BYTES) return { algorithm: 'HS256' }
  return { flaw: `it has ${symmetricKeySize} bytes, and HS256 needs ${SECRET_BYTES}` }
}

function fitOfRsa({ asymmetricKeyDetails: { modulusLength = 0, publicExponent = 0n } = {} }: KeyObject): Fit {
  if (modulusLength < RSA_BITS) return { flaw: `it has ${modulusLength} bits, and RS256 needs ${RSA_BITS}` }
  return publicExponent < RSA_EXPONENT ? { flaw: 'its exponent is 1' } : { algorithm: 'RS256' }
}

function fitOfCurve({ asymmetricKeyDetails: { namedCurve = '' } = {} }: KeyObject): Fit {
  if (namedCurve === 'prime256v1') return { algorithm: 'ES256' }
  return { flaw: `its curve is ${namedCurve}, and ES256 needs P-256` }
}
