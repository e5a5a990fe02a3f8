/** Notices of the page: short notes, and messages for screen readers. */
import { h } from './h.js'

const TOAST_MS = 2_600

const region = h('div', { class: 'vh', role: 'status', 'aria-live': 'polite' })

/** Region whose changes screen readers announce. It must be in the page before its text changes. */
export const liveRegion: HTMLElement = region

/** Announces a message in screen readers. */
export function say(text: string): void {
  region.textContent = text
}

/** Shows a note for 2.6 seconds, and announces it. */
export function toast(text: string): void {
  for (const old of document.querySelectorAll('.toast')) old.remove()
  const element = h('div', { class: 'toast', 'aria-hidden': 'true' }, text)
  document.body.append(element)
  say(text)
  setTimeout(() => element.remove(), TOAST_MS)
}

/** Copies text, and reports the result in a note. */
export async function copyText(text: string, what: string): Promise<void> {
  const isCopied = await writeClipboard(text)
  toast(isCopied ? `Copied ${what}` : 'The browser did not allow copying')
}

/** Returns whether the text was copied. */
async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copySelection(text)
  }
}

/** Copies by a selection, because `navigator.clipboard` exists only on HTTPS and on localhost. */
function copySelection(text: string): boolean {
  const area = h('textarea', { class: 'vh', 'aria-hidden': 'true' })
  area.value = text
  document.body.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  return isCopied
}
