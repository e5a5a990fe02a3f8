/** Findings about schemas that cannot be converted to JSON Schema. They are missing in the document, and responses cannot be projected. */
import type { Endpoint } from '../request/endpoint.js'
import { Kind } from '../route/kinds.js'
import { TEXT_SOURCES } from '../injection/provide.js'
import { listReplyPlans, listProviders } from '../setup/plans.js'
import { describeSchema } from '../validation/describe-schema.js'
import { isJsonSchema, intersectedSchemas, schemasByKey, listSchemas, findUnions } from '../validation/json-schema.js'
import type { Converters } from '../validation/describe-schema.js'
import type { JsonSchema, SchemaObject, SchemaSide } from '../validation/json-schema.js'
import type { SchemaGaps } from '../validation/gaps.js'
import { compareSides, type OpenPlace } from '../validation/projection/sides.js'
import { isSchema, type Schema } from '../validation/schema.js'
import { ownValue } from '../values/objects.js'
import type { Finding } from './findings.js'
import { impossibleInputs } from './impossible-inputs.js'

interface CheckedSchema {
  readonly code: 'RESPONSE_UNDESCRIBED' | 'SCHEMA_UNDESCRIBED'
  readonly label: string
  readonly schema: unknown
  readonly side: SchemaSide
  /** Whether each response has to be searched for unknown properties. */
  readonly isScreened?: boolean
  /** Whether responses are projected by the schema. */
  readonly isProjected?: boolean
}

/** Reports schemas without JSON Schema. A schema of a provider, class, group or error format is reported only for its first endpoint. */
export function schemaFindings(endpoints: readonly Endpoint[], converters: Converters): Finding[] {
  const seen = new Set<unknown>()
  return endpoints.flatMap((endpoint) => {
    const all = [...providerFields(endpoint), ...problemFields(endpoint)]
    const shared = all.filter(({ schema }) => !seen.has(schema))
    for (const { schema } of shared) seen.add(schema)
    return [...returnFields(endpoint), ...contractFields(endpoint), ...shared].flatMap((field) => {
      return isSchema(field.schema) ? inspectSchema(endpoint, field, field.schema, converters) : []
    })
  })
}

/** Returns the schemas of an endpoint and of its providers. */
export function listSchemaFields(endpoint: Endpoint): CheckedSchema[] {
  return [...contractFields(endpoint), ...returnFields(endpoint), ...providerFields(endpoint)]
}

const SCREENED_STEP =
  'Each response is validated several times, and becomes a 500 if it could contain properties that are not in the schema'
const CHOICE = 'To send everything that the schema accepts, write "json(schema, { project: false })"'

/** Returns response schemas. Without JSON Schema, a response cannot be projected, so the validator must strip unknown properties. */
function returnFields(endpoint: Endpoint): CheckedSchema[] {
  return listReplyPlans(endpoint.response).map((plan) => {
    const { schema, isOpaque } = plan
    const isProjected = plan.project !== null || ('before' in plan && plan.before !== null)
    const states = { isScreened: isOpaque, isProjected }
    return { code: 'RESPONSE_UNDESCRIBED', label: 'The response schema', schema, side: 'output', ...states }
  })
}

/** Returns the endpoints with a response, a query or other strings whose schema cannot be converted to JSON Schema. */
export function undescribedEndpoints(endpoints: readonly Endpoint[]): string[] {
  const undescribed = endpoints.filter(
    ({ response, sources }) =>
      listReplyPlans(response).some(({ isOpaque }) => isOpaque) || sources.some(({ text }) => !text.isDescribed),
  )
  return undescribed.map(({ method, path }) => `${method} ${path}`)
}

function contractFields({ contract, response, isHidden }: Endpoint): CheckedSchema[] {
  if (contract === undefined || isHidden) return []
  const { body } = contract
  return [
    ...TEXT_SOURCES.map((source) => field(`The schema of "${source}"`, contract[source], 'input')),
    field('The schema of "body"', body instanceof Kind ? body.schema : body, 'input'),
    ...listReplyPlans(response).map(({ headers }) =>
      field('The schema of "headers" in "returns"', headers?.schema, 'input'),
    ),
  ]
}

function problemFields({ problems, isHidden, errorFormat }: Endpoint): CheckedSchema[] {
  if (isHidden) return []
  const ofMembers = [...problems].flatMap(([status, { schemas }]) =>
    schemas.map((schema) => field(`The schema of "errors" for ${status}`, schema, 'output')),
  )
  return [...ofMembers, field('The schema of "errorFormat"', errorFormat?.plan.schema, 'output')]
}

function providerFields({ providers, isHidden }: Endpoint): CheckedSchema[] {
  if (isHidden) return []
  return listProviders(providers).flatMap(({ needs }) => {
    return TEXT_SOURCES.map((source) => field(`The schema of "${source}" of a provider`, needs[source], 'input'))
  })
}

function field(label: string, schema: unknown, side: SchemaSide): CheckedSchema {
  return { code: 'SCHEMA_UNDESCRIBED', label, schema, side }
}

function inspectSchema(
  { route, method }: Endpoint,
  field: CheckedSchema,
  schema: Schema,
  converters: Converters,
): Finding[] {
  const { code, label, side, isScreened = false } = field
  const { schema: described, lenient, reason, gaps: marked } = describeSchema(schema, side, converters)
  const open = code === 'RESPONSE_UNDESCRIBED' ? openPlaces(described, marked, schema, converters) : []
  if (open.length > 0) return [placesFinding({ route, method }, field, reason, open)]
  if (described !== undefined && !lenient) return contradictions({ route, method }, field, schema, described)
  const gaps = described === undefined ? undefined : findSchemaGaps(described)
  const places = (gaps ?? []).filter((place) => place !== '')
  const where = places.length === 0 ? '' : `; the JSON Schema omits ${places.join(', ')}`
  const message = `${label} cannot be converted to JSON Schema: ${reason}${where}`
  const fix = 'Use a schema that provides JSON Schema, or pass a converter in the option "jsonSchema"'
  if (isScreened) return [{ code, route, method, message: `${message}. ${SCREENED_STEP}`, fix: `${fix}. ${CHOICE}` }]
  // A response that is sent without projection on purpose is still a gap in the document.
  const findingCode = described === undefined ? 'SCHEMA_UNDESCRIBED' : code
  const impossible = side === 'output' ? [] : impossibleInputs(schema, gaps)
  return [
    { code: findingCode, route, method, message, fix },
    ...impossibleFindings({ route, method }, label, impossible),
  ]
}

/** Reports strings of a JSON Schema for which the validator accepts only a Date or a bigint, as in Effect. */
function contradictions(
  endpoint: Pick<Endpoint, 'route' | 'method'>,
  { label, side }: CheckedSchema,
  schema: Schema,
  described: JsonSchema,
): Finding[] {
  if (side === 'output') return []
  const places = findSchemaPlaces(described, (part) => part !== true && ownValue(Object(part), 'type') === 'string')
  return impossibleFindings(endpoint, label, impossibleInputs(schema, places))
}

function impossibleFindings(
  { route, method }: Pick<Endpoint, 'route' | 'method'>,
  label: string,
  inputs: ReturnType<typeof impossibleInputs>,
): Finding[] {
  return inputs.map(({ place, what, fix: accepted }) => {
    const message = `${label} accepts only ${what} at "${place}", but JSON and strings cannot contain one`
    return { code: 'INPUT_IMPOSSIBLE', route, method, message, fix: `Accept a string with ${accepted}` }
  })
}

function openPlaces(
  described: JsonSchema | undefined,
  gaps: SchemaGaps,
  schema: Schema,
  converters: Converters,
): readonly OpenPlace[] {
  if (described === undefined) return []
  return compareSides(described, gaps, (isAccepted) => describeSchema(schema, 'input', converters, isAccepted)).places
}

const RESULT_FIX =
  'Describe what the function returns with a schema after it, or use a schema that provides JSON Schema'

/** Reports places of a response that its schema does not describe, and what happens to an object there. */
function placesFinding(
  { route, method }: Pick<Endpoint, 'route' | 'method'>,
  { code, label, isProjected = false }: CheckedSchema,
  reason: string | undefined,
  places: readonly OpenPlace[],
): Finding {
  const state =
    reason === undefined
      ? 'does not describe what its function returns'
      : `cannot be converted to JSON Schema: ${reason}`
  const isRejected = places.some((place) => isProjected && place.isRejected)
  const effects = places.map(({ place, isRejected: isRejectedHere }) => {
    const where = place === '' ? 'the response' : `"${place}"`
    if (isProjected && isRejectedHere) return `${where} is a 500 if it is an object that the schema does not describe`
    return `${where}, which a function returns, is sent whole`
  })
  const fix = isRejected ? `${RESULT_FIX}. ${CHOICE}` : RESULT_FIX
  return { code, route, method, message: `${label} ${state}; ${effects.join('; ')}`, fix }
}

/** Keywords that do not constrain values. */
const WORDS: ReadonlySet<string> = new Set('$schema $defs title description default examples deprecated'.split(' '))

/** Returns the places of unconstrained parts of a JSON Schema, by property names: `/at` or `/items/*`; `''` for the root. */
export function findSchemaGaps(root: JsonSchema): string[] {
  return findSchemaPlaces(
    root,
    (schema) => schema === true || Object.keys(schema).every((keyword) => WORDS.has(keyword)),
  )
}

function findSchemaPlaces(root: JsonSchema, isWanted: (schema: JsonSchema) => boolean): string[] {
  const seen = new Set<JsonSchema>()
  const visit = (schema: JsonSchema, place: string): string[] => {
    if (schema === false || seen.has(schema)) return []
    if (isWanted(schema)) return [place]
    if (schema === true) return []
    seen.add(schema)
    const members = schemasByKey(schema, 'properties').flatMap(([key, part]) => visit(part, `${place}/${key}`))
    const items = elementSchemas(schema).flatMap((part) => visit(part, `${place}/*`))
    const beside = [...intersectedSchemas(root, schema), ...findUnions(schema).flat()].flatMap((part) =>
      visit(part, place),
    )
    return [...members, ...items, ...beside]
  }
  return [...new Set(visit(root, ''))]
}

function elementSchemas(schema: SchemaObject): readonly JsonSchema[] {
  const rests = [ownValue(schema, 'items'), ownValue(schema, 'additionalProperties')].filter(isJsonSchema)
  return [...rests, ...listSchemas(schema, 'prefixItems')]
}
