/** Credentials: what clients send to show who they are. `bearer`, `basic` and `apiKey` are made of this. */
import type { ContextSource } from '../context/context-source.js'
import { RequestContext } from '../context/request-context.js'
import { HttpError } from '../errors/http-error.js'
import { ProviderRecipe } from './provide.js'
import type { Provider, SecurityScheme } from './provider-types.js'
import type { ServiceValues } from './service-store.js'
import { isThenable } from './thenable.js'

/** A provider that looks at credentials: what `bearer`, `basic`, `apiKey`, `optional` and `anyOf` make. */
export interface CredentialsProvider<T, Services extends object = {}> extends Provider<T, Services> {
  /** A type only. */
  readonly '~credentials': true
}

/** What a verifying function returns when it refuses. */
export type Refused = false | null | undefined | '' | 0 | 0n

/** What a verifying function gives when it accepts. */
export type Verified<T> = Exclude<Awaited<T>, Refused>

/** What one way of showing who one is consists of. */
export interface WayParts {
  /** Where credentials stand; two ways with the same place cannot be told apart. */
  readonly place: string
  /** For the document. */
  readonly scheme: SecurityScheme
  /** What a 401 says of this way. */
  readonly challenge: string
  /** Finds what was sent. Returns `null` when it holds nothing for this way. */
  readonly find: (source: ContextSource) => string | null
  /** Verifies what was found. */
  readonly verify: (shown: string, services: ServiceValues) => unknown
  /** Makes the error of a refusal, status 401. */
  readonly refusal: () => HttpError
}

/** One way in which clients show who they are. */
export class Way {
  readonly parts: WayParts
  /** What was verified for a call; `null` as long as one provider alone asks. */
  #results: WeakMap<ContextSource, unknown> | null = null

  constructor(parts: WayParts) {
    this.parts = parts
  }

  /** From now on several providers ask, and what one has verified counts for all of them. */
  share(): void {
    this.#results ??= new WeakMap()
  }

  /** Verifies what was found in a call. */
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

/** A provider of what one of several ways gives. */
export class CredentialsRecipe extends ProviderRecipe implements CredentialsProvider<never> {
  declare readonly '~credentials': true
  readonly ways: readonly Way[]
  /** Whether requests without credentials are let in. */
  readonly isOptional: boolean

  constructor(ways: readonly Way[], isOptional: boolean) {
    const security = ways.map(({ parts }) => parts.scheme)
    const needs = Object.freeze({ security, errors: [401] })
    super(needs, (input, services) => resolveWays(input, services, { ways, isOptional }), 'before-response')
    this.ways = ways
    this.isOptional = isOptional
  }
}

interface Asked {
  readonly ways: readonly Way[]
  readonly isOptional: boolean
}

function resolveWays(input: object, services: ServiceValues, { ways, isOptional }: Asked): unknown {
  // Proof: providers get their input from the app, and all inputs are contexts.
  const source = RequestContext.sourceOf(input as RequestContext)
  for (const way of ways) {
    const shown = way.parts.find(source)
    if (shown !== null) return way.check(source, shown, services)
  }
  if (isOptional) return undefined
  const challenges = ways.map(({ parts }) => parts.challenge).join(', ')
  throw unauthorized('This needs credentials, and there are none', challenges)
}

/** The error for credentials that are absent or wrong. */
export function unauthorized(detail: string, challenges: string): HttpError {
  return new HttpError(401, detail, { headers: { 'www-authenticate': challenges } })
}

/** Makes a provider of one way. */
export function makeCredentials<T, Services extends object>(parts: WayParts): CredentialsProvider<T, Services> {
  return new CredentialsRecipe([new Way(parts)], false)
}
