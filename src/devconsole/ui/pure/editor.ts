/** Links that open a place of the code in an editor. */
import type { CodePlace } from '../../wire/request-types.js'

/** Makes the link. Returns `null` when there is no editor. */
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

/** A place as it is written. */
export function placeText(place: CodePlace): string {
  return `${place.file}:${place.line}`
}
