/** Links that open a line of code in the user's editor. */
import type { CodePlace } from '../../../src/devconsole/wire/request-types.js'

/** Formats the link. Returns `null` if no editor is configured. */
export function editorLink(
  template: string | null,
  root: string,
  place: CodePlace & { readonly column?: number },
): string | null {
  if (template === null) return null
  const isAbsolute = /^(?:[/\\]|[A-Za-z]:)/.test(place.file)
  const file = isAbsolute ? place.file : `${root.replace(/[/\\]$/, '')}/${place.file}`
  const path = file.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/').replaceAll('%3A', ':')
  return template
    .replaceAll('{file}', () => path)
    .replaceAll('{line}', String(place.line))
    .replaceAll('{column}', String(Math.max(1, place.column ?? 1)))
}

export function placeText(place: CodePlace): string {
  return `${place.file}:${place.line}`
}
