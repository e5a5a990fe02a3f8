/** Denials: requests with credentials that guards must reject, such as a token with one changed byte. */
import { CredentialsRecipe, type RejectionResponse } from '../injection/credentials.js'
import { StandIn } from '../injection/override.js'
import type { ProviderStep } from '../injection/plan.js'
import type { SecurityScheme } from '../injection/provide.js'
import { isToken } from '../http/fields.js'
import type { Credential, SignedActor } from './actors.js'
import type { ProofEndpoint, ProofResult } from './proof-app.js'
import { buildRequest, type SampleInput } from './sample-request.js'
import { verifiesBody } from './stop-step.js'

/** A kind of invalid credentials. */
export type DenialKind =
  'missing' | 'empty' | 'other scheme' | 'changed byte' | 'other place' | 'repeated' | 'expired' | 'foreign'

/** Counts of denials. */
export interface DenialReport {
  /** Number of requests with invalid credentials. */
  readonly tried: number
  /** Number of requests that were not possible, by the kind of invalid credentials. */
  readonly notTried: Readonly<Partial<Record<DenialKind, number>>>
}

interface DenialVariant {
  readonly kind: DenialKind
  /** Replaces all credentials that the guard reads; `null` if the request was not possible. */
  readonly credentials: readonly Credential[] | null
}

/** A guard that requires credentials, with the places in which it looks for them. */
interface CredentialGuard {
  readonly name: string
  readonly places: readonly Pick<Credential, 'in' | 'name'>[]
  /** Schemes of its challenges, in lower case. */
  readonly challenges: readonly string[]
}

/** An endpoint, with its input and the actors whose credentials are changed. */
interface CheckedEndpoint {
  readonly target: ProofEndpoint
  readonly call: (request: Request) => Promise<ProofResult>
  readonly input: SampleInput
  readonly actors: readonly SignedActor[]
  /** Status of the example, which rejects requests too. */
  readonly status: number | undefined
}

export class Denials {
  tried: number = 0
  readonly notTried: Partial<Record<DenialKind, number>> = {}

  /** Returns a line for each request that was not rejected as it should be. */
  async check(checked: CheckedEndpoint): Promise<readonly string[]> {
    const lines: string[] = []
    const guards = (checked.target.endpoint.providers?.guards ?? []).flatMap(toCredentialGuard)
    const variants = guards.flatMap((guard) =>
      checked.actors.flatMap((actor) => listVariants(guard, actor).map((variant) => ({ guard, actor, variant }))),
    )
    for (const { guard, actor, variant } of variants) {
      const wrong = await this.#try(checked, guard, variant)
      if (wrong === null) continue
      lines.push(`${actor.name} with ${DESCRIBED[variant.kind]} for the guard "${guard.name}": ${wrong}`)
    }
    return lines
  }

  async #try(
    { target, input, call, status }: CheckedEndpoint,
    guard: CredentialGuard,
    variant: DenialVariant,
  ): Promise<string | null> {
    const { kind, credentials } = variant
    if (credentials === null) {
      this.notTried[kind] = (this.notTried[kind] ?? 0) + 1
      return null
    }
    this.tried++
    const result = await call(buildRequest(input, credentials))
    return findWrong(result, guard, { status, readsBody: verifiesBody(target.endpoint) })
  }
}

const DESCRIBED: Readonly<Record<DenialKind, string>> = {
  missing: 'missing credentials',
  empty: 'empty credentials',
  'other scheme': 'another scheme',
  'changed byte': 'one changed byte',
  'other place': 'credentials in another place',
  repeated: 'repeated credentials',
  expired: 'expired credentials',
  foreign: 'credentials of another issuer',
}

/** Returns an empty array for guards that do not require credentials, and for overrides, which do not read them. */
function toCredentialGuard({ provider, name, rejection }: ProviderStep): CredentialGuard[] {
  const { security } = provider.needs
  if (security === undefined || provider instanceof StandIn) return []
  if (provider instanceof CredentialsRecipe && provider.isOptional) return []
  const places = [security].flat().flatMap(findPlace)
  // Proof: a provider with a scheme rejects requests, unless its credentials are optional.
  const { challenges } = rejection as RejectionResponse
  // A guard that only lists 403 can still throw a 401 with any challenge.
  const schemes = challenges.split(', ').map(readScheme)
  return [{ name, places, challenges: schemes.filter((scheme) => scheme !== '') }]
}

function findPlace({ type, in: place, name }: SecurityScheme): CredentialGuard['places'] {
  if (type !== 'apiKey') return type === 'mutualTLS' ? [] : [{ in: 'header', name: 'authorization' }]
  if (place !== 'header' && place !== 'query' && place !== 'cookie') return []
  return [{ in: place, name: place === 'header' ? String(name).toLowerCase() : String(name) }]
}

function readScheme(challenge: string): string {
  return challenge.split(' ', 1).join('').toLowerCase()
}

function listVariants(guard: CredentialGuard, actor: SignedActor): readonly DenialVariant[] {
  const isRead = (each: Pick<Credential, 'in' | 'name'>): boolean =>
    guard.places.some((place) => place.in === each.in && place.name === each.name)
  const guardCredentials = actor.credentials.filter(isRead)
  if (guardCredentials.length === 0) return []
  const otherCredentials = actor.credentials.filter((each) => !isRead(each))
  const changed = guardCredentials
    .flatMap(changeCredential)
    .filter(({ kind, parts }) => kind !== 'other place' || !parts.some(isRead))
  const invalid = (['expired', 'foreign'] as const).map((kind) => {
    const parts = actor.invalid[kind]?.filter(isRead) ?? []
    return { kind, credentials: parts.length === 0 ? null : [...otherCredentials, ...parts] }
  })
  return [
    { kind: 'missing', credentials: otherCredentials },
    ...changed.map(({ kind, parts }) => ({ kind, credentials: [...otherCredentials, ...parts] })),
    ...invalid,
  ]
}

interface CredentialChange {
  readonly kind: DenialKind
  readonly parts: readonly Credential[]
}

/** Returns the changes of one credential. Repeated cookies are valid (RFC 6265 section 4.2.2), so a cookie is not repeated. */
function changeCredential(credential: Credential): CredentialChange[] {
  const { scheme, secret } = splitScheme(credential)
  const write = (text: string): Credential => ({ ...credential, value: scheme === null ? text : `${scheme} ${text}` })
  const changes: CredentialChange[] = changeBytes(credential, secret).map((text) => ({
    kind: 'changed byte',
    parts: [write(text)],
  }))
  changes.push({ kind: 'empty', parts: [{ ...credential, value: scheme ?? '' }] })
  if (scheme !== null) {
    const other = scheme.toLowerCase() === 'bearer' ? 'Basic' : 'Bearer'
    changes.push({ kind: 'other scheme', parts: [{ ...credential, value: `${other} ${secret}` }] })
  }
  if (credential.in !== 'cookie') changes.push({ kind: 'repeated', parts: [credential, credential] })
  changes.push({ kind: 'other place', parts: [moveCredential(credential, secret)] })
  return changes
}

function splitScheme({ in: place, name, value }: Credential): {
  readonly scheme: string | null
  readonly secret: string
} {
  const space = value.indexOf(' ')
  if (place !== 'header' || name !== 'authorization' || space < 0) return { scheme: null, secret: value }
  return { scheme: value.slice(0, space), secret: value.slice(space + 1).trimStart() }
}

/** RFC 6750 section 2.3 has `access_token` in the query, which proxies log. */
function moveCredential({ in: place, name }: Credential, secret: string): Credential {
  if (place === 'header') return { in: 'query', name: name === 'authorization' ? 'access_token' : name, value: secret }
  return { in: 'header', name: isToken(name) ? name.toLowerCase() : 'x-api-key', value: encodeURIComponent(secret) }
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Changes a byte in the middle and the last one: of the password for Basic, so that a user with this name exists. */
function changeBytes({ value }: Credential, secret: string): readonly string[] {
  if (!/^basic /i.test(value)) return [changeAt(secret, secret.length >> 1), changeAt(secret, secret.length - 1)]
  const text = Buffer.from(secret, 'base64').toString()
  const end = text.length - 1
  return [Buffer.from(changeAt(text, end)).toString('base64')]
}

/**
 * Replaces the character at or before a place. Its base64 value differs in the highest bit, because the lowest bits of the last character
 * can have no meaning.
 */
function changeAt(text: string, place: number): string {
  const units = text.slice(0, place + 1).split('')
  const at = Math.max(
    0,
    units.findLastIndex((unit) => BASE64URL.includes(unit)),
  )
  const code = BASE64URL.indexOf(text.charAt(at))
  const otherByte = code < 0 ? 'A' : BASE64URL.charAt(code ^ 32)
  return text.slice(0, at) + otherByte + text.slice(at + 1)
}

interface AllowedRejection {
  /** Status that the author has set in the example of the endpoint. */
  readonly status: number | undefined
  readonly readsBody: boolean
}

/** Returns the mistake in a response; `null` for a correct rejection. */
function findWrong(
  { exchange, response }: ProofResult,
  guard: CredentialGuard,
  expected: AllowedRejection,
): string | null {
  const { status, headers } = response
  if (exchange.hasPassed) return 'reached'
  if (status !== 401 && status !== 403 && status !== expected.status) return `${status}, which must be 401 or 403`
  if (exchange.hasReadBody && !expected.readsBody) return `${status}, but the body was read`
  const cookie = headers.getSetCookie().find((line) => !/;\s*max-age=0\b/i.test(line))
  if (cookie !== undefined) return `${status}, but the response sets the cookie "${cookie.split('=', 1).join('')}"`
  return status === 401 ? findWrongChallenge(headers.get('www-authenticate') ?? '', guard) : null
}

function findWrongChallenge(challenge: string, { challenges }: CredentialGuard): string | null {
  if (challenge === '') return '401 with no challenge'
  const scheme = readScheme(challenge.split(',', 1).join(''))
  if (challenges.length === 0 || challenges.includes(scheme)) return null
  return `401 with the challenge "${challenge}", which must be ${challenges.join(' or ')}`
}
