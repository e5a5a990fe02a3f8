/** Hashes of passwords with scrypt (RFC 7914), in the PHC string format. */
import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto'
import { promisify } from 'node:util'
import { frameworkError } from '../../errors/http-error.js'
import { HashQueue } from './hash-queue.js'
import { normalizePassword } from './normalize-password.js'

/** Parameters of scrypt: `N` is 2 ** `ln`. A hash takes 128 * N * r bytes of memory, and time in proportion to N * r * p. */
interface ScryptCost {
  readonly ln: number
  readonly r: number
  readonly p: number
}

interface ScryptHash extends ScryptCost {
  readonly salt: Buffer
  readonly key: Buffer
}

/** 128 MiB and about 0.5 s, the first choice of the OWASP Password Storage Cheat Sheet. */
const COST: ScryptCost = { ln: 17, r: 8, p: 1 }
const SALT_SIZE = 16
const KEY_SIZE = 32
/** In place of the hash of an unknown user. */
const UNKNOWN: ScryptHash = { ...COST, salt: Buffer.alloc(SALT_SIZE), key: Buffer.alloc(KEY_SIZE) }
/** Twice the work of `COST`, so at most 256 MiB. A hash from a foreign source cannot occupy the server for longer. */
const MAX_WORK = 2 * measureWork(COST)

/** Options of `hashPassword` and `verifyPassword`. */
export interface PasswordOptions {
  /** Usually the `signal` of the request. If it is aborted, a hash that has not started is removed from the queue. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Hashes a password with scrypt and a random salt, with 128 MiB and about 0.5 s of work. At most two hashes are computed at a time, and
 * others wait up to about 5 s.
 *
 * The password is normalized (RFC 8265 section 4.2): to NFC, with other spaces as U+0020, up to 1,024 UTF-16 code units.
 *
 * @param password as the user entered it
 * @param options `signal`: pass the one of the request
 * @returns the hash as a string of 88 characters, `$scrypt$ln=17,r=8,p=1$<salt>$<key>`
 * @throws TypeError if the password is not a string
 * @throws HttpError 422 if the password contains a lone surrogate
 * @throws HttpError 503 with `Retry-After` if the hash would have to wait for more than about 5 s
 * @throws the reason of the signal if it is aborted before the hash has started; a hash that has started continues to its end
 *
 * @example
 * ```ts
 * import { hashPassword, verifyPassword } from 'verbena/auth'
 *
 * const hash = await hashPassword('correct horse')
 * hash.startsWith('$scrypt$ln=17,r=8,p=1$') // => true
 * await verifyPassword('correct horse', hash) // => true
 * ```
 */
export async function hashPassword(password: string, options: PasswordOptions = {}): Promise<string> {
  checkPassword(password, 'hash')
  const text = normalizePassword(password)
  if (text === null) throw frameworkError(422, 'The password must not contain lone surrogates')
  const salt = randomBytes(SALT_SIZE)
  const key = await queue.run(() => deriveKey(text, { ...COST, salt }, KEY_SIZE), options.signal)
  return `$scrypt$ln=${COST.ln},r=${COST.r},p=${COST.p}$${encodeBase64(salt)}$${encodeBase64(key)}`
}

/**
 * Verifies a password in constant time. If the user is unknown, pass `undefined`: the function does the same work and returns `false`, so
 * that the duration of a response does not reveal which users exist.
 *
 * The password is normalized as in `hashPassword`. If that changes it and the hash does not match, the password as sent is verified too,
 * because the hash may be of another program. A password with a lone surrogate is never correct.
 *
 * @param password as the user entered it
 * @param hash result of `hashPassword`, or a scrypt hash of another program in the same format; `undefined` or `null` without one
 * @param options `signal`: pass the one of the request
 * @returns whether the password is correct
 * @throws TypeError if the password is not a string, or if the hash is malformed
 * @throws RangeError if the hash requires more than twice the work of `hashPassword`
 * @throws HttpError 503 with `Retry-After` if the hash would have to wait for more than about 5 s
 * @throws the reason of the signal if it is aborted before the hash has started; a hash that has started continues to its end
 *
 * @example
 * ```ts
 * import { verifyPassword } from 'verbena/auth'
 *
 * const users = new Map<string, { readonly hash: string }>()
 * await verifyPassword('guess', users.get('eve')?.hash) // => false
 * ```
 */
export async function verifyPassword(
  password: string,
  hash: string | null | undefined,
  options: PasswordOptions = {},
): Promise<boolean> {
  checkPassword(password, 'verify')
  const isKnown = hash !== undefined && hash !== null
  const parsed = isKnown ? parseHash(hash) : UNKNOWN
  const normalized = normalizePassword(password)
  // The same for an unknown user, who takes as many hashes.
  const texts = new Set([normalized ?? password, password])
  return queue.run(async () => {
    for (const text of texts) {
      options.signal?.throwIfAborted()
      const key = await deriveKey(text, parsed, parsed.key.length)
      if (timingSafeEqual(key, parsed.key) && isKnown && normalized !== null) return true
    }
    return false
  }, options.signal)
}

/**
 * Returns whether to replace a hash, because `hashPassword` uses other parameters or sizes. Call it after `verifyPassword` has returned
 * `true`, when the password is known.
 *
 * @param hash stored hash
 * @returns whether to store a new result of `hashPassword`
 * @throws TypeError if the hash is malformed; RangeError if it requires more than twice the work of `hashPassword`
 *
 * @example
 * ```ts
 * import { needsRehash } from 'verbena/auth'
 *
 * const weak = '$scrypt$ln=14,r=8,p=1$c2FsdHNhbHRzYWx0c2FsdA$a2V5a2V5a2V5a2V5a2V5a2V5a2V5a2V5a2V5a2V5a2U'
 * needsRehash(weak) // => true
 * ```
 */
export function needsRehash(hash: string): boolean {
  const { ln, r, p, salt, key } = parseHash(hash)
  const hasCost = ln === COST.ln && r === COST.r && p === COST.p
  return !hasCost || salt.length !== SALT_SIZE || key.length !== KEY_SIZE
}

function checkPassword(password: unknown, verb: string): void {
  if (typeof password === 'string') return
  throw new TypeError(`Cannot ${verb} a password: it must be a string, not ${typeof password}. Validate the body`)
}

const FORMAT =
  /^\$scrypt\$ln=([1-9]\d{0,8}),r=([1-9]\d{0,8}),p=([1-9]\d{0,8})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/

/** Parses a hash. Error messages do not contain it, because it is a secret. */
function parseHash(hash: unknown): ScryptHash {
  const [, ln, r, p, salt = '', key = ''] = (typeof hash === 'string' ? FORMAT.exec(hash) : null) ?? []
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) }
  const parsed = { ...cost, salt: Buffer.from(salt, 'base64'), key: Buffer.from(key, 'base64') }
  const isCanonical = encodeBase64(parsed.salt) === salt && encodeBase64(parsed.key) === key
  // N must be less than 2 ** (16 * r) (RFC 7914 section 2).
  if (salt === '' || !isCanonical || cost.ln >= 16 * cost.r) {
    throw new TypeError('Cannot use the hash of a password: it is malformed. Pass a result of hashPassword(…)')
  }
  if (measureWork(cost) <= MAX_WORK) return parsed
  const limit = 'it requires more than twice the work of hashPassword(…)'
  throw new RangeError(`Cannot use the hash of a password: ${limit}. Hash the password again`)
}

function measureWork({ ln, r, p }: ScryptCost): number {
  return 2 ** ln * r * p
}

/** Encodes base64 without padding, as PHC strings do. */
function encodeBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/={1,2}$/, '')
}

function deriveKey(password: string, { ln, r, p, salt }: Omit<ScryptHash, 'key'>, size: number): Promise<Buffer> {
  const N = 2 ** ln
  // The default of Node is 32 MiB.
  const options = { N, r, p, maxmem: 128 * r * (N + p + 2) }
  return scryptAsync(password, salt, size, options)
}

const scryptAsync = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

const queue = new HashQueue()
