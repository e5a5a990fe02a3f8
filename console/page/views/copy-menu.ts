/** Menu of the forms in which a request is copied or downloaded. */
import type { RequestSummary } from '../../../src/devconsole/wire/request-types.js'
import { h } from '../dom/h.js'
import { icon } from '../dom/icons.js'
import { harLink } from '../live/api.js'
import { isOfFile } from '../pure/runs.js'
import { COPIES, copy } from './actions.js'
import type { ViewContext } from './context.js'

/** Creates the menu. It closes on Escape, and when the focus moves elsewhere. */
export function copyMenu(context: ViewContext, summary: RequestSummary): HTMLElement {
  // A hidden button would lose the focus.
  const close = () => {
    label.focus()
    menu.open = false
  }
  // Only the app of this run can create an archive, and a request from a file has no permanent address.
  const isOfRun = summary.boot === context.store.state.boot
  const forms = COPIES.filter((form) => form !== 'link' || !isOfFile(summary))
  const items = forms.map((form, index) => {
    const label = form === 'link' ? 'Link to this request' : form
    const click = () => {
      close()
      void copy(context, summary, form)
    }
    return h('button', { type: 'button', on: { click } }, label, index === 0 && h('kbd', null, 'c'))
  })
  const har = isOfRun && h('a', { href: harLink(`id:${summary.id}`), download: true }, 'HTTP archive (HAR)')
  const focusout = (event: FocusEvent) => {
    if (!(event.relatedTarget instanceof Node) || !menu.contains(event.relatedTarget)) menu.open = false
  }
  const keydown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !menu.open) return
    event.stopPropagation()
    close()
  }
  const label = h('summary', { class: 'btn' }, icon('copy'), 'Copy', icon('down'))
  const menu = h('details', { class: 'menu', on: { focusout, keydown } }, label, h('div', null, items, har))
  return menu
}
