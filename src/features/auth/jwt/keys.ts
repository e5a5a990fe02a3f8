/** Keys that verify or sign tokens (RFC 7517), each with its only algorithm (RFC 7518 section 3, RFC 8037 section 3.1). */
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  KeyObject,
  sign,
  timingSafeEqual,
  verify,
} from 'node:crypto'
import type { JsonWebKey } from 'node:crypto'
import { isObject } from '../../../values/objects.js'
import { valueOr } from '../../../values/value-or.js'
import type { Jws, JwsHeader } from './token.js'

/** JSON Web Key (RFC 7517): a public or private key, or a secret with `kty` `oct`. */
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

/** A key with the only algorithm that it is used for. */
export interface TokenKey {
  readonly key: KeyObject
  readonly algorithm: JwtAlgorithm
  readonly kid: string | undefined
}

/** Reads a key that verifies. Returns the reason as a string if the key cannot be used. */
export function readKey(value: unknown): TokenKey | string {
  if (value instanceof KeyObject) return assignAlgorithm(value.type === 'private' ? createPublicKey(value) : value)
  if (value instanceof Uint8Array) return assignAlgorithm(createSecretKey(value))
  return isJwk(value) ? readJwk(value, 'verify') : NOT_A_KEY
}

const NOT_A_KEY = 'it must be a KeyObject, a Uint8Array or a JWK'

/** Reads a key that signs: a private key or a secret. Returns the reason as a string if the key cannot be used. */
export function readSigningKey(value: unknown): TokenKey | string {
  if (value instanceof KeyObject) return value.type === 'public' ? PUBLIC_KEY : assignAlgorithm(value)
  if (value instanceof Uint8Array) return assignAlgorithm(createSecretKey(value))
  if (!isJwk(value)) return NOT_A_KEY
  if (value.kty !== 'oct' && value['d'] === undefined) return PUBLIC_KEY
  const key = readJwk(value, 'sign')
  return typeof key === 'string' || isPair(key, importJwk(value, 'verify')) ? key : UNPAIRED_KEY
}

const PUBLIC_KEY = 'it is a public key, but only a private key can sign'
const UNPAIRED_KEY = 'its public members do not belong to its private ones'

/** Whether the public members of a JWK verify the signatures of its private ones, which Node does not check. */
function isPair(key: TokenKey, publicKey: KeyObject | null): boolean {
  const content = Buffer.from('test')
  return publicKey !== null && PROFILES[key.algorithm].isSigned(publicKey, content, signContent(key, content))
}

function isJwk(value: unknown): value is Jwk {
  return isObject(value) && 'kty' in value
}

/** Finds the algorithm from the type of the key, so that a token cannot use a public key as an HMAC secret. */
function assignAlgorithm(key: KeyObject, kid?: string): TokenKey | string {
  const kind = key.type === 'secret' ? 'secret' : key.asymmetricKeyType
  const algorithm = ALGORITHMS.find((name) => PROFILES[name].kind === kind)
  if (algorithm === undefined) return 'no supported algorithm uses keys of its type'
  return PROFILES[algorithm].findFault(key) ?? { key, algorithm, kid }
}

function readJwk(jwk: Jwk, operation: 'verify' | 'sign'): TokenKey | string {
  const { kid, use, key_ops: operations, alg }: { readonly [K in keyof Jwk]: unknown } = jwk
  if (kid !== undefined && typeof kid !== 'string') return 'its "kid" must be a string'
  if (use !== undefined && use !== 'sig') return 'its "use" must be "sig"'
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes(operation))) {
    return `its "key_ops" must be an array with "${operation}"`
  }
  const key = importJwk(jwk, operation)
  if (key === null) return 'its members are not a valid key'
  const tokenKey = assignAlgorithm(key, kid)
  if (typeof tokenKey === 'string' || alg === undefined || alg === tokenKey.algorithm) return tokenKey
  return `its "alg" must be ${tokenKey.algorithm}, the algorithm of its type`
}

function importJwk(jwk: Jwk, operation: 'verify' | 'sign'): KeyObject | null {
  if (jwk.kty === 'oct') return typeof jwk['k'] === 'string' ? createSecretKey(jwk['k'], 'base64url') : null
  // Proof: Node throws if a member is missing or has the wrong type.
  const input = { key: jwk as JsonWebKey, format: 'jwk' as const }
  const create = operation === 'sign' ? createPrivateKey : createPublicKey
  return valueOr<KeyObject | null>(() => create(input), null)
}

/**
 * Returns the keys that may have signed a token: keys with the same `kid`, otherwise keys without one. For a token without `kid`, returns
 * all keys of its algorithm.
 */
export function matchingKeys(keys: readonly TokenKey[], { alg, kid }: JwsHeader): readonly TokenKey[] {
  const fitting = keys.filter(({ algorithm }) => algorithm === alg)
  if (kid === undefined) return fitting
  const named = fitting.filter((key) => key.kid === kid)
  return named.length > 0 ? named : fitting.filter((key) => key.kid === undefined)
}

/** Signature algorithm of a token (RFC 7518 section 3.1). */
export type JwtAlgorithm = 'HS256' | 'RS256' | 'ES256' | 'EdDSA'

/** An algorithm: its key type, its requirements for a key, its verification, and its signatures. */
interface Profile {
  readonly kind: string
  readonly findFault: (key: KeyObject) => string | null
  readonly isSigned: (key: KeyObject, content: Buffer, signature: Buffer) => boolean
  readonly sign: (key: KeyObject, content: Buffer) => Buffer
}

const PROFILES: Readonly<Record<JwtAlgorithm, Profile>> = {
  HS256: {
    kind: 'secret',
    findFault: ({ symmetricKeySize: bytes = 0 }) =>
      bytes < 32 ? `it has ${bytes} bytes, but HS256 requires at least 32` : null,
    isSigned: (key, content, signature) => {
      const mac = createHmac('sha256', key).update(content).digest()
      return signature.length === mac.length && timingSafeEqual(signature, mac)
    },
    sign: (key, content) => createHmac('sha256', key).update(content).digest(),
  },
  RS256: {
    kind: 'rsa',
    findFault: ({ asymmetricKeyDetails: { modulusLength = 0, publicExponent = 0n } = {} }) => {
      if (modulusLength < 2048) return `it has ${modulusLength} bits, but RS256 requires at least 2048`
      return publicExponent < 3n ? 'its exponent must be at least 3' : null
    },
    isSigned: (key, content, signature) => verify('sha256', content, key, signature),
    sign: (key, content) => sign('sha256', content, key),
  },
  ES256: {
    kind: 'ec',
    findFault: ({ asymmetricKeyDetails: { namedCurve = '' } = {} }) =>
      namedCurve === 'prime256v1' ? null : `its curve is ${namedCurve}, but ES256 requires P-256`,
    isSigned: (key, content, signature) => verify('sha256', content, { key, dsaEncoding: 'ieee-p1363' }, signature),
    sign: (key, content) => sign('sha256', content, { key, dsaEncoding: 'ieee-p1363' }),
  },
  EdDSA: {
    kind: 'ed25519',
    findFault: () => null,
    isSigned: (key, content, signature) => verify(null, content, key, signature),
    sign: (key, content) => sign(null, content, key),
  },
}

export const ALGORITHMS: readonly JwtAlgorithm[] = ['HS256', 'RS256', 'ES256', 'EdDSA']

/** Whether a key has signed a token. Uses the algorithm of the key, never the `alg` of the token. */
export function hasSigned({ key, algorithm }: TokenKey, { content, signature }: Jws): boolean {
  return PROFILES[algorithm].isSigned(key, content, signature)
}

/** Signs the encoded header and payload of a token. */
export function signContent({ key, algorithm }: TokenKey, content: Buffer): Buffer {
  return PROFILES[algorithm].sign(key, content)
}
