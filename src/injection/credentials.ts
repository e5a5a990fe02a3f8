/** Credentials: what clients authenticate with, and how a request is refused. `bearer`, `basic` and `apiKey` are made of this. */
import { RequestContext, type ContextSource } from '../context/request-context.js'
import { frameworkError, isHttpError, type HttpError } from '../errors/http-error.js'
import { isThenable } from '../values/objects.js'
import {
  ProviderRecipe,
  readUses,
  type FrameworkErrors,
  type Needs,
  type Provider,
  type SecurityScheme,
  type Uses,
} from './provide.js'
import type { ServiceValues } from './service-store.js'

/** A provider that looks at credentials: what `bearer`, `basic`, `apiKey`, `optional` and `anyOf` make. */
export interface CredentialsProvider<T, Services extends object = {}> extends Provider<T, Services> {
  /** A type only. */
  readonly '~credentials': true
}

/** What a verifying function returns when it refuses. */
type RefusedCredentials = false | null | undefined | '' | 0 | 0n

/** What a verifying function gives when it accepts. */
export type Verified<T> = Exclude<Awaited<T>, RefusedCredentials>

/** How clients authenticate, such as by a bearer token. */
interface SchemeParts {
  /** Where credentials stand, `Authorization` for all of that header, `Authorization: Bearer` for a part of it. */
  readonly place: string
  readonly security: SecurityScheme
  readonly challenge: string
  /** Gives what was sent; `null` when nothing of this scheme was. */
  readonly find: (source: ContextSource) => string | null
  readonly verify: (shown: string, services: ServiceValues, source: ContextSource) => unknown
  readonly refusal: () => HttpError
  /** Whether only the client's own code can have sent them: browsers do not add them to what a page of another site asks. */
  readonly isDeliberate?: boolean
  /** Of credentials that browsers send by themselves; absent for all others. */
  readonly sender?: OriginCheck
}

/** How it is looked at which page has sent a request (CSRF). */
export interface OriginCheck {
  /** What runs before these credentials are looked for. */
  readonly uses: Uses
  /** Throws where the page may not act for its user; it may be asynchronous. */
  check(source: ContextSource): unknown
  /** Deliberate credentials have won: it does not count who has sent the request. */
  exempt(source: ContextSource): void
}

/** An authentication scheme that several providers may share. */
class AuthScheme {
  readonly parts: SchemeParts
  /** What was verified for a call; `null` as long as only one provider uses the scheme. */
  #results: WeakMap<ContextSource, unknown> | null = null

  constructor(parts: SchemeParts) {
    this.parts = parts
  }

  /** From now on several providers use it, and what one has verified counts for all of them. */
  share(): void {
    this.#results ??= new WeakMap()
  }

  check(source: ContextSource, shown: string, services: ServiceValues): unknown {
    if (this.#results?.has(source)) return this.#results.get(source)
    const verified = this.parts.verify(shown, services, source)
    const result = isThenable(verified)
      ? Promise.resolve(verified).then((value) => this.#accept(value))
      : this.#accept(verified)
    this.#results?.set(source, result)
    return result
  }

  #accept(value: unknown): unknown {
    if (value) return value
    throw this.parts.refusal()
  }
}

/** Gives what a function gives, now or later, or else what is made of its error. */
export function catchAsync(work: () => unknown, rescue: (error: unknown) => unknown): unknown {
  try {
    const result = work()
    return isThenable(result) ? Promise.resolve(result).catch(rescue) : result
  } catch (error) {
    return rescue(error)
  }
}

function mergeUses(senders: readonly OriginCheck[]): Pick<Needs, 'uses'> {
  return senders.length === 0 ? {} : { uses: Object.assign({}, ...senders.map(({ uses }) => uses)) }
}

/** Goes on with a value, at once where it is there. */
export function followedBy(made: unknown, next: (value: unknown) => unknown): unknown {
  return isThenable(made) ? Promise.resolve(made).then(next) : next(made)
}

/** What becomes of a request without credentials, and of one with wrong ones: refused is a 401, open is let in. */
export type Strictness = 'refused' | 'open without' | 'open'

/** A provider of what the first scheme finds that has credentials. */
export class CredentialsRecipe extends ProviderRecipe implements CredentialsProvider<never> {
  declare readonly '~credentials': true
  readonly schemes: readonly AuthScheme[]
  readonly strictness: Strictness
  override readonly frameworkErrors: FrameworkErrors
  readonly #senders: readonly OriginCheck[]
  /** Asked for all of them: they have one request. */
  readonly #sender: OriginCheck | null

  constructor(schemes: readonly AuthScheme[], strictness: Strictness) {
    const security = schemes.map(({ parts }) => parts.security)
    const senders = schemes.flatMap(({ parts }) => parts.sender ?? [])
    const errors = strictness === 'open' ? [] : [401]
    super(Object.freeze({ security, errors, ...mergeUses(senders) }), (input, services) =>
      // Proof: providers get their input from the app, and all inputs are contexts.
      this.#resolve(RequestContext.sourceOf(input as RequestContext), services, schemes),
    )
    this.schemes = schemes
    this.#senders = senders
    this.#sender = senders[0] ?? null
    this.strictness = strictness
    this.frameworkErrors = { always: [], unsafe: senders.length === 0 ? [] : [403] }
  }

  get challenges(): string[] {
    return this.schemes.map(({ parts }) => parts.challenge)
  }

  /** Whether requests without credentials are let in. */
  get isOptional(): boolean {
    return this.strictness !== 'refused'
  }

  #resolve(source: ContextSource, services: ServiceValues, schemes: readonly AuthScheme[]): unknown {
    for (const scheme of schemes) {
      const matchingChallenge = scheme.parts.find(source)
      if (matchingChallenge === null) continue
      if (this.strictness !== 'open') return this.#check(scheme, source, matchingChallenge, services)
      // What is wrong counts as absent, so the next scheme is asked.
      const next = (error: unknown): unknown => {
        if (!isHttpError(error) || error.status !== 401) throw error
        return this.#resolve(source, services, schemes.slice(schemes.indexOf(scheme) + 1))
      }
      return catchAsync(() => this.#check(scheme, source, matchingChallenge, services), next)
    }
    return this.#sender === null ? this.#absent() : followedBy(this.#sender.check(source), () => this.#absent())
  }

  #check(scheme: AuthScheme, source: ContextSource, shown: string, services: ServiceValues): unknown {
    if (this.#sender === null) return scheme.check(source, shown, services)
    if (scheme.parts.isDeliberate !== true) {
      return followedBy(this.#sender.check(source), () => scheme.check(source, shown, services))
    }
    return followedBy(scheme.check(source, shown, services), (value) => {
      for (const each of this.#senders) each.exempt(source)
      return value
    })
  }

  #absent(): undefined {
    if (this.isOptional) return undefined
    throw unauthorizedError('This needs credentials, and there are none', this.challenges.join(', '))
  }
}

export function makeCredentials<T, Services extends object>(parts: SchemeParts): CredentialsProvider<T, Services> {
  return new CredentialsRecipe([new AuthScheme(parts)], 'refused')
}

/** The 401 for credentials that are absent or wrong. */
export function unauthorizedError(detail: string, challenges: string): HttpError {
  return frameworkError(401, detail, { headers: { 'www-authenticate': challenges } })
}

/** One challenge, for `WWW-Authenticate` (RFC 9110 section 11.6.1); parameters that are `undefined` are left out. */
export function challenge(scheme: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const quotedParts = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`],
  )
  return quotedParts.length === 0 ? scheme : `${scheme} ${quotedParts.join(', ')}`
}

/** How a provider refuses a request by `false`. */
export interface Refusal {
  readonly status: 401 | 403
  /** Value of `WWW-Authenticate`; empty for 403. */
  readonly challenges: string
}

/**
 * How a provider refuses by `false`; `null` where that is a value like any other. The status is 401 where a challenge can be sent
 * (RFC 9110 section 15.5.2) and its author means 401: with a scheme unless `errors` names 403 alone, else when it names 401 alone.
 */
export function findRefusal(provider: ProviderRecipe): Refusal | null {
  if (provider instanceof CredentialsRecipe && provider.strictness === 'open') return null
  const { security, errors } = provider.needs
  const [names401, names403] = [namesStatus(errors, 401), namesStatus(errors, 403)]
  const hasScheme = security !== undefined
  if (!hasScheme && !names401 && !names403) return null
  const means401 = hasScheme ? names401 || !names403 : !names403
  const challenges = means401 ? collectChallenges(provider).join(', ') : ''
  return { status: challenges === '' ? 403 : 401, challenges }
}

export function namesRefusal(errors: Needs['errors']): boolean {
  return namesStatus(errors, 401) || namesStatus(errors, 403)
}

function namesStatus(errors: Needs['errors'], status: number): boolean {
  const statuses = Array.isArray(errors) ? errors : Object.keys(errors ?? {})
  return statuses.some((named) => Number(named) === status)
}

export function refusalError({ status, challenges }: Refusal): HttpError {
  if (status === 401) return unauthorizedError('This needs valid credentials', challenges)
  return frameworkError(403, 'You are not allowed to do this')
}

/** Its own; of a provider without a scheme, such as a role, those of the providers that it uses. */
function collectChallenges(provider: ProviderRecipe): readonly string[] {
  if (provider instanceof CredentialsRecipe) return provider.challenges
  const { security, uses = {} } = provider.needs
  if (security !== undefined) return [security].flat().flatMap(formatChallenge)
  return readUses(uses, 'a provider').flatMap((used) => collectChallenges(used.provider))
}

const SCHEME = /^[\w!#$%&'*+.^`|~-]+$/
const QUOTABLE = /^[\x20-\x7e]+$/

/** Mutual TLS has no challenge: it is settled before the request. */
function formatChallenge({ type, scheme: name, in: where, name: key }: SecurityScheme): string[] {
  if (type === 'oauth2' || type === 'openIdConnect') return ['Bearer']
  if (type === 'apiKey' && isText(where, QUOTABLE) && isText(key, QUOTABLE)) {
    return [challenge('ApiKey', { in: where, name: key })]
  }
  if (type !== 'http' || !isText(name, SCHEME)) return []
  if (name.toLowerCase() === 'bearer') return ['Bearer']
  return [name.toLowerCase() === 'basic' ? challenge('Basic', { realm: 'api', charset: 'UTF-8' }) : name]
}

function isText(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value)
}
