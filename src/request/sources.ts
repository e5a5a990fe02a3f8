/** The sources of a request: params, query, headers, cookies and body, validated together. */
import { RequestContext } from '../context/request-context.js'
import { HttpError } from '../errors/http-error.js'
import { parseCookies } from '../http/cookies.js'
import { parseQuery } from '../http/query.js'
import { SOURCES } from '../route/contract.js'
import type { Source } from '../route/contract.js'
import { ShownIssues, withCode, type Issue, type Issues } from '../validation/issues.js'
import type { RawText } from '../validation/text/text-source.js'
import type { Outcome } from '../validation/validate.js'
import type { Call } from './call.js'
import type { EndpointPlan, Step } from './endpoint.js'

/** Validates all sources, so that a client learns of all its mistakes at once. */
export function validateSources({ sources, body }: EndpointPlan): Step<Call> | null {
  const validateBody = body?.validate ?? null
  if (sources.length === 0 && validateBody === null) return null
  return (call) => {
    const checks = new SourceChecks()
    for (const { source, text, slot } of sources) {
      const input = slot === null ? call.input : inputAt(call, slot)
      checks.take(input, source, text.read(rawOf(call, source)))
    }
    if (validateBody !== null) checks.take(call.input, 'body', validateBody(call.input.body))
    return checks.whenDone(call)
  }
}

/** What a provider gets: an input of its own. */
export function inputAt(call: Call, slot: number): RequestContext {
  return (call.providers.inputs[slot] ??= new RequestContext(call))
}

/** The texts of a source, as they were sent. */
export function rawOf(call: Call, source: Exclude<Source, 'body'>): RawText {
  if (source === 'query') return parseQuery(call.query, call.app.limits.keys)
  if (source === 'params') return call.params
  return source === 'headers' ? call.exchange.headers() : parseCookies(call.exchange.header('cookie'))
}

/** An issue, and the source it was found in. */
interface SourceIssue extends Issue {
  readonly in: Source
}

interface RefusedSource {
  readonly source: Source
  readonly issues: Issues
}

/** What the validation of sources has found so far. */
export class SourceChecks {
  #refused: RefusedSource[] | null = null
  /** Validations that are not done; `null` when all were synchronous. */
  #pending: Promise<void>[] | null = null

  /** Takes the outcome of a validation, now or later. */
  take(target: RequestContext, source: Source, outcome: Outcome | Promise<Outcome>): void {
    if (!(outcome instanceof Promise)) {
      this.#accept(target, source, outcome)
      return
    }
    this.#pending ??= []
    const accepted = outcome.then((made) => this.#accept(target, source, made))
    // Should the next source fail at once, nobody will wait for this one.
    accepted.catch(() => {})
    this.#pending.push(accepted)
  }

  #accept(target: RequestContext, source: Source, { value, issues }: Outcome): void {
    target[source] = value
    if (issues !== undefined) (this.#refused ??= []).push({ source, issues })
  }

  /** Refuses the call, once all validations are done, for what they found. */
  whenDone(call: Call): Promise<void> | undefined {
    if (this.#pending !== null) return Promise.all(this.#pending).then(() => this.#refuse(call))
    this.#refuse(call)
    return undefined
  }

  #refuse({ exchange, app }: Call): void {
    if (this.#refused === null) return
    if (!exchange.hasBody && this.#refused.some(({ source }) => source === 'body')) {
      throw new HttpError(400, 'This request needs a body')
    }
    throw refusal(this.#refused, app.limits.issues)
  }
}

/** In the order of the sources: asynchronous validations end in any. */
function refusal(refused: readonly RefusedSource[], most: number): HttpError {
  const shown = new ShownIssues<SourceIssue>(most)
  for (const { source, issues } of refused.toSorted((a, b) => placeOf(a) - placeOf(b))) {
    shown.add(issues, ({ pointer, message, code }) => withCode({ in: source, pointer, message }, code))
  }
  const { list: errors, omitted } = shown
  const members = omitted === 0 ? { errors } : { errors, omitted }
  return new HttpError(422, 'The request does not follow its schema', members)
}

function placeOf({ source }: RefusedSource): number {
  return SOURCES.indexOf(source)
}
