/** Signed webhooks: verification of received ones, and signing of sent ones (Standard Webhooks 1.0). */
import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto'
import { BaseContext } from '../../context/request-context.js'
import { startStackAtCaller } from '../../errors/author-calls.js'
import { unauthorizedError, type HttpError, type UnauthorizedReason } from '../../errors/http-error.js'
import { checkOptions, choiceRule, functionRule, rangeRule, mandatory, rule, type Rules } from '../../errors/options.js'
import { ProviderRecipe, type Provider } from '../../injection/provide.js'
import type { Setting, StartSettings } from '../../injection/services.js'
import { buildSettings, settingRules, type ProviderSettings } from '../stores/service-settings.js'
import { readClock } from './jwt/token.js'

startStackAtCaller(webhook)

/** Value of a `webhook` provider: the signed headers of a message. */
export interface Webhook {
  /** Id of the message. It is the same each time that the sender retries the message. */
  readonly id: string
  /** Time at which the message was sent or retried. */
  readonly timestamp: Date
}

/** Options of `webhook`. */
export interface WebhookOptions<Services extends object = {}> {
  /**
   * Strings of the form `whsec_…`, which contain 24 to 64 bytes in base64, or a function of the services that returns them. A message must
   * be signed with one of them.
   */
  readonly secrets: Setting<readonly string[], Services>
  /** Prefix of the headers: `svix` for senders with `svix-id`, `svix-timestamp` and `svix-signature`; default `webhook`. */
  readonly headers?: 'webhook' | 'svix'
  /** Maximum difference between the time of a message and the clock, in seconds from 1 to 3,600; default 300 (5 minutes). */
  readonly tolerance?: number
  /** Returns the current time in ms since 1970; default `Date.now`. */
  readonly now?: () => number
}

/** A message to sign. */
export interface NewWebhook {
  /** Unique id of the message: 1 to 255 visible ASCII characters except `.` and `,`. Use the same id for retries. */
  readonly id: string
  /** Current time. Use a new time for each retry. */
  readonly timestamp: Date
  /** The body, exactly as you send it. A string is signed as UTF-8. */
  readonly body: string | Uint8Array
  /** Secret that you share with the receiver: `whsec_` and 24 to 64 bytes in base64. */
  readonly secret: string
}

/** Headers of a signed message. */
export type WebhookHeaders = Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>>

/**
 * Creates a provider that verifies signed webhooks (Standard Webhooks 1.0, signatures of version `v1`). It reads the bytes of the body, and
 * runs before the body is parsed and validated. A message without a valid signature, or with a time outside `tolerance`, gets 401.
 *
 * A sender may send a message several times. Store the `id` in the transaction of your work, and ignore messages whose id is already stored.
 *
 * `secrets` can be a function of the services, sync or async. Each app calls it once when it starts.
 *
 * @param options secrets and tolerance
 * @returns the provider, for `uses`
 * @throws SetupError `OPTION_INVALID`; for the result of a function, when the app starts
 *
 * @example
 * ```ts
 * import { createApp, Route, type Input } from 'verbena'
 * import { signWebhook, webhook } from 'verbena/auth'
 *
 * interface Config {
 *   readonly webhookSecrets: readonly string[]
 * }
 * const event = webhook({ secrets: ({ config }: { config: Config }) => config.webhookSecrets })
 *
 * class Events extends Route {
 *   static readonly post = this.contract({ uses: { event } })
 *   async post({ event }: Input<typeof Events.post>) {
 *     return event.id
 *   }
 * }
 * const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
 * const config: Config = { webhookSecrets: [secret] }
 * const app = createApp({ services: { config }, routes: { Events } })
 *
 * const body = '{"type":"paid"}'
 * const headers = signWebhook({ id: 'msg_1', timestamp: new Date(), body, secret })
 * const response = await app.fetch(new Request('http://localhost/events', { method: 'POST', headers, body }))
 * await response.text() // => 'msg_1'
 * ```
 */
export function webhook<Services extends object = {}>(
  options: WebhookOptions<Services>,
  // The indexed access is `Services`. Without it, a call inside `uses` would infer `never` from the type that `uses` expects.
): Provider<Webhook, [Services][Services extends unknown ? 0 : never]> {
  checkOptions(options, RULES, 'webhook()')
  const { secrets, headers = 'webhook', tolerance = 300, now = () => Date.now() } = options
  const settings = buildSettings({ secrets }, { rules: SETTINGS, owner: 'webhook()' }, (checked) => {
    // Proof: the rule has checked them.
    const keys = (checked['secrets'] as readonly string[]).map(readSecret).filter((key) => key !== null)
    return { keys, tolerance, now }
  })
  // Proof: the provider returns the headers that it has verified.
  return new WebhookProvider(settings, headers) as unknown as ReturnType<typeof webhook<Services>>
}

/**
 * Signs a message with HMAC-SHA-256 (Standard Webhooks 1.0, version `v1`), for a receiver that verifies it with `webhook` or another library.
 * To rotate a secret, sign with both, and send both signatures in one header, separated by a space.
 *
 * @param message id, time, body and secret
 * @returns the three headers to send with the body
 * @throws TypeError if a value of the message is invalid
 *
 * @example
 * ```ts
 * import { signWebhook } from 'verbena/auth'
 *
 * const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
 * const timestamp = new Date('2021-02-25T13:51:54Z')
 * const headers = signWebhook({ id: 'msg_1', timestamp, body: '{"type":"paid"}', secret })
 * headers['webhook-timestamp'] // => '1614261114'
 * ```
 */
export function signWebhook(message: NewWebhook): WebhookHeaders {
  const { id, timestamp, body, secret } = message
  if (typeof id !== 'string' || !ID.test(id)) throw signError(`"id" must be ${VALID_ID}. Write "id: randomUUID()"`)
  const seconds = timestamp instanceof Date ? String(Math.floor(timestamp.getTime() / 1000)) : ''
  if (!TIMESTAMP.test(seconds)) throw signError('"timestamp" must be a Date. Write "timestamp: new Date()"')
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw signError('"body" must be a string or a Uint8Array. Write "body: JSON.stringify(event)"')
  const key = readSecret(secret)
  if (key === null) throw signError(`"secret" must be ${VALID_SECRET}. ${SECRET_FIX}`)
  const signature = `v1,${computeSignature(key, `${id}.${seconds}.`, body)}`
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signature }
}

/** Without `.`, which separates the signed values, so that no message can be read as another one. A repeated header contains a comma. */
const ID = /^[!-+\-/-~]{1,255}$/
const VALID_ID = 'a string of 1 to 255 visible ASCII characters except "." and ","'
/** Seconds since 1970, in the range of `Date`. */
const TIMESTAMP = /^[0-9]{1,12}$/
/** A signature of a version. */
const SIGNATURE = /^[\w-]+,[\w+/=-]+$/
const MAX_SIGNATURES = 10

const PREFIX = 'whsec_'
const MIN_SECRET_BYTES = 24
const MAX_SECRET_BYTES = 64
const VALID_SECRET = `a string "${PREFIX}…" that contains ${MIN_SECRET_BYTES} to ${MAX_SECRET_BYTES} bytes in base64`
const SECRET_FIX = `Create one with "${PREFIX}" + randomBytes(32).toString("base64")`

/** Returns `null` if the secret is invalid. A key object does not reveal its bytes when it is logged. */
function readSecret(secret: unknown): KeyObject | null {
  if (typeof secret !== 'string' || !secret.startsWith(PREFIX)) return null
  const text = secret.slice(PREFIX.length)
  const bytes = Buffer.from(text, 'base64')
  const isValid = bytes.length >= MIN_SECRET_BYTES && bytes.length <= MAX_SECRET_BYTES
  return isValid && bytes.toString('base64') === text ? createSecretKey(bytes) : null
}

/** @param start signed headers, each followed by a dot */
function computeSignature(key: KeyObject, start: string, body: string | Uint8Array): string {
  return createHmac('sha256', key).update(start).update(body).digest('base64')
}

const SETTINGS: Rules<Pick<WebhookOptions, 'secrets'>> = {
  secrets: mandatory(
    rule(
      (value) => Array.isArray(value) && value.length > 0 && value.every((secret) => readSecret(secret) !== null),
      `be a non-empty array, and each secret ${VALID_SECRET}, such as "${PREFIX}" + randomBytes(32).toString("base64")`,
      '[current]',
    ),
  ),
}

const RULES: Rules<WebhookOptions> = {
  ...settingRules(SETTINGS),
  headers: choiceRule(['webhook', 'svix'], "'svix'"),
  tolerance: rangeRule([1, 3_600], '300', ' of seconds'),
  now: functionRule('() => Date.now()'),
}

function signError(why: string): TypeError {
  return new TypeError(`Cannot sign a webhook: ${why}`)
}

interface WebhookSettings {
  readonly keys: readonly KeyObject[]
  /** In seconds. */
  readonly tolerance: number
  readonly now: () => number
}

interface SignedHeaders {
  readonly id: string
  readonly timestamp: string
  /** Encoded signatures of version `v1`. */
  readonly signatures: readonly string[]
}

const text = (description: string): object => ({ type: 'string', description })

/** Describes the headers for the OpenAPI document. It accepts all values, because the provider rejects invalid ones with 401, not 422. */
function headersSchema(prefix: string) {
  const properties = {
    [`${prefix}-id`]: text('Id of the message; the same for retries'),
    [`${prefix}-timestamp`]: text('Time at which the message was sent, in seconds since 1970'),
    [`${prefix}-signature`]: text(
      'Signatures of id, time and body, such as "v1,…", separated by spaces (Standard Webhooks)',
    ),
  }
  const schema = { type: 'object', properties, required: Object.keys(properties) }
  return {
    '~standard': {
      version: 1,
      vendor: 'verbena',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => schema, output: () => schema },
    },
  }
}

interface WebhookInput extends BaseContext {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly rawBody: Uint8Array
}

class WebhookProvider extends ProviderRecipe {
  override readonly settings: readonly StartSettings[]

  constructor(settings: ProviderSettings<WebhookSettings>, prefix: string) {
    super(Object.freeze({ headers: headersSchema(prefix), rawBody: true, errors: [401] }), (requestParts) => {
      // Proof: the app passes a context with the validated headers and the bytes of the body.
      const input = requestParts as WebhookInput
      const { app } = BaseContext.sourceOf(input)
      return verifyWebhook(settings.for(app), readSignedHeaders(input.headers, prefix), input.rawBody)
    })
    this.settings = settings.unread
  }
}

/** Throws a 401 if a header is missing or malformed. */
function readSignedHeaders(headers: WebhookInput['headers'], prefix: string): SignedHeaders {
  const names = [`${prefix}-id`, `${prefix}-timestamp`, `${prefix}-signature`] as const
  const [id, timestamp, list] = names.map((name) => headers[name])
  if (id === undefined || timestamp === undefined || list === undefined)
    throw signatureError(`Send the headers ${names[0]}, ${names[1]} and ${names[2]}`, 'missing')
  if (!ID.test(id)) throw signatureError(`${names[0]} must be ${VALID_ID}`, 'malformed')
  if (!TIMESTAMP.test(timestamp)) throw signatureError(`${names[1]} must be in seconds since 1970`, 'malformed')
  const versioned = list.split(' ').filter((each) => SIGNATURE.test(each))
  if (versioned.length === 0) throw signatureError(`${names[2]} must contain a signature such as "v1,…"`, 'malformed')
  const signatures = versioned.flatMap((each) => (each.startsWith('v1,') ? each.slice(3) : []))
  return { id, timestamp, signatures: signatures.slice(0, MAX_SIGNATURES) }
}

/** Checks the time after the signature, so that `expired` means a message of the sender. */
function verifyWebhook(
  { keys, tolerance, now }: WebhookSettings,
  { id, timestamp, signatures }: SignedHeaders,
  body: Uint8Array,
): Webhook {
  const candidates = signatures.map((each) => Buffer.from(each))
  if (!keys.some((key) => hasSignature(candidates, computeSignature(key, `${id}.${timestamp}.`, body))))
    throw signatureError('The webhook is not signed with a known secret', 'rejected')
  const age = Math.floor(readClock(now, 'verify a webhook: "now" of webhook(…)') / 1000) - Number(timestamp)
  if (age > tolerance) throw signatureError('The webhook is too old', 'expired')
  if (age < -tolerance) throw signatureError('The time of the webhook is in the future', 'rejected')
  return { id, timestamp: new Date(Number(timestamp) * 1000) }
}

function hasSignature(candidates: readonly Buffer[], expected: string): boolean {
  const bytes = Buffer.from(expected)
  // `timingSafeEqual` throws if the lengths differ. The length of a signature is public.
  return candidates.some((each) => each.length === bytes.length && timingSafeEqual(each, bytes))
}

/** `Webhook` is not a registered scheme, but a 401 requires a challenge (RFC 9110 section 15.5.2). */
function signatureError(detail: string, reason: UnauthorizedReason): HttpError {
  return unauthorizedError(detail, 'Webhook', reason)
}
