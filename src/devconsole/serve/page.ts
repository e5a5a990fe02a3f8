/** The page of the console: what was built of `ui/`, with what differs from start to start. */
import { PAGE } from './page.generated.js'

/** What stands in the page. None of it reaches script or style, so that their hashes hold. */
type PageFacts = Readonly<Record<(typeof PLACES)[number], string>>
const PLACES = ['token', 'name', 'version', 'boot'] as const

export function renderPage(facts: PageFacts): string {
  return PLACES.reduce<string>((page, key) => page.replaceAll(`{{${key}}}`, () => escapeHtml(facts[key])), PAGE)
}

/** Makes a text safe between tags and inside of quoted attributes; no place of the page can stand in it afterwards. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`{]/g, (character) => `&#${character.charCodeAt(0)};`)
}
