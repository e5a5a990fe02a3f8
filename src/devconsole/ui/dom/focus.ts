/** Keeps the focus where it is when the part of the page around it is drawn anew. */

const FOCUSABLE = 'a[href], button, summary, input, select, textarea, [tabindex]'

/** Draws a part of the page. What stands at the place of the element that had the focus has it afterwards. */
export function keepFocus(inside: Element, draw: () => void): void {
  const focused = document.activeElement
  const index = focused instanceof HTMLElement ? focusable(inside).indexOf(focused) : -1
  draw()
  if (!(focused instanceof HTMLElement) || index === -1 || document.activeElement === focused) return
  // The element itself may be there again: what was moved has lost the focus, too.
  const next = focused.isConnected ? focused : focusable(inside)[index]
  next?.focus({ preventScroll: true })
}

function focusable(inside: Element): HTMLElement[] {
  return [...inside.querySelectorAll<HTMLElement>(FOCUSABLE)]
}
