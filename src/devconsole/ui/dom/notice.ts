/** What the page says by itself: a short note, and text for screen readers alone. */
import { h } from './h.js'

const LASTS_MS = 2_600

const region = h('div', { class: 'vh', role: 'status', 'aria-live': 'polite' })

/** Where screen readers hear what changes; it stands in the page from the begin. */
export const liveRegion: HTMLElement = region

/** Says something to screen readers. */
export function say(text: string): void {
  region.textContent = text
}

/** Shows a note for a moment, and says it. */
export function toast(text: string): void {
  for (const old of document.querySelectorAll('.toast')) old.remove()
  const element = h('div', { class: 'toast', 'aria-hidden': 'true' }, text)
  document.body.append(element)
  say(text)
  setTimeout(() => element.remove(), LASTS_MS)
}

/** Copies a text. */
export async function copyText(text: string, what: string): Promise<void> {
  const isCopied = await writtenNotice(text)
  toast(isCopied ? `Copied ${what}` : 'The browser did not allow copying')
}

async function writtenNotice(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copiedBySelection(text)
  }
}

/** Pages that are not on this machine or on HTTPS have no clipboard. */
function copiedBySelection(text: string): boolean {
  const area = h('textarea', { class: 'vh', 'aria-hidden': 'true' })
  area.value = text
  document.body.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  return isCopied
}
