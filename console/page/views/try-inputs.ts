/** Inputs of the form that sends requests, for fields and security schemes. */
import type { TryField, TryScheme } from '../../../src/devconsole/wire/view-types.js'
import { h, type Attributes } from '../dom/h.js'
import { readCredential, writeCredential } from '../live/credentials.js'
import { authorizationFor, basicCredentials, credentialKey, headerValue, readBasic } from '../pure/credentials.js'

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

export function inputFor(field: TryField): HTMLInputElement | HTMLSelectElement {
  const { kind, value, required } = field
  if (kind === 'select') {
    const options = field.options.map((option) =>
      h('option', { value: option, selected: option === value }, option || '(none)'),
    )
    return h('select', { class: 'in', required }, options)
  }
  if (kind === 'file' || kind === 'files') {
    return h('input', { class: 'in', type: 'file', accept: field.options.join(), multiple: kind === 'files', required })
  }
  // An input of type `number` would reject invalid values, but users want to send them.
  const inputmode = kind === 'number' ? 'decimal' : null
  return textInput({ inputmode, required, value, placeholder: field.hint })
}

function textInput(attributes: Attributes): HTMLInputElement {
  return h('input', { class: 'in', type: 'text', autocomplete: 'off', spellcheck: 'false', ...attributes })
}

/** Returns the value of an input as the request contains it. */
export function inputValue(input: HTMLInputElement | HTMLSelectElement): string | readonly File[] {
  return input instanceof HTMLInputElement && input.files !== null ? [...input.files] : input.value
}

export function labelField(field: TryField, input: HTMLElement | undefined): HTMLElement {
  const star = field.required && h('b', { title: 'required' }, ' *')
  return h('label', null, h('span', { title: field.hint }, field.name, star), input)
}

export function fieldKey({ place, name, kind }: TryField): string {
  return `${place} ${kind} ${name}`
}

/** Copies the value of an input if the user has changed it. */
export function copyTyped(from: Field | undefined, to: Field | undefined): void {
  if (from === undefined || to === undefined || !isChanged(from)) return
  if (!(from instanceof HTMLInputElement && to instanceof HTMLInputElement)) to.value = from.value
  else if (from.type === 'file') to.files = from.files
  else to.value = from.value
}

function isChanged(input: Field): boolean {
  if (input instanceof HTMLSelectElement) return input.selectedOptions[0]?.defaultSelected === false
  return input.value !== input.defaultValue
}

const AUTHORIZATION = credentialKey('header', 'authorization')
const KEPT = 'kept in this tab only'

/** Creates the fields of a scheme. They store typed values in the tab, for all requests from the page. */
export function schemeFields(scheme: TryScheme): readonly HTMLElement[] {
  const { kind, name } = scheme
  if (kind === 'basic') return basicFields()
  const isHttp = kind === 'http'
  const key = isHttp ? AUTHORIZATION : credentialKey(kind, name)
  const value = isHttp ? authorizationFor(scheme, readCredential) : readCredential(key)
  const input = secretInput(kind === 'cookie' ? `${KEPT}, with the browser's cookies` : KEPT, value)
  input.addEventListener('input', () => {
    writeCredential(key, isHttp ? headerValue('authorization', input.value) : input.value)
  })
  return [h('label', null, h('span', null, name), input)]
}

function secretInput(placeholder: string, value: string): HTMLInputElement {
  return h('input', { class: 'in', type: 'password', autocomplete: 'off', placeholder, value })
}

function basicFields(): readonly HTMLElement[] {
  const [name, secret] = readBasic(readCredential(AUTHORIZATION))
  const user = textInput({ value: name, placeholder: KEPT })
  const password = secretInput(KEPT, secret)
  const store = () => writeCredential(AUTHORIZATION, basicCredentials(user.value, password.value))
  for (const input of [user, password]) input.addEventListener('input', store)
  return [h('label', null, h('span', null, 'User'), user), h('label', null, h('span', null, 'Password'), password)]
}
