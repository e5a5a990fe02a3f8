/** Failures. A thrown value becomes a problem for the client and, unless the client caused it, a log line. */
import { serializedReply, type FullReply } from '../context/reply.js'
import {
  HttpError,
  isHttpError,
  isReported,
  preparedText,
  PROBLEM_TYPE,
  toProblem,
  type Problem,
} from '../errors/http-error.js'
import { toHeaderMap } from '../http/fields.js'
import { jsonPayload } from '../http/payload.js'
import { contractLocation } from '../route/route.js'
import { describeType } from '../values/describe-type.js'
import { discardPromise, rejectedHook } from '../values/promises.js'
import { valueOr } from '../values/quietly.js'
import type { Call } from './call.js'
import { checkAnswer, refusePromises } from './check-response.js'
import { checkProblemMembers, membersSchemas } from './check-problem.js'
import type { FormatPlan } from './endpoint.js'

/** Returns the response for a thrown value. Clients see details only of an `HttpError`, thrown or returned by `mapError`. */
export function failureReply(call: Call, thrown: unknown): FullReply | Promise<FullReply> {
  const httpError = isHttpError(thrown) ? thrown : undefined
  const mapped = mapError(call, thrown, httpError) ?? httpError
  const reply = mapped && problemReply(call, mapped, thrown)
  if (mapped === undefined) logUnexpected(call, thrown)
  // Rejections are not logged. A 501 is the client's error, and a failed start is already logged.
  else if (reply === undefined || (isServerError(mapped) && thrown !== call.refusal && !isReported(mapped))) {
    call.report('error', { err: thrown, ...logFields(call) }, 'The request failed')
  }
  const plain = (): FullReply | Promise<FullReply> => errorReply(call, new HttpError(500), thrown)
  if (!(reply instanceof Promise)) return reply ?? plain()
  return reply.catch((flaw: unknown) => {
    reportUnwritable(call, flaw)
    return plain()
  })
}

/** Returns the first `HttpError` of a mapper. One with status 500 does not replace another `HttpError`, such as a 404. */
function mapError(call: Call, thrown: unknown, own: HttpError | undefined): HttpError | undefined {
  for (const mapper of call.app.mappers) {
    try {
      const mapped: unknown = mapper(thrown, call.context)
      if (discardPromise(mapped, reportRejection(call, '"mapError"'))) throw new TypeError(ASYNC_MAPPER)
      if (!(mapped instanceof HttpError)) continue
      if (own === undefined || mapped.status !== 500 || own.status === 500) return mapped
    } catch (error) {
      call.report('error', { err: error, ...logFields(call) }, 'The "mapError" function threw an error')
    }
  }
  return undefined
}

const ASYNC_MAPPER = 'Cannot use the result of "mapError": it is a promise. Return an HttpError or undefined'

function reportRejection(call: Call, hook: string): (error: unknown) => void {
  return (err) => call.report('error', { err, ...logFields(call) }, rejectedHook(hook))
}

/** Reading the status may throw, because a subclass can define it as a getter. */
function isServerError(error: HttpError): boolean {
  return valueOr(() => error.status >= 500, true)
}

/** Logs at debug level if the client has disconnected. No response is needed then, and the handler probably stopped for this reason. */
function logUnexpected(call: Call, thrown: unknown): void {
  discardPromise(thrown)
  const fields = { err: asError(call, thrown), ...logFields(call) }
  if (call.isAborted) call.report('debug', fields, 'Client disconnected')
  else call.report('error', fields, 'The request failed unexpectedly')
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
export function logFields({
  exchange,
  endpoint,
  pathRecord,
  path,
  params,
  app,
}: Call): Readonly<Record<string, string>> {
  const { method } = exchange
  if (pathRecord === null) return { method, path: app.secrets.hide(path) }
  const hasSecret = Object.keys(params).some((name) => app.secrets.isKey(name))
  const requestFields = { method, path: hasSecret ? pathRecord.path : app.secrets.hide(path) }
  return endpoint === null ? requestFields : { ...requestFields, route: endpoint.route }
}

/** Returns `undefined` if the error cannot be serialized, because the author may have changed it. It becomes a plain 500. */
function problemReply(call: Call, error: HttpError, thrown: unknown): FullReply | Promise<FullReply> | undefined {
  try {
    const { status } = error
    const isOfError = Number.isInteger(status) && status >= 400 && status <= 599
    if (!isOfError)
      throw new RangeError(`The status of an HttpError must be an integer from 400 to 599, not ${String(status)}`)
    const schemas = membersSchemas(call, status)
    if (schemas === undefined) return errorReply(call, error, thrown)
    const members = checkProblemMembers(call, error, schemas)
    if (!(members instanceof Promise)) return errorReply(call, error, thrown, members)
    return members.then((checked) => errorReply(call, error, thrown, checked))
  } catch (flaw) {
    reportUnwritable(call, flaw)
    return undefined
  }
}

function reportUnwritable(call: Call, flaw: unknown): void {
  call.report('error', { err: flaw, ...logFields(call) }, 'Failed to serialize an HttpError')
}

function errorReply(
  call: Call,
  error: HttpError,
  thrown: unknown,
  members = error.extensions,
): FullReply | Promise<FullReply> {
  const headers = toHeaderMap(error.headers).set('x-request-id', call.id)
  const head = { status: error.status, headers, thrown }
  const problemBody = writtenProblem(call, error, members)
  return problemBody instanceof Promise
    ? problemBody.then((made) => toErrorReply(head, made))
    : toErrorReply(head, problemBody)
}

/** Returns a 500 without custom format or headers. */
export function plainFailure(call: Call, thrown: unknown): FullReply {
  const body = toProblem(new HttpError(500), call.id)
  const head = { status: 500, headers: toHeaderMap({ 'x-request-id': call.id }), thrown }
  return toErrorReply(head, { body, payload: jsonPayload(body, PROBLEM_TYPE) })
}

type WrittenError = Pick<FullReply, 'body' | 'payload'>

interface ErrorHead extends Pick<FullReply, 'status' | 'headers'> {
  readonly thrown: unknown
}

/** `throw undefined` is a failure too, so `error` must not stay `undefined`. */
function toErrorReply({ status, headers, thrown }: ErrorHead, { body, payload }: WrittenError): FullReply {
  const reply = serializedReply(status, body, payload, headers)
  reply.error = thrown ?? new Error('Nothing was thrown')
  return reply
}

/** Returns the problem in the error format, or as problem details if there is no format or the format throws. */
function writtenProblem(
  call: Call,
  error: HttpError,
  members: HttpError['extensions'],
): WrittenError | Promise<WrittenError> {
  const { formats } = call.app
  const format = formats === null ? null : formats.of(call)
  if (formats === null || format === null) return plainProblem(call, error, members)
  const failed = (fault: unknown): WrittenError => {
    formats.faults.set(call, fault ?? new Error('Nothing was thrown'))
    call.report(
      'error',
      { err: fault, ...logFields(call) },
      'The "errorFormat" function threw an error; problem details sent instead',
    )
    return plainProblem(call, error, members)
  }
  const problem = toProblem(error, call.id, members)
  try {
    const formatted = writeFormatted(format, call, problem)
    return formatted instanceof Promise ? formatted.catch(failed) : formatted
  } catch (fault) {
    return failed(fault)
  }
}

function plainProblem(call: Call, error: HttpError, members: HttpError['extensions']): WrittenError {
  const text = preparedText(error, call.id)
  const body = toProblem(error, call.id, members)
  if (text !== undefined) return { body, payload: { type: PROBLEM_TYPE, data: text } }
  refusePromises(call, body)
  return { body, payload: jsonPayload(body, PROBLEM_TYPE) }
}

const ASYNC_FORMAT = 'Cannot use the result of "errorFormat.write": it is a promise. Return the body'

/** The body from a format is validated and projected like any other response. */
function writeFormatted(
  { write, plan, type }: FormatPlan,
  call: Call,
  problem: Problem,
): WrittenError | Promise<WrittenError> {
  const value = write(problem)
  if (discardPromise(value, reportRejection(call, '"errorFormat.write"'))) throw new TypeError(ASYNC_FORMAT)
  const body = checkAnswer(call, plan, value)
  const toWritten = (made: unknown): WrittenError => ({ body: made, payload: jsonPayload(made, type) })
  return body instanceof Promise ? body.then(toWritten) : toWritten(body)
}
