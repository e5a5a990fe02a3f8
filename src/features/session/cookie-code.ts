/** Signed and sealed (encrypted) cookie content, with an expiry time. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { valueOr } from '../../values/value-or.js'

/** Content of a cookie, and its expiry time in ms since 1970. */
export interface DecodedCookie {
  readonly content: Buffer
  readonly end: number
}

/** Encodes and decodes the content of a cookie. */
export interface CookieCode {
  /** Returns only letters, digits, `-` and `_`. */
  write(written: DecodedCookie): string
  /** Returns `undefined` if the string was written without one of the keys, for another cookie, or has expired. */
  read(text: string): DecodedCookie | undefined
}

/** Strings from which keys are derived. The first string writes cookies; all strings read them. */
export type Keys = readonly [string, ...string[]]

/** Derives a separate key for each purpose and cookie, so that one cookie cannot be used in place of another. */
function deriveCookieKey(key: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `verbena ${purpose}`, KEY_BYTES))
}

const KEY_BYTES = 32

/** Protects bytes with a key. */
interface Protection {
  close(bytes: Buffer, key: Buffer): Buffer
  /** Throws or returns `undefined` unless the bytes were protected with this key. */
  open(bytes: Buffer, key: Buffer): Buffer | undefined
}

const MAC_BYTES = 32

/** The bytes, followed by their HMAC-SHA-256 (RFC 2104). */
const SIGNED: Protection = {
  close: (bytes, key) => Buffer.concat([bytes, computeMac(bytes, key)]),
  open: (bytes, key) => {
    const content = bytes.subarray(0, -MAC_BYTES)
    // `timingSafeEqual` throws if the lengths differ.
    return timingSafeEqual(computeMac(content, key), bytes.subarray(-MAC_BYTES)) ? content : undefined
  },
}

function computeMac(bytes: Buffer, key: Buffer): Buffer {
  return createHmac('sha256', key).update(bytes).digest()
}

const NONCE_BYTES = 12
const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'

/** AES-256-GCM (NIST SP 800-38D): a random nonce, the ciphertext and the authentication tag. */
const SEALED: Protection = {
  close: (bytes, key) => {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(CIPHER, key, nonce)
    return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
  },
  open: (bytes, key) => {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
  },
}

/** Creates a code for signed content, which the client can read but not change. */
export function signedCode(keys: Keys, purpose: string): CookieCode {
  return createCookieCode(SIGNED, keys, `signed ${purpose}`)
}

/** Creates a code for sealed content, which the client can neither read nor change. */
export function sealedCode(keys: Keys, purpose: string): CookieCode {
  return createCookieCode(SEALED, keys, `sealed ${purpose}`)
}

const END_BYTES = 6
/** Latest expiry time that fits into `END_BYTES`, in the year 10889. */
const MAX_EXPIRY = 2 ** 48 - 1

function createCookieCode({ close, open }: Protection, [first, ...others]: Keys, purpose: string): CookieCode {
  const key = deriveCookieKey(first, purpose)
  const all = [key, ...others.map((other) => deriveCookieKey(other, purpose))]
  return {
    write: ({ content, end }) => {
      const head = Buffer.alloc(END_BYTES)
      head.writeUIntBE(Math.min(end, MAX_EXPIRY), 0, END_BYTES)
      return close(Buffer.concat([head, content]), key).toString('base64url')
    },
    read: (text) => {
      const bytes = Buffer.from(text, 'base64url')
      // Several strings can decode to the same bytes. Only the string that `write` returns is accepted.
      if (bytes.toString('base64url') !== text) return undefined
      for (const each of all) {
        const plaintext = valueOr(() => open(bytes, each), undefined)
        if (plaintext === undefined) continue
        const end = plaintext.readUIntBE(0, END_BYTES)
        return end <= Date.now() ? undefined : { content: plaintext.subarray(END_BYTES), end }
      }
      return undefined
    },
  }
}
