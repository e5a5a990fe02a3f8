/** HTML from literals of this folder. All other text is escaped. */

/** Text that is HTML. Only `markup` creates it. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Content of an element: text is escaped, `null` and `false` are nothing. */
export type Content = Html | string | number | null | false | readonly Content[]

/** Builds HTML from a template whose parts are escaped, also in attributes, which must have double quotes. */
export function markup(literals: TemplateStringsArray, ...parts: readonly Content[]): Html {
  return new Html(literals.reduce((text, literal, index) => text + toText(parts[index - 1] ?? null) + literal, ''))
}

function toText(content: Content): string {
  if (content instanceof Html) return content.text
  if (typeof content === 'string') return escapeText(content)
  if (typeof content === 'number') return String(content)
  return content === null || content === false ? '' : content.map(toText).join('')
}

/** Escapes markup, and replaces control characters and halves of characters, which HTML does not allow. */
function escapeText(text: string): string {
  if (!SPECIAL.test(text)) return text
  return text
    .replaceAll(INVALID, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** Characters that must be replaced. Most strings contain none of them. */
// oxlint-disable-next-line no-control-regex -- these characters are searched for
const SPECIAL = /[&<>"\0-\x08\x0B\x0C\x0E-\x1F\x7F\uD800-\uDFFF]/
// oxlint-disable-next-line no-control-regex -- as above
const INVALID = /[\0-\x08\x0B\x0C\x0E-\x1F\x7F\uD800-\uDFFF]/gu
