/** Key sets at a URL: fetched on first use, cached, and refreshed when they are stale or a key is unknown. */
import { frameworkError } from '../../../errors/http-error.js'
import { discardPromise } from '../../../values/promises.js'
import { valueOr } from '../../../values/value-or.js'
import { matchingKeys, readKey, type TokenKey } from './keys.js'
import { readClock, type JwsHeader } from './token.js'

/** A key set at a URL. */
export interface RemoteKeySet {
  /** URL of the key set: `https:`, or `http:` on localhost. */
  readonly url: URL
  /** Maximum time for each fetch in ms, from 1 to 60,000; default 5,000. */
  readonly timeout?: number
  /** Called with the error if a fetch fails. Cached keys remain in use for up to a day. */
  readonly onFailure?: (error: unknown) => void
}

export interface RemoteSettings extends Required<RemoteKeySet> {
  /** Returns the current time in ms since 1970. */
  readonly now: () => number
}

/** Minimum ms between two fetches, so that tokens with invented `kid`s cannot cause more. */
const RETRY_PAUSE = 30_000
/** Minimum ms between two fetches if no keys are cached. */
const FIRST_PAUSE = 1_000
/** Maximum freshness of cached keys, and the time for which stale keys remain in use if their URL is unavailable; in ms. */
const DAY = 24 * 60 * 60_000

interface FetchedKeys {
  readonly keys: readonly TokenKey[]
  /** Freshness lifetime in ms. */
  readonly lifetime: number
  readonly fetched: number
}

export class RemoteKeys {
  /** May change while keys are cached, but not the URL. */
  settings: RemoteSettings
  #known: FetchedKeys | null = null
  #attempted = Number.NEGATIVE_INFINITY
  #failure: unknown = undefined
  #loading: Promise<void> | null = null

  constructor(settings: RemoteSettings) {
    this.settings = settings
  }

  /** Returns the keys that may have signed a token. Synchronous if the cached keys are fresh and contain the `kid` of the token. */
  find(header: JwsHeader): readonly TokenKey[] | Promise<readonly TokenKey[]> {
    const usable = this.#usable()
    if (usable === null) return this.#mayLoad(FIRST_PAUSE) ? this.#loaded(header) : this.#select(header)
    const isStale = readClock(this.settings.now) - usable.fetched >= usable.lifetime
    const candidates = matchingKeys(usable.keys, header)
    const isUnknown = candidates.length === 0 && header.kid !== undefined
    if ((!isStale && !isUnknown) || !this.#mayLoad(RETRY_PAUSE)) return candidates
    // After a failed fetch, requests use the cached keys and do not wait for the next fetch.
    if (isUnknown || this.#failure === undefined) return this.#loaded(header)
    discardPromise(this.#load())
    return candidates
  }

  #usable(): FetchedKeys | null {
    const cached = this.#known
    if (cached !== null && readClock(this.settings.now) - cached.fetched > cached.lifetime + DAY) this.#known = null
    return this.#known
  }

  #mayLoad(pause: number): boolean {
    return this.#loading !== null || readClock(this.settings.now) - this.#attempted >= pause
  }

  async #loaded(header: JwsHeader): Promise<readonly TokenKey[]> {
    await this.#load()
    return this.#select(header)
  }

  #select(header: JwsHeader): readonly TokenKey[] {
    if (this.#known !== null) return matchingKeys(this.#known.keys, header)
    throw frameworkError(503, 'Cannot verify tokens: the key set is unavailable. Try again later', {
      cause: this.#failure,
    })
  }

  /** Starts a fetch, or returns the promise of the fetch in progress. */
  #load(): Promise<void> {
    this.#loading ??= this.#fetch().finally(() => {
      this.#loading = null
    })
    return this.#loading
  }

  async #fetch(): Promise<void> {
    const { url, timeout, onFailure, now } = this.settings
    this.#attempted = readClock(now)
    try {
      this.#known = { ...(await fetchKeys(url, timeout)), fetched: readClock(now) }
      this.#failure = undefined
    } catch (cause) {
      this.#failure = new Error(`Cannot read the keys at "${url.href}"`, { cause })
      // Errors of `onFailure` are ignored, so that they cannot reject valid tokens.
      discardPromise(valueOr<unknown>(() => onFailure(this.#failure), undefined))
    }
  }
}

const MAX_KEY_SET_SIZE = 262_144
const MAX_KEYS = 100
const MINUTE = 60_000

/** Fetches a key set. Does not follow redirects, and ignores secrets and unusable keys. */
async function fetchKeys(url: URL, timeout: number): Promise<Omit<FetchedKeys, 'fetched'>> {
  const response = await fetch(url, {
    headers: { accept: 'application/jwk-set+json, application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(timeout),
  })
  const text = await readText(response)
  if (response.status !== 200) throw new Error(`The response has status ${response.status}`)
  return { keys: parseKeySet(JSON.parse(text)), lifetime: parseMaxAge(response.headers.get('cache-control') ?? '') }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MAX_KEY_SET_SIZE) throw new Error(`The response has more than ${MAX_KEY_SET_SIZE} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function parseKeySet(set: unknown): readonly TokenKey[] {
  const { keys }: { readonly keys?: unknown } = Object(set)
  if (!Array.isArray(keys)) throw new Error('The response is not a key set: "keys" must be an array')
  if (keys.length > MAX_KEYS) throw new Error(`The response has more than ${MAX_KEYS} keys`)
  return keys
    .map(readKey)
    .filter((found) => typeof found !== 'string')
    .filter(({ key }) => key.type !== 'secret')
}

function parseMaxAge(cacheControl: string): number {
  const directives = cacheControl.split(',').map((directive) => directive.trim().toLowerCase())
  if (directives.includes('no-store') || directives.includes('no-cache')) return MINUTE
  const age = directives.find((directive) => directive.startsWith('max-age='))
  const seconds = age === undefined ? Number.NaN : Number(age.slice('max-age='.length))
  return Number.isNaN(seconds) ? 10 * MINUTE : Math.min(Math.max(seconds * 1000, MINUTE), DAY)
}
