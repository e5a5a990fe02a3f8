/** Failures: anything that was thrown becomes a problem for the client and, where it is no fault of the client's, a log line. */
import { serializedReply, type FullReply } from '../context/reply.js'
import { HttpError, isHttpError, preparedText, PROBLEM_TYPE, problemOf, type Problem } from '../errors/http-error.js'
import { applyChanges, changesOf, NO_FIELDS, overlayFields } from '../http/fields.js'
import { jsonPayload } from '../http/payload.js'
import { ignore } from '../values/ignore.js'
import type { Call } from './call.js'
import { checkAnswer } from './check-answer.js'
import type { FormatPlan } from './endpoint.js'
import type { ErrorFormats } from './error-format.js'

/** The answer to something that was thrown. Only an `HttpError`, thrown or mapped, speaks to the client. */
export function failureReply(call: Call, thrown: unknown): FullReply {
  const own = isHttpError(thrown) ? thrown : undefined
  const known = mapError(call, thrown, own) ?? own
  const reply = known && problemReply(call, known, thrown)
  if (known === undefined) logUnexpected(call, thrown)
  // What was refused is no fault of ours: a 501 is the client's doing, and why the app could not start is logged already.
  else if (reply === undefined || (reply.status >= 500 && thrown !== call.refusal)) {
    call.report('error', { err: thrown, ...whereOf(call) }, 'The request failed')
  }
  return reply ?? errorReply(call, new HttpError(500), thrown)
}

/** What the first mapper that answers makes of it. One that knows nothing but 500 does not replace an `HttpError`, such as a 404. */
function mapError(call: Call, thrown: unknown, own: HttpError | undefined): HttpError | undefined {
  for (const mapper of call.app.mappers) {
    try {
      const mapped: unknown = mapper(thrown, call.context)
      if (!(mapped instanceof HttpError)) continue
      if (own === undefined || mapped.status !== 500 || own.status === 500) return mapped
    } catch (error) {
      call.report('error', { err: error, ...whereOf(call) }, 'mapError failed')
    }
  }
  return undefined
}

/** A client that has left needs no answer, and a handler that stops because of it has not failed. */
function logUnexpected(call: Call, thrown: unknown): void {
  if (call.exchange.aborted) call.report('debug', { err: thrown, ...whereOf(call) }, 'The client went away')
  else call.report('error', { err: thrown, ...whereOf(call) }, 'The request failed unexpectedly')
}

/** A path with a secret in it, as links to reset a password have, is shown as its template. */
function whereOf({ exchange, endpoint, pathRecord, path, params, app }: Call): Readonly<Record<string, string>> {
  const { method } = exchange
  if (pathRecord === null) return { method, path: app.secrets.hide(path) }
  const hasSecret = Object.keys(params).some((name) => app.secrets.isKey(name))
  const shown = { method, path: hasSecret ? pathRecord.path : app.secrets.hide(path) }
  return endpoint === null ? shown : { ...shown, route: endpoint.route }
}

/** An error may have been altered since it was made. One that cannot be written becomes a plain 500. */
function problemReply(call: Call, error: HttpError, thrown: unknown): FullReply | undefined {
  try {
    const { status } = error
    const isOfError = Number.isInteger(status) && status >= 400 && status <= 599
    if (!isOfError) throw new RangeError(`Status ${String(status)} is not one of an error`)
    return errorReply(call, error, thrown)
  } catch (flaw) {
    call.report('error', { err: flaw, ...whereOf(call) }, 'An HttpError could not be written')
    return undefined
  }
}

/** `throw undefined` is a failure, too: `error` must not stay undefined. */
function errorReply(call: Call, error: HttpError, thrown: unknown): FullReply {
  const { id, app } = call
  const headers = overlayFields(applyChanges(NO_FIELDS, changesOf(error.headers)), new Map([['x-request-id', id]]))
  const written = app.formats === null ? undefined : writtenProblem(call, error, app.formats)
  const { body, payload } = written ?? plainProblem(error, id)
  const reply = serializedReply(error.status, body, payload, headers)
  reply.error = thrown ?? new Error('Nothing was thrown')
  return reply
}

/** A body, and what is written of it. */
type Written = Pick<FullReply, 'body' | 'payload'>

function plainProblem(error: HttpError, id: string): Written {
  const text = preparedText(error, id)
  const body = problemOf(error, id)
  return { body, payload: text === undefined ? jsonPayload(body, PROBLEM_TYPE) : { type: PROBLEM_TYPE, data: text } }
}

/** The problem as its format writes it; `undefined` for problem details, also where the format fails. */
function writtenProblem(call: Call, error: HttpError, formats: ErrorFormats): Written | undefined {
  const format = formats.of(call)
  if (format === null) return undefined
  const problem = problemOf(error, call.id)
  try {
    return writeIn(format, call, problem)
  } catch (fault) {
    formats.faults.set(call, fault ?? new Error('Nothing was thrown'))
    call.report('error', { err: fault, ...whereOf(call) }, 'The error format failed')
    return undefined
  }
}

/** Like any other answer, what a format writes is validated where answers are, and projected. */
function writeIn({ write, plan, type }: FormatPlan, call: Call, problem: Problem): Written {
  const body = checkAnswer(call, plan, write(problem))
  if (!(body instanceof Promise)) return { body, payload: jsonPayload(body, type) }
  body.catch(ignore)
  throw new TypeError('The schema of the error format gives a promise. Give one that validates at once')
}
