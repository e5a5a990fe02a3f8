/** Keys that stand at a URL: fetched when first asked for, kept, and fetched again when they may have changed. */
import { HttpError } from '../../errors/http-error.js'
import { fetchKeys, type FetchedKeys } from './fetch-keys.js'
import type { JwsHeader } from './jws.js'
import { keysFor, type VerifyKey } from './verify-key.js'

/** A key set at a URL. */
export interface RemoteKeySet {
  /** Where it stands: `https:`, or `http:` on this machine. */
  readonly url: URL
  /** Bounds each fetch, in ms; 5,000 unless given. */
  readonly timeout?: number
  /**
   * Told when it could not be fetched; what is known of it is used on.
   * @param error that says what is wrong
   */
  readonly onFailure?: (error: unknown) => void
}

/** Checked settings of a key set at a URL. */
export interface RemoteSettings {
  readonly url: URL
  readonly timeout: number
  readonly onFailure: (error: unknown) => void
  /** The present, in ms since 1970. */
  readonly now: () => number
}

/** Between two fetches; whoever sends tokens with made-up names of keys causes no more than this. */
const PAUSE = 30_000
const FIRST_PAUSE = 1_000
/** Keys of a URL that is down are used no longer. */
const LONGEST_OUTAGE = 24 * 60 * 60_000

/** What was fetched last. */
interface Known extends FetchedKeys {
  readonly fetched: number
}

/** The keys of one URL. */
export class RemoteKeys {
  readonly #settings: RemoteSettings
  #known: Known | null = null
  #attempted = Number.NEGATIVE_INFINITY
  #failure: unknown = undefined
  #loading: Promise<void> | null = null

  constructor(settings: RemoteSettings) {
    this.#settings = settings
  }

  /**
   * Finds the keys that may have signed a token. Nothing waits while the keys are fresh and the one it names is known.
   */
  find(header: JwsHeader): readonly VerifyKey[] | Promise<readonly VerifyKey[]> {
    const known = this.#usable()
    if (known === null) return this.#mayLoad(FIRST_PAUSE) ? this.#loaded(header) : this.#select(header)
    const isStale = this.#settings.now() - known.fetched >= known.lifetime
    const found = keysFor(known.keys, header)
    const isUnknown = found.length === 0 && header.kid !== undefined
    if ((!isStale && !isUnknown) || !this.#mayLoad(PAUSE)) return found
    // While the URL is down, nobody waits for it again.
    if (isUnknown || this.#failure === undefined) return this.#loaded(header)
    void this.#load()
    return found
  }

  #usable(): Known | null {
    const known = this.#known
    if (known !== null && this.#settings.now() - known.fetched > known.lifetime + LONGEST_OUTAGE) this.#known = null
    return this.#known
  }

  #mayLoad(pause: number): boolean {
    return this.#loading !== null || this.#settings.now() - this.#attempted >= pause
  }

  async #loaded(header: JwsHeader): Promise<readonly VerifyKey[]> {
    await this.#load()
    return this.#select(header)
  }

  #select(header: JwsHeader): readonly VerifyKey[] {
    if (this.#known !== null) return keysFor(this.#known.keys, header)
    throw new HttpError(503, 'Tokens cannot be checked at present', { cause: this.#failure })
  }

  /** Those who ask while it is under way wait for the same. */
  #load(): Promise<void> {
    this.#loading ??= this.#fetch().finally(() => {
      this.#loading = null
    })
    return this.#loading
  }

  async #fetch(): Promise<void> {
    const { url, timeout, onFailure, now } = this.#settings
    this.#attempted = now()
    try {
      const fetched = await fetchKeys(url, timeout)
      this.#known = { ...fetched, fetched: now() }
      this.#failure = undefined
    } catch (error) {
      this.#failure = error
      tell(onFailure, error)
    }
  }
}

function tell(listener: (error: unknown) => void, error: unknown): void {
  try {
    listener(error)
  } catch {
    // A listener that fails must not take the tokens with it.
  }
}
