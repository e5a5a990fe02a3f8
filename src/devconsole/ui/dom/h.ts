/**
 * Makes elements. Text reaches the page as text alone, and lengths as custom properties: the policy of the page allows no
 * markup from strings and no `style` attribute.
 */

/** What may stand in an element. */
export type Child = Node | string | number | null | undefined | false | readonly Child[]

/** Listeners by the name of their event. */
export type Listeners = {
  readonly [Name in keyof GlobalEventHandlersEventMap]?: (event: GlobalEventHandlersEventMap[Name]) => void
}

type Attribute = string | number | boolean | null | undefined

/** Attributes; those that are null, undefined or false are left out. */
export interface Attributes {
  readonly on?: Listeners
  /** Custom properties and lengths. */
  readonly css?: Readonly<Record<string, string>>
  readonly [name: string]: Attribute | Listeners | Readonly<Record<string, string>>
}

const SVG = 'http://www.w3.org/2000/svg'

/** Makes an element of HTML. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes?: Attributes | null,
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  return withChildren(document.createElement(tag), attributes ?? {}, children)
}

/** Makes an element of SVG. */
export function s<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes?: Attributes | null,
  ...children: readonly Child[]
): SVGElementTagNameMap[Tag] {
  return withChildren(document.createElementNS(SVG, tag), attributes ?? {}, children)
}

function withChildren<Made extends HTMLElement | SVGElement>(
  element: Made,
  attributes: Attributes,
  children: readonly Child[],
): Made {
  const { on, css, ...rest } = attributes
  for (const [name, value] of Object.entries(rest)) {
    if (typeof value !== 'object') setAttribute(element, name, value)
  }
  for (const [name, value] of Object.entries(css ?? {})) element.style.setProperty(name, value)
  if (on !== undefined) listen(element, on)
  append(element, children)
  return element
}

/** Sets an attribute, or takes it away for null, undefined and false. */
export function setAttribute(element: Element, name: string, value: Attribute): void {
  if (value === null || value === undefined || value === false) element.removeAttribute(name)
  else element.setAttribute(name, value === true ? '' : String(value))
}

function listen(element: Element, listeners: Listeners): void {
  for (const [name, listener] of Object.entries(listeners)) {
    // Proof: the type of `Listeners` ties each listener to the event of its name.
    element.addEventListener(name, listener as EventListener)
  }
}

/** Adds children. */
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

/** Replaces all children, but moves only those at another place, so that focus and hover stay. */
export function placeChildren(parent: Element, elements: readonly Element[]): void {
  const kept = new Set(elements)
  for (const child of [...parent.children]) if (!kept.has(child)) child.remove()
  for (const [index, element] of elements.entries()) {
    const present = parent.children[index] ?? null
    if (present !== element) parent.insertBefore(element, present)
  }
}
