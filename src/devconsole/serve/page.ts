/** The page of the console: what was built of `ui/`, with what differs from start to start. */
import { PAGE } from './page.generated.js'

/** What stands in the page. None of it reaches script or style, so that their hashes hold. */
interface PageFacts {
  readonly token: string
  readonly name: string
  readonly version: string
  readonly boot: string
}

const PLACES: readonly (keyof PageFacts)[] = ['token', 'name', 'version', 'boot']

export function renderPage(facts: PageFacts): string {
  return PLACES.reduce((page, key) => page.replaceAll(`{{${key}}}`, () => escapeHtml(facts[key])), PAGE)
}

/** Makes a text safe between tags and inside of quoted attributes; no place of the page can stand in it afterwards. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`{]/g, (character) => `&#${character.charCodeAt(0)};`)
}
