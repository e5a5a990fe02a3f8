/** Call-outs: incidents of a request, as the app describes them, and the button that copies them for a coding agent. */
import type { AboutPart, CallOutPart } from '../../../../src/devconsole/wire/view-types.js'
import { h, type Child } from '../../dom/h.js'
import { button, secondaryText } from '../../dom/parts.js'
import { formatAddress } from '../../pure/address.js'
import { ms } from '../../pure/format.js'
import { placeMark } from '../place.js'
import type { SecondScript } from '../second-script-types.js'
import type { PanelSource } from './panel-source.js'

export function callOuts(source: PanelSource, secondScript: SecondScript | null): Child {
  const { record } = source
  if (record === null || record.callOuts.length === 0) return null
  const view = (part: CallOutPart) => partView(part, source)
  const shown = record.callOuts.map(({ kind, title, text }) =>
    h(
      'div',
      { class: `call ${kind}` },
      h('b', null, title.map(view)),
      text.length > 0 && h('span', { class: 'sub' }, text.map(view)),
    ),
  )
  const copy = () => void secondScript?.copyForAgent(record)
  return [shown, h('p', null, button('copy', 'Copy for an agent', { on: { click: copy } }))]
}

/** Creates a part of a sentence from the app: a string, code, a duration, a place or a link. */
export function partView(part: AboutPart, { summary, context }: PanelSource): Child {
  if (typeof part === 'string') return part
  if ('code' in part) return h('code', null, part.code)
  if ('ms' in part) return ms(part.ms)
  if ('dim' in part) return secondaryText(part.dim)
  if ('place' in part) return placeMark(part.place, context.store.state)
  return h('a', { class: 'link', href: formatAddress({ id: summary.id, tab: part.tab }) }, part.text)
}
