/** Responses: what an endpoint answers with (OpenAPI 3.1.1 section 4.8.16). */
import { STATUS_TITLES, statusTitle } from '../errors/status.js'
import { isStatusRecord, type ContractSpec, type Returnable } from '../route/contract.js'
import { kindOf } from '../route/kinds.js'
import type { JsonSchema } from '../validation/json-schema.js'
import type { Schema } from '../validation/schema.js'
import { shownSchema, type OperationWork, type ErrorsSpec } from './components.js'
import type { OpenApiContent, OpenApiOperation, OpenApiReference, OpenApiResponse } from './document-types.js'

const PROBLEM: JsonSchema = { $ref: '#/components/schemas/Problem' }
const VALIDATION_PROBLEM: JsonSchema = { $ref: '#/components/schemas/ValidationProblem' }

const ISSUE: JsonSchema = {
  type: 'object',
  properties: {
    in: { enum: ['params', 'query', 'headers', 'cookies', 'body'], description: 'Part of the request' },
    pointer: { type: 'string', description: 'Place in that part (RFC 6901); what was cut ends in "…"' },
    message: { type: 'string' },
  },
  required: ['in', 'pointer', 'message'],
}

/** Components that every document has; schemas of the same name get another one. */
export const PROBLEM_SCHEMAS: Readonly<Record<'Problem' | 'ValidationProblem', JsonSchema>> = {
  Problem: {
    type: 'object',
    description: 'Problem details (RFC 9457)',
    properties: {
      type: { type: 'string', format: 'uri-reference', description: 'Kind of the problem' },
      title: { type: 'string', description: 'Title of the status' },
      status: { type: 'integer', description: 'Status of the answer' },
      detail: { type: 'string', description: 'What happened' },
      requestId: { type: 'string', description: 'Id of the request, also in X-Request-Id' },
    },
    required: ['type', 'title', 'status', 'requestId'],
  },
  ValidationProblem: {
    allOf: [
      PROBLEM,
      {
        type: 'object',
        properties: {
          errors: { type: 'array', items: ISSUE },
          omitted: { type: 'integer', description: 'How many further errors are left out; absent when none are' },
        },
      },
    ],
  },
}

/** The answers of an operation: its problems, and what its contract returns. */
export function responsesOf(work: OperationWork): OpenApiOperation['responses'] {
  const { contract } = work.endpoint
  const returned = returnedBy(contract)
  const shown = returned.map(([status, value]) => {
    const role = returned.length > 1 ? `response${status}` : 'response'
    const content = value && { content: contentOf(work, value, role) }
    return [String(status), { description: titleOf(status), ...content }] as const
  })
  const statuses = returned.map(([status]) => status)
  const same = contract?.etag === true ? [['304', { description: titleOf(304) }] as const] : []
  return Object.fromEntries([...problemsOf(work, statuses), ...same, ...shown])
}

/** What is returned, by status; `undefined` where no contract says it. */
export function returnedBy(
  contract: ContractSpec | undefined,
): readonly (readonly [status: number, value: Returnable | undefined])[] {
  const { returns, status } = contract ?? {}
  if (!isStatusRecord(returns)) return [[status ?? (returns === null ? 204 : 200), returns]]
  return Object.entries(returns).map(([key, value]) => [Number(key), value])
}

function contentOf(work: OperationWork, value: NonNullable<Returnable>, role: string): OpenApiContent {
  const { name, schema } = kindOf(value)
  if (name === 'text') return { 'text/plain': { schema: { type: 'string' } } }
  if (schema === null) return { 'application/octet-stream': {} }
  const shown = shownSchema(work, schema, role, 'output')
  if (name === 'json') return { 'application/json': { schema: shown } }
  // OpenAPI 3.1 has no word for events; JSON Schema has one for text with something in it.
  const description = 'Events; the data of each is JSON that follows contentSchema'
  const events = { type: 'string', description, contentMediaType: 'text/event-stream', contentSchema: shown }
  return { 'text/event-stream': { schema: events } }
}

function titleOf(status: number): string {
  if (status >= 400) return statusTitle(status)
  return STATUS_TITLES.get(status) ?? (status < 300 ? 'Success' : 'Redirection')
}

/** By status, and `default` for those that any request can meet. */
function problemsOf(work: OperationWork, returned: readonly number[]): Map<string, OpenApiResponse | OpenApiReference> {
  const { contract, errors, refusals } = work.endpoint
  const said = [contract?.errors ?? [], ...errors, refusals].flatMap(entriesOf)
  const byStatus = new Map<number, Saying>()
  const answered = said.filter(([status]) => !returned.includes(status))
  for (const [status, saying] of answered) byStatus.set(status, byStatus.get(status) ?? saying)
  const problems = [...byStatus].map(([status, saying]) => [String(status), problem(work, status, saying)] as const)
  return new Map([...problems, ['default', shared(work, 'Problem', problemResponse('Any other problem', PROBLEM))]])
}

/** What a problem is said to be: in words, by a schema of what it holds, or not at all. */
type Saying = string | Schema | undefined

export function entriesOf(errors: ErrorsSpec): (readonly [status: number, saying: Saying])[] {
  if (Array.isArray(errors)) return errors.map((status: number) => [status, undefined])
  return Object.entries(errors).map(([status, saying]) => [Number(status), saying])
}

/** A schema says what the problem holds beside what every problem has. */
function problem(work: OperationWork, status: number, saying: Saying): OpenApiResponse | OpenApiReference {
  const usual = status === 422 ? VALIDATION_PROBLEM : PROBLEM
  if (saying === undefined) return shared(work, `Problem${status}`, problemResponse(statusTitle(status), usual))
  if (typeof saying === 'string') return problemResponse(saying, usual)
  const own = shownSchema(work, saying, `error${status}`, 'output')
  return problemResponse(statusTitle(status), { allOf: [usual, own] })
}

function problemResponse(description: string, schema: JsonSchema): OpenApiResponse {
  return { description, content: { 'application/problem+json': { schema } } }
}

function shared({ responses }: OperationWork, name: string, made: OpenApiResponse): OpenApiReference {
  responses.set(name, made)
  return { $ref: `#/components/responses/${name}` }
}
