/** Custom formats of error responses, instead of problem details. */
import type { HttpError } from '../errors/http-error.js'
import { functionRule, objectRule, mandatory, textRule, type Rule, type Rules } from '../errors/options.js'
import type { Problem } from '../errors/problem.js'
import { parseMediaType } from '../http/media-type.js'
import { type In, SCHEMA_RULE } from '../validation/schema.js'

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

const RULES: Rules<ErrorFormatSpec> = {
  mediaType: textRule(isJsonType, 'be a JSON type', "'application/json'"),
  schema: mandatory(SCHEMA_RULE),
  write: mandatory(functionRule('(problem) => ({ … })')),
}

export const ERROR_FORMAT: Rule = objectRule('{ schema, write: (problem) => ({ … }) }', RULES)

/** Strict, because the value becomes a header without further checks. */
function isJsonType(text: string): boolean {
  if (!/^[\x20-\x7e]+$/.test(text)) return false
  const { essence = '' } = parseMediaType(text) ?? {}
  return essence === 'application/json' || essence.endsWith('+json')
}
