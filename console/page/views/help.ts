/** Dialog with the list of keys, and a checkbox that enables the keys without a modifier. */
import { isDialogOpen, openDialog } from '../dom/dialog.js'
import { h } from '../dom/h.js'
import { areKeysEnabled, enableKeys } from '../preferences.js'
import { SHORTCUTS } from '../pure/shortcuts.js'

export function openHelp(): void {
  if (isDialogOpen()) return
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
  const box = h('input', { type: 'checkbox', checked: areKeysEnabled(), on: { change: () => enableKeys(box.checked) } })
  const label = h('label', null, box, 'Single-key shortcuts; Ctrl K and Esc always work')
  openDialog(
    'Keyboard shortcuts',
    '',
    h('div', { class: 'keys' }, h('h2', null, 'Keyboard shortcuts'), h('dl', null, rows), label),
  )
}
