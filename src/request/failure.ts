/**
 * Failures. A thrown value becomes a problem for the client and, unless the client caused it, a log line.
 *
 * @see docs/decisions/0041-one-pipeline-one-failure.md
 */
import { serializedReply, type FullReply } from '../context/reply.js'
import { describeForeign } from '../errors/copies.js'
import { toHttpError } from '../errors/foreign-error.js'
import { HttpError, isReported } from '../errors/http-error.js'
import { preparedText } from '../errors/prepared-error.js'
import { PROBLEM_TYPE, toProblem } from '../errors/problem.js'
import { toHeaderMap } from '../http/fields.js'
import { jsonPayload } from '../http/payload.js'
import { joinMount } from '../http/target.js'
import { contractLocation } from '../route/route.js'
import { describeType } from '../values/describe-type.js'
import { discardPromise, rejectedHook, thenSync } from '../values/promises.js'
import { valueOr } from '../values/value-or.js'
import type { Call } from './call.js'
import { checkReply, rejectPromises } from './check-response.js'
import { checkProblemMembers } from './check-problem.js'
import type { FormatPlan } from './endpoint.js'
import { findErrorFormat, formatFaults } from './error-format.js'

/** Returns the response for a thrown value. Clients see details only of an `HttpError`, thrown or returned by `mapError`. */
export function failureReply(call: Call, thrown: unknown): FullReply | Promise<FullReply> {
  const error = findHttpError(call, thrown)
  if (error === undefined) {
    logUnexpected(call, thrown)
    return errorReply(call, new HttpError(500), thrown)
  }
  const reply = writableReply(call, error, thrown)
  // If the status is a getter that throws, the reply is `undefined`.
  if (reply === undefined || (error.status >= 500 && !isRejected(call, thrown) && !isReported(error))) {
    call.report('error', { err: thrown, ...logFields(call) }, 'The request failed')
  }
  return reply ?? errorReply(call, new HttpError(500), thrown)
}

/** Returns the body of the problem for an error after the response has begun, which the caller logs. An undeclared status becomes 500. */
export function failureBody(call: Call, thrown: unknown): unknown {
  const error = findHttpError(call, thrown)
  const isDeclared = valueOr(() => call.endpoint?.problems.has(Object(error).status) === true, false)
  const reply = error !== undefined && isDeclared ? writableReply(call, error, thrown) : undefined
  return thenSync(reply ?? errorReply(call, new HttpError(500), thrown), ({ body }) => body)
}

/** Returns `undefined` if the error cannot be serialized, because the author may have changed it. */
function writableReply(call: Call, error: HttpError, thrown: unknown): FullReply | Promise<FullReply> | undefined {
  const report = (err: unknown): void =>
    call.report('error', { err, ...logFields(call) }, 'Failed to serialize an HttpError')
  try {
    const { status } = error
    const isOfError = Number.isInteger(status) && status >= 400 && status <= 599
    if (!isOfError)
      throw new RangeError(`The status of an HttpError must be an integer from 400 to 599, not ${String(status)}`)
    const declared = call.endpoint?.problems.get(status)
    const isChecked = declared !== undefined && declared.schemas.length > 0 && call.app.validateResponses
    const reply = isChecked
      ? thenSync(checkProblemMembers(call, error, declared.schemas), (members) =>
          errorReply(call, error, thrown, members),
        )
      : errorReply(call, error, thrown)
    if (!(reply instanceof Promise)) return reply
    return reply.catch((formatError: unknown) => {
      report(formatError)
      return errorReply(call, new HttpError(500), thrown)
    })
  } catch (formatError) {
    report(formatError)
    return undefined
  }
}

/** Whether routing rejected the request. A 501 is the client's error, and a failed start is already logged. */
function isRejected(call: Call, thrown: unknown): boolean {
  return !call.isRouted && call.failure !== null && call.failure.error === thrown
}

/** Returns the first `HttpError` of a mapper. One with status 500 does not replace another `HttpError`, such as a 404. */
function findHttpError(call: Call, thrown: unknown): HttpError | undefined {
  const ownError = toHttpError(thrown)
  for (const mapper of call.app.mappers) {
    try {
      const mapped: unknown = mapper(thrown, call.context)
      if (discardPromise(mapped, reportRejection(call, '"mapError"'))) throw new TypeError(ASYNC_MAPPER)
      const error = toHttpError(mapped)
      if (error === undefined) continue
      if (ownError === undefined || error.status !== 500 || ownError.status === 500) return error
    } catch (error) {
      call.report('error', { err: error, ...logFields(call) }, 'The "mapError" function threw an error')
    }
  }
  return ownError
}

const ASYNC_MAPPER = 'Cannot use the result of "mapError": it is a promise. Return an HttpError or undefined'

function reportRejection(call: Call, hook: string): (error: unknown) => void {
  return (err) => call.report('error', { err, ...logFields(call) }, rejectedHook(hook))
}

/** Logs at debug level if the client has disconnected. No response is needed then, and the handler probably stopped for this reason. */
function logUnexpected(call: Call, thrown: unknown): void {
  discardPromise(thrown)
  const err = asError(call, thrown)
  if (!call.isAborted) {
    const foreign = describeForeign(thrown)
    const why = foreign === undefined ? '' : `: the thrown value is ${foreign}`
    return call.report('error', { err, ...logFields(call) }, `The request failed unexpectedly${why}`)
  }
  const isStopped = valueOr(() => Object(thrown).name === 'AbortError', false)
  call.report('debug', isStopped ? logFields(call) : { err, ...logFields(call) }, 'Client disconnected')
}

/** Wraps a value without a stack in an error whose stack is the location of the contract or, without one, the place that caught it. */
function asError(call: Call, thrown: unknown): unknown {
  if (valueOr(() => typeof Object(thrown).stack === 'string', true)) return thrown
  const text = typeof thrown === 'string' ? JSON.stringify(thrown.slice(0, 100)) : describeType(thrown)
  const state = `only an Error has a stack. Write "throw new Error(…)", or "throw new HttpError(…)" to send it to the client`
  const error = new Error(`Cannot tell where ${text} was thrown for ${call.label}: ${state}`, { cause: thrown })
  const place = contractLocation(call.endpoint?.contract ?? call)
  if (place !== undefined) error.stack = `${String(error)}\n${place}`
  return error
}

/** If the path contains a secret, such as a password reset token, logs the path template instead. */
export function logFields(call: Call): Readonly<Record<string, string>> {
  const { exchange, endpoint, pathMatch, app } = call
  const { method, mount } = exchange
  const path = app.secrets.hide(joinMount(mount, call.path))
  if (pathMatch === null) return { method, path }
  const hasSecret = Object.keys(pathMatch.params).some((name) => app.secrets.isKey(name))
  const requestFields = { method, path: hasSecret ? mount + pathMatch.entry.path : path }
  return endpoint === null ? requestFields : { ...requestFields, route: endpoint.route }
}

function errorReply(
  call: Call,
  error: HttpError,
  thrown: unknown,
  members = error.extensions,
): FullReply | Promise<FullReply> {
  const format = call.app.hasErrorFormats ? findErrorFormat(call) : null
  if (format === null) return toErrorReply(call, error, thrown, writeProblem(call, error, members))
  return thenSync(writeFormatted(call, error, members, format), (formatted) =>
    toErrorReply(call, error, thrown, formatted),
  )
}

/** Returns a 500 without custom format or headers. */
export function plainFailure(call: Call, thrown: unknown): FullReply {
  const error = new HttpError(500)
  const body = toProblem(error, call.id)
  return toErrorReply(call, error, thrown, { body, payload: jsonPayload(body, PROBLEM_TYPE) })
}

type WrittenError = Pick<FullReply, 'body' | 'payload'>

/** `throw undefined` is a failure too, so `error` must not stay `undefined`. */
function toErrorReply(call: Call, { status, headers }: HttpError, thrown: unknown, formatted: WrittenError): FullReply {
  const { body, payload } = formatted
  const reply = serializedReply(status, body, payload, toHeaderMap(headers).set('x-request-id', call.id))
  reply.error = thrown ?? new Error('Nothing was thrown')
  return reply
}

function writeProblem(call: Call, error: HttpError, members: HttpError['extensions']): WrittenError {
  const text = preparedText(error, call.id)
  const body = toProblem(error, call.id, members)
  if (text !== undefined) return { body, payload: { type: PROBLEM_TYPE, data: text } }
  // Only an author's members can contain a promise.
  if (error.source === 'handler') rejectPromises(call, body)
  return { body, payload: jsonPayload(body, PROBLEM_TYPE) }
}

const ASYNC_FORMAT = 'Cannot use the result of "errorFormat.write": it is a promise. Return the body'

/** The body from a format is validated and projected like any other response. If the format throws, returns problem details. */
function writeFormatted(
  call: Call,
  error: HttpError,
  members: HttpError['extensions'],
  { write, plan, type }: FormatPlan,
): WrittenError | Promise<WrittenError> {
  const fail = (fault: unknown): WrittenError => {
    formatFaults.set(call, fault ?? new Error('Nothing was thrown'))
    const message = 'The "errorFormat" function threw an error; problem details sent instead'
    call.report('error', { err: fault, ...logFields(call) }, message)
    return writeProblem(call, error, members)
  }
  const problem = toProblem(error, call.id, members)
  try {
    const value = write(problem, error)
    if (discardPromise(value, reportRejection(call, '"errorFormat.write"'))) throw new TypeError(ASYNC_FORMAT)
    const formatted = thenSync(checkReply(call, plan, value), (body) => ({ body, payload: jsonPayload(body, type) }))
    return formatted instanceof Promise ? formatted.catch(fail) : formatted
  } catch (fault) {
    return fail(fault)
  }
}
