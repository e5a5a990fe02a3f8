/** `idempotency`: makes requests safe to retry. A retry gets the stored response of the first request. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { createHash, randomUUID } from 'node:crypto'
import type { FullReply } from '../../context/reply.js'
import { frameworkError } from '../../errors/http-error.js'
import {
  anyRule,
  checkOptions,
  functionRule,
  integerRule,
  optionError,
  mandatory,
  rule,
  SWITCH,
  type Rule,
  type Rules,
} from '../../errors/options.js'
import {
  ProviderRecipe,
  type AnyProvider,
  type ProviderInput,
  type ServicesOf,
  type Uses,
  type WantOf,
} from '../../injection/provide.js'
import type { Setting, StartSettings } from '../../injection/services.js'
import { readMode } from '../../values/mode.js'
import { IdempotencyRecipe, type Idempotency, type KeyedRequest } from '../../route/idempotency.js'
import { withTimeout } from '../../values/with-timeout.js'
import { isWhole } from '../../values/is-whole.js'
import { hasMethods, isObject } from '../../values/objects.js'
import { discardPromise } from '../../values/promises.js'
import { valueOr } from '../../values/value-or.js'
import { buildSettings, settingRules, type ProviderSettings } from '../stores/service-settings.js'
import { KeyLock, PATIENCE, type ResponseStorage } from './key-lock.js'
import { keyError, parseIdempotencyKey } from './key.js'
import { readStoredReply } from './stored-response.js'
import { MAX_STORE_SIZE, MemoryStore } from '../stores/memory/idempotency.js'
import type { IdempotencyStore, IdempotencyStoreWithin, KeyClaim, KeyState } from '../stores/idempotency-store.js'

startStackAtCaller(idempotency)

/** Options of `idempotency`. */
export interface IdempotencyOptions<
  U extends Uses,
  Services,
  Required extends boolean,
  StoreServices extends object = {},
  Within extends AnyProvider = never,
> {
  /**
   * Identifies the client, for example by user id, so that a client never gets the response of a different client. Must return a non-empty
   * string; anything else is a 500.
   *
   * @param input context of the request, with the values of `uses`
   * @param services services of the app
   */
  readonly by: (input: ProviderInput<{ readonly uses: U }>, services: Services) => string | Promise<string>
  /** Providers whose values `by` receives. They run as guards, because the body is not parsed yet. */
  readonly uses?: U
  /** Time for which a response is stored, in ms. */
  readonly ttl: number
  /**
   * Time after which the key of a process that has died is free again, in ms; default 30,000. A request renews its lease three times in it.
   */
  readonly lease?: number
  /**
   * Provider of a transaction in which the response is stored, so that the work of a request and its response are committed together.
   * Each endpoint must use it, itself or through other providers. The store must have `completeWithin`, such as `postgresIdempotency`.
   */
  readonly within?: Within
  /**
   * Store for keys and responses, or a function of the services that returns it; the function may be async, and each app calls it once
   * when it starts. Default: the memory of this process, at most 64 MB for all endpoints of the app.
   */
  readonly store?: Setting<IdempotencyStoreFor<Within>, StoreServices>
  /** Whether a request without a key is rejected with 400; default `false`. */
  readonly required?: Required
}

/** A store for `idempotency`; with `within`, one that can store responses through the value of that provider. */
export type IdempotencyStoreFor<Within extends AnyProvider> = [Within] extends [never]
  ? IdempotencyStore
  : IdempotencyStoreWithin<Within['~value']>

/** Default time of a lease, in ms. */
const LEASE = 30_000
/** A shorter lease would be renewed too often, and could end while the event loop is blocked. */
const MIN_LEASE = 1_000

/** Methods of a store, with their names before version 0.1.0. */
const METHODS = { claim: 'claim', complete: 'keep', release: 'free' }
const METHODS_WITHIN = { ...METHODS, completeWithin: 'keepWithin' }
const STORE = storeRule(METHODS, 'have the methods claim, complete and release', 'redisIdempotency(client)')
/** A store that `within` needs. */
const STORE_WITHIN = mandatory(
  storeRule(
    METHODS_WITHIN,
    'have the methods claim, complete, release and completeWithin',
    'postgresIdempotency(pool)',
  ),
)

/** Creates a rule that also accepts the former names, for which `checkMethodNames` has a better error. */
function storeRule(methods: Readonly<Record<string, string>>, must: string, example: string): Rule {
  const isValid = (value: unknown): boolean =>
    Object.entries(methods).every((names) => names.some((name) => hasMethods(value, [name])))
  return rule(isValid, must, example)
}

function checkMethodNames(store: unknown, methods: Readonly<Record<string, string>>): void {
  const renames = Object.entries(methods)
    .filter(([name, formerName]) => !hasMethods(store, [name]) && hasMethods(store, [formerName]))
    .map(([name, formerName]) => `"${formerName}" to "${name}"`)
  if (renames.length === 0) return
  throw optionError('idempotency()', 'store', `its methods have new names. Rename ${renames.join(', ')}`)
}

const RULES: Rules<IdempotencyOptions<Uses, object, boolean, object, AnyProvider>> = {
  by: mandatory(functionRule('({ user }) => user.id')),
  uses: anyRule('{ user }'),
  ttl: mandatory(integerRule(1, '86_400_000', ' of ms')),
  lease: rule((value) => isWhole(value, MIN_LEASE), `be an integer of ms from ${MIN_LEASE}`, '30_000'),
  within: rule((value) => value instanceof ProviderRecipe, 'be the provider of a transaction', 'transaction'),
  store: STORE,
  required: SWITCH,
}

/**
 * Makes requests safe to retry with the `Idempotency-Key` header (draft-ietf-httpapi-idempotency-key-header). The first request with a key
 * calls the method. A retry gets the same response, with `Idempotent-Replayed: true`. The response is 409 while the first request is in
 * progress, and 422 if a different request has the same key.
 *
 * Keys are checked after the guards. Each endpoint and each client, as returned by `by`, has separate keys. A response below 500 is stored
 * after the cleanup of all providers has succeeded. Responses that ask for a later retry, such as 429, are not stored. If nothing is
 * stored, the key is released. With `within`, the response of the method is stored in the transaction of the request.
 *
 * @param options client, lifetime of responses, store and transaction; times in ms
 * @returns the value for `idempotency` in a contract
 * @throws SetupError `OPTION_INVALID`, `USES_INVALID`; for the result of a function `store`, when the app starts
 *
 * @example
 * ```ts
 * import { bearer, createApp, Route, text, type Input } from 'verbena'
 * import { idempotency } from 'verbena/idempotency'
 *
 * const user = bearer((token) => ({ id: token }))
 * const once = idempotency({ by: ({ user }) => user.id, uses: { user }, ttl: 86_400_000 })
 *
 * class Payments extends Route<{ made: string[] }> {
 *   static readonly post = this.contract({ idempotency: once, body: text(), returns: text(), status: 201 })
 *   async post({ body }: Input<typeof Payments.post>) {
 *     return `payment ${this.made.push(body)}`
 *   }
 * }
 * const made: string[] = []
 * const app = createApp({ services: { made }, routes: { Payments } })
 * const headers = { authorization: 'Bearer ada', 'content-type': 'text/plain', 'idempotency-key': '"a1b2"' }
 * const pay = () => app.fetch(new Request('http://localhost/payments', { method: 'POST', headers, body: '5 €' }))
 *
 * const first = await pay()
 * await first.text() // => 'payment 1'
 * const again = await pay()
 * await again.text() // => 'payment 1'
 * again.headers.get('idempotent-replayed') // => 'true'
 * ```
 */
export function idempotency<
  const U extends Uses = {},
  Services extends object = {},
  const Required extends boolean = false,
  StoreServices extends object = {},
  Within extends AnyProvider = never,
>(
  options: IdempotencyOptions<U, Services, Required, StoreServices, Within>,
): Idempotency<Services & StoreServices & ServicesOf<WantOf<U>>, Required> {
  checkOptions(options, { ...RULES, ...settingRules(storeRules(options?.within)) }, 'idempotency()')
  // Proof: the options are checked above, and the type parameters are the types of the options.
  return new Recipe(options as unknown as CheckedOptions) as unknown as Idempotency<
    Services & StoreServices & ServicesOf<WantOf<U>>,
    Required
  >
}

function storeRules(within: unknown): Rules<{ readonly store?: unknown }> {
  return { store: within === undefined ? STORE : STORE_WITHIN }
}

interface CheckedOptions {
  readonly by: (input: object, services: object) => unknown
  readonly uses?: Uses
  readonly ttl: number
  readonly lease?: number
  readonly within?: ProviderRecipe
  readonly store?: unknown
  readonly required?: boolean
}

/** Identifies the client. As a provider, it also has the settings of its store. */
class ClientReader extends ProviderRecipe {
  override readonly settings: readonly StartSettings[]

  constructor({ by, uses = {} }: CheckedOptions, settings: readonly StartSettings[]) {
    super(Object.freeze({ uses, guard: true }), async (input, services) => requireClientId(await by(input, services)))
    this.settings = settings
  }
}

class Recipe extends IdempotencyRecipe {
  readonly by: ProviderRecipe
  readonly isRequired: boolean
  readonly ttl: number
  readonly within: ProviderRecipe | null
  readonly #lease: number
  readonly #settings: ProviderSettings<IdempotencyStoreWithin<unknown> | undefined>

  constructor(options: CheckedOptions) {
    super()
    const { ttl, lease = LEASE, within, store, required = false } = options
    this.#settings = buildSettings({ store }, { rules: storeRules(within), owner: 'idempotency()' }, (checked) => {
      const { store } = checked
      checkMethodNames(store, within === undefined ? METHODS : METHODS_WITHIN)
      // Proof: the rule has checked the store, and `completeWithin` is called only with `within`.
      return store as IdempotencyStoreWithin<unknown> | undefined
    })
    this.by = new ClientReader(options, this.#settings.unread)
    this.isRequired = required
    this.ttl = ttl
    this.within = within ?? null
    this.#lease = lease
  }

  readKey(field: string | undefined): string | undefined {
    return valueOr(() => parseIdempotencyKey(field) ?? undefined, undefined)
  }

  lookUp(request: KeyedRequest): Promise<FullReply | KeyLock> | null {
    const key = parseIdempotencyKey(request.field)
    if (key !== null) return this.#find(key, request)
    if (this.isRequired)
      throw keyError(400, 'Send an Idempotency-Key header, so that you can safely retry this request')
    return null
  }

  async #find(key: string, request: KeyedRequest): Promise<FullReply | KeyLock> {
    const { app, endpoint, by, head, bytes, report } = request
    const storage: ResponseStorage = {
      store: this.#settings.for(app) ?? memoryStoreFor(request),
      ttl: this.ttl,
      app,
      endpoint,
      report,
    }
    const claim: KeyClaim = {
      key: digestRequest([endpoint, by, key]),
      client: digestRequest([by]),
      owner: randomUUID(),
      request: digestRequest(head, bytes),
      lease: this.#lease,
    }
    const stored = await claimKey(claim, storage)
    if (stored.state === 'claimed') return new KeyLock(claim, storage)
    if (stored.state === 'completed') return readStoredReply(stored.response)
    if (stored.state === 'in-progress') {
      throw keyError(409, 'The first request with this Idempotency-Key is still in progress. Try again later', {
        'retry-after': retryAfter(stored.left, this.#lease),
      })
    }
    throw keyError(
      422,
      'This Idempotency-Key was already used for a different request. Reuse a key only to retry the same request',
    )
  }
}

/**
 * Formats the time until a retry, in whole seconds. While the first request renews its lease, this is the time since then, so that a client
 * retries soon after short work. With less than half of the lease left, its process has probably died, and the key is free after the rest.
 */
function retryAfter(left: unknown, lease: number): string {
  if (typeof left !== 'number') return '1'
  return String(Math.max(1, Math.ceil((left < lease / 2 ? left : lease - left) / 1_000)))
}

/** In-memory store of each app. All endpoints of an app share one, and the apps of tests do not share keys. */
const memoryStores = new WeakMap<object, MemoryStore>()

function memoryStoreFor({ app, report }: KeyedRequest): MemoryStore {
  const memoryStore = memoryStores.get(app)
  if (memoryStore !== undefined) return memoryStore
  if (readMode() === 'production') report('warn', IN_MEMORY)
  const store = new MemoryStore(() => reportFullStore(app))
  memoryStores.set(app, store)
  return store
}

/** Logs a warning. Errors of the logger are ignored, so that they cannot fail the request. */
function reportFullStore({ logger }: KeyedRequest['app']): void {
  discardPromise(valueOr<unknown>(() => logger.warn({ bytes: MAX_STORE_SIZE }, STORE_FULL), undefined))
}

const STORE_FULL = 'In-memory store of idempotency keys full; oldest keys discarded, and their requests can run again'
const IN_MEMORY =
  'Idempotency keys stored in process memory; a retry runs again after a restart or in another process. Set "store"'

/** Claims the key of a request. Throws a 503 if the store fails, because the request may have run before. */
async function claimKey(claim: KeyClaim, storage: ResponseStorage): Promise<KeyState> {
  const late = (found: unknown): void => {
    if (isKeyState(found) && found.state === 'claimed') new KeyLock(claim, storage).release()
  }
  try {
    const claimed: unknown = await withTimeout(storage.store.claim(claim), PATIENCE, late)
    if (isKeyState(claimed)) return claimed
    throw new TypeError(`Cannot use the store of idempotency(…): "claim" returned an unknown state. Return ${STATES}`)
  } catch (cause) {
    throw frameworkError(503, 'The idempotency store is unavailable. Try again later', { cause })
  }
}

const STATES = "{ state: 'claimed' }, 'in-progress' or 'mismatch', or { state: 'completed', response }"

/** Whether a store returned a known state. A store that was written for a different version may return others. */
function isKeyState(found: unknown): found is KeyState {
  if (!isObject(found)) return false
  const { state, response } = found
  if (state === 'completed') return typeof response === 'string'
  return state === 'claimed' || state === 'in-progress' || state === 'mismatch'
}

/** Returns the result of `by`. Throws unless it is a non-empty string, because it separates the responses of clients. */
function requireClientId(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw new TypeError(
    'Cannot identify the client: "by" of idempotency(…) must return a non-empty string. Return the id of a user',
  )
}

/** Returns the SHA-256 digest of some values as JSON, followed by the bytes. */
function digestRequest(values: readonly unknown[], bytes: Uint8Array | null = null): string {
  const hash = createHash('sha256').update(JSON.stringify(values))
  if (bytes !== null) hash.update('\n').update(bytes)
  return hash.digest('base64url')
}
