/** The options of `jwt`, checked when it is called. */
import { KeyObject } from 'node:crypto'
import { SetupError } from '../../errors/setup-error.js'
import { checkKeys } from '../../errors/known-keys.js'
import { isRecord, type Known } from '../../values/objects.js'
import { ALGORITHMS, type JwkSet, type JwtAlgorithm, type JwtKey, readKey, type VerifyKey } from './keys.js'
import type { ClaimRules } from './token.js'
import type { RemoteKeySet, RemoteSettings } from './remote-keys.js'

/** Which tokens are accepted. */
export interface JwtOptions {
  /** The algorithms that are accepted; a token never has a say in this. */
  readonly algorithms: readonly JwtAlgorithm[]
  /** The keys that sign: one or more of them, a key set, or the URL of one. */
  readonly keys: JwtKey | readonly JwtKey[] | JwkSet | URL | RemoteKeySet
  /** Who issues tokens; from anyone who has the key unless given. */
  readonly issuer?: string | readonly string[]
  /** Whom tokens must be for; unless given, those that name anybody are refused. */
  readonly audience?: string | readonly string[]
  /** By how many seconds the clocks of issuer and application may differ; 5 unless given. */
  readonly leeway?: number
  /** Whether a token must say when it expires; `'required'` unless given. */
  readonly expiry?: 'required' | 'optional'
  /** What `typ` in the header of a token must be, such as `at+jwt`; not looked at unless given. */
  readonly type?: string
  /** The present, in ms since 1970; `Date.now` unless given. */
  readonly now?: () => number
}

export interface JwtSettings {
  readonly algorithms: readonly string[]
  /** In lower case; `null` when it is not looked at. */
  readonly type: string | null
  readonly rules: ClaimRules
  readonly keys: readonly VerifyKey[] | RemoteSettings
}

const KNOWN: readonly string[] = ['algorithms', 'keys', 'issuer', 'audience', 'leeway', 'expiry', 'type', 'now']
const KNOWN_OF_REMOTE: readonly string[] = ['url', 'timeout', 'onFailure']
const USUAL_LEEWAY = 5
const LONGEST_LEEWAY = 600
const USUAL_TIMEOUT = 5_000
const LONGEST_TIMEOUT = 60_000

export function checkJwtOptions(given: JwtOptions): JwtSettings {
  if (!isDescription(given)) throw invalid('its options are no record. Write "jwt({ algorithms, keys })"')
  checkKeys(given, KNOWN, unknownOption)
  const { expiry = 'required', now = Date.now } = given
  if (expiry !== 'required' && expiry !== 'optional') {
    throw invalid(`"expiry" is neither 'required' nor 'optional'. Write one of them`)
  }
  if (typeof now !== 'function') throw invalid('"now" is not a function. Write "now: () => ms since 1970"')
  const algorithms = readAlgorithms(given.algorithms)
  const rules: ClaimRules = {
    issuers: readNames('issuer', given.issuer),
    audiences: readNames('audience', given.audience),
    leeway: readNumber('leeway', given.leeway ?? USUAL_LEEWAY, [0, LONGEST_LEEWAY], 'seconds'),
    needsExpiry: expiry === 'required',
    now,
  }
  return { algorithms, type: readType(given.type), rules, keys: readKeys(given.keys, algorithms, now) }
}

function unknownOption(key: string, help: string): SetupError {
  return invalid(`unknown option "${key}".${help}`)
}

function readAlgorithms(given: unknown): readonly string[] {
  const known = `Known are ${ALGORITHMS.join(', ')}`
  if (!Array.isArray(given) || given.length === 0) {
    throw invalid(`"algorithms" does not list what is accepted. Write "algorithms: ['ES256']". ${known}`)
  }
  const unknown: unknown = given.find((algorithm) => !ALGORITHMS.includes(algorithm))
  if (unknown === undefined) return [...given]
  throw invalid(`"algorithms" lists ${JSON.stringify(unknown)}, which is not one of them. ${known}`)
}

function readNames(option: string, given: unknown): readonly string[] | null {
  if (given === undefined) return null
  const names: readonly unknown[] = [given].flat()
  if (names.length > 0 && names.every((name) => typeof name === 'string' && name !== '')) return names.map(String)
  throw invalid(`"${option}" is not a text, or a list of texts. Leave it out, or name at least one`)
}

function readType(given: unknown): string | null {
  if (given === undefined) return null
  if (typeof given === 'string' && given !== '') return plainType(given)
  throw invalid(`"type" is not a text. Write "type: 'at+jwt'", or leave it out`)
}

/** A `typ` in the form in which two are compared (RFC 7515 section 4.1.9): lower case, without `application/`. */
export function plainType(type: string): string {
  return type.toLowerCase().replace(/^application\//, '')
}

function readNumber(option: string, given: unknown, [least, most]: readonly [number, number], unit: string): number {
  if (typeof given === 'number' && given >= least && given <= most) return given
  throw invalid(`"${option}" is ${String(given)}. Give ${unit}, from ${least} to ${most}`)
}

function readKeys(given: unknown, algorithms: readonly string[], now: () => number): JwtSettings['keys'] {
  if (given instanceof URL) return readRemote({ url: given }, algorithms, now)
  if (isDescription(given) && 'url' in given) return readRemote(given, algorithms, now)
  if (isDescription(given) && 'keys' in given) return readSet(given['keys'], algorithms)
  const list: readonly unknown[] = [given].flat()
  if (list.length === 0) throw invalid('"keys" is empty. Give at least one key')
  return list.map((key) => readOwn(key, algorithms))
}

/** A text could be a secret, a key in PEM or a URL; guessing wrong would be a hole. */
function readOwn(given: unknown, algorithms: readonly string[]): VerifyKey {
  if (typeof given === 'string') {
    const ways = 'createPublicKey(pem)" or "createSecretKey(secret, \'utf8\')" of node:crypto, or "new URL(…)'
    throw invalid(`a key is a text. Write "${ways}"`)
  }
  const found = readKey(given)
  const kinds = 'Give a key for one of the "algorithms"'
  if ('flaw' in found) throw invalid(`a key cannot be used: ${found.flaw}. ${kinds}`)
  if (algorithms.includes(found.algorithm)) return found
  throw invalid(`a key is for ${found.algorithm}, which "algorithms" does not list. ${kinds}`)
}

function readSet(given: unknown, algorithms: readonly string[]): readonly VerifyKey[] {
  const found = Array.isArray(given) ? given.map(readKey) : []
  const usable = found.flatMap((key) => ('flaw' in key || !algorithms.includes(key.algorithm) ? [] : [key]))
  if (usable.length > 0) return usable
  throw invalid('the key set holds no key that can be used. Give a set with a key for one of the "algorithms"')
}

function readRemote(given: object, algorithms: readonly string[], now: () => number): RemoteSettings {
  checkKeys(given, KNOWN_OF_REMOTE, unknownOption)
  const { url, timeout = USUAL_TIMEOUT, onFailure = () => {} }: { readonly [K in keyof RemoteKeySet]?: unknown } = given
  if (!(url instanceof URL) || !isSafe(url)) {
    throw invalid('the URL of "keys" cannot be used. Give "new URL(\'https://…\')", without a password in it')
  }
  if (algorithms.includes('HS256')) {
    throw invalid('what stands at a URL is no secret, and HS256 needs one. Leave HS256 out of "algorithms"')
  }
  if (!isListener(onFailure)) throw invalid('"onFailure" is not a function. Write "onFailure: (error) => …"')
  return { url, timeout: readNumber('timeout', timeout, [1, LONGEST_TIMEOUT], 'ms'), onFailure, now }
}

const LOOPBACK: readonly string[] = ['127.0.0.1', '[::1]', 'localhost']

function isSafe({ protocol, hostname, username, password }: URL): boolean {
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.includes(hostname))
}

/** Bytes have a method `keys`, and are no set of them. */
function isDescription(value: unknown): value is Known {
  return isRecord(value) && !(value instanceof KeyObject) && !(value instanceof Uint8Array)
}

function isListener(value: unknown): value is (error: unknown) => void {
  return typeof value === 'function'
}

function invalid(why: string): SetupError {
  return new SetupError('JWT_INVALID', `Cannot verify tokens: ${why}`)
}
