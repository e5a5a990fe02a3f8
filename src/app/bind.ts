/** Binding: from the request to the input of a handler; body first, then the validation of all sources together. */
import { HttpError } from '../errors/http-error.js'
import { parseCookies } from '../http/cookies.js'
import { parseQuery } from '../http/query.js'
import { SOURCES } from '../route/contract-checks.js'
import type { Source } from '../route/contract-types.js'
import type { RawText } from '../validation/text.js'
import type { Issue, Outcome } from '../validation/validate.js'
import type { Endpoint, SourcePlan } from './endpoint.js'
import { handle } from './handle.js'
import { readBody } from './read-body.js'
import type { ServedCall } from './served-call.js'

/** An issue, and the source it was found in. */
interface SourceIssue extends Issue {
  readonly in: Source
}

/**
 * Reads the sources that the contract names into the call's context and goes on to the handler.
 *
 * @param call located
 * @param endpoint that answers it
 * @throws HttpError 415, 413, 400 for the body, 422 for what does not follow its schema
 */
export function bind(call: ServedCall, endpoint: Endpoint): void {
  const { context, params } = call
  context.params = params
  if (endpoint.hasRawQuery) context.query = parseQuery(call.query, call.core.limits.keys)
  if (endpoint.body === null) bindSources(call, endpoint)
  else readBody(call, { endpoint, plan: endpoint.body, next: bindSources })
}

/** Sources are validated together, so that a client learns of all its mistakes at once. */
function bindSources(call: ServedCall, endpoint: Endpoint): void {
  const { sources, body } = endpoint
  if (sources === null && (body === null || body.validate === null)) {
    handle(call, endpoint)
    return
  }
  const checks = new SourceChecks(call)
  for (const { source, text } of sources ?? []) checks.take(source, text.read(rawOf(call, source)))
  if (body !== null && body.validate !== null) checks.take('body', body.validate(call.context.body))
  const { pending } = checks
  if (pending === null) conclude(call, checks, endpoint)
  else call.runLater(Promise.all(pending), () => conclude(call, checks, endpoint))
}

function rawOf(call: ServedCall, source: SourcePlan['source']): RawText {
  if (source === 'query') return parseQuery(call.query, call.core.limits.keys)
  if (source === 'params') return call.params
  return source === 'headers' ? call.exchange.headers() : parseCookies(call.exchange.header('cookie'))
}

/** What the validation of a call's sources has found so far. */
class SourceChecks {
  readonly issues: SourceIssue[] = []
  /** Validations that are not done; `null` when all were synchronous. */
  pending: Promise<void>[] | null = null
  readonly #call: ServedCall

  constructor(call: ServedCall) {
    this.#call = call
  }

  take(source: Source, outcome: Outcome | Promise<Outcome>): void {
    if (!(outcome instanceof Promise)) {
      this.#accept(source, outcome)
      return
    }
    this.pending ??= []
    const accepted = outcome.then((made) => this.#accept(source, made))
    // Should the next source fail at once, nobody will wait for this one.
    accepted.catch(() => {})
    this.pending.push(accepted)
  }

  #accept(source: Source, { value, issues }: Outcome): void {
    this.#call.context[source] = value
    for (const { pointer, message } of issues ?? []) this.issues.push({ in: source, pointer, message })
  }
}

function conclude(call: ServedCall, { issues }: SourceChecks, endpoint: Endpoint): void {
  if (issues.length === 0) handle(call, endpoint)
  else if (!call.exchange.hasBody && issues.some((issue) => issue.in === 'body')) {
    throw new HttpError(400, 'This request needs a body')
  } else throw new HttpError(422, 'The request does not follow its schema', { errors: inOrder(issues) })
}

/** Asynchronous validations end in any order. */
function inOrder(issues: readonly SourceIssue[]): SourceIssue[] {
  return issues.toSorted((a, b) => SOURCES.indexOf(a.in) - SOURCES.indexOf(b.in))
}
