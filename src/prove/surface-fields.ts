/** Fields that come in and that leave by an endpoint. */
import { declaredReturns } from '../openapi/responses.js'
import type { Endpoint } from '../request/endpoint.js'
import { toKind, type Kind } from '../route/kinds.js'
import type { Returnable } from '../route/contract.js'
import { parseTemplate } from '../router/template.js'
import { listProviders } from '../setup/plans.js'
import { describeSchema, type Converters } from '../validation/describe-schema.js'
import type { JsonSchema, SchemaSide } from '../validation/json-schema.js'
import type { Schema } from '../validation/schema.js'
import { listFields, type SchemaField } from './surface-schema.js'
import { byCodeUnit } from './surface-text.js'

/** A field of a request or of a response. */
export interface SurfaceField extends SchemaField {
  /** `path`, `query`, `headers`, `cookies`, `body`, `events` or `messages`. */
  readonly source: string
  /** Status of the response; `errors` for errors in the format of the app; `null` for a request and for messages. */
  readonly status: number | 'errors' | null
}

type Status = SurfaceField['status']

/** Lists the fields of endpoints, and converts each schema once. */
export class FieldReader {
  readonly #converters: Converters
  readonly #known: Readonly<Record<SchemaSide, Map<Schema, readonly SchemaField[]>>> = {
    input: new Map(),
    output: new Map(),
  }

  constructor(converters: Converters) {
    this.#converters = converters
  }

  /** Returns the fields of requests by source. A field that several providers read is listed once. */
  incoming(endpoint: Endpoint, kind: string): SurfaceField[] {
    if (endpoint.verb === 'all') return [note('everything', null, 'undescribed')]
    const { contract = {}, path, route, providers } = endpoint
    const needs = [contract, ...listProviders(providers).map((provider) => provider.needs)]
    const ofPath = needs.flatMap(({ params }) => this.#read(params, 'input', 'path', null))
    const inPath = parseTemplate(path, route).names.flatMap((name) => {
      const described = ofPath.filter((field) => field.name === name)
      return described.length === 0
        ? [{ path: name, name, source: 'path', status: null, notes: UNDESCRIBED }]
        : described
    })
    const ofHead = needs.flatMap(({ query, headers, cookies }) => [
      ...this.#read(query, 'input', 'query', null),
      ...this.#read(headers, 'input', 'headers', null),
      ...this.#read(cookies, 'input', 'cookies', null),
    ])
    const messages = kind.startsWith('upgrade ') ? [note('messages', null, 'undescribed')] : []
    return mergeFields([...inPath, ...ofHead, ...this.#body(endpoint), ...messages])
  }

  #body({ contract, body }: Endpoint): SurfaceField[] {
    if (body === null) return []
    if (contract?.body === undefined) return [note('body', null, 'undescribed')]
    const { schema, name, reader } = toKind(contract.body)
    if (schema !== null) return this.#read(schema, 'input', 'body', null)
    const schemas: Schema[] = []
    const description = reader?.describe?.((each) => {
      schemas.push(each)
      return { named: [], rest: undefined }
    })
    if (description === undefined) return [note('body', null, name, 'undescribed')]
    const ofFiles = listFields(description.media.schema).filter(({ path }) => path !== '' || schemas.length === 0)
    return [...toSource(ofFiles, 'body', null), ...schemas.flatMap((each) => this.#read(each, 'input', 'body', null))]
  }

  /** Returns the fields of responses by status. */
  leaving(endpoint: Endpoint, kind: string): SurfaceField[] {
    if (endpoint.verb === 'all') return [note('everything', null, 'undescribed')]
    const ownResponse = OWN_RESPONSES[kind]
    if (ownResponse !== undefined) return [note('body', 200, ownResponse)]
    const errors = this.#errors(endpoint)
    if (kind.startsWith('upgrade ')) return mergeFields([note('messages', null, 'undescribed'), ...errors])
    const returns = declaredReturns(endpoint.contract).flatMap(([status, value]) => this.#returned(status, value))
    return mergeFields([...returns, ...errors])
  }

  #returned(status: number, value: Returnable | undefined): SurfaceField[] {
    if (value === undefined) return [note('body', status, 'undescribed')]
    if (value === null) return [note('body', status, 'empty')]
    const kind = toKind(value)
    return [...this.#content(status, kind), ...this.#read(kind.headers ?? undefined, 'output', 'headers', status)]
  }

  #content(status: number, { name, schema, isProjected }: Kind): SurfaceField[] {
    if (schema === null) return [note('body', status, name, 'undescribed')]
    const source = name === 'events' ? 'events' : 'body'
    const fields = this.#read(schema, 'output', source, status)
    return isProjected ? fields : [...fields, { ...note(source, status, 'undescribed'), path: '*', name: '*' }]
  }

  /** Returns the members that declared problems add to problem details, or all fields of a custom error format. */
  #errors({ problems, errorFormat }: Endpoint): SurfaceField[] {
    if (errorFormat !== null) return this.#read(errorFormat.plan.schema, 'output', 'body', 'errors')
    return [...problems].flatMap(([status, { schemas }]) => {
      return schemas.flatMap((schema) => this.#read(schema, 'output', 'body', status))
    })
  }

  #read(schema: Schema | undefined, side: SchemaSide, source: string, status: Status): SurfaceField[] {
    if (schema === undefined) return []
    const knownFields = this.#known[side].get(schema)
    if (knownFields !== undefined) return toSource(knownFields, source, status)
    const { schema: root = OPAQUE } = describeSchema(schema, side, this.#converters)
    const fields = listFields(root)
    this.#known[side].set(schema, fields)
    return toSource(fields, source, status)
  }
}

/** Replaces a schema without a JSON Schema, which may accept anything. */
const OPAQUE: JsonSchema = true
const UNDESCRIBED: readonly string[] = ['undescribed']

/** Responses that Verbena or a directory determines, by the kind of the endpoint. */
const OWN_RESPONSES: Readonly<Record<string, string | undefined>> = {
  document: 'OpenAPI document',
  page: 'page of the API',
  metrics: 'metrics',
  health: 'names of services',
  files: 'files of a directory',
}

function note(source: string, status: Status, ...notes: readonly string[]): SurfaceField {
  return { path: '', name: '', source, status, notes }
}

function toSource(fields: readonly SchemaField[], source: string, status: Status): SurfaceField[] {
  return fields.map((field) => ({ ...field, source, status }))
}

/** In the order of the lines. */
const SOURCES = ['path', 'query', 'headers', 'cookies', 'body', 'events', 'messages', 'everything']

/** Sorts fields by status, source and path. Fields of one place become one with the notes of all. */
function mergeFields(fields: readonly SurfaceField[]): SurfaceField[] {
  const merged = new Map<string, SurfaceField>()
  for (const field of fields) {
    const key = [field.status ?? '', SOURCES.indexOf(field.source), field.path].join('\0')
    const notes = new Set([...(merged.get(key)?.notes ?? []), ...field.notes])
    merged.set(key, { ...field, notes: [...notes] })
  }
  return [...merged].toSorted(([one], [other]) => byCodeUnit(one, other)).map(([, field]) => field)
}
