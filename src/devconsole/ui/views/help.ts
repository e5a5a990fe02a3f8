/** The list of keys, with the switch that turns the single ones off. */
import { isAsking, openDialog } from '../dom/dialog.js'
import { h } from '../dom/h.js'
import { keysAreOn, setKeys } from '../preferences.js'
import { SHORTCUTS } from '../pure/shortcuts.js'

/** Opens the list of keys. */
export function openHelp(): void {
  if (isAsking()) return
  const rows = SHORTCUTS.map(([text, ...keys]) => {
    return h(
      'div',
      null,
      h('dt', null, text),
      h(
        'dd',
        null,
        keys.map((key) => h('kbd', null, key)),
      ),
    )
  })
  const box = h('input', { type: 'checkbox', checked: keysAreOn(), on: { change: () => setKeys(box.checked) } })
  const label = h('label', null, box, 'Single-key shortcuts; Ctrl K and Esc always work')
  openDialog(
    'Keyboard shortcuts',
    '',
    h('div', { class: 'keys' }, h('h2', null, 'Keyboard shortcuts'), h('dl', null, rows), label),
  )
}
