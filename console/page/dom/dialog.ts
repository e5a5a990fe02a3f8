/** Modal dialogs. The browser keeps the focus inside, closes the dialog on Escape, and restores the focus. */
import { h, type Child } from './h.js'
import { textButton } from './parts.js'

export function openDialog(label: string, className: string, ...children: readonly Child[]): HTMLDialogElement {
  const dialog = h('dialog', { class: className, 'aria-label': label }, children)
  dialog.addEventListener('close', () => dialog.remove())
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close()
  })
  document.body.append(dialog)
  dialog.showModal()
  return dialog
}

/** Whether a dialog is open. A closed dialog is in the page until its `close` event, so its attribute decides. */
export function isDialogOpen(): boolean {
  return document.querySelector('dialog[open]') !== null
}

/** Builds a heading, content and buttons. */
export function dialogContent(title: string, content: Child, ...buttons: readonly Child[]): HTMLElement {
  return h('div', { class: 'ask' }, h('h2', null, title), content, h('div', { class: 'acts' }, buttons))
}

/** Asks the user to confirm an action. Returns `false` if the user cancels or closes the dialog. */
export function askConfirmation(title: string, text: string, confirmLabel: string): Promise<boolean> {
  return new Promise((resolve) => {
    const close = (value: string) => () => dialog.close(value)
    const cancel = textButton('Cancel', close(''))
    const confirm = textButton(confirmLabel, close('yes'), 'btn primary')
    const dialog = openDialog(title, '', dialogContent(title, h('p', null, text), confirm, cancel))
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'))
  })
}
