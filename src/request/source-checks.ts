/** Sources that are read and validated together. */
import type { RequestContext } from '../context/request-context.js'
import { HttpError } from '../errors/http-error.js'
import { parseCookies } from '../http/cookies.js'
import { parseQuery } from '../http/query.js'
import { type Source, SOURCES } from '../route/contract.js'
import type { RawText } from '../validation/text.js'
import { ShownIssues, withCode, type Issue, type Issues } from '../validation/issues.js'
import type { Outcome } from '../validation/validate.js'
import type { ServedCall } from './served-call.js'

/** An issue, and the source it was found in. */
export interface SourceIssue extends Issue {
  readonly in: Source
}

/** A source that does not follow its schema. */
interface Refused {
  readonly source: Source
  readonly issues: Issues
}

/** What the validation of sources has found so far. */
export class SourceChecks {
  /** The sources that do not follow their schema, in any order. */
  readonly refused: Refused[] = []
  /** Validations that are not done; `null` when all were synchronous. */
  pending: Promise<void>[] | null = null

  /** Takes the outcome of a validation. */
  take(target: RequestContext, source: Source, outcome: Outcome | Promise<Outcome>): void {
    if (!(outcome instanceof Promise)) {
      this.#accept(target, source, outcome)
      return
    }
    this.pending ??= []
    const accepted = outcome.then((made) => this.#accept(target, source, made))
    // Should the next source fail at once, nobody will wait for this one.
    accepted.catch(() => {})
    this.pending.push(accepted)
  }

  #accept(target: RequestContext, source: Source, { value, issues }: Outcome): void {
    target[source] = value
    if (issues !== undefined) this.refused.push({ source, issues })
  }

  /** The error for what was found, in the order of the sources: asynchronous validations end in any. */
  error(most: number): HttpError {
    const shown = new ShownIssues<SourceIssue>(most)
    for (const { source, issues } of this.refused.toSorted((a, b) => placeOf(a) - placeOf(b))) {
      shown.add(issues, ({ pointer, message, code }) => withCode({ in: source, pointer, message }, code))
    }
    const { list: errors, omitted } = shown
    return new HttpError(
      422,
      'The request does not follow its schema',
      omitted === 0 ? { errors } : { errors, omitted },
    )
  }
}

function placeOf({ source }: Refused): number {
  return SOURCES.indexOf(source)
}

/** The texts of a source, as they were sent. */
export function rawOf(call: ServedCall, source: Exclude<Source, 'body'>): RawText {
  if (source === 'query') return parseQuery(call.query, call.core.limits.keys)
  if (source === 'params') return call.params
  return source === 'headers' ? call.exchange.headers() : parseCookies(call.exchange.header('cookie'))
}
