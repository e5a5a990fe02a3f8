/** Custom formats of error responses, instead of problem details. */
import type { HttpError, Problem } from '../errors/http-error.js'
import { checkMembers, rule, type Rules } from '../errors/known-keys.js'
import { functionRule } from '../errors/option-rules.js'
import type { SetupError } from '../errors/setup-error.js'
import { parseMediaType } from '../http/media-type.js'
import { type In, isSchema } from '../validation/schema.js'
import { isRecord } from '../values/objects.js'

/**
 * Format of the error responses of an app or a group. It applies to errors from Verbena, to every `HttpError`, and to the 500 for
 * unexpected errors, but not to `health` routes. If `write` throws or returns an invalid value, Verbena sends problem details and logs it.
 */
export interface ErrorFormat<S> {
  /** Media type of error responses, which must be a JSON type; default `application/problem+json`. */
  readonly mediaType?: string
  /** Schema of the bodies, for the OpenAPI document and the typed client. The result of `write` is validated and projected. */
  readonly schema: S
  /**
   * Returns the body of an error response.
   *
   * @param problem the problem details that Verbena would send by default
   * @param error the error, whose `reason` says why a request got 401
   * @returns input of the schema
   */
  readonly write: (problem: Problem, error: HttpError) => In<S>
}

/** An error format with any schema. `schema` is `unknown`, because comparing schemas of some libraries is too deep for TypeScript. */
export interface ErrorFormatSpec extends Pick<ErrorFormat<unknown>, 'mediaType' | 'schema'> {
  readonly write: (problem: Problem, error: HttpError) => unknown
}

const FORMAT_RULES: Rules = {
  mediaType: rule(
    isJsonType,
    '"mediaType" must be a JSON type. Use "application/json", or a type that ends in "+json"',
  ),
  schema: rule(isSchema, '"schema" must be a schema. Use a library that supports Standard Schema 1'),
  write: functionRule('write', '(problem) => ({ … })'),
}

export function checkErrorFormat(format: unknown, toError: (why: string) => SetupError): void {
  if (!isRecord(format))
    throw toError('it must be an object. Write "errorFormat: { schema, write: (problem) => ({ … }) }"')
  const { schema = null, write = null } = format
  checkMembers({ ...format, schema, write }, FORMAT_RULES, toError, 'An error format has')
}

/** Strict, because the value becomes a header without further checks. */
function isJsonType(value: unknown): boolean {
  if (typeof value !== 'string' || !/^[\x20-\x7e]+$/.test(value)) return false
  const { essence = '' } = parseMediaType(value) ?? {}
  return essence === 'application/json' || essence.endsWith('+json')
}
