/** Requests to endpoints, with input from the schemas of the contract and of the guards. */
import type { Call } from '../request/call.js'
import type { Endpoint } from '../request/endpoint.js'
import { fillTemplate, parseTemplate } from '../router/template.js'
import type { VersionSettings } from '../setup/options.js'
import { printVersion } from '../versioning/version.js'
import { describeSchema, type Converters } from '../validation/describe-schema.js'
import type { StringSource } from '../validation/text/string-source.js'
import { collectSchemas, schemasByKey, type JsonSchema } from '../validation/json-schema.js'
import { toKind } from '../route/kinds.js'
import type { Schema } from '../validation/schema.js'
import { isObject, isRecord } from '../values/objects.js'
import type { Credential } from './actors.js'
import { createSample } from './sample.js'

/** Values of a source by name; an array is a list, and `null` removes a value that Verbena has made. */
export interface ExampleValues {
  readonly [name: string]: string | number | boolean | null | readonly (string | number | boolean)[]
}

/** Input of an endpoint that its schemas cannot provide. Other values are still made from the schemas. */
export interface Example {
  /** Path parameters. */
  readonly params?: ExampleValues
  /** Query parameters. */
  readonly query?: ExampleValues
  /** Request headers. */
  readonly headers?: ExampleValues
  /** Cookies. */
  readonly cookies?: ExampleValues
  /** Body: a string or bytes are sent as they are, every other value as JSON. */
  readonly body?: unknown
  /** Another status with which the endpoint rejects requests before its method, such as 410 after its sunset date. */
  readonly status?: number
}

type TextSource = 'params' | 'query' | 'headers' | 'cookies'
type Values = Record<string, string | readonly string[]>

const SOURCES: readonly TextSource[] = ['params', 'query', 'headers', 'cookies']

/** Input of a request without credentials. */
export interface SampleInput {
  readonly method: string
  readonly path: string
  readonly sources: Readonly<Record<TextSource, Values>>
  readonly body: string | Uint8Array<ArrayBuffer> | null
}

/** Why the schemas are not enough to send a request: the first issue of the validator. */
interface MissingExample {
  readonly issue: string
}

interface SampleSettings {
  readonly converters: Converters
  readonly versioning: VersionSettings
  /** Values for members of the body that the schema describes. */
  readonly members?: Readonly<Record<string, unknown>> | undefined
}

interface ReadSource {
  readonly source: TextSource
  readonly text: StringSource
}

/** Returns the example of an endpoint; an empty one if the author has set none. */
export function findExample(examples: Readonly<Record<string, Example>>, label: string): Example {
  return Object.hasOwn(examples, label) ? { ...examples[label] } : {}
}

/** Makes the input of an endpoint. Returns an issue instead if a validator rejects it. */
export async function sampleInput(
  endpoint: Endpoint<Call>,
  example: Example,
  settings: SampleSettings,
): Promise<SampleInput | MissingExample> {
  const { path, route, method } = endpoint
  const template = parseTemplate(path, route)
  const version = versionHeaders(endpoint, settings.versioning)
  if (version === null && SOURCES.every((source) => example[source] === undefined))
    return { issue: 'versioning.from is a function, so only its author knows how a request selects the version' }
  const sources: Record<TextSource, Values> = { params: {}, query: {}, headers: { ...version }, cookies: {} }
  for (const name of template.names) sources.params[name] = '1'
  const plans = readSources(endpoint)
  for (const { source, text } of plans) Object.assign(sources[source], sampleStrings(text, settings.converters))
  for (const source of SOURCES) changeValues(sources[source], example[source] ?? {}, source === 'headers')
  const issue = await findIssue(plans, sources)
  if (issue !== undefined) return { issue }
  const filled = tryFill(() => fillTemplate(template, sources.params))
  if (typeof filled !== 'string') return { issue: `params: ${filled.message}` }
  const input = { path: filled, sources }
  if (method === 'GET' || method === '*') return { ...input, method: 'GET', body: null }
  return { ...input, method, body: toBody(endpoint, example, settings) }
}

/** Returns the header that selects the lowest version of an endpoint; `null` if only a function knows how to select it. */
function versionHeaders({ constraint }: Endpoint<Call>, { field }: VersionSettings): Values | null {
  const [lowest] = constraint?.intervals ?? []
  if (lowest === undefined) return {}
  return field === undefined ? null : parseField(field(printVersion(lowest.from)))
}

/** Returns the sources of guards and of the contract. */
function readSources({ sources, providers }: Endpoint<Call>): readonly ReadSource[] {
  const ofGuards = [...(providers?.guards ?? []), ...(providers?.raw ?? [])].flatMap((step) => step.sources)
  return [...ofGuards, ...sources.filter(({ slot }) => slot === null)]
}

function sampleStrings({ schema }: StringSource, converters: Converters): Values {
  const described = describeSchema(schema, 'input', converters).schema
  const sample = createSample(described ?? true)
  const values: Values = {}
  // The sample of a schema that accepts everything is a string.
  for (const [name, value] of Object.entries(isRecord(sample) ? sample : {})) {
    if (Array.isArray(value)) values[name] = value.map(String)
    else if (!isObject(value)) values[name] = String(value)
  }
  return values
}

function parseField(field: string): Values {
  const colon = field.indexOf(':')
  return { [field.slice(0, colon)]: field.slice(colon + 1).trim() }
}

function changeValues(values: Values, changes: ExampleValues, isCaseless: boolean): void {
  for (const [name, value] of Object.entries(changes)) {
    const key = isCaseless ? name.toLowerCase() : name
    if (value === null) delete values[key]
    else values[key] = Array.isArray(value) ? value.map(String) : String(value)
  }
}

async function findIssue(
  plans: readonly ReadSource[],
  sources: Readonly<Record<TextSource, Values>>,
): Promise<string | undefined> {
  for (const { source, text } of plans) {
    const { issues } = await text.read(source === 'headers' ? joinLists(sources.headers) : sources[source])
    if (issues === undefined) continue
    const { pointer, message } = issues.at(0)
    return `${source}${pointer}: ${message}`
  }
  return undefined
}

/** A header has its list in one value. */
function joinLists(values: Values): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value].flat().join(', ')]))
}

function tryFill(fill: () => string): string | Error {
  try {
    return fill()
  } catch (error) {
    // Proof: `fillTemplate` throws only errors.
    return error as Error
  }
}

/** Returns the body of an example, or JSON from the schema of the contract. */
function toBody(
  endpoint: Endpoint<Call>,
  { body }: Example,
  { converters, members = {} }: SampleSettings,
): SampleInput['body'] {
  if (typeof body === 'string') return body
  if (body instanceof Uint8Array) return new Uint8Array(body)
  const described = describeBody(endpoint, converters)
  const value = body === undefined && described !== undefined ? createSample(described) : body
  if (!isRecord(value) || described === undefined) return value === undefined ? null : JSON.stringify(value)
  return JSON.stringify({ ...value, ...chooseMembers(described, members) })
}

/** Returns the values of members that the schema of a body has. */
function chooseMembers(described: JsonSchema, members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const chosen = namedMembers(described).filter(([name]) => Object.hasOwn(members, name))
  return Object.fromEntries(
    chosen.map(([name, schema]) => [
      name,
      typeof createSample(schema) === 'number' ? Number(members[name]) : members[name],
    ]),
  )
}

function namedMembers(described: JsonSchema): readonly (readonly [name: string, schema: JsonSchema])[] {
  return [...collectSchemas(described).keys()].flatMap((part) => schemasByKey(part, 'properties'))
}

/** Returns the JSON Schema of a JSON body; `undefined` for other bodies, and for a schema without JSON Schema. */
function describeBody({ body, contract }: Endpoint<Call>, converters: Converters): JsonSchema | undefined {
  if (body?.kind !== 'json' || contract?.body === undefined) return undefined
  // Proof: a JSON body has a schema.
  const schema = toKind(contract.body).schema as Schema
  return describeSchema(schema, 'input', converters).schema
}

/** Returns the names of the members that the JSON body of an endpoint can have. */
export function bodyMembers(endpoint: Endpoint<Call>, converters: Converters): readonly string[] {
  return namedMembers(describeBody(endpoint, converters) ?? true).map(([name]) => name)
}

const BASE = 'http://localhost'

/** Builds the request. Credentials replace input with the same name. */
export function buildRequest(input: SampleInput, credentials: readonly Credential[]): Request {
  const { method, path, sources, body } = input
  const { query, headers, cookies } = sources
  const at = (place: Credential['in']): (readonly [string, string])[] =>
    credentials.filter((each) => each.in === place).map(({ name, value }) => [name, value])
  const search = new URLSearchParams()
  for (const [name, value] of listPairs(query, at('query'))) search.append(name, value)
  const sentHeaders = new Headers(body === null ? {} : { 'content-type': 'application/json' })
  for (const [name, value] of Object.entries(joinLists(headers))) sentHeaders.set(name, value)
  for (const [name] of at('header')) sentHeaders.delete(name)
  // A repeated header is one value with commas, as over a socket.
  for (const [name, value] of at('header')) sentHeaders.append(name, value)
  const pairs = listPairs(cookies, at('cookie')).map(([name, value]) => `${name}=${value}`)
  if (pairs.length > 0) sentHeaders.set('cookie', pairs.join('; '))
  const target = search.size === 0 ? path : `${path}?${search}`
  return new Request(new URL(target, BASE), { method, headers: sentHeaders, body })
}

function listPairs(values: Values, credentials: readonly (readonly [string, string])[]): (readonly [string, string])[] {
  const replaced = new Set(credentials.map(([name]) => name))
  const otherValues = Object.entries(values).filter(([name]) => !replaced.has(name))
  return [
    ...otherValues.flatMap(([name, value]) => [value].flat().map((each) => [name, each] as const)),
    ...credentials,
  ]
}
