/** What `false` of a provider means: those that guard something refuse the request by it. */
import { HttpError } from '../errors/http-error.js'
import { challenge, CredentialsRecipe, unauthorized } from './credentials.js'
import { type ProviderRecipe, readUses } from './provide.js'
import type { Needs, SecurityScheme } from './provider-types.js'

/** How a provider refuses a request by `false`. */
export interface Refusal {
  readonly status: 401 | 403
  /** Value of `WWW-Authenticate`; empty for 403. */
  readonly challenges: string
}

/**
 * How a provider refuses by `false`.
 *
 * It does where it has a security scheme, or names 401 or 403 in `errors`. The status is 401 where a challenge can be sent, which
 * RFC 9110 section 15.5.2 asks for, and where its author means 401: a scheme of its own says so, unless `errors` names 403
 * alone; a role says so by naming 401 alone. Returns status and challenges; `null` where `false` is a value like any other.
 */
export function refusalOf(provider: ProviderRecipe): Refusal | null {
  const { security, errors } = provider.needs
  const [names401, names403] = [namesStatus(errors, 401), namesStatus(errors, 403)]
  const hasScheme = security !== undefined
  if (!hasScheme && !names401 && !names403) return null
  const means401 = hasScheme ? names401 || !names403 : !names403
  const challenges = means401 ? challengesOf(provider).join(', ') : ''
  return { status: challenges === '' ? 403 : 401, challenges }
}

/** Whether a provider says that it may answer with a status. */
export function namesStatus(errors: Needs['errors'], status: number): boolean {
  const statuses = Array.isArray(errors) ? errors : Object.keys(errors ?? {})
  return statuses.some((named) => Number(named) === status)
}

export function refused({ status, challenges }: Refusal): HttpError {
  if (status === 401) return unauthorized('This needs valid credentials', challenges)
  return new HttpError(403, 'You are not allowed to do this')
}

/** Its own; of a provider without a scheme, such as a role, those of the providers that it uses. */
function challengesOf(provider: ProviderRecipe): readonly string[] {
  if (provider instanceof CredentialsRecipe) return provider.ways.map(({ parts }) => parts.challenge)
  const { security, uses = {} } = provider.needs
  if (security !== undefined) return [security].flat().flatMap(challengeOf)
  return readUses(uses, 'a provider').flatMap((used) => challengesOf(used.provider))
}

const SCHEME = /^[\w!#$%&'*+.^`|~-]+$/
const QUOTABLE = /^[\x20-\x7e]+$/

/** Mutual TLS has no challenge: it is settled before the request. */
function challengeOf(scheme: SecurityScheme): string[] {
  const { type, scheme: name, in: where, name: key } = scheme
  if (type === 'oauth2' || type === 'openIdConnect') return ['Bearer']
  if (type === 'apiKey')
    return isText(where, QUOTABLE) && isText(key, QUOTABLE) ? [challenge('ApiKey', { in: where, name: key })] : []
  if (type !== 'http' || !isText(name, SCHEME)) return []
  if (name.toLowerCase() === 'bearer') return ['Bearer']
  return [name.toLowerCase() === 'basic' ? challenge('Basic', { realm: 'api', charset: 'UTF-8' }) : name]
}

function isText(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value)
}
