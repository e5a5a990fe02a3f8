/** `precondition`: a provider that prevents lost updates with conditional requests. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { BaseContext } from '../../context/request-context.js'
import { frameworkError } from '../../errors/http-error.js'
import { statusTitle } from '../../errors/status.js'
import type { Exchange } from '../../http/exchange.js'
import { SAFE_METHODS } from '../../http/methods.js'
import type { Only } from '../../errors/known-keys.js'
import {
  checkArgument,
  checkOptions,
  functionRule,
  objectRule,
  optionError,
  SWITCH,
  type Rules,
} from '../../errors/options.js'
import { provide, ProviderRecipe } from '../../injection/provide.js'
import type { Needs, Provider, ProviderInput, Resolve, ServicesOf, UsesIn, WantOf } from '../../injection/provide.js'

startStackAtCaller(precondition)

/** Identifies the current state of a resource: a version number, a string, or the time of the last change. `null` if it does not exist. */
export type Revision = string | number | bigint | Date | null | undefined

/** Options of `precondition`. */
export interface PreconditionOptions {
  /** Whether a change without `If-Match` or `If-None-Match: *` is rejected with 428; default `false`. */
  readonly required?: boolean
  /**
   * Whether `If-Match` accepts the weak form of the current ETag (`W/"7"` for `"7"`); default `false`. Proxies that compress responses
   * make ETags weak. It is safe because the ETag of a revision identifies the state of the resource, not only similar content.
   */
  readonly weak?: boolean
}

/** Needs of a precondition. The raw body is not available yet, and credentials belong in guards. */
export type PreconditionNeeds = Omit<Needs, 'rawBody' | 'security'>

export class PreconditionRecipe extends ProviderRecipe {
  readonly isRequired: boolean
  override readonly unsafeErrors: readonly number[] = [428]

  constructor({ needs, resolve }: ProviderRecipe, isRequired: boolean) {
    super(needs, resolve, 'before-response', 'behind guards')
    this.isRequired = isRequired
  }
}

/**
 * Creates a provider of the current revision of a resource. It runs after the guards and before the body is read. Conditional changes
 * (RFC 9110 section 13) whose condition is false are rejected with 412: `If-Match` must contain the ETag of the current revision, and
 * `If-None-Match: *` requires that the resource does not exist. Responses to GET and HEAD have the revision as their `ETag`.
 *
 * The handler receives the revision. Compare it in the `WHERE` of your update, because another request may change the resource after the
 * check.
 *
 * @param needs schemas of the input, other providers, and descriptions for the OpenAPI document
 * @param resolve receives the needs and the services. Returns the revision, or `null` if the resource does not exist; may be async
 * @param options `required: true` rejects changes without a condition (428, RFC 6585); `weak: true` accepts weak ETags
 * @returns the provider, for `uses`
 * @throws SetupError `OPTION_INVALID`
 *
 * @example
 * ```ts
 * import { createApp, precondition, Route, type Input } from 'verbena'
 *
 * const doc = { text: 'old', revision: 1 }
 * const revision = precondition({}, () => doc.revision, { required: true })
 *
 * class Doc extends Route {
 *   static readonly path = '/doc'
 *   static readonly get = this.contract({ uses: { revision }, etag: true })
 *   async get() {
 *     return doc.text
 *   }
 *   static readonly put = this.contract({ uses: { revision } })
 *   async put({ revision }: Input<typeof Doc.put>) {
 *     doc.revision = revision + 1
 *   }
 * }
 * const app = createApp({ routes: { Doc } })
 * const put = (headers: Record<string, string>) =>
 *   app.fetch(new Request('http://localhost/doc', { method: 'PUT', headers }))
 *
 * const read = await app.fetch(new Request('http://localhost/doc'))
 * read.headers.get('etag') // => '"1"'
 * const blind = await put({})
 * blind.status // => 428
 * const first = await put({ 'if-match': '"1"' })
 * first.status // => 204
 * const second = await put({ 'if-match': '"1"' })
 * second.status // => 412
 * ```
 */
export function precondition<const N extends PreconditionNeeds, T extends Revision, Services extends object = {}>(
  needs: N & Only<N, PreconditionNeeds>,
  resolve: (input: ProviderInput<N>, services: Services) => T | Promise<T>,
  options: PreconditionOptions = {},
): Provider<T, Services & ServicesOf<WantOf<UsesIn<N>>>> {
  checkOptions(options, RULES, 'precondition()')
  const { required: isRequired = false, weak: acceptsWeak = false } = options
  const preconditionProvider: unknown = provide(
    documentPrecondition(needs, isRequired),
    // Proof: the app passes the input and the services that the types require.
    conditionalGuard(resolve as unknown as Resolve, isRequired, acceptsWeak),
  )
  // Proof: `provide` returns a `ProviderRecipe`, and the type parameters are the types of the arguments.
  return new PreconditionRecipe(preconditionProvider as ProviderRecipe, isRequired) as unknown as Provider<
    T,
    Services & ServicesOf<WantOf<UsesIn<N>>>
  >
}

const RULES: Rules<PreconditionOptions> = { required: SWITCH, weak: SWITCH }
const CALL = 'precondition({ … }, (input) => revision)'

/** Adds 412 and 428 to the errors in the OpenAPI document. */
function documentPrecondition(needs: PreconditionNeeds, isRequired: boolean): object {
  checkArgument(needs, objectRule(CALL), 'needs', 'precondition()')
  const reservedKey = ['rawBody', 'security'].find((key) => key in needs)
  if (reservedKey !== undefined) {
    const why = 'a precondition runs after guards and before the body is read. Remove the option'
    throw optionError('precondition()', reservedKey, why)
  }
  const statuses = isRequired ? [412, 428] : [412]
  const { errors = [] } = needs
  if (Array.isArray(errors)) return { ...needs, errors: [...errors, ...statuses] }
  const titles = statuses.map((status) => [status, statusTitle(status)] as const)
  return { ...needs, errors: { ...Object.fromEntries(titles), ...Object(errors) } }
}

/** Wraps `resolve` with a check of the request's conditions. Rejects a change without a required condition before it calls `resolve`. */
function conditionalGuard(resolve: Resolve, isRequired: boolean, acceptsWeak: boolean): Resolve {
  checkArgument(resolve, functionRule(CALL), 'resolve', 'precondition()')
  return async (input, services) => {
    // Proof: the app calls providers, and passes a `BaseContext`.
    const { exchange } = BaseContext.sourceOf(input as BaseContext)
    const isRead = SAFE_METHODS.has(exchange.method)
    if (isRequired && !isRead && !isConditionalRequest(exchange)) {
      throw frameworkError(
        428,
        'Send "If-Match" with the ETag of the version that you have read, or "If-None-Match: *" to create the resource',
      )
    }
    const revision: unknown = await resolve(input, services)
    const etag = toETag(revision)
    // Proof: as above.
    if (isRead) (input as BaseContext).response.header('etag', etag)
    else await checkPrecondition(exchange, etag, acceptsWeak)
    return revision
  }
}

/** Whether the request has a safe condition. `If-None-Match` with ETags is not one: it would allow overwriting any other state. */
function isConditionalRequest(exchange: Exchange): boolean {
  return exchange.header('if-match') !== undefined || exchange.header('if-none-match')?.trim() === '*'
}

async function checkPrecondition(exchange: Exchange, etag: string | null, acceptsWeak: boolean): Promise<void> {
  /* c8 ignore next -- the test runner adds a branch around the import */
  const { evaluateConditions, failsAsWeak, WEAK_TAG } = await import('../../http/conditions.js')
  const state = { exists: etag !== null, etag: etag ?? undefined, isOwnETag: true, acceptsWeak }
  if (evaluateConditions(exchange, state, false) === null) return
  const headers = etag === null ? {} : { etag }
  if (exchange.header('if-match') === undefined) throw frameworkError(412, 'The resource already exists', { headers })
  const detail = failsAsWeak(exchange, state) ? WEAK_TAG : 'The resource has changed since it was read, or was deleted'
  throw frameworkError(412, detail, { headers })
}

/**
 * Formats a revision as an ETag; `null` if the resource does not exist. Characters that an ETag must not contain are percent-encoded. The
 * semicolon is too, because Verbena appends `;` and the content coding to ETags of compressed responses.
 */
function toETag(revision: unknown): string | null {
  if (revision === null || revision === undefined) return null
  const text = revision instanceof Date ? revision.toISOString() : revision
  if (typeof text !== 'string' && typeof text !== 'number' && typeof text !== 'bigint') {
    throw new TypeError('A precondition must return a number, a string, a Date or null')
  }
  return `"${String(text).replace(/[^\x21\x23\x24\x26-\x3a\x3c-\x7e]+/g, encodeURIComponent)}"`
}
