/** Credentials: what clients authenticate with. `bearer`, `basic` and `apiKey` are made of this. */
import type { ContextSource } from '../context/context-source.js'
import { RequestContext } from '../context/request-context.js'
import { HttpError } from '../errors/http-error.js'
import { isThenable } from '../values/objects.js'
import { ProviderRecipe } from './provide.js'
import type { Provider, SecurityScheme } from './provider-types.js'
import type { ServiceValues } from './service-store.js'

/** A provider that looks at credentials: what `bearer`, `basic`, `apiKey`, `optional` and `anyOf` make. */
export interface CredentialsProvider<T, Services extends object = {}> extends Provider<T, Services> {
  /** A type only. */
  readonly '~credentials': true
}

/** What a verifying function returns when it refuses. */
type Refused = false | null | undefined | '' | 0 | 0n

/** What a verifying function gives when it accepts. */
export type Verified<T> = Exclude<Awaited<T>, Refused>

/** One way in which clients authenticate, such as a bearer token. */
interface WayParts {
  /** Where credentials stand; two ways with the same place cannot be told apart. */
  readonly place: string
  readonly scheme: SecurityScheme
  readonly challenge: string
  /** What was sent; `null` when it holds nothing for this way. */
  readonly find: (source: ContextSource) => string | null
  readonly verify: (shown: string, services: ServiceValues) => unknown
  readonly refusal: () => HttpError
}

/** A way that several providers may share. */
class Way {
  readonly parts: WayParts
  /** What was verified for a call; `null` as long as one provider alone asks. */
  #results: WeakMap<ContextSource, unknown> | null = null

  constructor(parts: WayParts) {
    this.parts = parts
  }

  /** From now on several providers use it, and what one has verified counts for all of them. */
  share(): void {
    this.#results ??= new WeakMap()
  }

  check(source: ContextSource, shown: string, services: ServiceValues): unknown {
    const results = this.#results
    if (results === null) return this.#verify(shown, services)
    if (results.has(source)) return results.get(source)
    const result = this.#verify(shown, services)
    results.set(source, result)
    return result
  }

  #verify(shown: string, services: ServiceValues): unknown {
    const made = this.parts.verify(shown, services)
    return isThenable(made) ? Promise.resolve(made).then((value) => this.#accept(value)) : this.#accept(made)
  }

  #accept(value: unknown): unknown {
    if (value) return value
    throw this.parts.refusal()
  }
}

/** A provider of what the first of some ways finds. */
export class CredentialsRecipe extends ProviderRecipe implements CredentialsProvider<never> {
  declare readonly '~credentials': true
  readonly ways: readonly Way[]
  /** Whether requests without credentials are let in. */
  readonly isOptional: boolean

  constructor(ways: readonly Way[], isOptional: boolean) {
    const security = ways.map(({ parts }) => parts.scheme)
    const needs = Object.freeze({ security, errors: [401] })
    super(needs, (input, services) => this.#resolve(input, services))
    this.ways = ways
    this.isOptional = isOptional
  }

  #resolve(input: object, services: ServiceValues): unknown {
    // Proof: providers get their input from the app, and all inputs are contexts.
    const source = RequestContext.sourceOf(input as RequestContext)
    for (const way of this.ways) {
      const shown = way.parts.find(source)
      if (shown !== null) return way.check(source, shown, services)
    }
    if (this.isOptional) return undefined
    const challenges = this.ways.map(({ parts }) => parts.challenge).join(', ')
    throw unauthorized('This needs credentials, and there are none', challenges)
  }
}

/** A provider of one way. */
export function makeCredentials<T, Services extends object>(parts: WayParts): CredentialsProvider<T, Services> {
  return new CredentialsRecipe([new Way(parts)], false)
}

/** The 401 for credentials that are absent or wrong. */
export function unauthorized(detail: string, challenges: string): HttpError {
  return new HttpError(401, detail, { headers: { 'www-authenticate': challenges } })
}

/** One challenge, for `WWW-Authenticate` (RFC 9110 section 11.6.1); parameters that are `undefined` are left out. */
export function challenge(scheme: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`],
  )
  return given.length === 0 ? scheme : `${scheme} ${given.join(', ')}`
}
