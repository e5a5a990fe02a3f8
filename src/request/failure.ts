/** Failures: anything that was thrown becomes a problem for the client and, where it is no fault of the client's, a log line. */
import { serializedReply, type FullReply } from '../context/reply.js'
import { HttpError, isHttpError, preparedText, problemOf } from '../errors/http-error.js'
import { applyChanges, changesOf, NO_FIELDS, overlayFields } from '../http/fields.js'
import { jsonPayload } from '../http/payload.js'
import { kindOf } from '../route/contract.js'
import { placeOf } from '../route/route.js'
import { quietly } from '../values/quietly.js'
import type { Call } from './call.js'
import { refusePromises } from './check-answer.js'

const PROBLEM_TYPE = 'application/problem+json'

/** The answer to something that was thrown. Only an `HttpError`, thrown or mapped, speaks to the client. */
export function failureReply(call: Call, thrown: unknown): FullReply {
  const known = isHttpError(thrown) ? thrown : mapError(call, thrown)
  const reply = known && problemReply(call, known, thrown)
  if (known === undefined) logUnexpected(call, thrown)
  // What was refused is no fault of ours: a 501 is the client's doing, and why the app could not start is logged already.
  else if (reply === undefined || (reply.status >= 500 && thrown !== call.refusal)) {
    call.report('error', { err: thrown, ...whereOf(call) }, 'The request failed')
  }
  return reply ?? errorReply(call, new HttpError(500), thrown)
}

function mapError(call: Call, thrown: unknown): HttpError | undefined {
  for (const mapper of call.app.mappers) {
    try {
      const mapped: unknown = mapper(thrown, call.context)
      if (mapped instanceof HttpError) return mapped
    } catch (error) {
      call.report('error', { err: error, ...whereOf(call) }, 'mapError failed')
    }
  }
  return undefined
}

/** A client that has left needs no answer, and a handler that stops because of it has not failed. */
function logUnexpected(call: Call, thrown: unknown): void {
  const fields = { err: asError(call, thrown), ...whereOf(call) }
  if (call.exchange.aborted) call.report('debug', fields, 'The client went away')
  else call.report('error', fields, 'The request failed unexpectedly')
}

/** What is no error has no stack: the log shows where the contract of its endpoint stands, where that is known, else where it was caught. */
function asError(call: Call, thrown: unknown): unknown {
  if (quietly(() => typeof Object(thrown).stack === 'string', true)) return thrown
  const shown = typeof thrown === 'string' ? JSON.stringify(thrown.slice(0, 100)) : kindOf(thrown)
  const state = `it is no Error, and has no stack. Write "throw new Error(…)", or "throw new HttpError(…)" to answer with it`
  const error = new Error(`Cannot tell where ${shown} was thrown for ${call.where}: ${state}`, { cause: thrown })
  const place = placeOf(call.endpoint?.contract ?? call)
  if (place !== undefined) error.stack = `${String(error)}\n${place}`
  return error
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
  const { id } = call
  const body = problemOf(error, id)
  const headers = overlayFields(applyChanges(NO_FIELDS, changesOf(error.headers)), new Map([['x-request-id', id]]))
  const text = preparedText(error, id)
  if (text === undefined) refusePromises(call, body)
  const payload = text === undefined ? jsonPayload(body, PROBLEM_TYPE) : { type: PROBLEM_TYPE, data: text }
  const reply = serializedReply(error.status, body, payload, headers)
  reply.error = thrown ?? new Error('Nothing was thrown')
  return reply
}
