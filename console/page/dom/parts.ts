/** Small parts that the views share. */
import { SAFE_METHODS } from '../../../src/devconsole/wire/request-types.js'
import type { Fact } from '../../../src/devconsole/wire/view-types.js'
import { pathParts, statusClass } from '../pure/format.js'
import { h, type Attributes, type Child, type Listeners } from './h.js'
import { icon, type IconName } from './icons.js'
import { statusHint } from './titles.js'

/** Creates a button with an icon and a label. */
export function button(name: IconName, label: string, attributes: Attributes): HTMLButtonElement {
  return h('button', { type: 'button', class: 'btn', ...attributes }, icon(name), h('span', { class: 'txt' }, label))
}

/** Creates a button without an icon. */
export function textButton(label: Child, click: () => void, className = 'btn'): HTMLButtonElement {
  return h('button', { type: 'button', class: className, on: { click } }, label)
}

interface SearchField {
  readonly element: HTMLElement
  readonly input: HTMLInputElement
  readonly focus: () => void
}

/** Creates an input for a search or a filter, with the key that focuses it. */
export function searchField(label: string, placeholder: string, on: Listeners): SearchField {
  const withoutHelp = { autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' }
  const input = h('input', { type: 'text', 'aria-label': label, placeholder, ...withoutHelp, on })
  const focus = () => {
    input.focus()
    input.select()
  }
  return {
    input,
    focus,
    element: h('div', { class: 'field' }, icon('search'), input, h('kbd', { 'aria-hidden': 'true' }, '/')),
  }
}

/** Creates a page that scrolls. */
export function pageElement(title: string, ...children: readonly Child[]): HTMLElement {
  const attributes = { class: 'page', tabindex: '0', role: 'region', 'aria-label': title }
  return h('div', attributes, h('h2', { class: 'vh' }, title), children)
}

/** Creates a button that shows only its icon. */
export function iconButton(name: IconName, label: string, attributes: Attributes): HTMLButtonElement {
  const labeled = { type: 'button', class: 'btn icon', 'aria-label': label, title: label, ...attributes }
  return h('button', labeled, icon(name))
}

/** Creates a status in its color and shape, with its reason phrase if `isLong`. */
export function statusMark(status: number, isLong = false): HTMLElement {
  const text = status === 0 ? 'none' : String(status)
  return h('span', { class: `st ${statusClass(status)}` }, isLong ? `${text} ${statusHint(status)}` : text)
}

/** Creates a method in its color. */
export function methodMark(method: string): HTMLElement {
  const unsafeClass = method === 'DELETE' ? 'd' : 'w'
  return h('span', { class: `m ${SAFE_METHODS.has(method) ? '' : unsafeClass}` }, method)
}

/** Creates a path with highlighted values of parameters. */
export function pathMark(path: string, template: string | null, query: string): Child {
  const parts = pathParts(path, template).map(({ text, isValue }) =>
    isValue ? h('span', { class: 'pv' }, text) : text,
  )
  return [parts, query !== '' && h('span', { class: 'q' }, `?${query}`)]
}

/** Creates a section with a heading. */
export function section(title: string, note: Child, ...children: readonly Child[]): HTMLElement {
  return h('section', { class: 'sec' }, h('h3', null, title, note && h('span', { class: 'r' }, note)), children)
}

/** Creates a list of names and values. Values that are `null` are omitted. */
export function pairs(entries: readonly (readonly [string, Child])[], kind: 'plain' | 'wire' = 'plain'): HTMLElement {
  const present = entries.filter(([, value]) => value !== null)
  const rows = present.map(([name, value]) => [h('dt', null, name), h('dd', null, value)])
  return h('dl', { class: kind === 'wire' ? 'kv hd' : 'kv' }, rows)
}

/** Creates a list of facts, with their secrets marked. */
export function factPairs(facts: readonly Fact[], kind?: 'wire'): HTMLElement {
  return pairs(
    facts.map(({ name, value, secret }) => [name, secret === true ? h('span', { class: 'red' }, value) : value]),
    kind,
  )
}

/** Creates text in a weaker color. */
export function secondaryText(text: Child): HTMLElement {
  return h('span', { class: 'dim' }, text)
}

/** Creates the line for a section without content. */
export function emptyMessage(text: string): HTMLElement {
  return h('p', { class: 'dim' }, text)
}

/** Creates the message for a view or a list without content. */
export function emptyState(title: string, ...children: readonly Child[]): HTMLElement {
  return h('div', { class: 'empty' }, h('p', null, title), children)
}

/** Creates a card with a heading. */
export function card(kind: string, title: string, note: Child, content: Child): HTMLElement {
  const text = typeof note === 'string' ? h('p', null, note) : note
  return h('section', { class: `card ${kind}` }, h('header', null, h('h2', null, title), text), content)
}
