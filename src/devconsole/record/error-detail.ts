/** Describes errors for the console. Every read is guarded, because a thrown value can throw when it is read. */
import { valueOr } from '../../values/value-or.js'
import { cutToLength, cut } from '../redact/cut.js'
import type { RequestRedactor } from '../redact/request-redactor.js'
import { parseStack } from '../host/stack.js'
import type { ErrorDetail, StackFrame } from '../wire/request-types.js'

const MAX_CAUSE_DEPTH = 5
const MAX_MEMBERS = 10
/** Maximum number of errors and of frames per request. Nested `AggregateError`s could otherwise contain 10⁵ errors. */
const MAX_ERRORS = 50
const MAX_FRAMES = 200
const MAX_NAME_LENGTH = 100
const MAX_MESSAGE_LENGTH = 4_096

export function describeError(error: unknown, root: string, hider: RequestRedactor): ErrorDetail {
  let [errorCount, frameCount] = [0, 0]
  const describe = (thrown: unknown, depth: number): ErrorDetail => {
    errorCount++
    const message = hider.hide(cutToLength(readMessage(thrown), MAX_MESSAGE_LENGTH))
    const name = nameOfError(thrown)
    const emptyDetail = {
      name,
      ...readCode(thrown, hider),
      message,
      frames: [],
      source: null,
      cause: null,
      members: [],
    }
    if (!isError(thrown)) return emptyDetail
    const stack = valueOr(() => String(thrown.stack), '')
    const frames = parseStack(stack, readOwnMessage(thrown), root)
      .slice(0, MAX_FRAMES - frameCount)
      .map((frame): StackFrame => ({ n: frameCount++, ...frame }))
    if (depth >= MAX_CAUSE_DEPTH) return { ...emptyDetail, frames }
    const cause = valueOr(() => thrown.cause, undefined)
    const members = valueOr(() => listMembers(thrown), [])
    return {
      ...emptyDetail,
      frames,
      cause: cause === undefined || errorCount >= MAX_ERRORS ? null : describe(cause, depth + 1),
      members: members.flatMap((member: unknown) => (errorCount < MAX_ERRORS ? describe(member, depth + 1) : [])),
    }
  }
  return describe(error, 0)
}

/** Returns the name of an error, such as `TypeError`; for any other value its type, such as `(string)`. */
export function nameOfError(error: unknown): string {
  const readName = (): string =>
    error instanceof Error ? cut(String(error.name), MAX_NAME_LENGTH) : `(${typeof error})`
  return valueOr(readName, '(unreadable)')
}

/** Returns the `code` of errors of Node.js and of drivers; an empty object if it is not a string. */
function readCode(error: unknown, hider: RequestRedactor): { readonly code?: string } {
  const code = valueOr<unknown>(() => (error instanceof Error ? Reflect.get(error, 'code') : undefined), undefined)
  return typeof code === 'string' && code !== '' ? { code: hider.hide(cut(code, MAX_NAME_LENGTH)) } : {}
}

/** Restores the name of a route class. esbuild adds an underscore to a class that its decorators or static members refer to. */
export function nameRoute(error: ErrorDetail, route: string): ErrorDetail {
  const frames = error.frames.map((frame) =>
    frame.function.startsWith(`_${route}.`) ? { ...frame, function: frame.function.slice(1) } : frame,
  )
  const cause = error.cause === null ? null : nameRoute(error.cause, route)
  return { ...error, frames, cause, members: error.members.map((member) => nameRoute(member, route)) }
}

/** Returns the message of an error, or its name if the message is empty. */
export function summarizeError(error: unknown): string {
  return readMessage(error) || nameOfError(error)
}

/** Returns the message. Node does not set it for a refused connection to `localhost`, so the messages of the members are used. */
function readMessage(error: unknown): string {
  const message = readOwnMessage(error)
  if (message !== '') return message
  return valueOr(() => listMembers(error).map(readOwnMessage).join(', '), '')
}

function readOwnMessage(error: unknown): string {
  return valueOr(() => String(error instanceof Error ? error.message : error), '[cannot be read]')
}

function listMembers(error: unknown): unknown[] {
  return error instanceof AggregateError ? [...error.errors].slice(0, MAX_MEMBERS) : []
}

function isError(error: unknown): error is Error {
  return valueOr(() => error instanceof Error, false)
}
