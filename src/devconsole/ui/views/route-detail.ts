/** An endpoint: who answers, what it accepts, what it returns. */
import type { RouteInfo } from '../../wire/view-types.js'
import { h, type Child } from '../dom/h.js'
import { icon } from '../dom/icons.js'
import { secondaryText, methodMark, emptyMessage, pairs, section, statusMark } from '../dom/parts.js'
import { formatAddress } from '../pure/address.js'
import { counted, ms } from '../pure/format.js'
import { quantile, sumOf } from '../pure/histogram.js'
import { typeOf } from '../pure/schema.js'
import { listOf, objectOf, resolve, textOf, type Json } from '../../wire/json-schema.js'
import type { State } from '../pure/state.js'
import { placeMark } from './place.js'
import { fieldList, schemaList } from './schema-view.js'

/** What the detail is made of. */
interface RouteSource {
  readonly route: RouteInfo
  /** OpenAPI document; empty before it was read. */
  readonly document: Json
  readonly state: State
  readonly isReading: boolean
}

/** The operation of an endpoint. */
export function operationOf(route: RouteInfo, document: Json): Json {
  if (route.operation === null) return {}
  const [path, method] = route.operation
  return objectOf(objectOf(objectOf(document['paths'])[path])[method])
}

/** Shows an endpoint. */
export function routeDetail(source: RouteSource, form: HTMLElement): Child {
  const { route, document } = source
  const operation = operationOf(route, document)
  const back = h('a', { class: 'btn only-n', href: formatAddress({ view: 'routes' }) }, icon('back'), 'All routes')
  const about = [textOf(operation['summary']), textOf(operation['description'])].filter((text) => text !== '')
  const head = h(
    'div',
    { class: 'head' },
    back,
    h('h2', null, methodMark(route.method), ' ', route.template),
    about.map((text) => h('p', null, text)),
  )
  const warnings = route.warnings.map((text) => h('div', { class: 'call warn' }, h('span', null, text)))
  const notes = route.notes.map(emptyMessage)
  const parts = h('div', { class: 'stack' }, warnings, notes, factsOf(source), describedParts(source, operation))
  return [head, h('div', { class: 'rcols' }, parts, form)]
}

function factsOf({ route, state }: RouteSource): HTMLElement {
  const tags = route.decorators.map((text) => [h('span', { class: 'tag mono' }, text), ' '])
  const handler = [h('code', null, route.id), route.place === null ? null : placeMark(route.place, state)]
  return pairs([
    ['Handler', h('span', { class: 'two' }, handler)],
    ['Decorators', tags.length === 0 ? secondaryText('none') : tags],
    ['Version', route.version === null ? secondaryText('any') : h('code', null, route.version)],
    ['Calls', callsOf(route, state)],
    ['Deprecated', route.deprecated ? 'yes' : null],
  ])
}

function callsOf(route: RouteInfo, state: State): Child {
  const stats = state.endpoints.find((it) => it.handler === route.id && it.method === route.method)
  if (stats === undefined) return secondaryText('none yet')
  const counts = sumOf([stats.durations])
  const [p50, p99] = [0.5, 0.99].map((share) => ms(Math.min(quantile(counts, share) ?? 0, stats.max)))
  const link = h('a', { class: 'link', href: formatAddress({ q: `handler:${route.id}` }) }, 'show them')
  return h('span', { class: 'two' }, `${counted(stats.calls, 'call')}, p50 ${p50}, p99 ${p99}`, link)
}

const PLACES: readonly (readonly [place: string, title: string])[] = [
  ['path', 'Path parameters'],
  ['query', 'Query'],
  ['header', 'Headers'],
  ['cookie', 'Cookies'],
]

function describedParts(source: RouteSource, operation: Json): Child {
  const { document, isReading } = source
  if (Object.keys(operation).length === 0) {
    return emptyMessage(
      isReading ? 'Reading the OpenAPI document …' : 'The OpenAPI document does not describe this endpoint.',
    )
  }
  const parameters = listOf(operation['parameters']).map((it) => resolve(document, it))
  const groups = PLACES.map(([place, title]) => {
    const own = parameters.filter((parameter) => parameter['in'] === place)
    return own.length === 0 ? null : section(title, null, parameterList(document, own))
  })
  return [groups, bodyPart(document, operation), section('Responses', null, responseList(document, operation))]
}

function parameterList(document: Json, parameters: readonly Json[]): HTMLElement {
  const fields = parameters.map((parameter) => ({
    name: textOf(parameter['name']),
    type: typeOf(parameter['schema']),
    required: parameter['required'] === true,
    description: textOf(parameter['description']) || textOf(resolve(document, parameter['schema'])['description']),
    schema: objectOf(parameter['schema']),
  }))
  return fieldList(document, fields)
}

function bodyPart(document: Json, operation: Json): Child {
  const content = Object.entries(objectOf(resolve(document, operation['requestBody'])['content']))
  return content.map(([type, media]) => section('Request body', type, schemaList(document, objectOf(media)['schema'])))
}

function responseList(document: Json, operation: Json): HTMLElement {
  const rows = Object.entries(objectOf(operation['responses'])).map(([status, value]) => {
    const response = resolve(document, value)
    const media = objectOf(Object.values(objectOf(response['content']))[0])
    const schema = media['schema']
    const inside =
      schema === undefined ? null : h('details', null, h('summary', null, typeOf(schema)), schemaList(document, schema))
    const mark = /^\d+$/.test(status) ? statusMark(Number(status)) : h('span', { class: 'nm' }, status)
    return h('li', null, mark, h('span', null, textOf(response['description'])), inside)
  })
  return h('ul', { class: 'sch' }, rows)
}
