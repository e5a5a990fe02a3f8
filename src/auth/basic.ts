/** User names and passwords in every request (RFC 7617). */
import { isUtf8 } from 'node:buffer'
import { challenge, makeCredentials, unauthorized } from '../injection/credentials.js'
import type { CredentialsProvider, Verified } from '../injection/credentials.js'
import { checkTexts, checkedVerify, credentialsOf, invalid } from './authorization.js'
import { sameSecret } from './same-secret.js'

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
  const author = checkedVerify<UserPassword>('basic', typeof users === 'object' ? comparing(users) : users)
  return makeCredentials({
    place: 'Authorization: Basic',
    security: { type: 'http', scheme: 'basic' },
    challenge: text,
    find: (call) => credentialsOf(call.exchange.header('authorization'), 'basic'),
    verify: (shown, services) => {
      const credentials = decode(shown)
      return credentials !== null && author(credentials, services)
    },
    refusal: () => unauthorized('User name and password do not fit', text),
  })
}

function comparing(given: Passwords): Verify<NamedUser | null, object> {
  const passwords = new Map<string, unknown>(Object.entries(Object(given)))
  for (const [username, password] of passwords) {
    if (username.includes(':')) throw invalid('basic', 'a user name holds ":". Use one without')
    if (typeof password === 'string' && password !== '') continue
    throw invalid('basic', `the password of "${username}" is empty, or not a text. Give one`)
  }
  if (passwords.size === 0) throw invalid('basic', 'there is no user. Give at least one, or a function that verifies')
  return ({ username, password }) => {
    const expected = passwords.get(username)
    // An unknown name takes the same time.
    const isSame = sameSecret(password, String(expected))
    return expected !== undefined && isSame ? { username } : null
  }
}

/** The first colon ends the name: a password may hold others (RFC 7617 section 2). */
function decode(shown: string): UserPassword | null {
  const bytes = Buffer.from(shown, 'base64')
  const text = bytes.toString('base64') === shown && isUtf8(bytes) ? bytes.toString() : ''
  const colon = text.indexOf(':')
  return colon < 0 || /\p{Cc}/u.test(text) ? null : { username: text.slice(0, colon), password: text.slice(colon + 1) }
}
