/** What is wrong, where the time went, who answered. */
import type { RequestRecord } from '../../../wire.js'
import { h, type Child } from '../../dom/h.js'
import { pairs, section } from '../../dom/parts.js'
import { ms } from '../../pure/format.js'
import { placeMark } from '../place.js'
import { callOuts } from './call-outs.js'
import { distribution } from './distribution.js'
import type { PanelSource } from './panel-source.js'
import { waterfall } from './waterfall.js'

/**
 * The overview.
 *
 * @param source of the request
 */
export function overviewPanel(source: PanelSource): Child {
  const { summary, record, context } = source
  return [
    callOuts(source),
    section('Where the time went', `total ${ms(summary['dev.duration'])}`, waterfall(summary, record, false)),
    distribution(summary, context.store.state.records),
    section('Route', null, pairs([...routePairs(source), ...(record === null ? [] : clientPairs(record))])),
  ]
}

function routePairs({ summary, record, context }: PanelSource): readonly (readonly [string, Child])[] {
  const file = record?.['code.file.path'] ?? null
  const place = file === null ? null : { file, line: record?.['code.line.number'] ?? 1 }
  const name = summary['code.function.name']
  const handler =
    name === null
      ? dim('none answered')
      : h(
          'span',
          { class: 'two' },
          h('code', null, name),
          place === null ? null : placeMark(place, context.store.state),
        )
  return [
    ['Template', summary['http.route'] === null ? dim('none matched') : h('code', null, summary['http.route'])],
    ['Handler', handler],
    ['Parameters', record === null ? null : parametersOf(record)],
    ['Decorators', record === null ? null : listOf(record.decorators)],
    ['Version', versionOf({ summary, record })],
  ]
}

function clientPairs(record: RequestRecord): readonly (readonly [string, Child])[] {
  const client = [record['client.address'], record['user_agent.original']].filter((part) => part !== null).join(', ')
  const trace = record['dev.traceId']
  return [
    ['Client', client === '' ? null : h('span', { class: 'mono' }, client)],
    ['Trace', trace === null ? null : h('span', { class: 'mono' }, trace)],
    ['Process', h('span', { class: 'mono' }, String(record['process.pid']))],
  ]
}

function parametersOf(record: RequestRecord): Child {
  return Object.keys(record.params).length === 0 ? dim('none') : h('code', null, JSON.stringify(record.params))
}

function listOf(names: readonly string[]): Child {
  return names.length === 0 ? dim('none') : h('code', null, names.join('  '))
}

function versionOf({ summary, record }: Pick<PanelSource, 'summary' | 'record'>): Child {
  const outcome = summary['dev.version']
  if (outcome === null) return dim('not versioned')
  const detail = record?.version ?? null
  const result = outcome.ok ? ', satisfies ' : ', does not satisfy '
  const asked =
    detail?.isDefault === true ? `none asked, ${outcome.asked ?? 'none'} taken` : `asked ${outcome.asked ?? 'none'}`
  const from = detail === null || detail.isDefault ? null : [' in ', h('code', null, detail.from)]
  return h('span', null, asked, from, result, h('code', null, outcome.constraint))
}

function dim(text: string): HTMLElement {
  return h('span', { class: 'dim' }, text)
}
