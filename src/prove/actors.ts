/** Actors: who calls the endpoints of an app in a proof, and their credentials. */
import { SetupError } from '../errors/setup-error.js'
import { checkOptions, objectRule, stringRule, type Rules } from '../errors/options.js'
import { isRecord, isThenable } from '../values/objects.js'

/** Credentials of an actor. The requests of the actor contain all of them. */
export interface Credentials {
  /** Token for `Authorization: Bearer`. */
  readonly bearer?: string
  /** User name and password for `Authorization: Basic`. */
  readonly basic?: {
    /** Name of the user. */
    readonly username: string
    /** Password of the user. */
    readonly password: string
  }
  /** Headers by name, such as an API key, or `authorization` with another scheme. */
  readonly headers?: Readonly<Record<string, string>>
  /** Query parameters by name, such as an API key. */
  readonly query?: Readonly<Record<string, string>>
  /** Cookies by name, such as a session. */
  readonly cookies?: Readonly<Record<string, string>>
}

/** An actor, with credentials that the app accepts. Without credentials, it is a client that has not signed in. */
export interface Actor extends Credentials {
  /** Credentials of the same user that have expired. Guards must reject them. */
  readonly expired?: Credentials
  /** Credentials of another issuer, or signed with another key. Guards must reject them. */
  readonly foreign?: Credentials
}

/** The app of a proof, for actors that have to sign in. Its requests run completely. */
export interface ActorApp<S = object> {
  /** Handles a request, a URL, or a path with query. */
  readonly fetch: (input: Request | string, init?: RequestInit) => Promise<Response>
  /** Services of the app, including replaced ones. */
  readonly services: S
}

/** An actor, or a function that signs it in. If that returns a response, its cookies are the credentials. */
export type ActorOption<S = object> = Actor | ((app: ActorApp<S>) => Actor | Response | Promise<Actor | Response>)

/** One part of the credentials, at its place in a request. */
export interface Credential {
  readonly in: 'header' | 'query' | 'cookie'
  /** In lower case for headers. */
  readonly name: string
  readonly value: string
}

/** An actor with the places of its credentials. */
export interface SignedActor {
  readonly name: string
  readonly credentials: readonly Credential[]
  /** Credentials that guards must reject; `null` if the author has not set them. */
  readonly invalid: Readonly<Record<'expired' | 'foreign', readonly Credential[] | null>>
}

/** Without spaces, which separate the columns of the file. */
const ACTOR_NAME = /^[A-Za-z][\w.-]{0,39}$/

const CREDENTIALS: Rules<Credentials> = {
  bearer: stringRule("tokenOf('ada')"),
  basic: objectRule("{ username: 'ada', password: 'correct horse' }", {
    username: stringRule("'ada'"),
    password: stringRule("'correct horse'"),
  }),
  headers: objectRule("{ 'x-api-key': 'k-3141' }"),
  query: objectRule("{ key: 'k-3141' }"),
  cookies: objectRule("{ session: 's-3141' }"),
}

const ACTOR: Rules<Actor> = {
  ...CREDENTIALS,
  expired: objectRule("{ bearer: tokenOf('ada', { expiresIn: -1 }) }", CREDENTIALS),
  foreign: objectRule("{ bearer: tokenOf('ada', { key: otherKey }) }", CREDENTIALS),
}

/** Throws for names that the file cannot contain, and for two names that differ only in upper and lower case. */
export function checkActors(actors: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(actors)
  if (names.length === 0) throw actorsError('it must have at least one actor. Write "actors: { nobody: {} }"')
  const unusable = names.find((name) => !ACTOR_NAME.test(name))
  if (unusable !== undefined) {
    const state = `the name ${JSON.stringify(unusable)} must be a letter and up to 39 letters, digits, dots, "_" or "-"`
    throw actorsError(`${state}. Rename the actor`)
  }
  const lower = names.map((name) => name.toLowerCase())
  const at = lower.findIndex((name, index) => lower.indexOf(name) !== index)
  if (at < 0) return
  const first = names[lower.indexOf(String(lower[at]))]
  throw actorsError(`"${first}" and "${names[at]}" have the same name. Rename one of them`)
}

function actorsError(why: string): SetupError {
  return new SetupError('PROOF_INVALID', `Cannot use the actors of authorization(): ${why}`)
}

/** Signs in the actor, if it is a function. */
export async function signIn<S>(name: string, actor: ActorOption<S>, app: ActorApp<S>): Promise<SignedActor> {
  const signed = typeof actor === 'function' ? await signInWith(name, () => actor(app)) : actor
  if (signed instanceof Response) return toSignedActor(name, { cookies: readCookies(name, signed) })
  checkOptions(signed, ACTOR, `the actor "${name}"`)
  return toSignedActor(name, signed)
}

async function signInWith(name: string, sign: () => unknown): Promise<Actor | Response> {
  try {
    const signed = sign()
    // Proof: the type of the option; `checkOptions` checks the value.
    return (isThenable(signed) ? await signed : signed) as Actor | Response
  } catch (cause) {
    const state = `its function failed with "${cause instanceof Error ? cause.message : String(cause)}"`
    throw new SetupError('PROOF_INVALID', `Cannot sign in the actor "${name}": ${state}. See its "cause"`, { cause })
  }
}

/** Reads the cookies that a response sets. Throws if it sets none, because the actor would have no credentials. */
function readCookies(name: string, response: Response): Record<string, string> {
  const cookies = response.headers.getSetCookie().map(readSetCookie)
  if (cookies.length > 0) return Object.fromEntries(cookies)
  const state = `the response has the status ${response.status} and sets no cookie`
  const fix = 'Return the response to a valid login, or an object with credentials'
  throw new SetupError('PROOF_INVALID', `Cannot sign in the actor "${name}": ${state}. ${fix}`)
}

/** Returns the name and the value of a `Set-Cookie` header. */
export function readSetCookie(line: string): readonly [name: string, value: string] {
  const pair = line.split(';', 1).join('')
  const at = pair.indexOf('=')
  return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
}

function toSignedActor(name: string, actor: Actor): SignedActor {
  const { expired, foreign } = actor
  const list = (credentials: Credentials | undefined): readonly Credential[] | null =>
    credentials === undefined ? null : listCredentials(name, credentials)
  return {
    name,
    credentials: listCredentials(name, actor),
    invalid: { expired: list(expired), foreign: list(foreign) },
  }
}

function listCredentials(actor: string, { bearer, basic, headers, query, cookies }: Credentials): Credential[] {
  const list: Credential[] = []
  const add = (place: Credential['in'], values: unknown): void => {
    if (!isRecord(values)) return
    for (const [name, value] of Object.entries(values)) {
      if (typeof value !== 'string' || !canSend(place, name, value)) throw unsendableError(actor, place, name)
      list.push({ in: place, name: place === 'header' ? name.toLowerCase() : name, value })
    }
  }
  if (bearer !== undefined) add('header', { authorization: `Bearer ${bearer}` })
  if (basic !== undefined) add('header', { authorization: formatBasic(basic.username, basic.password) })
  add('header', headers)
  add('query', query)
  add('cookie', cookies)
  const repeated = list.find(
    (each, at) => list.findIndex((other) => other.in === each.in && other.name === each.name) !== at,
  )
  if (repeated === undefined) return list
  const state = `two of them are in the ${repeated.in} "${repeated.name}". Create an actor for each`
  throw new SetupError('PROOF_INVALID', `Cannot use the credentials of the actor "${actor}": ${state}`)
}

function formatBasic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

/** Whether a web `Request` can contain the value. A cookie must not contain the separator of cookies. */
function canSend(place: Credential['in'], name: string, value: string): boolean {
  if (place === 'query') return name !== ''
  try {
    return new Headers([[name, value]]).get(name) === value && (place === 'header' || !value.includes(';'))
  } catch {
    return false
  }
}

function unsendableError(actor: string, place: Credential['in'], name: string): SetupError {
  const state = `its ${place} "${name}" must have a valid name and a string that a request can contain`
  const fix = 'Remove line breaks and other control characters'
  return new SetupError('PROOF_INVALID', `Cannot use the credentials of the actor "${actor}": ${state}. ${fix}`)
}
