/** Responses: what an endpoint answers with (OpenAPI 3.1.1 section 4.8.16). */
import { isStatusRecord, type Returnable } from '../route/contract.js'
import { Kind } from '../route/kinds.js'
import { STATUS_TITLES, statusTitle } from '../errors/status.js'
import type { JsonSchema } from '../validation/json-schema.js'
import type { Schema } from '../validation/schema.js'
import type { OpenApiContent, OpenApiOperation, OpenApiResponse } from './document-types.js'
import { problemsOf } from './problems.js'
import { useOf, type Work } from './work.js'

/**
 * The answers of an operation: what its contract returns, then its problems. Returns answers by status; `default` is
 * every other.
 */
export function responsesOf(work: Work): OpenApiOperation['responses'] {
  const returned = returnsOf(work)
  const shown = returned.map(([status, returns]) => [String(status), response(work, status, returns)] as const)
  const statuses = returned.map(([status]) => status)
  return Object.fromEntries([...problemsOf(work, statuses), ...shown])
}

/** A status, and what it returns: `undefined` where no contract says. */
type StatusReturns = readonly [status: number, returns: Named | undefined]

interface Named {
  readonly value: Returnable
  readonly role: string
}

function returnsOf({ endpoint }: Work): StatusReturns[] {
  const { returns, status } = endpoint.contract ?? {}
  if (!isStatusRecord(returns)) {
    const named = returns === undefined ? undefined : { value: returns, role: 'response' }
    return [[status ?? (returns === null ? 204 : 200), named]]
  }
  const entries = Object.entries(returns)
  return entries.map(([key, value]) => [
    Number(key),
    { value, role: entries.length > 1 ? `response${key}` : 'response' },
  ])
}

function response(work: Work, status: number, returns: Named | undefined): OpenApiResponse {
  const description = titleOf(status)
  if (returns === undefined || returns.value === null) return { description }
  return { description, content: contentOf(work, returns) }
}

function contentOf(work: Work, { value, role }: Named): OpenApiContent {
  const show = (schema: Schema): JsonSchema => work.components.show(schema, useOf(work, role, 'output'))
  // Proof: the contract was checked; what is neither `null` nor a kind is a schema.
  if (!(value instanceof Kind)) return { 'application/json': { schema: show(value as Schema) } }
  if (value.name === 'text') return { 'text/plain': { schema: { type: 'string' } } }
  if (value.schema === null) return { 'application/octet-stream': {} }
  if (value.name === 'json') return { 'application/json': { schema: show(value.schema) } }
  return { 'text/event-stream': { schema: eventsOf(show(value.schema)) } }
}

/** OpenAPI 3.1 has no word for the events of a stream; what stands here is what JSON Schema has for text with something in it. */
function eventsOf(data: JsonSchema): JsonSchema {
  const description = 'Events; the data of each is JSON that follows contentSchema'
  return { type: 'string', description, contentMediaType: 'text/event-stream', contentSchema: data }
}

function titleOf(status: number): string {
  if (status >= 400) return statusTitle(status)
  return STATUS_TITLES.get(status) ?? (status < 300 ? 'Success' : 'Redirection')
}
