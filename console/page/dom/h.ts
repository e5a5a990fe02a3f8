/**
 * Creates elements. Strings become text nodes, and lengths become custom properties, because the Content-Security-Policy of the page
 * forbids markup from strings and `style` attributes.
 */

/** Content of an element. `null`, `undefined` and `false` are omitted. */
export type Child = Node | string | number | null | undefined | false | readonly Child[]

/** Listeners by event name. */
export type Listeners = {
  readonly [Name in keyof GlobalEventHandlersEventMap]?: (event: GlobalEventHandlersEventMap[Name]) => void
}

type Attribute = string | number | boolean | null | undefined

/** Attributes of an element. `null`, `undefined` and `false` are omitted. */
export interface Attributes {
  readonly on?: Listeners
  /** Custom properties and lengths. */
  readonly css?: Readonly<Record<string, string>>
  readonly [name: string]: Attribute | Listeners | Readonly<Record<string, string>>
}

const SVG = 'http://www.w3.org/2000/svg'

/** Creates an HTML element. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes?: Attributes | null,
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  return withChildren(document.createElement(tag), attributes ?? {}, children)
}

/** Creates an SVG element. */
export function s<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes?: Attributes | null,
  ...children: readonly Child[]
): SVGElementTagNameMap[Tag] {
  return withChildren(document.createElementNS(SVG, tag), attributes ?? {}, children)
}

function withChildren<Created extends HTMLElement | SVGElement>(
  element: Created,
  attributes: Attributes,
  children: readonly Child[],
): Created {
  const { on, css, ...rest } = attributes
  for (const [name, value] of Object.entries(rest)) {
    if (typeof value !== 'object') setAttribute(element, name, value)
  }
  for (const [name, value] of Object.entries(css ?? {})) element.style.setProperty(name, value)
  if (on !== undefined) listen(element, on)
  append(element, children)
  return element
}

/** Sets an attribute. Removes it if the value is `null`, `undefined` or `false`. */
export function setAttribute(element: Element, name: string, value: Attribute): void {
  if (value === null || value === undefined || value === false) element.removeAttribute(name)
  else element.setAttribute(name, value === true ? '' : String(value))
}

function listen(element: Element, listeners: Listeners): void {
  for (const [name, listener] of Object.entries(listeners)) {
    // Proof: `Listeners` has a listener for each event name that accepts this event.
    element.addEventListener(name, listener as EventListener)
  }
}

export function append(parent: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue
    if (typeof child === 'string' || typeof child === 'number') parent.append(String(child))
    else if (child instanceof Node) parent.append(child)
    else append(parent, child)
  }
}

/** Replaces all children. */
export function fill(parent: Element, ...children: readonly Child[]): void {
  parent.replaceChildren()
  append(parent, children)
}

/** Replaces all children. An element that is already at its position is not moved, so that it keeps focus and hover. */
export function placeChildren(parent: Element, elements: readonly Element[]): void {
  const next = new Set(elements)
  for (const child of [...parent.children]) if (!next.has(child)) child.remove()
  for (const [index, element] of elements.entries()) {
    const present = parent.children[index] ?? null
    if (present !== element) parent.insertBefore(element, present)
  }
}
