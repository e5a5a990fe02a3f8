/** Passwords as scrypt hashes (RFC 7914). */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify<string, Buffer, number, Buffer>(scrypt)
const BYTES = 32

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password, salt, BYTES)
  return `${salt.toString('base64url')}.${hash.toString('base64url')}`
}

/** Takes the same time without an account, so that the time does not reveal whether an account exists. */
export async function isPassword(password: string, stored = NOBODY): Promise<boolean> {
  const [salt = '', hash = ''] = stored.split('.')
  const known = Buffer.from(hash, 'base64url')
  const given = await derive(password, Buffer.from(salt, 'base64url'), BYTES)
  return known.byteLength === BYTES && timingSafeEqual(given, known)
}

const NOBODY = await hashPassword(randomBytes(16).toString('hex'))
