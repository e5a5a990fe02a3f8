/** Keys of `jwt`: constants that are read once, or a function of the services that is called for each token. */
import { KeyObject } from 'node:crypto'
import { frameworkError } from '../../../errors/http-error.js'
import {
  findWrongOption,
  functionError,
  functionRule,
  optionError,
  mandatory,
  rule,
  type Rules,
} from '../../../errors/options.js'
import type { SetupError } from '../../../errors/setup-error.js'
import { catchAsync } from '../../../injection/credentials.js'
import type { AppServices, StartSettings } from '../../../injection/services.js'
import { isObject, isRecord, isThenable, type UnknownRecord } from '../../../values/objects.js'
import { thenSync } from '../../../values/promises.js'
import { matchingKeys, readKey, type TokenKey } from './keys.js'
import { RemoteKeys, type RemoteKeySet, type RemoteSettings } from './remote-keys.js'
import { numberRule } from './rules.js'
import type { JwsHeader } from './token.js'

type KeySource = readonly TokenKey[] | RemoteKeys
type FoundKeys = readonly TokenKey[] | Promise<readonly TokenKey[]>

/** Returns the keys that may have signed a token. */
export function findKeys(source: KeySource, header: JwsHeader): FoundKeys {
  return source instanceof RemoteKeys ? source.find(header) : matchingKeys(source, header)
}

/** Reads keys. Throws a setup error if they cannot be used. */
type ReadKeys = (keySetting: unknown) => readonly TokenKey[] | RemoteSettings

/** Maximum number of URLs of key sets to remember. Each app usually has one. */
const MAX_URLS = 100

/** Keys that a function of the services returns. Each object is read once, and each URL has one cache. */
export class ServiceKeys implements StartSettings {
  readonly #call: (services: unknown) => unknown
  readonly #readKeys: ReadKeys
  readonly #sources = new WeakMap<object, KeySource>()
  /** By URL, because the function may create a `URL` for each token, and each would be fetched. */
  readonly #remotes = new Map<string, RemoteKeys>()

  constructor(call: (services: unknown) => unknown, readKeys: ReadKeys) {
    this.#call = call
    this.#readKeys = readKeys
  }

  /** Checks the keys when the app starts. */
  async read(services: AppServices): Promise<void> {
    await this.#source(services.forProviders)
  }

  /** Returns the keys that may have signed a token. Throws 503 if the function fails or returns invalid keys. */
  find(header: JwsHeader, services: unknown): FoundKeys {
    if (!isObject(services)) throw new TypeError(WITHOUT_SERVICES)
    // Proof: `unavailableKeys` throws, so that the result is a source of keys.
    const source = catchAsync(() => this.#source(services), unavailableKeys) as KeySource | Promise<KeySource>
    return thenSync(source, (found) => findKeys(found, header))
  }

  #source(services: unknown): KeySource | Promise<KeySource> {
    const result = this.#callFunction(services)
    if (!isThenable(result)) return this.#prepare(result)
    return Promise.resolve(result).then((keys) => this.#prepare(keys), throwFunctionError)
  }

  #callFunction(services: unknown): unknown {
    try {
      return this.#call(services)
    } catch (error) {
      return throwFunctionError(error)
    }
  }

  #prepare(keySetting: unknown): KeySource {
    const preparedSource = isObject(keySetting) ? this.#sources.get(keySetting) : undefined
    if (preparedSource !== undefined) return preparedSource
    const keys = this.#readKeys(keySetting)
    const source = 'url' in keys ? this.#remote(keys) : keys
    if (isObject(keySetting)) this.#sources.set(keySetting, source)
    return source
  }

  #remote(settings: RemoteSettings): RemoteKeys {
    const { href } = settings.url
    const knownRemote = this.#remotes.get(href)
    if (knownRemote !== undefined) {
      knownRemote.settings = settings
      return knownRemote
    }
    if (this.#remotes.size >= MAX_URLS) this.#remotes.clear()
    const remote = new RemoteKeys(settings)
    this.#remotes.set(href, remote)
    return remote
  }
}

const WITHOUT_SERVICES =
  'Cannot verify a token: "keys" of jwt(…) is a function of the services, but they are missing. Write "verify(token, services)"'

function throwFunctionError(error: unknown): never {
  throw functionError('jwt()', 'keys', error)
}

function unavailableKeys(cause: unknown): never {
  throw frameworkError(503, 'Cannot verify tokens: their keys are unavailable. Try again later', { cause })
}

/** Returns a function that reads keys for some algorithms. */
export function keyReader(algorithms: readonly string[], now: () => number): ReadKeys {
  return (keySetting) => {
    if (keySetting instanceof URL) return readRemote({ url: keySetting }, algorithms, now)
    if (isDescription(keySetting) && 'url' in keySetting) return readRemote(keySetting, algorithms, now)
    if (isDescription(keySetting) && 'keys' in keySetting) return readSet(keySetting['keys'], algorithms)
    const list: readonly unknown[] = [keySetting].flat()
    if (list.length === 0) throw keysError('it is empty. Add at least one key')
    return list.map((key) => readSingleKey(key, algorithms))
  }
}

/** Rejects strings: one could be a secret, a PEM key or a URL, and a wrong guess could accept forged tokens. */
function readSingleKey(keyInput: unknown, algorithms: readonly string[]): TokenKey {
  if (typeof keyInput === 'string') {
    const ways = 'createPublicKey(pem)" or "createSecretKey(secret, \'utf8\')" of node:crypto, or "new URL(…)'
    throw keysError(`a key must not be a string. Write "${ways}"`)
  }
  const key = readKey(keyInput)
  const kinds = 'Pass a key for one of the "algorithms"'
  if (typeof key === 'string') throw keysError(`a key cannot be used: ${key}. ${kinds}`)
  if (algorithms.includes(key.algorithm)) return key
  throw keysError(`it has a key for ${key.algorithm}, which is not one of the "algorithms". ${kinds}`)
}

function readSet(keySet: unknown, algorithms: readonly string[]): readonly TokenKey[] {
  const keys = Array.isArray(keySet) ? keySet.map(readKey) : []
  const usable = keys.flatMap((key) => (typeof key === 'string' || !algorithms.includes(key.algorithm) ? [] : [key]))
  if (usable.length > 0) return usable
  throw keysError('the key set contains no usable key. Pass a set with a key for one of the "algorithms"')
}

const RULES_OF_REMOTE: Rules<RemoteKeySet> = {
  url: mandatory(rule(isSafe, 'be a URL object with https: and without credentials', "new URL('https://…')")),
  timeout: numberRule([1, 60_000], 'ms', '5_000'),
  onFailure: functionRule('(error) => …'),
}

function readRemote(options: UnknownRecord, algorithms: readonly string[], now: () => number): RemoteSettings {
  const wrong = findWrongOption(options, RULES_OF_REMOTE)
  if (wrong !== null) throw optionError('jwt()', `keys.${wrong.key}`, wrong.why)
  if (algorithms.includes('HS256')) {
    throw keysError('it has a URL, whose keys are public, but HS256 requires a secret. Remove HS256 from "algorithms"')
  }
  // Proof: the rules have checked all members.
  const { url, timeout = 5_000, onFailure = () => {} } = options as unknown as RemoteKeySet
  return { url, timeout, onFailure, now }
}

const LOOPBACK: readonly string[] = ['127.0.0.1', '[::1]', 'localhost']

function isSafe(url: unknown): boolean {
  if (!(url instanceof URL) || url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.includes(url.hostname))
}

/** Whether a value is a plain object. A `Uint8Array` has a `keys` method, but is not a key set. */
function isDescription(value: unknown): value is UnknownRecord {
  return isRecord(value) && !(value instanceof KeyObject) && !(value instanceof Uint8Array)
}

function keysError(why: string): SetupError {
  return optionError('jwt()', 'keys', why)
}
