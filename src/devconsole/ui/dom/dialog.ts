/** Dialogs: the browser keeps the focus inside, closes them on Escape, and gives the focus back. */
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

/** Whether a dialog is open. One that was closed stays in the page until its event comes, and takes no keys any more. */
export function isAsking(): boolean {
  return document.querySelector('dialog[open]') !== null
}

/** Asks before something is done. */
export function askConfirmation(title: string, text: string, yes: string): Promise<boolean> {
  return new Promise((resolve) => {
    const answer = (value: string) => () => dialog.close(value)
    const no = textButton('Cancel', answer(''))
    const go = textButton(yes, answer('yes'), 'btn primary')
    const inside = h(
      'div',
      { class: 'ask' },
      h('h2', null, title),
      h('p', null, text),
      h('div', { class: 'acts' }, go, no),
    )
    const dialog = openDialog(title, '', inside)
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'))
  })
}
