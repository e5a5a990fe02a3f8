/** The link into an editor that the author of an app names. */

/** Schemes that a browser would run or load. */
const NOT_EDITORS: ReadonlySet<string> = new Set(['javascript', 'data', 'vbscript', 'blob', 'file', 'http', 'https'])

/**
 * Tells whether a text is a link into an editor.
 *
 * @param template as named in the options
 * @returns the template; `null` for one whose scheme is none of an editor
 */
export function editorTemplate(template: string): string | null {
  const scheme = template.slice(0, Math.max(0, template.indexOf(':'))).toLowerCase()
  return /^[a-z][a-z0-9+.-]*$/.test(scheme) && !NOT_EDITORS.has(scheme) ? template : null
}
