/** Overview tab: call-outs, waterfall, distribution, and facts about the route. */
import type { Child } from '../../dom/h.js'
import { pairs, section } from '../../dom/parts.js'
import { ms } from '../../pure/format.js'
import { isOfFile } from '../../pure/runs.js'
import { callOuts, partView } from './call-outs.js'
import { distribution } from './distribution.js'
import type { SecondScript } from '../second-script-types.js'
import type { PanelSource } from './panel-source.js'
import { waterfall } from './waterfall.js'

export function overviewPanel(source: PanelSource, secondScript: SecondScript | null): Child {
  const { summary, record, context } = source
  return [
    callOuts(source, secondScript),
    section('Where the time went', `total ${ms(summary['dev.duration'])}`, waterfall(source, false)),
    distribution(summary, context.store.state.records),
    record &&
      section(
        summary['http.route'] === null && isOfFile(summary) ? 'Details' : 'Route',
        null,
        pairs(record.about.map(([name, text]) => [name, text.map((part) => partView(part, source))])),
      ),
  ]
}
