/** The `Authorization` header: bearer tokens, user names and passwords, and what all schemes check of what they are given. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { canBeSent } from '../../context/request-context.js'
import { isHttpError, type HttpError } from '../../errors/http-error.js'
import { checkMembers, rule } from '../../errors/known-keys.js'
import { SetupError } from '../../errors/setup-error.js'
import { challenge, makeCredentials, catchAsync, unauthorizedError } from '../../injection/credentials.js'
import type { ServiceValues } from '../../injection/service-store.js'
import { isObject } from '../../values/objects.js'
import { isUtf8 } from 'node:buffer'
import type { CredentialsProvider, Verified } from '../../injection/credentials.js'
import { sameSecret } from './same-secret.js'

startStackAtCaller(basic, bearer)

/** What stands behind a scheme (RFC 9110 section 11.6.2), which may be nothing; `null` for another scheme or no header. */
export function parseCredentials(header: string | undefined, scheme: string): string | null {
  if (header === undefined) return null
  const end = header.indexOf(' ')
  const name = end < 0 ? header : header.slice(0, end)
  return name.toLowerCase() === scheme ? header.slice(name.length).replace(/^ +/, '') : null
}

/** Whether credentials are one word, as those of `Bearer` and `Basic` are (RFC 9110 section 11.2, `token68`). */
export function isToken68(text: string): boolean {
  return /^[A-Za-z0-9\-._~+/]+=*$/.test(text)
}

/** The error for a token that is refused (RFC 6750 section 3.1). */
export function invalidToken(why: string, realm?: string): HttpError {
  return unauthorizedError(why, challenge('Bearer', { realm, error: 'invalid_token', error_description: why }))
}

export function checkedVerify<Shown>(
  name: string,
  verify: unknown,
): (shown: Shown, services: ServiceValues) => unknown {
  // Proof: a function, of what `find` gives; `createApp` checks by type that the services it asks for are there.
  if (typeof verify === 'function') return verify as ReturnType<typeof checkedVerify<Shown>>
  throw authorizationError(name, `it is not given a function. Write "${name}(…, (credentials) => user)"`)
}

/** Checks options that are texts, which are quoted in a header. */
export function checkTexts(name: string, options: unknown, known: readonly string[]): void {
  if (!isObject(options)) throw authorizationError(name, `its options are no record. Write "{ ${known[0]}: '…' }"`)
  const isVisible = (value: unknown): boolean => typeof value === 'string' && /^[\x20-\x7e]+$/.test(value)
  const flawOf = (key: string): string => `"${key}" is not a text of visible ASCII characters. Use others`
  const rules = Object.fromEntries(known.map((key) => [key, rule(isVisible, flawOf(key))]))
  checkMembers(options, rules, (why) => authorizationError(name, why))
}

export function authorizationError(name: string, why: string): SetupError {
  return new SetupError('PROVIDER_INVALID', `Cannot make a provider by ${name}: ${why}`)
}

/** What is said of bearer tokens. */
export interface BearerOptions {
  /** The word before the token, in any case; `Bearer` unless given. */
  readonly scheme?: string
  /** Name of what is protected, for the challenge. */
  readonly realm?: string
  /** Form of the tokens, such as `JWT`, for the document. */
  readonly format?: string
}

/**
 * Makes a guard that takes a token from `Authorization: Bearer …` (RFC 6750), or from that of another scheme. Without a valid token the
 * answer is 401 with a challenge.
 *
 * @param verify gets token and services; gives the value, or something falsy to refuse; may be async. `jwt` makes one
 * @param options scheme, realm and format
 * @returns the provider, for `uses`
 * @throws SetupError `PROVIDER_INVALID`
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
  checkTexts('bearer', options, ['scheme', 'realm', 'format'])
  const { scheme = 'Bearer', realm, format } = options
  if (!canBeSent('header', scheme))
    throw authorizationError('bearer', '"scheme" is not one word. Write "scheme: \'Token\'"')
  const name = scheme.toLowerCase()
  return makeCredentials({
    // In one spelling: the case of a scheme does not count.
    place: `Authorization: ${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    isDeliberate: !BY_BROWSERS.has(name),
    find: (call) => parseCredentials(call.exchange.header('authorization'), name),
    ...(name === 'bearer' ? ofBearer(author, realm, format) : ofScheme(scheme, author, options)),
  })
}

/** Schemes whose credentials browsers keep, and send by themselves. */
const BY_BROWSERS: ReadonlySet<string> = new Set(['basic', 'digest', 'negotiate', 'ntlm'])

type Author = ReturnType<typeof checkedVerify<string>>
type SchemeDescription = Omit<Parameters<typeof makeCredentials>[0], 'place' | 'find'>

function ofBearer(author: Author, realm: string | undefined, format: string | undefined): SchemeDescription {
  return {
    security: { type: 'http', scheme: 'bearer', ...(format === undefined ? {} : { bearerFormat: format }) },
    challenge: challenge('Bearer', { realm }),
    verify: (token, services) => isToken68(token) && author(token, services),
    refusal: () => invalidToken('The token is not valid', realm),
  }
}

/** `error` in a challenge and `bearerFormat` in the document belong to `Bearer` alone. */
function ofScheme(scheme: string, author: Author, { realm, format = 'token' }: BearerOptions): SchemeDescription {
  const text = challenge(scheme, { realm })
  // What `jwt` throws names `Bearer`.
  const rethrow = (error: unknown): never => {
    const isOfBearer = isHttpError(error) && error.headers['www-authenticate']?.startsWith('Bearer ')
    throw isOfBearer ? unauthorizedError(error.message, text) : error
  }
  return {
    security: { type: 'http', scheme, description: `Authorization: ${scheme} <${format}>` },
    challenge: text,
    verify: (token, services) => isToken68(token) && catchAsync(() => author(token, services), rethrow),
    refusal: () => unauthorizedError('The token is not valid', text),
  }
}

/** What a client has sent. */
export interface UserPassword {
  /** Before the first colon. */
  readonly username: string
  /** Behind it. */
  readonly password: string
}

/** What is said of user names and passwords. */
export interface BasicOptions {
  /** Name of what is protected, which browsers show; `api` unless given. */
  readonly realm?: string
}

/** Passwords by user name. */
export interface Passwords {
  readonly [username: string]: string
}

/** Who has logged in by one of the passwords in a record. */
export interface NamedUser {
  /** As it was given. */
  readonly username: string
}

type Verify<T, Services> = (credentials: UserPassword, services: Services) => T

/**
 * Makes a guard that takes user name and password from `Authorization: Basic …`. Without valid ones the answer is 401 with a
 * challenge, and browsers ask for them.
 *
 * @param users passwords by user name, compared in constant time; or a function that gives the value, or something falsy to refuse:
 *   let it compare by `sameSecret`, or by a password hash
 * @param options realm
 * @returns the provider, for `uses`
 * @throws SetupError `PROVIDER_INVALID`
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
  checkTexts('basic', options, ['realm'])
  const { realm = 'api' } = options
  const text = challenge('Basic', { realm, charset: 'UTF-8' })
  const author = checkedVerify<UserPassword>('basic', typeof users === 'object' ? compareWith(users) : users)
  return makeCredentials({
    place: 'Authorization: Basic',
    security: { type: 'http', scheme: 'basic' },
    challenge: text,
    find: (call) => parseCredentials(call.exchange.header('authorization'), 'basic'),
    verify: (shown, services) => {
      const credentials = decodeBasic(shown)
      return credentials !== null && author(credentials, services)
    },
    refusal: () => unauthorizedError('User name and password do not fit', text),
  })
}

function compareWith(given: Passwords): Verify<NamedUser | null, object> {
  const passwords = new Map<string, unknown>(Object.entries(Object(given)))
  for (const [username, password] of passwords) {
    if (username.includes(':')) throw authorizationError('basic', 'a user name holds ":". Use one without')
    if (typeof password === 'string' && password !== '') continue
    throw authorizationError('basic', `the password of "${username}" is empty, or not a text. Give one`)
  }
  if (passwords.size === 0)
    throw authorizationError('basic', 'there is no user. Give at least one, or a function that verifies')
  return ({ username, password }) => {
    const expected = passwords.get(username)
    // An unknown name takes the same time.
    const isSame = sameSecret(password, String(expected))
    return expected !== undefined && isSame ? { username } : null
  }
}

/** The first colon ends the name: a password may hold others (RFC 7617 section 2). */
function decodeBasic(shown: string): UserPassword | null {
  const bytes = Buffer.from(shown, 'base64')
  const text = bytes.toString('base64') === shown && isUtf8(bytes) ? bytes.toString() : ''
  const colon = text.indexOf(':')
  return colon < 0 || /\p{Cc}/u.test(text) ? null : { username: text.slice(0, colon), password: text.slice(colon + 1) }
}
