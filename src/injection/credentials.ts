/** Base of the credential providers `bearer`, `basic` and `apiKey`, and the 401 and 403 responses of providers. */
import { BaseContext, type ContextSource } from '../context/request-context.js'
import { toHttpError } from '../errors/foreign-error.js'
import { frameworkError, unauthorizedError, type HttpError } from '../errors/http-error.js'
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
import type { ServiceValues, StartSettings } from './services.js'

/** A provider that verifies credentials, created by `bearer`, `basic`, `apiKey`, `jwt`, `signedIn`, `optional` or `anyOf`. */
export interface CredentialsProvider<T, Services extends object = {}> extends Provider<T, Services> {
  /** Type brand; not present at run time. */
  readonly '~credentials': true
}

/** Values by which a verifying function rejects credentials. */
type RejectedCredentials = false | null | undefined | '' | 0 | 0n

/** Value of a verifying function, without the values that reject the credentials. */
export type Verified<T> = Exclude<Awaited<T>, RejectedCredentials>

interface SchemeParts {
  /** Location of the credentials: `Authorization` for the whole header, `Authorization: Bearer` for one scheme in it. */
  readonly place: string
  readonly security: SecurityScheme
  readonly challenge: string
  /** Returns the credentials; `null` if the request has no credentials of this scheme. */
  readonly find: (source: ContextSource) => string | null
  /** Whether `find` found none because they have expired, such as the cookie of an ended session. */
  readonly hasExpired?: (source: ContextSource) => boolean
  readonly verify: (shown: string, services: ServiceValues, source: ContextSource) => unknown
  readonly rejectionError: () => HttpError
  /** Whether only client code can send these credentials. Browsers do not add them to cross-site requests. */
  readonly isDeliberate?: boolean
  /** Settings of `verify` that are functions of the services. */
  readonly settings?: StartSettings | undefined
  /** CSRF check; required only for credentials that browsers send automatically. */
  readonly sender?: OriginCheck
}

/** CSRF check of the page that sent a request. */
export interface OriginCheck {
  /** Providers that run before the credentials are read. */
  readonly uses: Uses
  /** Throws if the page may not act for its user. May return a promise. */
  check(source: ContextSource): unknown
  /** Disables the check for a request with valid deliberate credentials. */
  exempt(source: ContextSource): void
}

class AuthScheme {
  readonly parts: SchemeParts
  /** Verified values by request; `null` until a second provider uses the scheme. */
  #results: WeakMap<ContextSource, unknown> | null = null

  constructor(parts: SchemeParts) {
    this.parts = parts
  }

  /** Enables the cache of verified values, so that providers with the same scheme verify each request only once. */
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
    throw this.parts.rejectionError()
  }
}

/** Returns the result of `work`, or of `rescue` if `work` throws or its promise rejects. */
export function catchAsync(work: () => unknown, rescue: (error: unknown) => unknown): unknown {
  try {
    const result = work()
    if (isThenable(result)) return Promise.resolve(result).catch(rescue)
    return result
  } catch (error) {
    return rescue(error)
  }
}

/** Calls `next` with a value; after it settles if it is a promise, otherwise synchronously. */
export function thenVerify(made: unknown, next: (value: unknown) => unknown): unknown {
  if (isThenable(made)) return Promise.resolve(made).then(next)
  return next(made)
}

/** Which requests get a 401: without valid credentials (`refused`), only with invalid credentials (`open without`), or none (`open`). */
export type Strictness = 'refused' | 'open without' | 'open'

/** Uses the first scheme for which the request has credentials. */
export class CredentialsRecipe extends ProviderRecipe implements CredentialsProvider<never> {
  declare readonly '~credentials': true
  readonly schemes: readonly AuthScheme[]
  readonly strictness: Strictness
  override readonly frameworkErrors: FrameworkErrors
  override readonly settings: readonly StartSettings[]
  readonly #senders: readonly OriginCheck[]
  /** The first of `#senders`. One check is enough, because it has the same result for all schemes of a request. */
  readonly #sender: OriginCheck | null

  constructor(schemes: readonly AuthScheme[], strictness: Strictness) {
    const security = schemes.map(({ parts }) => parts.security)
    const senders = schemes.flatMap(({ parts }) => parts.sender ?? [])
    const errors = strictness === 'open' ? [] : [401]
    let needs: Needs = { security, errors }
    if (senders.length > 0) needs = { ...needs, uses: Object.assign({}, ...senders.map(({ uses }) => uses)) }
    super(Object.freeze(needs), (input, services) =>
      // Proof: the app creates the input of providers, which is always a `BaseContext`.
      this.#resolve(BaseContext.sourceOf(input as BaseContext), services, schemes),
    )
    this.schemes = schemes
    this.settings = schemes.flatMap(({ parts }) => parts.settings ?? [])
    this.#senders = senders
    this.#sender = senders[0] ?? null
    this.strictness = strictness
    this.frameworkErrors = { always: [], unsafe: senders.length === 0 ? [] : [403] }
  }

  get challenges(): string[] {
    return this.schemes.map(({ parts }) => parts.challenge)
  }

  get isOptional(): boolean {
    return this.strictness !== 'refused'
  }

  #resolve(source: ContextSource, services: ServiceValues, schemes: readonly AuthScheme[]): unknown {
    for (const scheme of schemes) {
      const matchingChallenge = scheme.parts.find(source)
      if (matchingChallenge === null) continue
      if (this.strictness !== 'open') return this.#check(scheme, source, matchingChallenge, services)
      // Invalid credentials count as missing, so the next scheme is tried.
      const next = (error: unknown): unknown => {
        if (toHttpError(error)?.status !== 401) throw error
        return this.#resolve(source, services, schemes.slice(schemes.indexOf(scheme) + 1))
      }
      return catchAsync(() => this.#check(scheme, source, matchingChallenge, services), next)
    }
    if (this.#sender === null) return this.#absent(source)
    return thenVerify(this.#sender.check(source), () => this.#absent(source))
  }

  #check(scheme: AuthScheme, source: ContextSource, shown: string, services: ServiceValues): unknown {
    if (this.#sender === null) return scheme.check(source, shown, services)
    if (scheme.parts.isDeliberate !== true) {
      return thenVerify(this.#sender.check(source), () => scheme.check(source, shown, services))
    }
    return thenVerify(scheme.check(source, shown, services), (value) => {
      for (const each of this.#senders) each.exempt(source)
      return value
    })
  }

  #absent(source: ContextSource): undefined {
    if (this.isOptional) return undefined
    const reason = this.schemes.some(({ parts }) => parts.hasExpired?.(source)) ? 'expired' : 'missing'
    const detail = `This request requires credentials, but they ${reason === 'expired' ? 'have expired' : 'are missing'}`
    throw unauthorizedError(detail, this.challenges.join(', '), reason)
  }
}

export function makeCredentials<T, Services extends object>(parts: SchemeParts): CredentialsProvider<T, Services> {
  return new CredentialsRecipe([new AuthScheme(parts)], 'refused')
}

/** Formats a challenge for `WWW-Authenticate` (RFC 9110 section 11.6.1). Omits parameters that are `undefined`. */
export function formatChallenges(scheme: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const quotedParts: string[] = []
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) quotedParts.push(`${name}="${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`)
  }
  if (quotedParts.length === 0) return scheme
  return `${scheme} ${quotedParts.join(', ')}`
}

export interface RejectionResponse {
  readonly status: 401 | 403
  /** Value of `WWW-Authenticate`; empty for 403. */
  readonly challenges: string
}

/**
 * Returns the error response for the value `false`; `null` if `false` is an ordinary value of this provider.
 *
 * With a security scheme, the status is 401, or 403 if `errors` lists 403 and not 401. Without a scheme, it is 401 only if `errors` lists
 * 401 and not 403. A 401 requires a challenge (RFC 9110 section 15.5.2), so a provider without one responds with 403.
 */
export function findRejection(provider: ProviderRecipe): RejectionResponse | null {
  if (provider instanceof CredentialsRecipe && provider.strictness === 'open') return null
  const { security, errors } = provider.needs
  const [names401, names403] = [namesStatus(errors, 401), namesStatus(errors, 403)]
  const hasScheme = security !== undefined
  if (!hasScheme && !names401 && !names403) return null
  let challenges = ''
  if (!names403 || (hasScheme && names401)) challenges = collectChallenges(provider).join(', ')
  return { status: challenges === '' ? 403 : 401, challenges }
}

export function namesRejection(errors: Needs['errors']): boolean {
  return namesStatus(errors, 401) || namesStatus(errors, 403)
}

/** Whether declared problems include a status. */
export function namesStatus(errors: Needs['errors'], status: number): boolean {
  const statuses = Array.isArray(errors) ? errors : Object.keys(errors ?? {})
  return statuses.some((named) => Number(named) === status)
}

export function rejectionError({ status, challenges }: RejectionResponse): HttpError {
  if (status === 401) return unauthorizedError('This request requires valid credentials', challenges, 'rejected')
  return frameworkError(403, 'You are not allowed to do this')
}

/** A provider without a security scheme, such as a role, has the challenges of the providers that it uses. */
function collectChallenges(provider: ProviderRecipe): readonly string[] {
  if (provider instanceof CredentialsRecipe) return provider.challenges
  const { security, uses = {} } = provider.needs
  if (security !== undefined) return [security].flat().flatMap(formatChallenge)
  return readUses(uses, 'a provider').flatMap((used) => collectChallenges(used.provider))
}

const SCHEME = /^[\w!#$%&'*+.^`|~-]+$/
const QUOTABLE = /^[\x20-\x7e]+$/

/** Mutual TLS has no challenge, because the client authenticates before the request. */
function formatChallenge({ type, scheme: name, in: where, name: key }: SecurityScheme): string[] {
  if (type === 'oauth2' || type === 'openIdConnect') return ['Bearer']
  if (type === 'apiKey' && isText(where, QUOTABLE) && isText(key, QUOTABLE)) {
    return [formatChallenges('ApiKey', { in: where, name: key })]
  }
  if (type !== 'http' || !isText(name, SCHEME)) return []
  if (name.toLowerCase() === 'bearer') return ['Bearer']
  if (name.toLowerCase() === 'basic') return [formatChallenges('Basic', { realm: 'api', charset: 'UTF-8' })]
  return [name]
}

function isText(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value)
}
