/** Problems: the answers that are errors (RFC 9457), and the schemas of what they hold. */
import { statusTitle } from '../errors/status.js'
import type { JsonSchema } from '../validation/json-schema.js'
import type { Schema } from '../validation/schema.js'
import type { OpenApiReference, OpenApiResponse } from './document-types.js'
import type { ErrorsSpec } from './documented-endpoint.js'
import { useOf, type Work } from './work.js'

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
      { $ref: '#/components/schemas/Problem' },
      {
        type: 'object',
        properties: {
          errors: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                in: { enum: ['params', 'query', 'headers', 'cookies', 'body'], description: 'Part of the request' },
                pointer: { type: 'string', description: 'Place in that part (RFC 6901); what was cut ends in "…"' },
                message: { type: 'string' },
              },
              required: ['in', 'pointer', 'message'],
            },
          },
          omitted: { type: 'integer', description: 'How many further errors are left out; absent when none are' },
        },
      },
    ],
  },
}

const PROBLEM: JsonSchema = { $ref: '#/components/schemas/Problem' }
const VALIDATION_PROBLEM: JsonSchema = { $ref: '#/components/schemas/ValidationProblem' }

/** Answers by status. */
export type ProblemsByStatus = ReadonlyMap<string, OpenApiResponse | OpenApiReference>

/** The problems of an operation. Returns answers by status, and `default` for those that any request can meet. */
export function problemsOf(work: Work, returned: readonly number[]): ProblemsByStatus {
  const { contract, errors, refusals } = work.endpoint
  const said = [contract?.errors ?? [], ...errors, refusals].flatMap(entriesOf)
  const byStatus = new Map<number, string | Schema | undefined>()
  const answered = said.filter(([status]) => !returned.includes(status))
  for (const [status, saying] of answered) byStatus.set(status, byStatus.get(status) ?? saying)
  const problems = [...byStatus].map(([status, saying]) => [String(status), problem(work, status, saying)] as const)
  return new Map([...problems, ['default', shared(work, 'Problem', response('Any other problem', PROBLEM))]])
}

function entriesOf(errors: ErrorsSpec): (readonly [number, string | Schema | undefined])[] {
  if (isList(errors)) return errors.map((status) => [status, undefined])
  return Object.entries(errors).map(([status, saying]) => [Number(status), saying])
}

function isList(errors: ErrorsSpec): errors is readonly number[] {
  return Array.isArray(errors)
}

/** A schema says what the problem holds beside what every problem has. */
function problem(work: Work, status: number, saying: string | Schema | undefined): OpenApiResponse | OpenApiReference {
  const usual = status === 422 ? VALIDATION_PROBLEM : PROBLEM
  if (saying === undefined) return shared(work, `Problem${status}`, response(statusTitle(status), usual))
  if (typeof saying === 'string') return response(saying, usual)
  const own = work.components.show(saying, useOf(work, `error${status}`, 'output'))
  return response(statusTitle(status), { allOf: [usual, own] })
}

function response(description: string, schema: JsonSchema): OpenApiResponse {
  return { description, content: { 'application/problem+json': { schema } } }
}

function shared({ responses }: Work, name: string, made: OpenApiResponse): OpenApiReference {
  responses.set(name, made)
  return { $ref: `#/components/responses/${name}` }
}
