/** `idempotency`: a request that is sent again is not done again, and gets the answer of the first. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { createHash, randomUUID } from 'node:crypto'
import type { FullReply } from '../../context/reply.js'
import { frameworkError } from '../../errors/http-error.js'
import { ANYTHING, checkOptionValues, type Rules } from '../../errors/known-keys.js'
import { SetupError } from '../../errors/setup-error.js'
import {
  provide,
  type ProviderInput,
  type ProviderRecipe,
  type ServicesOf,
  type Uses,
  type WantOf,
} from '../../injection/provide.js'
import { readMode } from '../../values/mode.js'
import { IdempotencyRecipe, type Idempotency, type KeyedRequest } from '../../route/idempotency.js'
import { kindOption, SWITCH } from '../../route/kinds.js'
import { withTimeout } from '../../values/with-timeout.js'
import { isWhole } from '../../values/numbers.js'
import { hasMethods, isObject, isRecord } from '../../values/objects.js'
import { discardPromise } from '../../values/promises.js'
import { valueOr } from '../../values/quietly.js'
import { KeyLock, LEASE, type Keeping } from './key-lock.js'
import { keyError, parseIdempotencyKey } from './key.js'
import { readAnswer } from './stored-response.js'
import { MAX_STORE_SIZE, MemoryStore } from './memory-store.js'
import { PATIENCE, type IdempotencyStore, type KeyClaim, type KeyState } from './store.js'

startStackAtCaller(idempotency)

/** How requests are told apart, and how long their answers are kept. */
export interface IdempotencyOptions<U extends Uses, Services, Required extends boolean> {
  /**
   * Gives what tells the keys of one client from those of another, such as the id of a user: nobody gets the answer of somebody else. A
   * text that is not empty; anything else is a 500.
   *
   * @param input the values that it uses, and the context
   * @param services of the app
   */
  readonly by: (input: ProviderInput<{ readonly uses: U }>, services: Services) => string | Promise<string>
  /** Providers whose values `by` gets. They are guards, since the body is not parsed yet. */
  readonly uses?: U
  /** How long an answer is kept, in ms. */
  readonly ttl: number
  /** Store for keys and responses. Default: the memory of this process, at most 64 MB for all endpoints of the app. */
  readonly store?: IdempotencyStore
  /** Whether a request without a key is refused, with 400; `false` unless given. */
  readonly required?: Required
}

const RULES: Rules = {
  by: kindOption((value) => typeof value === 'function', 'Write "by: ({ user }) => user.id"'),
  uses: ANYTHING,
  ttl: kindOption((value) => isWhole(value, 1), 'Give a whole number of ms from 1 up, such as 86_400_000'),
  store: kindOption(
    (value) => hasMethods(value, ['claim', 'keep', 'free']),
    'Give what "redisIdempotency(client)" makes, or an object with "claim", "keep" and "free"',
  ),
  required: SWITCH,
}

/**
 * Makes requests safe to send again, by the field `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header). The first request with a key
 * runs. One that repeats it gets the same answer, with `Idempotent-Replayed: true`; while the first is in work that is 409, and 422 for
 * another request with the same key.
 *
 * Keys are looked up behind the guards, and belong to the endpoint and to what `by` gives. Answers below 500 are kept once all providers
 * have ended well; a failure frees the key.
 *
 * @param options who is asked for, and how long answers are kept
 * @returns what stands in a contract as `idempotency`
 * @throws SetupError `OPTION_INVALID`, `USES_INVALID`
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
>(options: IdempotencyOptions<U, Services, Required>): Idempotency<Services & ServicesOf<WantOf<U>>, Required> {
  const untrusted: unknown = options
  if (!isRecord(untrusted)) {
    throw new SetupError('OPTION_INVALID', 'Cannot use idempotency(…): its options are no record. Write "{ by, ttl }"')
  }
  const { by = null, ttl = null } = untrusted
  checkOptionValues({ ...untrusted, by, ttl }, RULES, (name) => `the option "${name}" of idempotency()`)
  // Proof: the options are checked, and their types are those of the parameters.
  return new Recipe(untrusted as unknown as Settings) as unknown as Idempotency<
    Services & ServicesOf<WantOf<U>>,
    Required
  >
}

interface Settings {
  readonly by: (input: object, services: object) => unknown
  readonly uses?: Uses
  readonly ttl: number
  readonly store?: IdempotencyStore
  readonly required?: boolean
}

class Recipe extends IdempotencyRecipe {
  readonly by: ProviderRecipe
  readonly isRequired: boolean
  readonly ttl: number
  readonly #store: IdempotencyStore | null

  constructor({ by, uses = {}, ttl, store, required = false }: Settings) {
    super()
    const provider: unknown = provide({ uses, guard: true }, async (input, services: object) =>
      requireClientId(await by(input, services)),
    )
    // Proof: it is what `provide` makes.
    this.by = provider as ProviderRecipe
    this.isRequired = required
    this.ttl = ttl
    this.#store = store ?? null
  }

  lookUp(request: KeyedRequest): Promise<FullReply | KeyLock> | null {
    const key = parseIdempotencyKey(request.field)
    if (key !== null) return this.#find(key, request)
    if (this.isRequired) throw keyError(400, 'Send an Idempotency-Key, so that this is done once if you send it again')
    return null
  }

  async #find(key: string, request: KeyedRequest): Promise<FullReply | KeyLock> {
    const { app, endpoint, by, head, bytes, report } = request
    const keeping: Keeping = { store: this.#store ?? memoryStoreFor(request), ttl: this.ttl, app, endpoint, report }
    const claim: KeyClaim = {
      key: digestRequest([endpoint, by, key]),
      client: digestRequest([by]),
      owner: randomUUID(),
      request: digestRequest(head, bytes),
      lease: LEASE,
    }
    const stored = await claimKey(claim, keeping)
    if (stored.state === 'claimed') return new KeyLock(claim, keeping)
    if (stored.state === 'completed') return readAnswer(stored.answer)
    if (stored.state === 'in-progress') {
      throw keyError(409, 'The first request with this Idempotency-Key is still in work', { 'retry-after': '1' })
    }
    throw keyError(422, 'This Idempotency-Key was sent with another request: send each with a key of its own')
  }
}

/** In-memory stores by app: an app has one for all its endpoints, and the apps of tests do not share keys. */
const memoryStores = new WeakMap<object, MemoryStore>()

function memoryStoreFor({ app, report }: KeyedRequest): MemoryStore {
  const memoryStore = memoryStores.get(app)
  if (memoryStore !== undefined) return memoryStore
  if (readMode() === 'production') report('warn', IN_MEMORY)
  const store = new MemoryStore(() => logFullStore(app))
  memoryStores.set(app, store)
  return store
}

/** A logger that fails must not take the request with it. */
function logFullStore({ logger }: KeyedRequest['app']): void {
  discardPromise(valueOr<unknown>(() => logger.warn({ bytes: MAX_STORE_SIZE }, STORE_FULL), undefined))
}

const STORE_FULL = 'In-memory store of idempotency keys full; oldest keys discarded, and their requests can run again'
const IN_MEMORY =
  'Idempotency keys are in the memory of this process: after a restart, or in another process, a request is done again. Give "store"'

/** A request is never done where nobody knows whether it was done before. */
async function claimKey(claim: KeyClaim, keeping: Keeping): Promise<KeyState> {
  const late = (found: unknown): void => {
    if (isKeyState(found) && found.state === 'claimed') new KeyLock(claim, keeping).release()
  }
  try {
    const claimed: unknown = await withTimeout(keeping.store.claim(claim), PATIENCE, late)
    if (isKeyState(claimed)) return claimed
    throw new TypeError(`Cannot use the store of idempotency(…): "claim" returned an unknown state. Return ${STATES}`)
  } catch (cause) {
    throw frameworkError(503, 'Nobody can tell right now whether this was done before', { cause })
  }
}

const STATES = "{ state: 'claimed' }, 'in-progress' or 'mismatch', or { state: 'completed', answer }"

/** Whether a store returned a state: one of other words may be of a store that was written for another version. */
function isKeyState(found: unknown): found is KeyState {
  if (!isObject(found)) return false
  const { state, answer } = found
  if (state === 'completed') return typeof answer === 'string'
  return state === 'claimed' || state === 'in-progress' || state === 'mismatch'
}

/** `by` decides who gets whose answer. */
function requireClientId(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw new TypeError(
    'Cannot tell keys of one client from those of another: "by" of idempotency(…) gave no text. Return one',
  )
}

/** A digest of what JSON writes of some values, and of bytes behind that. */
function digestRequest(values: readonly unknown[], bytes: Uint8Array | null = null): string {
  const hash = createHash('sha256').update(JSON.stringify(values))
  if (bytes !== null) hash.update('\n').update(bytes)
  return hash.digest('base64url')
}
