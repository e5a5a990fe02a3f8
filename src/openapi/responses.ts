/** Builds the responses of an operation (OpenAPI 3.1.1 section 4.8.16). */
import { PROBLEM_TYPE } from '../errors/problem.js'
import { VALIDATION_SCHEMAS, VALIDATION_STATUS } from '../errors/request-issue.js'
import { unwrapOverride } from '../injection/override.js'
import type { FormatPlan } from '../request/endpoint.js'
import { STATUS_TITLES, statusTitle } from '../errors/status.js'
import { isStatusRecord, type ContractSpec, type Returnable } from '../route/contract.js'
import { toKind } from '../route/kinds.js'
import { schemaMemberNames, type JsonSchema } from '../validation/json-schema.js'
import type { Schema } from '../validation/schema.js'
import { listProviders } from '../setup/plans.js'
import { frameworkProblems, sendsFile } from './framework-errors.js'
import { parameterHeaders } from './parameters.js'
import { describeEvents, describeLines } from './streams.js'
import { describeForDocument, documentSchema, type OperationContext } from './components.js'
import type { OpenApiContent, OpenApiOperation, OpenApiReference, OpenApiResponse } from '../setup/document-types.js'

const PROBLEM: JsonSchema = { $ref: '#/components/schemas/Problem' }
const VALIDATION_PROBLEM: JsonSchema = { $ref: '#/components/schemas/ValidationProblem' }

interface OurMembers {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required: readonly string[]
}

const MEMBERS: OurMembers = {
  properties: {
    type: { type: 'string', format: 'uri-reference', description: 'Kind of the problem' },
    title: { type: 'string', description: 'Title of the status' },
    status: { type: 'integer', description: 'Status of the response' },
    detail: { type: 'string', description: 'What happened' },
    requestId: { type: 'string', description: 'Id of the request, also in X-Request-Id' },
  },
  required: ['type', 'title', 'status', 'requestId'],
}

const VALIDATION_MEMBERS: OurMembers = { properties: VALIDATION_SCHEMAS, required: [] }

/** Components of documents with problem details. Other schemas with these names are renamed. */
export const PROBLEM_SCHEMAS: Readonly<Record<'Problem' | 'ValidationProblem', JsonSchema>> = {
  Problem: { type: 'object', description: 'Problem details (RFC 9457)', ...MEMBERS },
  ValidationProblem: { allOf: [PROBLEM, omitStatus(VALIDATION_MEMBERS, new Set())] },
}

/** Returns the problems of an operation and the responses of its contract. */
export function buildResponses(work: OperationContext): OpenApiOperation['responses'] {
  const { contract } = work.endpoint
  const returned = declaredReturns(contract)
  const responses = returned.map(([status, value]) => {
    const role = returned.length > 1 ? `response${status}` : 'response'
    const content = value && { content: describeContent(work, value, role) }
    const headers = value && describeHeaders(work, toKind(value).headers, `${role}Headers`)
    return [String(status), { description: responseTitle(status), ...headers, ...content }] as const
  })
  const statuses = returned.map(([status]) => status)
  const isFile = sendsFile(work.endpoint)
  const same = contract?.etag === true || isFile ? [['304', { description: responseTitle(304) }] as const] : []
  const ranges = isFile ? responses.flatMap(describeRange) : []
  const all = [...describeProblemResponses(work, statuses), ...same, ...ranges, ...responses]
  return Object.fromEntries(all.map(([status, response]) => [status, withFields(work, status, response)]))
}

/** Describes the range of a file, which has the headers of the whole file. Several ranges are parts, each with its own `Content-Range`. */
function describeRange([status, { headers, content }]: readonly [string, OpenApiResponse]) {
  if (status !== '200') return []
  const range = { description: 'The range that the body contains', schema: { type: 'string' } }
  return [
    [
      '206',
      {
        description: responseTitle(206),
        headers: { ...headers, 'Content-Range': range },
        content: { ...content, 'multipart/byteranges': {} },
      },
    ] as const,
  ]
}

/** Adds the headers of providers to a response. Responses that are shared by operations do not list them. */
function withFields(
  { endpoint }: OperationContext,
  status: string,
  response: OpenApiResponse | OpenApiReference,
): OpenApiResponse | OpenApiReference {
  const headers = listProviders(endpoint.providers).flatMap((provider) =>
    Object.entries(unwrapOverride(provider).fields),
  )
  const added = headers.filter(([, { statuses }]) => statuses?.includes(Number(status)) !== false)
  if (added.length === 0 || '$ref' in response) return response
  const fields = added.map(([name, { description, schema }]) => [name, { description, schema }] as const)
  return { ...response, headers: { ...Object.fromEntries(fields), ...response.headers } }
}

/** Returns the declared return values by status; `undefined` if the contract declares none. */
export function declaredReturns(
  contract: ContractSpec | undefined,
): readonly (readonly [status: number, value: Returnable | undefined])[] {
  const { returns, status } = contract ?? {}
  if (!isStatusRecord(returns)) return [[status ?? (returns === null ? 204 : 200), returns]]
  return Object.entries(returns).map(([key, value]) => [Number(key), value])
}

function describeContent(work: OperationContext, value: NonNullable<Returnable>, role: string): OpenApiContent {
  const { name, facts, types, schema, errorEvent } = toKind(value)
  const [type = ''] = facts.types
  if (schema === null) {
    return Object.fromEntries(types.map((each) => [each, facts.shown === undefined ? {} : { schema: facts.shown }]))
  }
  const content = documentSchema(work, schema, role, 'output')
  if (name === 'json') return { [type]: { schema: content } }
  if (name === 'jsonLines') return { [type]: describeLines(content, work.openapi) }
  return { [type]: describeEvents(content, work.openapi, errorEvent) }
}

function describeHeaders(
  work: OperationContext,
  schema: Schema | null,
  role: string,
): Pick<OpenApiResponse, 'headers'> {
  if (schema === null) return {}
  const fields = parameterHeaders(work, schema, role).map(({ name, in: _, ...field }) => [name, field] as const)
  return fields.length === 0 ? {} : { headers: Object.fromEntries(fields) }
}

function responseTitle(status: number): string {
  if (status >= 400) return statusTitle(status)
  return STATUS_TITLES.get(status) ?? (status < 300 ? 'Success' : 'Redirection')
}

/** Returns the problems by status, and `default` for problems that any request can cause. */
function describeProblemResponses(
  work: OperationContext,
  returned: readonly number[],
): Map<string, OpenApiResponse | OpenApiReference> {
  const { problems, errorFormat } = work.endpoint
  const statuses = new Set([...problems.keys(), ...frameworkProblems(work.endpoint)])
  const problemStatuses = [...statuses].filter((status) => !returned.includes(status))
  const describe = errorFormat === null ? problemContent.bind(null, work) : formattedContent(work, errorFormat)
  const responseEntries = problemStatuses.map((status) => [String(status), describe(status)] as const)
  return new Map([...responseEntries, ['default', describe(null)]])
}

/** Describes errors in a custom format. All of them have its schema, so the schemas of declared problems are not used. */
function formattedContent(work: OperationContext, format: FormatPlan) {
  const { formats, endpoint } = work
  formats.add(format)
  const number = [...formats].indexOf(format) + 1
  const type = format.type.split(';', 1).join('')
  const schema = describeForDocument(work, format.plan.schema, 'errorFormat', 'output').whole('Error')
  return (status: number | null): OpenApiResponse | OpenApiReference => {
    const { words } = endpoint.problems.get(status ?? 0) ?? {}
    if (words !== undefined) return { description: words, content: { [type]: { schema } } }
    const description = status === null ? 'Any other error' : statusTitle(status)
    const name = `Error${number === 1 ? '' : `${number}_`}${status ?? 'Other'}`
    return sharedResponse(work, name, { description, content: { [type]: { schema } } })
  }
}

/** Describes a problem. Declared schemas are combined with the members of every problem. */
function problemContent(work: OperationContext, status: number | null): OpenApiResponse | OpenApiReference {
  if (status === null) return sharedResponse(work, 'Problem', problemResponse('Any other problem', PROBLEM))
  const { words, schemas = [] } = work.endpoint.problems.get(status) ?? {}
  const [first, ...others] = schemas.map((schema, at) => withMembers(work, status, schema, at))
  if (first !== undefined) {
    return problemResponse(words ?? statusTitle(status), others.length === 0 ? first : { anyOf: [first, ...others] })
  }
  const problemSchema = status === VALIDATION_STATUS ? VALIDATION_PROBLEM : PROBLEM
  if (words !== undefined) return problemResponse(words, problemSchema)
  return sharedResponse(work, `Problem${status}`, problemResponse(statusTitle(status), problemSchema))
}

/** Combines a declared schema with the members of Verbena. A declared member replaces Verbena's. */
function withMembers(work: OperationContext, status: number, schema: Schema, at: number): JsonSchema {
  const role = at === 0 ? `error${status}` : `error${status}_${at + 1}`
  const named = schemaMemberNames(describeForDocument(work, schema, role, 'output').root)
  const problemShape = documentSchema(work, schema, role, 'output')
  const parts = status === VALIDATION_STATUS ? [MEMBERS, VALIDATION_MEMBERS] : [MEMBERS]
  const isComplete = parts.map(({ properties }) => Object.keys(properties).every((name) => !named.has(name)))
  if (isComplete.every(Boolean))
    return { allOf: [status === VALIDATION_STATUS ? VALIDATION_PROBLEM : PROBLEM, problemShape] }
  const partSchemas = parts.map((part, index) => (index === 0 && isComplete[0] ? PROBLEM : omitStatus(part, named)))
  return { allOf: [...partSchemas, problemShape] }
}

/** Returns the members without the given names. */
function omitStatus({ properties, required }: OurMembers, names: ReadonlySet<string>): JsonSchema {
  const otherProperties = Object.entries(properties).filter(([name]) => !names.has(name))
  const needed = required.filter((name) => !names.has(name))
  return {
    type: 'object',
    properties: Object.fromEntries(otherProperties),
    ...(needed.length > 0 && { required: needed }),
  }
}

function problemResponse(description: string, schema: JsonSchema): OpenApiResponse {
  return { description, content: { [PROBLEM_TYPE]: { schema } } }
}

function sharedResponse({ responses }: OperationContext, name: string, made: OpenApiResponse): OpenApiReference {
  responses.set(name, made)
  return { $ref: `#/components/responses/${name}` }
}
