/** Timing tab: phases, waterfall of all calls and queries, distribution, and `Server-Timing`. */
import { h, type Child } from '../../dom/h.js'
import { section } from '../../dom/parts.js'
import { formatCount, ms } from '../../pure/format.js'
import { formatServerTiming } from '../../pure/waterfall.js'
import { distribution } from './distribution.js'
import type { PanelSource } from './panel-source.js'
import { waterfallBar, waterfall } from './waterfall.js'

export function timingPanel(source: PanelSource): Child {
  const { summary, record, context } = source
  const more =
    record === null || record.callsMore === 0 ? null : `${formatCount(record.callsMore, 'more call')} counted only`
  return [
    section('Phases', `total ${ms(summary['dev.duration'])}`, waterfallBar(summary['dev.phases'])),
    section('Waterfall', more, waterfall(source, true)),
    distribution(summary, context.store.state.records),
    section('As a Server-Timing header', null, h('div', { class: 'code wrap' }, formatServerTiming(summary))),
  ]
}
