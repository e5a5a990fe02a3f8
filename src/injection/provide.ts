/** Providers: request-scoped dependencies, as data. */
import { checkNeeds, checkProvider } from './need-checks.js'
import type { Only } from '../errors/known-keys.js'
import type {
  Accepted,
  Ends,
  Needs,
  Provided,
  Provider,
  ProviderInput,
  ProviderOptions,
  ServicesOf,
  UsesIn,
  WantOf,
} from './provider-types.js'
import type { ServiceValues } from './service-store.js'

/** What a provider does with its input and the services of the app. */
export type Resolve = (input: object, services: ServiceValues) => unknown

/** A provider at run time: plain data. */
export class ProviderRecipe implements Provider<never> {
  declare readonly '~value': never
  declare readonly '~services': () => void
  readonly needs: Needs
  readonly resolve: Resolve
  readonly ends: Ends

  constructor(needs: Needs, resolve: Resolve, ends: Ends) {
    this.needs = needs
    this.resolve = resolve
    this.ends = ends
  }
}

/** What a provider is made of. */
export interface ProviderParts {
  /** What it needs of the request; `security` makes it a guard. */
  readonly needs: Needs
  /** Gives the value. */
  readonly resolve: Resolve
  /** When the part after `yield` runs; before the answer unless given. */
  readonly ends?: Ends
}

/** Makes a provider of parts that are known to be sound; `provide` is the same for authors. */
export function makeProvider<T, Services extends object>(parts: ProviderParts): Provider<T, Services> {
  const { needs, resolve, ends = 'before-response' } = parts
  return new ProviderRecipe(Object.freeze({ ...needs }), resolve, ends)
}

/**
 * Makes a request-scoped dependency. Each request has one value of it, shared by all who use it; it is used by naming it in
 * `uses`, of a contract, of a class, of a group, or of another provider.
 *
 * A generator yields the value once. What stands after `yield` runs before the head of the answer is sent; when the request
 * fails, the error is thrown in at the `yield`.
 *
 * `false` refuses the request where `needs` has `security`, or names 401 or 403 in `errors`: with 401 and a challenge, or with
 * 403. The type of the value is without `false` then. Other providers may give `false` like any other value.
 *
 * @param needs schemas of what it reads, other providers, and words for the document; an unknown key is an error at that key
 * @param resolve gets what it needs, and the services; may be async, a generator, or an async generator
 * @param options `ends: 'after-response'` runs what stands after `yield` once the answer has ended
 * @returns the provider, for `uses`
 * @throws SetupError `PROVIDER_INVALID`
 *
 * @example
 * ```ts
 * import { createApp, provide, Route, type Input } from 'verbena'
 *
 * const language = provide({}, ({ request }) => request.headers['accept-language'] ?? 'en')
 *
 * class Home extends Route {
 *   static readonly get = this.contract({ uses: { language } })
 *   async get({ language }: Input<typeof Home.get>) {
 *     return language === 'de' ? 'hallo' : 'hello'
 *   }
 * }
 * const app = createApp({ routes: { Home } })
 * const response = await app.fetch(new Request('http://localhost/home', { headers: { 'accept-language': 'de' } }))
 * await response.text() // => 'hallo'
 * ```
 */
export function provide<const N extends Needs, T, Services extends object = {}>(
  needs: N & Only<N, Needs>,
  resolve: (input: ProviderInput<N>, services: Services) => Provided<T>,
  options: ProviderOptions = {},
): Provider<Accepted<N, Awaited<T>>, Services & ServicesOf<WantOf<UsesIn<N>>>> {
  checkNeeds(needs)
  checkProvider(resolve, options)
  // Proof: its input is made of its needs, and `createApp` checks by type that the services are there.
  return makeProvider({ needs, resolve: resolve as unknown as Resolve, ...options })
}
