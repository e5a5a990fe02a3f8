/** Error formats: what error answers look like where they are no problem details. */
import type { Problem } from '../errors/http-error.js'
import { checkMembers, rule, type Rules } from '../errors/known-keys.js'
import type { SetupError } from '../errors/setup-error.js'
import { parseMediaType } from '../http/media-type.js'
import { type In, isSchema } from '../validation/schema.js'
import { isRecord } from '../values/objects.js'

/**
 * What error answers look like, of an app or of a group: each one that Verbena itself gives, each `HttpError`, and the 500 of what is
 * unexpected. Where it fails, the problem is sent as it is, and the log says why.
 */
export interface ErrorFormat<S> {
  /** Media type of the answers, a kind of JSON; `application/problem+json` unless given. */
  readonly mediaType?: string
  /** What their bodies follow, in the document and for clients: what `write` gives is validated by it, and projected. */
  readonly schema: S
  /**
   * Makes the body of an error answer, for each of them.
   *
   * @param problem what would be sent otherwise
   * @returns what the schema takes
   */
  readonly write: (problem: Problem) => In<S>
}

/** An error format, whatever its schema. No type asks that this is one: of some libraries the comparison is too deep for the compiler. */
export interface ErrorFormatSpec extends Pick<ErrorFormat<unknown>, 'mediaType' | 'schema'> {
  readonly write: (problem: Problem) => unknown
}

const RULES: Rules = {
  mediaType: rule(isJsonType, '"mediaType" is no JSON. Give "application/json", or a type that ends in "+json"'),
  schema: rule(isSchema, '"schema" is no schema. Give one of a library that follows Standard Schema 1'),
  write: rule((value) => typeof value === 'function', '"write" is no function. Write "write: (problem) => ({ … })"'),
}

export function checkErrorFormat(format: unknown, refuse: (why: string) => SetupError): void {
  if (!isRecord(format)) throw refuse('it is no record. Write "errorFormat: { schema, write: (problem) => ({ … }) }"')
  const { schema = null, write = null } = format
  checkMembers({ ...format, schema, write }, RULES, refuse, 'An error format has')
}

/** It is written into heads without another look. */
function isJsonType(value: unknown): boolean {
  if (typeof value !== 'string' || !/^[\x20-\x7e]+$/.test(value)) return false
  const { essence = '' } = parseMediaType(value) ?? {}
  return essence === 'application/json' || essence.endsWith('+json')
}
