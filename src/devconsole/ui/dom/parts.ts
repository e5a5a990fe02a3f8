/** Small parts that the views share. */
import type { Fact } from '../../wire-views-types.js'
import { pathParts, statusClass } from '../pure/format.js'
import { h, type Attributes, type Child, type Listeners } from './h.js'
import { icon, type IconName } from './icons.js'
import { statusTitle } from './titles.js'

/**
 * A button with an icon.
 *
 * @param name of the icon
 * @param label text; it is read out even where only the icon shows
 * @param attributes `class` replaces that of a plain button
 */
export function button(name: IconName, label: string, attributes: Attributes): HTMLButtonElement {
  return h('button', { type: 'button', class: 'btn', ...attributes }, icon(name), h('span', { class: 'txt' }, label))
}

/**
 * A button of text alone.
 *
 * @param label text
 * @param click what it does
 * @param className of the element
 */
export function textButton(label: Child, click: () => void, className = 'btn'): HTMLButtonElement {
  return h('button', { type: 'button', class: className, on: { click } }, label)
}

/** A field to search or filter with. */
export interface SearchField {
  readonly element: HTMLElement
  readonly input: HTMLInputElement
}

/**
 * A field to search or filter with, and the key that leads to it.
 *
 * @param label read out
 * @param placeholder what can be typed
 * @param on listeners of the input
 */
export function searchField(label: string, placeholder: string, on: Listeners): SearchField {
  const plain = { autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' }
  const input = h('input', { type: 'text', 'aria-label': label, placeholder, ...plain, on })
  return {
    input,
    element: h('div', { class: 'field' }, icon('search'), input, h('kbd', { 'aria-hidden': 'true' }, '/')),
  }
}

/**
 * A page that scrolls.
 *
 * @param title read out
 * @param children below
 */
export function pageOf(title: string, ...children: readonly Child[]): HTMLElement {
  const attributes = { class: 'page', tabindex: '0', role: 'region', 'aria-label': title }
  return h('div', attributes, h('h2', { class: 'vh' }, title), children)
}

/**
 * A button that shows its icon alone.
 *
 * @param name of the icon
 * @param label read out, and shown as a hint
 * @param attributes `class` replaces that of a plain button
 */
export function iconButton(name: IconName, label: string, attributes: Attributes): HTMLButtonElement {
  const all = { type: 'button', class: 'btn icon', 'aria-label': label, title: label, ...attributes }
  return h('button', all, icon(name))
}

/**
 * A status with its shape.
 *
 * @param status of an answer; 0 without one
 * @param isLong whether its title follows
 */
export function statusMark(status: number, isLong = false): HTMLElement {
  const text = status === 0 ? 'none' : String(status)
  return h('span', { class: `st ${statusClass(status)}` }, isLong ? `${text} ${statusTitle(status)}` : text)
}

/**
 * A method in its colour.
 *
 * @param method as sent
 */
export function methodMark(method: string): HTMLElement {
  const kinds: Readonly<Record<string, string>> = { POST: 'w', PUT: 'w', PATCH: 'w', DELETE: 'd' }
  return h('span', { class: `m ${Object.hasOwn(kinds, method) ? (kinds[method] ?? '') : ''}` }, method)
}

/**
 * A path whose parameter values stand out.
 *
 * @param path as sent
 * @param template of the route
 * @param query without `?`
 */
export function pathMark(path: string, template: string | null, query: string): Child {
  const parts = pathParts(path, template).map(({ text, isValue }) =>
    isValue ? h('span', { class: 'pv' }, text) : text,
  )
  return [parts, query !== '' && h('span', { class: 'q' }, `?${query}`)]
}

/**
 * A section with a heading.
 *
 * @param title of it
 * @param note on the right of the title
 * @param children below
 */
export function section(title: string, note: Child, ...children: readonly Child[]): HTMLElement {
  return h('section', { class: 'sec' }, h('h3', null, title, note && h('span', { class: 'r' }, note)), children)
}

/**
 * Names and values.
 *
 * @param entries those whose value is `null` are left out
 * @param kind `wire` for what was copied from it
 */
export function pairs(entries: readonly (readonly [string, Child])[], kind: 'plain' | 'wire' = 'plain'): HTMLElement {
  const shown = entries.filter(([, value]) => value !== null)
  const rows = shown.map(([name, value]) => [h('dt', null, name), h('dd', null, value)])
  return h('dl', { class: kind === 'wire' ? 'kv hd' : 'kv' }, rows)
}

/**
 * Facts as names and values.
 *
 * @param facts as they came
 * @param kind `wire` for names of options
 */
export function factPairs(facts: readonly Fact[], kind?: 'wire'): HTMLElement {
  return pairs(
    facts.map(({ name, value, secret }) => [name, secret === true ? h('span', { class: 'red' }, value) : value]),
    kind,
  )
}

/**
 * Words that matter less.
 *
 * @param text a few
 */
export function dim(text: Child): HTMLElement {
  return h('span', { class: 'dim' }, text)
}

/**
 * A line for a place where nothing is.
 *
 * @param text one sentence
 */
export function nothing(text: string): HTMLElement {
  return h('p', { class: 'dim' }, text)
}

/**
 * What stands in place of a list.
 *
 * @param title what is the case
 * @param children next steps
 */
export function emptyState(title: string, ...children: readonly Child[]): HTMLElement {
  return h('div', { class: 'empty' }, h('p', null, title), children)
}

/**
 * A card with a heading.
 *
 * @param kind `w4`, `w6`, `w8` or `w12`: how many of twelve columns it takes
 * @param title of it
 * @param note on the right of the title
 */
export function card(kind: string, title: string, note: Child): HTMLElement {
  return h('section', { class: `card ${kind}` }, h('header', null, h('h2', null, title), note))
}
