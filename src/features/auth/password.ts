/** Hashes of passwords with scrypt (RFC 7914), in the PHC string format. */
import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto'
import { promisify } from 'node:util'
import { frameworkError } from '../../errors/http-error.js'

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
/** Twice the work of `COST`, so at most 256 MiB. A hash from a foreign source cannot occupy the server for longer. */
const MAX_WORK = 2 * measureWork(COST)

/** Maximum number of hashes at a time. Each occupies one of the four threads that Node also uses for files and DNS. */
const MAX_RUNNING = 2
const MAX_WAITING = 100
/** In seconds. A full queue takes about 25 s, but the first places are free after 0.5 s. */
const RETRY_AFTER = '5'

/**
 * Hashes a password with scrypt and a random salt, with 128 MiB and about 0.5 s of work. At most two hashes are computed at a time, and up
 * to 100 wait.
 *
 * @param password as the user entered it, hashed as UTF-8
 * @returns the hash as a string of 88 characters, `$scrypt$ln=17,r=8,p=1$<salt>$<key>`
 * @throws TypeError if the password is not a string; HttpError 503 with `Retry-After` if 100 hashes are waiting
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
export async function hashPassword(password: string): Promise<string> {
  checkPassword(password, 'hash')
  const salt = randomBytes(SALT_SIZE)
  const key = await deriveKey(password, { ...COST, salt }, KEY_SIZE)
  return `$scrypt$ln=${COST.ln},r=${COST.r},p=${COST.p}$${encodeBase64(salt)}$${encodeBase64(key)}`
}

/**
 * Verifies a password in constant time. If the user is unknown, pass `undefined`: the function does the same work and returns `false`, so
 * that the duration of a response does not reveal which users exist.
 *
 * @param password as the user entered it
 * @param hash result of `hashPassword`, or a scrypt hash of another program in the same format; `undefined` or `null` without one
 * @returns whether the password is correct
 * @throws TypeError if the password is not a string, or if the hash is malformed
 * @throws RangeError if the hash requires more than twice the work of `hashPassword`
 * @throws HttpError 503 with `Retry-After` if 100 hashes are waiting
 *
 * @example
 * ```ts
 * import { verifyPassword } from 'verbena/auth'
 *
 * const users = new Map<string, { readonly hash: string }>()
 * await verifyPassword('guess', users.get('eve')?.hash) // => false
 * ```
 */
export async function verifyPassword(password: string, hash: string | null | undefined): Promise<boolean> {
  checkPassword(password, 'verify')
  if (hash === undefined || hash === null) {
    await deriveKey(password, { ...COST, salt: Buffer.alloc(SALT_SIZE) }, KEY_SIZE)
    return false
  }
  const parsed = parseHash(hash)
  return timingSafeEqual(await deriveKey(password, parsed, parsed.key.length), parsed.key)
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
  return queue.run(() => scryptAsync(password, salt, size, options))
}

const scryptAsync = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** Runs `MAX_RUNNING` hashes at a time, in order. */
class HashQueue {
  #running = 0
  readonly #waiting: (() => void)[] = []

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter()
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  #enter(): Promise<void> | undefined {
    if (this.#running < MAX_RUNNING) {
      this.#running++
      return undefined
    }
    if (this.#waiting.length < MAX_WAITING) return new Promise((resolve) => this.#waiting.push(resolve))
    throw frameworkError(503, 'Too many passwords are being verified. Try again later', {
      headers: { 'retry-after': RETRY_AFTER },
    })
  }

  /** Passes the place to the next one that waits. */
  #leave(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#running--
    else next()
  }
}

const queue = new HashQueue()
