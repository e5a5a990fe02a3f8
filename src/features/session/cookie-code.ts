/** What a cookie holds so that nobody else can have written it: signed content, and sealed content, which nobody else can read. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { valueOr } from '../../values/quietly.js'

/** What was written, and when it ends, in ms since 1970. */
export interface DecodedCookie {
  readonly content: Buffer
  readonly end: number
}

/** Writes content into cookies, and reads it. */
export interface CookieCode {
  /** Letters, digits, `-` and `_`. */
  write(written: DecodedCookie): string
  /** `undefined` for what was not written here, or for another cookie, and for what has ended. */
  read(text: string): DecodedCookie | undefined
}

/** Texts of which keys are made; the first one writes, all of them read. */
export type Keys = readonly [string, ...string[]]

/** Makes one key of a text, for one purpose and one cookie: what was written for another one cannot be read by it. */
function deriveKey(key: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `verbena ${purpose}`, KEY_BYTES))
}

const KEY_BYTES = 32

/** How bytes are protected by one key. */
interface Protection {
  close(bytes: Buffer, key: Buffer): Buffer
  /** Throws, or gives `undefined`, for what this key did not close. */
  open(bytes: Buffer, key: Buffer): Buffer | undefined
}

const MAC_BYTES = 32

/** HMAC-SHA-256 (RFC 2104) behind the bytes. */
const SIGNED: Protection = {
  close: (bytes, key) => Buffer.concat([bytes, computeMac(bytes, key)]),
  open: (bytes, key) => {
    const content = bytes.subarray(0, -MAC_BYTES)
    // It throws where the lengths differ.
    return timingSafeEqual(computeMac(content, key), bytes.subarray(-MAC_BYTES)) ? content : undefined
  },
}

function computeMac(bytes: Buffer, key: Buffer): Buffer {
  return createHmac('sha256', key).update(bytes).digest()
}

const NONCE_BYTES = 12
const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'

/** AES-256-GCM (NIST SP 800-38D): a random nonce, what is hidden, and the tag. */
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

/** Signs what it writes: everybody can read it. */
export function signing(keys: Keys, purpose: string): CookieCode {
  return createCookieCode(SIGNED, keys, `signed ${purpose}`)
}

/** Seals what it writes: nobody else can read it. */
export function sealedCode(keys: Keys, purpose: string): CookieCode {
  return createCookieCode(SEALED, keys, `sealed ${purpose}`)
}

const END_BYTES = 6
/** What fits into these bytes: the year 10889. */
const MAX_EXPIRY = 2 ** 48 - 1

function createCookieCode({ close, open }: Protection, [first, ...others]: Keys, purpose: string): CookieCode {
  const key = deriveKey(first, purpose)
  const all = [key, ...others.map((other) => deriveKey(other, purpose))]
  return {
    write: ({ content, end }) => {
      const head = Buffer.alloc(END_BYTES)
      head.writeUIntBE(Math.min(end, MAX_EXPIRY), 0, END_BYTES)
      return close(Buffer.concat([head, content]), key).toString('base64url')
    },
    read: (text) => {
      const bytes = Buffer.from(text, 'base64url')
      // Other texts may stand for the same bytes: only the one that was written is taken.
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
