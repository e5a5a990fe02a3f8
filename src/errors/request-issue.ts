/** The 422 for a request that does not follow its schemas: its members as types and as JSON Schema, and the function that builds them. */

const PARTS = ['params', 'query', 'headers', 'cookies', 'body'] as const

/** An invalid value in a request. */
export interface RequestIssue {
  /** Part of the request that contains the value. */
  readonly in: (typeof PARTS)[number]
  /** Place of the value in that part, as JSON Pointer (RFC 6901); `''` for the whole part. */
  readonly pointer: string
  /** Message of the validation library, or your custom message in the schema. */
  readonly message: string
}

/** Members of a problem with issues. */
export interface ValidationMembers {
  /** Issues of a 422. For an error of your code, the extension member with this name. */
  readonly errors?: readonly RequestIssue[]
  /** Number of omitted issues; missing if all are listed. */
  readonly omitted?: number
}

export const VALIDATION_STATUS = 422

type MemberSchemas<Members> = Readonly<Record<keyof Members, Readonly<Record<string, unknown>>>>

const ISSUE_MEMBERS: MemberSchemas<RequestIssue> = {
  in: { enum: PARTS, description: 'Part of the request' },
  pointer: {
    type: 'string',
    description: 'JSON Pointer into that part (RFC 6901); ends in an ellipsis if it is truncated',
  },
  message: { type: 'string' },
}

/** JSON Schemas of the members, for OpenAPI. */
export const VALIDATION_SCHEMAS: MemberSchemas<ValidationMembers> = {
  errors: {
    type: 'array',
    items: { type: 'object', properties: ISSUE_MEMBERS, required: Object.keys(ISSUE_MEMBERS) },
  },
  omitted: { type: 'integer', description: 'How many further errors are left out; absent when none are' },
}

/** Whether a value of unknown type is an issue. */
export function isRequestIssue(value: unknown): value is RequestIssue {
  const { in: part, pointer, message }: Readonly<Record<string, unknown>> = Object(value)
  return PARTS.some((each) => each === part) && typeof pointer === 'string' && typeof message === 'string'
}

/** Builds the members. */
export function buildValidationMembers(issues: readonly RequestIssue[], omitted: number): ValidationMembers {
  const errors = Object.freeze(issues)
  return omitted === 0 ? { errors } : { errors, omitted }
}
