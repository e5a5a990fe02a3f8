/** Credentials in the `Authorization` header: bearer tokens, user names and passwords. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { canBeSent } from './credential-place.js'
import { toHttpError } from '../../errors/foreign-error.js'
import { unauthorizedError, type HttpError, type UnauthorizedReason } from '../../errors/http-error.js'
import { argumentError, checkArgument, checkOptions, functionRule, textRule, type Rules } from '../../errors/options.js'
import { formatChallenges, makeCredentials, catchAsync } from '../../injection/credentials.js'
import type { ServiceValues, StartSettings } from '../../injection/services.js'
import { isUtf8 } from 'node:buffer'
import type { CredentialsProvider, Verified } from '../../injection/credentials.js'
import { normalizePassword } from './normalize-password.js'
import { sameSecret } from './same-secret.js'

startStackAtCaller(basic, bearer)

/** Returns the credentials after the scheme (RFC 9110 section 11.6.2), possibly empty; `null` for a different scheme or no header. */
export function parseCredentials(header: string | undefined, scheme: string): string | null {
  if (header === undefined) return null
  const end = header.indexOf(' ')
  const name = end < 0 ? header : header.slice(0, end)
  return name.toLowerCase() === scheme ? header.slice(name.length).replace(/^ +/, '') : null
}

/** Control characters, which `Basic` credentials cannot contain (RFC 7617 section 2). */
const CONTROL = /[^ -~\u{a0}-\u{10ffff}]/u
/** Form of `Bearer` and `Basic` credentials (RFC 9110 section 11.2). */
export const TOKEN68: RegExp = /^[A-Za-z0-9\-._~+/]+=*$/

/** Returns the 401 error for an invalid token (RFC 6750 section 3.1). */
export function invalidToken(why: string, reason: UnauthorizedReason, realm?: string): HttpError {
  const challenge = formatChallenges('Bearer', { realm, error: 'invalid_token', error_description: why })
  return unauthorizedError(why, challenge, reason)
}

interface RequestSignal {
  readonly signal: AbortSignal
}

export function checkedVerify<Shown>(
  name: string,
  verify: unknown,
  before: string = '',
): (shown: Shown, services: ServiceValues, request?: RequestSignal) => unknown {
  checkArgument(verify, functionRule(`${name}(${before}(credentials) => user)`), 'verify', `${name}()`)
  // Proof: it is a function, and its argument is the result of `find`. The type of `createApp` requires its services.
  return verify as ReturnType<typeof checkedVerify<Shown>>
}

/** Settings of verifying functions, such as keys of `jwt` that are a function of the services. */
const startSettings = new WeakMap<object, StartSettings>()

export function findStartSettings(verify: object): StartSettings | undefined {
  return startSettings.get(verify)
}

/** Makes an app read the settings when it starts, if it uses a provider that calls `verify`. */
export function storeStartSettings(verify: object, settings: StartSettings): void {
  startSettings.set(verify, settings)
}

/** Rule for strings that are sent in a header. */
const VISIBLE = textRule(
  (text) => /^[\x20-\x7e]+$/.test(text),
  'be a string of one or more printable ASCII characters',
  "'api'",
)

/** Options of `bearer`. */
export interface BearerOptions {
  /** Authentication scheme before the token, case-insensitive; default `Bearer`. */
  readonly scheme?: string
  /** Name of the protected resources, sent in the challenge. */
  readonly realm?: string
  /** Format of the tokens, such as `JWT`, for the OpenAPI document. */
  readonly format?: string
}

/**
 * Creates a guard that requires a token in `Authorization: Bearer …` (RFC 6750), or with a different scheme. Without a valid token, the
 * response is 401 with a challenge.
 *
 * @param verify receives the token and the services. Returns the value of the provider, or a falsy value to reject the token; may be
 *   async. `jwt` creates such a function
 * @param options scheme, realm and format
 * @returns the provider, for `uses`
 * @throws SetupError `OPTION_INVALID`
 *
 * @example
 * ```ts
 * import { bearer, createApp, Route, type Input } from 'verbena'
 *
 * const sessions = new Map([['a1b2', { id: 'ada' }]])
 * const currentUser = bearer((token) => sessions.get(token))
 * class Me extends Route {
 *   static readonly get = this.contract({ uses: { user: currentUser } })
 *   async get({ user }: Input<typeof Me.get>) {
 *     return user.id
 *   }
 * }
 * const app = createApp({ routes: { Me } })
 * const refused = await app.fetch(new Request('http://localhost/me'))
 * refused.headers.get('www-authenticate') // => 'Bearer'
 * ```
 */
export function bearer<T, Services extends object = {}>(
  verify: (token: string, services: Services) => T,
  options: BearerOptions = {},
): CredentialsProvider<Verified<T>, Services> {
  const author = checkedVerify<string>('bearer', verify)
  checkOptions(options, BEARER, 'bearer()')
  const { scheme = 'Bearer', realm, format } = options
  const name = scheme.toLowerCase()
  return makeCredentials({
    // Normalized, because schemes are case-insensitive.
    place: `Authorization: ${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    isDeliberate: !BY_BROWSERS.has(name),
    find: (call) => parseCredentials(call.exchange.header('authorization'), name),
    settings: findStartSettings(verify),
    ...(name === 'bearer' ? ofBearer(author, realm, format) : ofScheme(scheme, author, options)),
  })
}

const BEARER: Rules<BearerOptions> = {
  scheme: textRule((text) => canBeSent('header', text), 'be one word', "'Token'"),
  realm: VISIBLE,
  format: { ...VISIBLE, example: "'JWT'" },
}

/** Schemes whose credentials browsers store and send automatically. */
const BY_BROWSERS: ReadonlySet<string> = new Set(['basic', 'digest', 'negotiate', 'ntlm'])

type AuthorizationVerifier = ReturnType<typeof checkedVerify<string>>
type SchemeDescription = Omit<Parameters<typeof makeCredentials>[0], 'place' | 'find'>

function ofBearer(
  author: AuthorizationVerifier,
  realm: string | undefined,
  format: string | undefined,
): SchemeDescription {
  const toError = (reason: UnauthorizedReason): HttpError => invalidToken('The token is not valid', reason, realm)
  return {
    security: { type: 'http', scheme: 'bearer', ...(format === undefined ? {} : { bearerFormat: format }) },
    challenge: formatChallenges('Bearer', { realm }),
    verify: (token, services) => author(requireToken68(token, toError), services),
    rejectionError: () => toError('rejected'),
  }
}

/** Custom scheme: `error` in a challenge and `bearerFormat` in the OpenAPI document are only defined for `Bearer`. */
function ofScheme(
  scheme: string,
  author: AuthorizationVerifier,
  { realm, format = 'token' }: BearerOptions,
): SchemeDescription {
  const text = formatChallenges(scheme, { realm })
  const toError = (reason: UnauthorizedReason): HttpError => unauthorizedError('The token is not valid', text, reason)
  // Errors of `jwt` have a `Bearer` challenge.
  const rethrow = (error: unknown): never => {
    const httpError = toHttpError(error)
    const isOfBearer = httpError?.headers['www-authenticate']?.startsWith('Bearer ') === true
    throw isOfBearer ? unauthorizedError(httpError.message, text, httpError.reason ?? 'rejected') : error
  }
  return {
    security: { type: 'http', scheme, description: `Authorization: ${scheme} <${format}>` },
    challenge: text,
    verify: (token, services) => {
      requireToken68(token, toError)
      return catchAsync(() => author(token, services), rethrow)
    },
    rejectionError: () => toError('rejected'),
  }
}

function requireToken68(token: string, toError: (reason: UnauthorizedReason) => HttpError): string {
  if (TOKEN68.test(token)) return token
  throw toError('malformed')
}

/** User name and password that a client sent. */
export interface UserPassword {
  /** The part before the first colon. */
  readonly username: string
  /** The part after the first colon. */
  readonly password: string
}

/** Options of `basic`. */
export interface BasicOptions {
  /** Name of the protected resources, which some browsers show; default `api`. */
  readonly realm?: string
}

/** Passwords by user name. */
export interface Passwords {
  readonly [username: string]: string
}

/** Value of `basic` if you pass an object of passwords. */
export interface NamedUser {
  /** User name that the client sent. */
  readonly username: string
}

type Verify<T, Services> = (credentials: UserPassword, services: Services, request: RequestSignal) => T

/**
 * Creates a guard that requires a user name and a password in `Authorization: Basic …` (RFC 7617). Without valid ones, the response is
 * 401 with a challenge, and browsers show a login dialog.
 *
 * @param users passwords by user name, compared in constant time. Or a function that returns the value of the provider, or a falsy value
 *   to reject the credentials. It receives the credentials, the services, and `{ signal }` of the request; compare in it with `sameSecret`
 *   or `verifyPassword`
 * @param options realm
 * @returns the provider, for `uses`
 * @throws SetupError `OPTION_INVALID`
 *
 * @example
 * ```ts
 * import { basic, createApp, Route, type Input } from 'verbena'
 *
 * const operator = basic({ grace: 'correct horse' }, { realm: 'Figures' })
 *
 * class Figures extends Route {
 *   static readonly get = this.contract({ uses: { operator } })
 *   async get({ operator }: Input<typeof Figures.get>) {
 *     return operator.username
 *   }
 * }
 * const app = createApp({ routes: { Figures } })
 * const authorization = `Basic ${Buffer.from('grace:correct horse').toString('base64')}`
 * const response = await app.fetch(new Request('http://localhost/figures', { headers: { authorization } }))
 * await response.text() // => 'grace'
 * ```
 */
export function basic<T = NamedUser, Services extends object = {}>(
  users: Passwords | Verify<T, Services>,
  options: BasicOptions = {},
): CredentialsProvider<Verified<T>, Services> {
  checkOptions(options, BASIC, 'basic()')
  const { realm = 'api' } = options
  const text = formatChallenges('Basic', { realm, charset: 'UTF-8' })
  const author = checkedVerify<UserPassword>('basic', typeof users === 'object' ? compareWith(users) : users)
  const toError = (reason: UnauthorizedReason): HttpError =>
    unauthorizedError('The user name or password is incorrect', text, reason)
  return makeCredentials({
    place: 'Authorization: Basic',
    security: { type: 'http', scheme: 'basic' },
    challenge: text,
    find: (call) => parseCredentials(call.exchange.header('authorization'), 'basic'),
    verify: (shown, services, source) => {
      const credentials = decodeBasic(shown)
      if (credentials === null) throw toError('malformed')
      // A getter, because creating a signal costs 7 µs.
      const request = {
        get signal() {
          return source.signal
        },
      }
      return author(credentials, services, request)
    },
    rejectionError: () => toError('rejected'),
  })
}

const BASIC: Rules<BasicOptions> = { realm: VISIBLE }

function compareWith(passwordsByName: Passwords): Verify<NamedUser | null, object> {
  const passwords = new Map<string, string>()
  for (const [username, password] of Object.entries<unknown>(Object(passwordsByName))) {
    if (username.includes(':'))
      throw argumentError('basic()', 'users', 'its names must not contain ":". Choose another user name')
    const normalized = typeof password === 'string' ? normalizePassword(password) : null
    if (!normalized)
      throw argumentError(
        'basic()',
        'users',
        `the password of "${username}" must be a non-empty string. Set a password`,
      )
    passwords.set(username, normalized)
  }
  if (passwords.size === 0)
    throw argumentError('basic()', 'users', 'it is empty. Add a user, or pass a function that verifies credentials')
  return ({ username, password }) => {
    const expected = passwords.get(username)
    // Also compared if the user is unknown, so that the time does not reveal which users exist.
    const isSame = sameSecret(String(normalizePassword(password)), String(expected))
    return expected !== undefined && isSame ? { username } : null
  }
}

/** Decodes `Basic` credentials; `null` if they are malformed. Only passwords may contain colons (RFC 7617 section 2). */
function decodeBasic(shown: string): UserPassword | null {
  const bytes = Buffer.from(shown, 'base64')
  const text = bytes.toString('base64') === shown && isUtf8(bytes) ? bytes.toString() : ''
  const colon = text.indexOf(':')
  return colon < 0 || CONTROL.test(text) ? null : { username: text.slice(0, colon), password: text.slice(colon + 1) }
}
