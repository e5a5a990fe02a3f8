/** `precondition`: a provider that refuses changes of a state that the client has not seen. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { RequestContext } from '../../context/request-context.js'
import { SetupError } from '../../errors/setup-error.js'
import { frameworkError } from '../../errors/http-error.js'
import { statusTitle } from '../../errors/status.js'
import type { Exchange } from '../../http/exchange.js'
import type { Only } from '../../errors/known-keys.js'
import { provide, ProviderRecipe } from '../../injection/provide.js'
import type { Needs, Provider, ProviderInput, Resolve, ServicesOf, UsesIn, WantOf } from '../../injection/provide.js'
import { isRecord } from '../../values/objects.js'

startStackAtCaller(precondition)

/** What tells one state of something from another: a number or text of its own, or when it was changed; `null` where nothing is. */
export type Revision = string | number | bigint | Date | null | undefined

/** How strict a precondition is. */
export interface PreconditionOptions {
  /** Refuses a change with 428 unless the request has `If-Match`, or `If-None-Match: *`. */
  readonly required?: boolean
}

/** What a precondition needs of the request: neither the body nor credentials, for which there are guards. */
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
 * Makes a provider of the current revision of something. It runs behind the guards, before anything of the body is read. A change
 * that the client makes conditional (RFC 9110 section 13) is refused with 412 when the condition does not hold: with `If-Match` when
 * its tags do not name this revision, with `If-None-Match: *` when there is something. GET and HEAD get the revision as their `ETag`.
 *
 * The handler gets the revision, to be put into the statement's `WHERE`: between the two, somebody else may make a change.
 *
 * @param needs schemas of what it reads, other providers, and words for the document
 * @param resolve gets what it needs, and the services; gives the revision, `null` where there is nothing; may be async
 * @param options `required: true` refuses changes without a condition (428, RFC 6585)
 * @returns the provider, for `uses`
 * @throws SetupError `PROVIDER_INVALID`
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
  const isRequired = readPreconditionOptions(options)
  const preconditionProvider: unknown = provide(
    documentPrecondition(needs, isRequired),
    conditional(resolve, isRequired),
  )
  // Proof: this is what `provide` makes, and its types are those of the parameters.
  return new PreconditionRecipe(preconditionProvider as ProviderRecipe, isRequired) as unknown as Provider<
    T,
    Services & ServicesOf<WantOf<UsesIn<N>>>
  >
}

function readPreconditionOptions(options: unknown): boolean {
  const { required = false, ...unknown }: { required?: unknown } = Object(options)
  if (typeof required === 'boolean' && Object.keys(unknown).length === 0) return required
  throw preconditionError('its options are not known. Write "{ required: true }", or leave them out')
}

/** What it refuses stands in the document, too. */
function documentPrecondition(needs: unknown, isRequired: boolean): object {
  if (!isRecord(needs))
    throw preconditionError('its needs are no record. Write "precondition({ … }, (input) => revision)"')
  const reservedKey = ['rawBody', 'security'].find((key) => key in needs)
  if (reservedKey !== undefined)
    throw preconditionError(`it runs behind the guards and before the body. Leave "${reservedKey}" out`)
  const statuses = isRequired ? [412, 428] : [412]
  const { errors = [] } = needs
  if (Array.isArray(errors)) return { ...needs, errors: [...errors, ...statuses] }
  const titles = statuses.map((status) => [status, statusTitle(status)] as const)
  return { ...needs, errors: { ...Object.fromEntries(titles), ...Object(errors) } }
}

/** Looks at the conditions of a request once the revision is known; one without a condition is refused before. */
function conditional(resolve: unknown, isRequired: boolean): Resolve {
  if (typeof resolve !== 'function') {
    throw preconditionError('its second argument is not a function. Write "precondition({ … }, (input) => revision)"')
  }
  return async (input, services) => {
    // Proof: providers get their input from the app, and all inputs are contexts.
    const { exchange } = RequestContext.sourceOf(input as RequestContext)
    const isRead = exchange.method === 'GET' || exchange.method === 'HEAD'
    if (isRequired && !isRead && !isConditional(exchange)) {
      throw frameworkError(428, 'Send "If-Match" with the ETag that you have read, or "If-None-Match: *" to make it')
    }
    const revision: unknown = await resolve(input, services)
    const etag = toETag(revision)
    // Proof: as above.
    if (isRead) (input as RequestContext).response.header('etag', etag)
    else await checkPrecondition(exchange, etag)
    return revision
  }
}

/** `If-None-Match` with tags would let every state but these be overwritten. */
function isConditional(exchange: Exchange): boolean {
  return exchange.header('if-match') !== undefined || exchange.header('if-none-match')?.trim() === '*'
}

async function checkPrecondition(exchange: Exchange, etag: string | null): Promise<void> {
  /* c8 ignore next -- what runs the tests writes a branch of its own around an import */
  const { evaluateConditions } = await import('../../http/conditions.js')
  if (evaluateConditions(exchange, { exists: etag !== null, etag: etag ?? undefined }, false) === null) return
  const isMade = exchange.header('if-match') === undefined
  const headers = etag === null ? {} : { etag }
  throw frameworkError(412, isMade ? 'This exists already' : 'This has changed since it was read, or is gone', {
    headers,
  })
}

/** `null` where there is nothing. What cannot stand in a tag is percent-encoded; the semicolon comes before the coding of an answer. */
function toETag(revision: unknown): string | null {
  if (revision === null || revision === undefined) return null
  const text = revision instanceof Date ? revision.toISOString() : revision
  if (typeof text !== 'string' && typeof text !== 'number' && typeof text !== 'bigint') {
    throw new TypeError('A precondition gave no revision. Give a number, a text, a Date, or null')
  }
  return `"${String(text).replace(/[^\x21\x23\x24\x26-\x3a\x3c-\x7e]+/g, encodeURIComponent)}"`
}

function preconditionError(why: string): SetupError {
  return new SetupError('PROVIDER_INVALID', `Cannot make a precondition: ${why}`)
}
