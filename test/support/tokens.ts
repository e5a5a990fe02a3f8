/** Keys and tokens for the tests of `jwt`: sound ones are made by jose, all others part by part. */
import { createHmac, createSecretKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { SignJWT, type JWTPayload } from 'jose'
import { HttpError } from 'verbena'

/** The present of these tests, in ms. */
export const NOW = 1_800_000_000_000
/** The same in the seconds of claims. */
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

/** A token that jose has signed. */
export function signToken(alg: string, claims: JWTPayload = CLAIMS, header: object = {}): Promise<string> {
  const key = SIGNERS[alg]
  if (key === undefined) throw new Error(`No key for ${alg}`)
  return new SignJWT(claims).setProtectedHeader({ ...header, alg }).sign(key)
}

/** One part of a token: JSON in base64url. */
export function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** A token of any parts, with whatever signature. */
export function forgeToken(header: unknown, claims: unknown, signer: (content: Buffer) => Buffer): string {
  return sealToken(`${part(header)}.${part(claims)}`, signer)
}

/** Any two parts, and a signature of them. */
export function sealToken(content: string, signer: (content: Buffer) => Buffer): string {
  return `${content}.${signer(Buffer.from(content)).toString('base64url')}`
}

export function hmac(secret: Buffer | string): (content: Buffer) => Buffer {
  return (content) => createHmac('sha256', secret).update(content).digest()
}

export function ecdsa(key: KeyObject = EC.privateKey): (content: Buffer) => Buffer {
  return (content) => sign('sha256', content, { key, dsaEncoding: 'ieee-p1363' })
}

/** A refusal, as it is compared in the tests. */
export interface Refusal {
  readonly status: number
  readonly detail: string | undefined
  readonly challenge: string | undefined
}

/** What a token is refused with; `null` when it is accepted. */
export async function readRefusal(verify: () => unknown): Promise<Refusal | null> {
  try {
    await verify()
    return null
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    return { status: error.status, detail: error.detail, challenge: error.headers['www-authenticate'] }
  }
}
