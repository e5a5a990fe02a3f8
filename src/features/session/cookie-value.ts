/** `signedCookie` and `sealedCookie`: small values that the browser keeps. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { RequestContext } from '../../context/request-context.js'
import { checkMembers, rule, type Rules } from '../../errors/known-keys.js'
import { SetupError } from '../../errors/setup-error.js'
import { ProviderRecipe, schemaRule, type Provider } from '../../injection/provide.js'
import type { AnySchema, In, Out, Schema } from '../../validation/schema.js'
import { noop } from '../../values/ignore.js'
import { isWhole } from '../../values/numbers.js'
import { isRecord } from '../../values/objects.js'
import { checkAttributes, Cookie, COOKIE, KEYS, type CookieAttributes } from './cookie.js'
import { sealedCode, signing, type CookieCode, type Keys } from './cookie-code.js'
import { SessionDraft, readValue, TEXT, type TextSchema } from './draft.js'

startStackAtCaller(sealedCookie, signedCookie)

/** A value in a cookie. It is written when the request has gone well, before the head of the answer leaves. */
export interface CookieValue<Value, Given = Value> {
  /** What the browser has sent; `undefined` where that is nothing, or nothing that was written here. */
  readonly value: Value | undefined
  /**
   * Gives the browser another value.
   *
   * @param value as JSON it must fit the schema
   * @throws Error once the provider has ended; TypeError for a value that does not fit
   */
  set(value: Given): void
  /**
   * Lets the browser forget the cookie. This also holds when the request fails afterwards.
   *
   * @throws Error once the provider has ended
   */
  end(): void
}

/** How a cookie is written and read. */
export interface CookieValueOptions<S extends AnySchema> extends CookieAttributes {
  /** Texts of 32 bytes at least, of which keys are made: the first one writes, all of them read. */
  readonly keys: readonly string[]
  /** Of the value; any text unless given. What does not fit it any more counts as absent. */
  readonly schema?: S
  /** Lifetime of the value in ms; default 2_592_000_000 (30 days). */
  readonly lifetime?: number
}

/**
 * Makes a guard that gives a value in a cookie, signed by HMAC-SHA-256: the browser can read it, and nobody can change it. It
 * cannot be ended before its time, because a copy stays valid. To remember who is signed in, use `session`.
 *
 * @param name of the cookie; `__Host-` is put before it
 * @param options keys, schema, lifetime and attributes
 * @returns the provider, for `uses`
 * @throws SetupError `PROVIDER_INVALID`
 *
 * @example
 * ```ts
 * import { createApp, Route, type Input } from 'verbena'
 * import { signedCookie } from 'verbena/session'
 *
 * const theme = signedCookie('theme', { keys: ['a text of 32 bytes that nobody knows'] })
 *
 * class Theme extends Route {
 *   static readonly put = this.contract({ uses: { theme } })
 *   async put({ theme }: Input<typeof Theme.put>) {
 *     theme.set(theme.value === 'dark' ? 'light' : 'dark')
 *   }
 * }
 * const app = createApp({ routes: { Theme } })
 * const { headers } = await app.fetch(new Request('http://localhost/theme', { method: 'PUT' }))
 * headers.get('set-cookie')?.split('=')[0] // => '__Host-theme'
 * ```
 */
export function signedCookie<const S extends AnySchema = TextSchema>(
  name: string,
  options: CookieValueOptions<S>,
): Provider<CookieValue<Out<S>, In<S>>> {
  return cookieProvider('signedCookie', name, options, signing)
}

/**
 * Makes a guard that gives a value in a cookie, sealed by AES-256-GCM: the browser can neither read nor change it. As with
 * `signedCookie`, a copy stays valid until its end.
 *
 * @param name of the cookie; `__Host-` is put before it
 * @param options keys, schema, lifetime and attributes
 * @returns the provider, for `uses`
 * @throws SetupError `PROVIDER_INVALID`
 *
 * @example
 * ```ts
 * import { sealedCookie } from 'verbena/session'
 *
 * // What a sign-in at another server needs when the browser comes back from there, ten minutes later at most.
 * const verifier = sealedCookie('verifier', { keys: ['a text of 32 bytes that nobody knows'], lifetime: 600_000 })
 * typeof verifier // => 'object'
 * ```
 */
export function sealedCookie<const S extends AnySchema = TextSchema>(
  name: string,
  options: CookieValueOptions<S>,
): Provider<CookieValue<Out<S>, In<S>>> {
  return cookieProvider('sealedCookie', name, options, sealedCode)
}

function cookieProvider<S extends AnySchema>(
  maker: string,
  name: string,
  options: CookieValueOptions<S>,
  coding: typeof signing,
): Provider<CookieValue<Out<S>, In<S>>> {
  const untrusted: unknown = options
  const refuse = (why: string): SetupError =>
    new SetupError('PROVIDER_INVALID', `Cannot make a provider by ${maker}: ${why}`)
  if (!isRecord(untrusted)) throw refuse(`it is given no options. Write "${maker}('name', { keys })"`)
  checkMembers({ name, ...untrusted }, RULES, refuse)
  if (name === undefined || options.keys === undefined) {
    throw refuse(`it has no name, or no keys. Write "${maker}('name', { keys: [current] })"`)
  }
  // Proof: they were checked.
  const { schema = TEXT, keys, lifetime = A_MONTH } = untrusted as { schema?: Schema; keys: Keys; lifetime?: number }
  checkAttributes(options, refuse)
  const cookie = new Cookie(name, options)
  const code = coding(keys, `cookie ${cookie.name}`)
  const provider: unknown = new CookieProvider(Object.freeze({ guard: true }), (input) =>
    // Proof: providers get their input from the app, and all inputs are contexts.
    valueIn({ cookie, code, schema, lifetime }, input as RequestContext),
  )
  // Proof: its values are those of the schema.
  return provider as Provider<CookieValue<Out<S>, In<S>>>
}

class CookieProvider extends ProviderRecipe {
  override readonly readsCredentials: boolean = true
}

const A_MONTH = 2_592_000_000

const RULES: Rules = {
  ...COOKIE,
  keys: KEYS,
  schema: schemaRule('schema'),
  lifetime: rule(
    (value) => isWhole(value, 1),
    '"lifetime" must be a positive integer of ms. Write "lifetime: 3_600_000"',
  ),
}

interface CookieSettings {
  readonly cookie: Cookie
  readonly code: CookieCode
  readonly schema: Schema
  readonly lifetime: number
}

async function* valueIn(
  { cookie, code, schema, lifetime }: CookieSettings,
  input: RequestContext,
): AsyncGenerator<SessionDraft, void, void> {
  const { response } = input
  response.append('vary', 'cookie')
  const sentCookie = cookie.sentIn(RequestContext.sourceOf(input))
  const decoded = sentCookie === undefined ? undefined : code.read(sentCookie)
  const value = decoded === undefined ? undefined : await readValue(schema, JSON.parse(decoded.content.toString()))
  const draft = new SessionDraft(`the cookie "${cookie.name}"`, schema, value)
  // An invalid cookie stays: the response to another request may already have replaced it.
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
