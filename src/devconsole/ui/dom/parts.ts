/** Small parts that the views share. */
import type { Fact } from '../../wire/view-types.js'
import { pathParts, statusClass } from '../pure/format.js'
import { SAFE_METHODS } from '../pure/messages.js'
import { h, type Attributes, type Child, type Listeners } from './h.js'
import { icon, type IconName } from './icons.js'
import { statusHint } from './titles.js'

/** A button with an icon. */
export function button(name: IconName, label: string, attributes: Attributes): HTMLButtonElement {
  return h('button', { type: 'button', class: 'btn', ...attributes }, icon(name), h('span', { class: 'txt' }, label))
}

/** A button of text alone. */
export function textButton(label: Child, click: () => void, className = 'btn'): HTMLButtonElement {
  return h('button', { type: 'button', class: className, on: { click } }, label)
}

/** A field to search or filter with. */
interface SearchField {
  readonly element: HTMLElement
  readonly input: HTMLInputElement
}

/** A field to search or filter with, and the key that leads to it. */
export function searchField(label: string, placeholder: string, on: Listeners): SearchField {
  const plain = { autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' }
  const input = h('input', { type: 'text', 'aria-label': label, placeholder, ...plain, on })
  return {
    input,
    element: h('div', { class: 'field' }, icon('search'), input, h('kbd', { 'aria-hidden': 'true' }, '/')),
  }
}

/** A page that scrolls. */
export function pageElement(title: string, ...children: readonly Child[]): HTMLElement {
  const attributes = { class: 'page', tabindex: '0', role: 'region', 'aria-label': title }
  return h('div', attributes, h('h2', { class: 'vh' }, title), children)
}

/** A button that shows its icon alone. */
export function iconButton(name: IconName, label: string, attributes: Attributes): HTMLButtonElement {
  const all = { type: 'button', class: 'btn icon', 'aria-label': label, title: label, ...attributes }
  return h('button', all, icon(name))
}

/** A status with its shape. */
export function statusMark(status: number, isLong = false): HTMLElement {
  const text = status === 0 ? 'none' : String(status)
  return h('span', { class: `st ${statusClass(status)}` }, isLong ? `${text} ${statusHint(status)}` : text)
}

/** A method in its colour. */
export function methodMark(method: string): HTMLElement {
  const writes = method === 'DELETE' ? 'd' : 'w'
  return h('span', { class: `m ${SAFE_METHODS.has(method) ? '' : writes}` }, method)
}

/** A path whose parameter values stand out. */
export function pathMark(path: string, template: string | null, query: string): Child {
  const parts = pathParts(path, template).map(({ text, isValue }) =>
    isValue ? h('span', { class: 'pv' }, text) : text,
  )
  return [parts, query !== '' && h('span', { class: 'q' }, `?${query}`)]
}

/** A section with a heading. */
export function section(title: string, note: Child, ...children: readonly Child[]): HTMLElement {
  return h('section', { class: 'sec' }, h('h3', null, title, note && h('span', { class: 'r' }, note)), children)
}

/** Names and values. */
export function pairs(entries: readonly (readonly [string, Child])[], kind: 'plain' | 'wire' = 'plain'): HTMLElement {
  const present = entries.filter(([, value]) => value !== null)
  const rows = present.map(([name, value]) => [h('dt', null, name), h('dd', null, value)])
  return h('dl', { class: kind === 'wire' ? 'kv hd' : 'kv' }, rows)
}

/** Facts as names and values. */
export function factPairs(facts: readonly Fact[], kind?: 'wire'): HTMLElement {
  return pairs(
    facts.map(({ name, value, secret }) => [name, secret === true ? h('span', { class: 'red' }, value) : value]),
    kind,
  )
}

/** Words that matter less. */
export function secondaryText(text: Child): HTMLElement {
  return h('span', { class: 'dim' }, text)
}

/** A line for a place where nothing is. */
export function emptyMessage(text: string): HTMLElement {
  return h('p', { class: 'dim' }, text)
}

/** What stands in place of a list. */
export function emptyState(title: string, ...children: readonly Child[]): HTMLElement {
  return h('div', { class: 'empty' }, h('p', null, title), children)
}

/** A card with a heading. */
export function card(kind: string, title: string, note: Child): HTMLElement {
  return h('section', { class: `card ${kind}` }, h('header', null, h('h2', null, title), note))
}
