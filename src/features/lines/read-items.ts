/** Reads JSON Lines from a body, and validates each item. */
import type { Buffer } from 'node:buffer'
import { frameworkError, type HttpError } from '../../errors/http-error.js'
import { buildValidationMembers, VALIDATION_STATUS, type RequestIssue } from '../../errors/request-issue.js'
import { parseJson } from '../../http/json-body.js'
import type { IncomingBody } from '../../route/body-reader.js'
import { listIssues } from '../../validation/issues.js'
import type { Schema } from '../../validation/schema.js'
import { validate } from '../../validation/validate.js'
import { thenSync } from '../../values/promises.js'
import { LineBuffer } from './line-buffer.js'

interface LineBounds {
  /** Maximum size of a line, in bytes. */
  readonly line: number
  /** Maximum number of lines. */
  readonly count: number
  /** Maximum nesting depth of an item. */
  readonly depth: number
  /** Maximum number of issues in an error. */
  readonly issues: number
}

/** Yields the items. Stops reading at the first invalid line, so that the rest of the body is not read. */
export async function* readItems(
  body: IncomingBody | null,
  schema: Schema,
  bounds: LineBounds,
): AsyncGenerator<unknown, void, undefined> {
  if (body === null) return
  const buffer = new LineBuffer(bounds.line)
  for await (const chunk of body.chunks) {
    buffer.add(chunk)
    for (let line = buffer.next(); line !== null; line = buffer.next())
      yield readItem(line, buffer.count, schema, bounds)
    if (buffer.isTooLong) throw tooLongLine(buffer.count + 1, bounds)
  }
  const lastLine = buffer.end()
  if (lastLine !== null) yield readItem(lastLine, buffer.count, schema, bounds)
}

function readItem(line: Buffer, number: number, schema: Schema, bounds: LineBounds): unknown {
  if (number > bounds.count) throw frameworkError(413, `The body has more than ${bounds.count} lines`)
  if (line.length > bounds.line) throw tooLongLine(number, bounds)
  return thenSync(validate(schema, parseLine(line, number, bounds)), ({ value, issues }) => {
    if (issues === undefined) return value
    const { list, omitted } = listIssues([['body', issues]], bounds.issues)
    throw lineError(number, list, omitted)
  })
}

function tooLongLine(number: number, { line }: LineBounds): HttpError {
  return frameworkError(413, `Line ${number} of the body is larger than ${line} bytes`)
}

function parseLine(line: Buffer, number: number, bounds: LineBounds): unknown {
  try {
    return parseJson(line, bounds, 'The line')
  } catch (error) {
    throw lineError(number, [{ pointer: '', message: describeFault(line, error) }], 0)
  }
}

const BYTE_ORDER_MARK = 0xef

function describeFault(line: Buffer, error: unknown): string {
  if (line.length === 0) return 'The line is empty'
  // No JSON begins with this byte.
  if (line[0] === BYTE_ORDER_MARK) return 'The line begins with a byte order mark'
  // Proof: `parseJson` throws only HTTP errors.
  return (error as HttpError).message
}

/** Creates a 422 whose pointers begin with the number of the line. */
function lineError(
  number: number,
  issues: readonly Pick<RequestIssue, 'pointer' | 'message'>[],
  omitted: number,
): HttpError {
  const placed = issues.map(
    ({ pointer, message }) => ({ in: 'body', pointer: `/${number}${pointer}`, message }) as const,
  )
  const members = buildValidationMembers(placed, omitted)
  return frameworkError(VALIDATION_STATUS, `Line ${number} of the body is invalid`, { ...members })
}
