/** Parts of queries and service calls in several views: text, parameters and details. */
import type { CodePlace, Query, RecordedServiceCall } from '../../../src/devconsole/wire/request-types.js'
import { h, type Child } from '../dom/h.js'
import { pairs, secondaryText } from '../dom/parts.js'
import { ms, percent } from '../pure/format.js'
import { compactQuery, durationText, outcomeText, splitParams } from '../pure/queries.js'
import { formatSql, type ShownToken } from '../pure/sql.js'
import type { State } from '../pure/state.js'
import { placeMark } from './place.js'

const COLORED: ReadonlySet<ShownToken['kind']> = new Set(['keyword', 'string', 'number', 'parameter', 'comment'])

/** Creates strings and colored spans. */
function tokenViews(tokens: readonly ShownToken[]): readonly Child[] {
  return tokens.map(({ kind, text }) => (COLORED.has(kind) ? h('span', { class: `q-${kind}` }, text) : text))
}

/** Creates the text of a query on one line, which the style clamps. */
export function compactText(kind: string, text: string): HTMLElement {
  return h('code', { class: 'qt' }, tokenViews(compactQuery(kind, text)))
}

/** Creates the whole text of a query. SQL has a line for each clause. */
export function wholeText(kind: string, text: string): HTMLElement {
  const content = kind === 'sql' ? tokenViews(formatSql(text)) : text
  return h('div', { class: 'code wrap qw', tabindex: '0', role: 'region', 'aria-label': 'Text of the query' }, content)
}

/** Creates a numbered list of parameters. A single parameter has no number. */
export function paramList(params: string): HTMLElement {
  const values = splitParams(params)
  const [only] = values
  if (values.length === 1) return h('code', null, only)
  return h(
    'ol',
    { class: 'ps' },
    values.map((value) => h('li', null, h('code', null, value))),
  )
}

export function queryDetails(query: Query, total: number, state: State): Child {
  const share = query.duration === null ? '' : `, ${percent(query.duration / total)} of the request`
  return [
    wholeText(query.kind, query.text),
    pairs([
      ['Parameters', query.params === null ? null : paramList(query.params)],
      ['Result', outcomeText(query) || null],
      ['Error', errorText(query.error)],
      ['Duration', `${durationText(query)}${share}`],
      ['Started', `${ms(query.start)} after the begin of the request`],
      ['Kind', query.kind],
      ['Target', query.target],
      ['Sent from', placeOrNull(query.site, state)],
    ]),
  ]
}

export function callDetails(call: RecordedServiceCall, total: number, state: State): Child {
  return pairs([
    ['Call', h('code', null, `${call.name}(${call.args})`)],
    ['Result', call.result === null ? null : h('code', null, call.result)],
    ['Error', errorText(call.error)],
    ['Duration', `${ms(call.duration)}, ${percent(call.duration / total)} of the request`],
    ['Own time', [ms(call.own), ' ', secondaryText('without its queries')]],
    ['Started', `${ms(call.start)} after the begin of the request`],
    ['Called from', placeOrNull(call.site, state)],
  ])
}

function errorText(error: string | null): Child {
  return error === null ? null : h('span', { class: 'err' }, error)
}

function placeOrNull(place: CodePlace | null, state: State): Child {
  return place === null ? null : placeMark(place, state)
}
