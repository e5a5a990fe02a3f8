/** Signature algorithms of tokens, and the one that each key fits (RFC 7518 section 3, RFC 8037 section 3.1). */
import { createHmac, timingSafeEqual, verify, type KeyObject } from 'node:crypto'

/** An algorithm by which tokens are signed. */
export type JwtAlgorithm = 'HS256' | 'RS256' | 'ES256' | 'EdDSA'

/** A signature, what it stands under, and the key that should have made it. */
export interface Signed {
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

/** Tells whether a signature is right. The algorithm is that of the key, never one that a token has named. */
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

/** The algorithm that a key fits, or why it fits none. */
export type Fit = { readonly algorithm: JwtAlgorithm } | { readonly flaw: string }

/** Finds the one algorithm that a key fits: a public key is never a secret, whatever a token says. */
export function fitOf(key: KeyObject): Fit {
  if (key.type === 'secret') return fitOfSecret(key)
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return fitOfRsa(key)
    case 'ec':
      return fitOfCurve(key)
    case 'ed25519':
      return { algorithm: 'EdDSA' }
    default:
      return { flaw: 'it is of a kind that no algorithm here uses' }
  }
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
