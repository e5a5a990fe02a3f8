/** `signedCookie` and `sealedCookie`: small values that are stored in the browser. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { BaseContext } from '../../context/request-context.js'
import { checkArgument, checkOptions, integerRule, type Rules } from '../../errors/options.js'
import { ProviderRecipe, type Provider } from '../../injection/provide.js'
import type { Setting, StartSettings } from '../../injection/services.js'
import { SCHEMA_RULE, type AnySchema, type In, type Out, type Schema } from '../../validation/schema.js'
import { noop } from '../../values/noop.js'
import { buildSettings, settingRules, type ProviderSettings } from '../stores/service-settings.js'
import { ATTRIBUTES, checkAttributes, Cookie, COOKIE_NAME, KEYS, type CookieAttributes } from './cookie.js'
import { sealedCode, signedCode, type CookieCode, type Keys } from './cookie-code.js'
import { SessionDraft, readValue, TEXT, type TextSchema } from './draft.js'

startStackAtCaller(sealedCookie, signedCookie)

/** A value in a cookie. Changes are sent only if the request succeeds, and before the response headers are sent. */
export interface CookieValue<Value, Given = Value> {
  /** Value of the cookie; `undefined` if the cookie is missing, invalid or expired. */
  readonly value: Value | undefined
  /**
   * Changes the value.
   *
   * @param value new value, whose JSON form must match the schema
   * @throws Error after provider cleanup has started; TypeError if the value does not match the schema
   */
  set(value: Given): void
  /**
   * Deletes the cookie, even if the request fails afterwards.
   *
   * @throws Error after provider cleanup has started
   */
  end(): void
}

/** Options of `signedCookie` and `sealedCookie`. */
export interface CookieValueOptions<S extends AnySchema, Services extends object = {}> extends CookieAttributes {
  /**
   * Strings of at least 32 bytes, or a function of the services that returns them; the function may be async, and each app calls it once
   * when it starts. The first key writes cookies; all keys read them.
   */
  readonly keys: Setting<readonly string[], Services>
  /** Schema of the value; default: any string. A value that does not match counts as missing. */
  readonly schema?: S
  /** Lifetime of the value in ms; default 2_592_000_000 (30 days). */
  readonly lifetime?: number
}

/**
 * Creates a guard that provides a value in a cookie, signed with HMAC-SHA-256. Users can read the value but not change it. You cannot
 * revoke it, because a copy of the cookie stays valid until it expires. To remember who is signed in, use `session`.
 *
 * @param name name of the cookie, to which Verbena adds the prefix `__Host-` or `__Secure-`
 * @param options keys, schema, lifetime and attributes
 * @returns the provider, for `uses`
 * @throws SetupError `OPTION_INVALID`; for the result of a function, when the app starts
 *
 * @example
 * ```ts
 * import { createApp, Route, type Input } from 'verbena'
 * import { signedCookie } from 'verbena/session'
 *
 * interface Config {
 *   readonly cookieKeys: readonly string[]
 * }
 * const theme = signedCookie('theme', { keys: ({ config }: { config: Config }) => config.cookieKeys })
 *
 * class Theme extends Route {
 *   static readonly put = this.contract({ uses: { theme } })
 *   async put({ theme }: Input<typeof Theme.put>) {
 *     theme.set(theme.value === 'dark' ? 'light' : 'dark')
 *   }
 * }
 * const config: Config = { cookieKeys: ['a text of 32 bytes that nobody knows'] }
 * const app = createApp({ services: { config }, routes: { Theme } })
 * const { headers } = await app.fetch(new Request('http://localhost/theme', { method: 'PUT' }))
 * headers.get('set-cookie')?.split('=')[0] // => '__Host-theme'
 * ```
 */
export function signedCookie<const S extends AnySchema = TextSchema, Services extends object = {}>(
  name: string,
  options: CookieValueOptions<S, Services>,
): Provider<CookieValue<Out<S>, In<S>>, Services> {
  return cookieProvider('signedCookie', name, options, signedCode)
}

/**
 * Creates a guard that provides a value in a cookie, sealed with AES-256-GCM. Users can neither read nor change the value. As with
 * `signedCookie`, a copy of the cookie stays valid until it expires.
 *
 * @param name name of the cookie, to which Verbena adds the prefix `__Host-` or `__Secure-`
 * @param options keys, schema, lifetime and attributes
 * @returns the provider, for `uses`
 * @throws SetupError `OPTION_INVALID`; for the result of a function, when the app starts
 *
 * @example
 * ```ts
 * import { sealedCookie } from 'verbena/session'
 *
 * interface Config {
 *   readonly cookieKeys: readonly string[]
 * }
 * // State of a sign-in at another server, which redirects the browser back within ten minutes.
 * const verifier = sealedCookie('verifier', {
 *   keys: ({ config }: { config: Config }) => config.cookieKeys,
 *   lifetime: 600_000,
 * })
 * typeof verifier // => 'object'
 * ```
 */
export function sealedCookie<const S extends AnySchema = TextSchema, Services extends object = {}>(
  name: string,
  options: CookieValueOptions<S, Services>,
): Provider<CookieValue<Out<S>, In<S>>, Services> {
  return cookieProvider('sealedCookie', name, options, sealedCode)
}

function cookieProvider<S extends AnySchema, Services extends object>(
  maker: string,
  name: string,
  options: CookieValueOptions<S, Services>,
  coding: typeof signedCode,
): Provider<CookieValue<Out<S>, In<S>>, Services> {
  const owner = `${maker}()`
  checkArgument(name, { ...COOKIE_NAME, example: `${maker}('name', { keys })` }, 'name', owner)
  checkOptions(options, RULES, owner)
  // Proof: `checkOptions` has checked them.
  const { schema = TEXT, lifetime = A_MONTH } = options as { schema?: Schema; lifetime?: number }
  checkAttributes(options, '', owner)
  const cookie = new Cookie(name, options)
  const settings = buildSettings({ keys: options.keys }, { rules: SETTINGS, owner }, ({ keys }) => {
    // Proof: the rule has checked them.
    const code = coding(keys as Keys, `cookie ${cookie.name}`)
    return { cookie, code, schema, lifetime }
  })
  // Proof: the schema validates the values.
  return new CookieProvider(settings) as unknown as Provider<CookieValue<Out<S>, In<S>>, Services>
}

class CookieProvider extends ProviderRecipe {
  override readonly readsCredentials: boolean = true
  override readonly settings: readonly StartSettings[]

  constructor(settings: ProviderSettings<CookieSettings>) {
    super(Object.freeze({ guard: true }), (requestParts) => {
      // Proof: the app passes a context to every provider.
      const input = requestParts as BaseContext
      return valueIn(settings.for(BaseContext.sourceOf(input).app), input)
    })
    this.settings = settings.unread
  }
}

const A_MONTH = 2_592_000_000

const SETTINGS: Rules<Pick<CookieValueOptions<AnySchema>, 'keys'>> = { keys: KEYS }

const RULES: Rules<CookieValueOptions<AnySchema>> = {
  ...settingRules(SETTINGS),
  schema: SCHEMA_RULE,
  lifetime: integerRule(1, '3_600_000', ' of ms'),
  ...ATTRIBUTES,
}

interface CookieSettings {
  readonly cookie: Cookie
  readonly code: CookieCode
  readonly schema: Schema
  readonly lifetime: number
}

async function* valueIn(
  { cookie, code, schema, lifetime }: CookieSettings,
  input: BaseContext,
): AsyncGenerator<SessionDraft, void, void> {
  const { response } = input
  const sentCookie = cookie.sentIn(BaseContext.sourceOf(input))
  const decoded = sentCookie === undefined ? undefined : code.read(sentCookie)
  const value = decoded === undefined ? undefined : await readValue(schema, JSON.parse(decoded.content.toString()))
  const draft = new SessionDraft(`the cookie "${cookie.name}"`, schema, value)
  // An invalid cookie is not deleted, because the response to another request may already have replaced it.
  const removeEnded = (): void => {
    if (draft.hasEnded) cookie.remove(response)
  }
  try {
    yield draft
    await draft.close()
  } catch (error) {
    draft.close().catch(noop)
    removeEnded()
    throw error
  }
  if (draft.json === undefined) return removeEnded()
  const end = Date.now() + lifetime
  cookie.write(response, code.write({ content: Buffer.from(draft.json), end }), end)
}
