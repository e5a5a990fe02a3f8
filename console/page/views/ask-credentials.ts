/** Asks the user for the credentials of a request, once in a tab, because the console does not store them. */
import type { RequestRecord } from '../../../src/devconsole/wire/request-types.js'
import { openDialog } from '../dom/dialog.js'
import { h } from '../dom/h.js'
import { textButton } from '../dom/parts.js'
import { readCredential, writeCredential } from '../live/credentials.js'
import { headerValue, listNames, missingCredentials, type MissingCredential } from '../pure/credentials.js'

/** Keys of earlier dialogs in this tab. */
const requestedKeys = new Set<string>()
const MAX_KEYS = 200

/** Asks for credentials that the tab does not have. Returns whether the request may be sent. */
export async function hasCredentials(record: RequestRecord): Promise<boolean> {
  const missing = missingCredentials(record).filter(({ key }) => readCredential(key) === '' && !requestedKeys.has(key))
  if (missing.length === 0) return true
  const isConfirmed = await askFor(missing)
  if (isConfirmed && requestedKeys.size < MAX_KEYS) for (const { key } of missing) requestedKeys.add(key)
  return isConfirmed
}

/** Deletes the credentials of a request from the tab, so that the next replay opens the dialog. Returns whether the tab had any. */
export function forgetCredentials(record: RequestRecord): boolean {
  const used = missingCredentials(record).filter(({ key }) => readCredential(key) !== '')
  for (const { key } of used) {
    writeCredential(key, '')
    requestedKeys.delete(key)
  }
  return used.length > 0
}

const NOTE = 'This tab keeps them until you close it, for replays and forms. The browser also sends its own cookies.'

function askFor(missing: readonly MissingCredential[]): Promise<boolean> {
  const labels = missing.map(({ label }) => label)
  const verb = labels.length === 1 ? 'was' : 'were'
  const password = { class: 'in', type: 'password', autocomplete: 'off' }
  const inputs = missing.map(({ key, label }) => h('input', { ...password, placeholder: getPlaceholder(key, label) }))
  const fields = missing.map(({ label }, index) => h('label', null, h('span', null, label), inputs[index]))
  const submit = (event: Event) => {
    event.preventDefault()
    missing.forEach(({ key, label }, index) => writeCredential(key, headerValue(label, inputs[index]?.value ?? '')))
    dialog.close('yes')
  }
  const form = h(
    'form',
    { class: 'ask', on: { submit } },
    h('h2', null, `${listNames(labels)} ${verb} not stored`),
    h('p', null, NOTE),
    fields,
    h(
      'div',
      { class: 'acts' },
      h('button', { type: 'submit', class: 'btn primary' }, 'Send'),
      textButton('Send without', () => dialog.close('yes')),
      textButton('Cancel', () => dialog.close('')),
    ),
  )
  const dialog = openDialog('Credentials', '', form)
  inputs[0]?.focus()
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'))
  })
}

function getPlaceholder(key: string, label: string): string {
  if (key === 'header authorization') return 'Bearer …'
  return key === 'header cookie' ? 'name=value; name=value' : label
}
