/** CORS (Fetch standard, section 3.2): headers with which browsers let pages of another origin read a response. */
import { serializedReply } from '../../context/reply.js'
import { applyChanges, toHeaderChanges, toHeaderMap, TOKEN, type HeaderChange } from '../../http/fields.js'
import { formatAllow, VERBS } from '../../http/methods.js'
import { NO_PAYLOAD } from '../../http/payload.js'
import type { CorsOptions, OriginTest } from '../../route/response-options.js'
import { isThenable } from '../../values/objects.js'
import type { Call } from '../../request/call.js'

const TEN_MINUTES = 600_000
/** Matches one origin. The origin is reflected, so values that browsers never send are rejected, even if `origins` is a function. */
const ONE_ORIGIN = /^(?:null|[a-z][a-z0-9+.-]*:\/\/[\w.:[\]-]+)$/
const NAMES = new RegExp(`^${TOKEN}(?:[ \\t]*,[ \\t]*${TOKEN})*$`)
const DEPENDS = toHeaderChanges({ vary: 'origin' })
const PREFLIGHT_DEPENDS = 'origin, access-control-request-method, access-control-request-headers'

export class Cors {
  /** Headers for pages of all origins; `null` if the headers depend on the origin. */
  readonly #open: readonly HeaderChange[] | null
  readonly #origins: ReadonlySet<string>
  readonly #patterns: readonly RegExp[]
  readonly #test: OriginTest | null
  readonly #methods: ReadonlySet<string> | null
  readonly #headers: string | null
  readonly #hasCredentials: boolean
  readonly #shared: Readonly<Record<string, string>>
  readonly #exposed: Readonly<Record<string, string>>
  readonly #maxAge: string

  constructor({ origins, methods, headers, credentials = false, expose = [], maxAge = TEN_MINUTES }: CorsOptions) {
    const listed = typeof origins === 'function' ? [] : [origins].flat()
    this.#origins = new Set(listed)
    this.#patterns = listed.filter((origin) => origin.includes('://*.')).map(compileOrigin)
    this.#test = typeof origins === 'function' ? origins : null
    // A page that may read the response to GET may also read its headers.
    this.#methods = methods === undefined ? null : new Set(methods.includes('GET') ? [...methods, 'HEAD'] : methods)
    this.#headers = headers === undefined ? null : headers.join(', ')
    this.#hasCredentials = credentials
    this.#shared = credentials ? { 'access-control-allow-credentials': 'true' } : {}
    this.#exposed = expose.length === 0 ? {} : { 'access-control-expose-headers': expose.join(', ') }
    const open = { 'access-control-allow-origin': '*', ...this.#exposed }
    this.#open = listed.includes('*') ? toHeaderChanges(open) : null
    this.#maxAge = String(Math.floor(maxAge / 1000))
  }

  /** Adds CORS headers to a response, unless the author has set `Access-Control-Allow-Origin`. */
  readonly respond = (call: Call): Promise<void> | undefined => {
    const { exchange, reply, providers, endpoint } = call
    const isSetByAuthor = reply.headers.has('access-control-allow-origin')
    if (this.#open !== null && !isSetByAuthor) {
      // Without `Origin` too, because a cache can store this response for pages (Fetch standard, "CORS protocol and HTTP caches").
      if (this.#takes(exchange.method)) call.reply = reply.withFields(applyChanges(reply.headers, this.#open))
      return undefined
    }
    const origin = exchange.header('origin')
    // Both are added together, because a second merge would cost 0.2 µs.
    const behindCredentials = providers === null ? undefined : endpoint?.credentialHeaders?.varyWithOrigin
    call.reply = reply.withFields(applyChanges(reply.headers, behindCredentials ?? DEPENDS))
    if (origin === undefined || isSetByAuthor) return undefined
    if (!this.#takes(exchange.method)) return undefined
    return this.#decide(call, origin, () => {
      const changes = toHeaderChanges({ ...this.#sharedWith(origin), ...this.#exposed })
      call.reply = call.reply.withFields(applyChanges(call.reply.headers, changes))
    })
  }

  /** Responds to a preflight without endpoint and middleware. If the preflight is rejected, the response has no CORS headers. */
  readonly preflight = (call: Call): Promise<void> | undefined => {
    const { exchange, pathMatch } = call
    const origin = String(exchange.header('origin'))
    // The methods of a mounted handler and of an unknown path are not known.
    const allow = pathMatch === null || pathMatch.entry.mounted !== null ? undefined : pathMatch.entry.allow
    const fields = (more: Readonly<Record<string, string>>): void => {
      const all = { vary: PREFLIGHT_DEPENDS, ...(allow === undefined ? {} : { allow }), ...more }
      call.reply = serializedReply(204, null, NO_PAYLOAD, toHeaderMap(all))
    }
    fields({})
    // Replaces an error of routing, which the page can read in the response to its request.
    call.failure = null
    if (!this.#takes(String(exchange.header('access-control-request-method')))) return undefined
    return this.#decide(call, origin, () => fields(this.#granted(call, origin, allow ?? formatAllow(VERBS))))
  }

  /** Whether pages of an origin may act for their users; read only with `credentials: true`. */
  readonly trusts = (call: Call, origin: string): boolean | Promise<boolean> => {
    return origin !== 'null' && this.#takes(call.exchange.method) && this.#judge(call, origin)
  }

  #granted({ exchange }: Call, origin: string, allow: string): Readonly<Record<string, string>> {
    const methods = allow.split(', ').filter((method) => this.#takes(method))
    const requestedHeaders = exchange.header('access-control-request-headers') ?? ''
    const headers = this.#headers ?? (NAMES.test(requestedHeaders) ? requestedHeaders : '')
    return {
      ...this.#sharedWith(origin),
      'access-control-allow-methods': methods.join(', '),
      ...(headers === '' ? {} : { 'access-control-allow-headers': headers }),
      'access-control-max-age': this.#maxAge,
    }
  }

  #sharedWith(origin: string): Readonly<Record<string, string>> {
    return { 'access-control-allow-origin': this.#open === null ? origin : '*', ...this.#shared }
  }

  #takes(method: string): boolean {
    return this.#methods === null || this.#methods.has(method)
  }

  #decide(call: Call, origin: string, grant: () => void): Promise<void> | undefined {
    const verdict = this.#judge(call, origin)
    if (typeof verdict !== 'boolean') return verdict.then((isAllowed) => (isAllowed ? grant() : undefined))
    if (verdict) grant()
    return undefined
  }

  #judge(call: Call, origin: string): boolean | Promise<boolean> {
    if (!ONE_ORIGIN.test(origin)) return false
    if (this.#open !== null || this.#origins.has(origin) || this.#patterns.some((pattern) => pattern.test(origin)))
      return true
    if (this.#test === null || (origin === 'null' && this.#hasCredentials)) return false
    const failed = (error: unknown): boolean => {
      call.reportError(error, 'The "cors.origins" function threw an error')
      return false
    }
    try {
      const verdict: unknown = this.#test(origin)
      return isThenable(verdict) ? Promise.resolve(verdict).then(isAllowed, failed) : isAllowed(verdict)
    } catch (error) {
      return failed(error)
    }
  }
}

function isAllowed(value: unknown): boolean {
  return value === true
}

/** Matches subdomains at any depth. */
function compileOrigin(origin: string): RegExp {
  const escaped = origin.replace(/[.+]/g, '\\$&').replace('*\\.', '(?:[\\w-]+\\.)+')
  return new RegExp(`^${escaped}$`)
}
