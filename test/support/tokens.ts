/** Keys and tokens for the tests of `jwt`. jose signs the valid tokens; invalid ones are built part by part. */
import { createHmac, createSecretKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { SignJWT, type JWTPayload } from 'jose'
import { HttpError } from 'verbena'

/** Current time in these tests, in ms. */
export const NOW = 1_800_000_000_000
/** Current time in seconds, as in claims. */
export const SECONDS = NOW / 1000

export const SECRET: Buffer = Buffer.from('0123456789abcdef0123456789abcdef')
export const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 })
export const EC = generateKeyPairSync('ec', { namedCurve: 'P-256' })
export const ED = generateKeyPairSync('ed25519')

/** Claims that every check accepts. */
export const CLAIMS: JWTPayload = {
  sub: 'ada',
  iss: 'issuer',
  aud: 'api',
  iat: SECONDS,
  nbf: SECONDS,
  exp: SECONDS + 60,
}

const SIGNERS: Readonly<Record<string, KeyObject>> = {
  HS256: createSecretKey(SECRET),
  RS256: RSA.privateKey,
  ES256: EC.privateKey,
  EdDSA: ED.privateKey,
}

/** Signs a token with jose. */
export function signToken(alg: string, claims: JWTPayload = CLAIMS, header: object = {}): Promise<string> {
  const key = SIGNERS[alg]
  if (key === undefined) throw new Error(`No key for ${alg}`)
  return new SignJWT(claims).setProtectedHeader({ ...header, alg }).sign(key)
}

/** Encodes a part of a token as base64url JSON. */
export function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** Builds a token from any header and claims, with any signature. */
export function forgeToken(header: unknown, claims: unknown, signer: (content: Buffer) => Buffer): string {
  return sealToken(`${part(header)}.${part(claims)}`, signer)
}

/** Appends a signature to two encoded parts. */
export function sealToken(content: string, signer: (content: Buffer) => Buffer): string {
  return `${content}.${signer(Buffer.from(content)).toString('base64url')}`
}

export function hmac(secret: Buffer | string): (content: Buffer) => Buffer {
  return (content) => createHmac('sha256', secret).update(content).digest()
}

export function ecdsa(key: KeyObject = EC.privateKey): (content: Buffer) => Buffer {
  return (content) => sign('sha256', content, { key, dsaEncoding: 'ieee-p1363' })
}

/** The compared parts of a rejection. */
export interface Refusal {
  readonly status: number
  readonly detail: string | undefined
  readonly challenge: string | undefined
}

/** Returns the rejection of a token; `null` if it is accepted. */
export async function readTokenError(verify: () => unknown): Promise<Refusal | null> {
  try {
    await verify()
    return null
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    return { status: error.status, detail: error.detail, challenge: error.headers['www-authenticate'] }
  }
}
