/** Restores the focus after a part of the page is drawn again. */

const FOCUSABLE = 'a[href], button, summary, input, select, textarea, [tabindex]'

/** Draws a part of the page. If the focused element is replaced, the element at the same position receives the focus. */
export function keepFocus(inside: Element, draw: () => void): void {
  const focused = document.activeElement
  const index = focused instanceof HTMLElement ? listFocusable(inside).indexOf(focused) : -1
  draw()
  if (!(focused instanceof HTMLElement) || index === -1 || document.activeElement === focused) return
  // An element also loses the focus when it is moved.
  const next = focused.isConnected ? focused : listFocusable(inside)[index]
  next?.focus({ preventScroll: true })
}

function listFocusable(inside: Element): HTMLElement[] {
  return [...inside.querySelectorAll<HTMLElement>(FOCUSABLE)]
}
