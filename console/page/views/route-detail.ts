/** Detail of an endpoint: handler, input and responses. */
import type { RouteInfo } from '../../../src/devconsole/wire/view-types.js'
import { h, type Child } from '../dom/h.js'
import { secondaryText, methodMark, emptyMessage, pairs, section, statusMark } from '../dom/parts.js'
import { formatAddress } from '../pure/address.js'
import { formatCount, ms } from '../pure/format.js'
import { quantile, mergeCounts } from '../pure/histogram.js'
import { schemaType } from '../pure/schema.js'
import {
  listOrEmpty,
  objectOrEmpty,
  resolveSchema,
  stringOrEmpty,
  type JsonRecord,
} from '../../../src/devconsole/wire/json-schema.js'
import type { State } from '../pure/state.js'
import { placeMark } from './place.js'
import { fieldList, schemaList } from './schema-view.js'

interface RouteSource {
  readonly route: RouteInfo
  /** OpenAPI document; empty until it is read. */
  readonly document: JsonRecord
  readonly state: State
  readonly isReading: boolean
  /** Link to the list of routes. */
  readonly back: HTMLElement
}

/** Finds the OpenAPI operation of an endpoint. Returns an empty object if the document does not contain it. */
export function findOperation(route: RouteInfo, document: JsonRecord): JsonRecord {
  if (route.operation === null) return {}
  const [path, method] = route.operation
  return objectOrEmpty(objectOrEmpty(objectOrEmpty(document['paths'])[path])[method])
}

export function routeDetail(source: RouteSource, form: HTMLElement): Child {
  const { route, document, back } = source
  const operation = findOperation(route, document)
  const about = [stringOrEmpty(operation['summary']), stringOrEmpty(operation['description'])].filter(
    (text) => text !== '',
  )
  const head = h(
    'div',
    { class: 'head' },
    back,
    h('h2', null, methodMark(route.method), ' ', route.template),
    about.map((text) => h('p', null, text)),
  )
  const warnings = route.warnings.map((text) => h('div', { class: 'call warn' }, h('span', null, text)))
  const notes = route.notes.map(emptyMessage)
  const parts = h('div', { class: 'stack' }, warnings, notes, routeFacts(source), describedParts(source, operation))
  return [head, h('div', { class: 'rcols' }, parts, form)]
}

function routeFacts({ route, state }: RouteSource): HTMLElement {
  const tags = route.decorators.map((text) => [h('span', { class: 'tag mono' }, text), ' '])
  const handler = [h('code', null, route.id), route.place && placeMark(route.place, state)]
  return pairs([
    ['Handler', h('span', { class: 'two' }, handler)],
    ['Decorators', tags.length === 0 ? secondaryText('none') : tags],
    ['Version', route.version === null ? secondaryText('any') : h('code', null, route.version)],
    ['Calls', callCount(route, state)],
    ['Deprecated', route.deprecated ? 'yes' : null],
  ])
}

function callCount(route: RouteInfo, state: State): Child {
  const stats = state.endpoints.find(({ handler, method }) => handler === route.id && method === route.method)
  if (stats === undefined) return secondaryText('none yet')
  const counts = mergeCounts([stats.durations])
  const percentile = (share: number) =>
    h('span', { class: 'num' }, ms(Math.min(quantile(counts, share) ?? 0, stats.max)))
  const calls = formatCount(stats.calls, 'call')
  const text = h('span', null, `${calls}, p50 `, percentile(0.5), ', p99 ', percentile(0.99))
  const link = h('a', { class: 'link', href: formatAddress({ q: `handler:${route.id}` }) }, 'show them')
  return h('span', { class: 'two' }, text, link)
}

const PLACES: readonly (readonly [place: string, title: string])[] = [
  ['path', 'Path parameters'],
  ['query', 'Query'],
  ['header', 'Headers'],
  ['cookie', 'Cookies'],
]

function describedParts(source: RouteSource, operation: JsonRecord): Child {
  const { document, isReading } = source
  if (Object.keys(operation).length === 0) {
    return emptyMessage(
      isReading ? 'Reading the OpenAPI document …' : 'The OpenAPI document does not describe this endpoint.',
    )
  }
  const parameters = listOrEmpty(operation['parameters']).map((parameter) => resolveSchema(document, parameter))
  const groups = PLACES.map(([place, title]) => {
    const placed = parameters.filter((parameter) => parameter['in'] === place)
    return placed.length > 0 && section(title, null, parameterList(document, placed))
  })
  return [groups, bodyPart(document, operation), section('Responses', null, responseList(document, operation))]
}

function parameterList(document: JsonRecord, parameters: readonly JsonRecord[]): HTMLElement {
  const fields = parameters.map((parameter) => ({
    name: stringOrEmpty(parameter['name']),
    type: schemaType(parameter['schema']),
    required: parameter['required'] === true,
    description:
      stringOrEmpty(parameter['description']) ||
      stringOrEmpty(resolveSchema(document, parameter['schema'])['description']),
    schema: objectOrEmpty(parameter['schema']),
  }))
  return fieldList(document, fields)
}

function bodyPart(document: JsonRecord, operation: JsonRecord): Child {
  const content = Object.entries(objectOrEmpty(resolveSchema(document, operation['requestBody'])['content']))
  return content.map(([type, media]) => section('Request body', type, schemaList(document, mediaSchema(media))))
}

/** Returns the schema of a media type, or the schema of each item of a stream. */
function mediaSchema(media: unknown): unknown {
  const { schema, itemSchema } = objectOrEmpty(media)
  return schema ?? itemSchema
}

function responseList(document: JsonRecord, operation: JsonRecord): HTMLElement {
  const rows = Object.entries(objectOrEmpty(operation['responses'])).map(([status, value]) => {
    const response = resolveSchema(document, value)
    const schema = mediaSchema(Object.values(objectOrEmpty(response['content']))[0])
    const inside =
      schema !== undefined && h('details', null, h('summary', null, schemaType(schema)), schemaList(document, schema))
    const mark = /^\d+$/.test(status) ? statusMark(Number(status)) : h('span', { class: 'nm' }, status)
    return h('li', null, mark, h('span', null, stringOrEmpty(response['description'])), inside)
  })
  return h('ul', { class: 'sch' }, rows)
}
