/** Links in the header `Link` (RFC 8288), and references to other places in header fields. */
import { describeDiscarded } from '../values/describe-type.js'
import { isToken } from './fields.js'

/** Relations: visible ASCII that may stand in quotes, split by spaces. */
const RELATIONS = /^[!#-[\]-~]+(?: [!#-[\]-~]+)*$/
const QUOTABLE = /^[\x20-\x7e]*$/

/** Percent-encodes what may not stand in a URI reference (RFC 3986), once: what is encoded already stays. */
export function encodeReference(text: string): string {
  if (typeof text !== 'string') {
    throw new TypeError(`Cannot link to a path or URL: it must be a string, not ${describeDiscarded(text)}`)
  }
  return text.replace(/[^\x21-\x7e]+|["<>\\^`{|}]/g, (part) => encodeURIComponent(part))
}

/** Writes one link (section 3). */
export function serializeLink(
  rel: string,
  href: string,
  attributes: Readonly<Record<string, string | undefined>>,
): string {
  if (typeof rel !== 'string')
    throw new TypeError(`Cannot link: the relation must be a string, not ${describeDiscarded(rel)}`)
  if (!RELATIONS.test(rel)) {
    throw new TypeError(`Cannot link as "${rel}": a relation is visible ASCII without quotes. Give one such as "next"`)
  }
  const parts = Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined ? [] : attribute(name, value),
  )
  return [`<${encodeReference(href)}>`, `rel="${rel}"`, ...parts].join('; ')
}

/** What is more than ASCII has a form of its own (RFC 8187). */
function attribute(name: string, value: string): string {
  if (!isToken(name) || name.endsWith('*') || name.toLowerCase() === 'rel') {
    throw new TypeError(`Cannot link with the attribute "${name}": it is no name of one. Give one such as "title"`)
  }
  if (typeof value !== 'string') {
    throw new TypeError(
      `Cannot link with the attribute "${name}": its value must be a string, not ${describeDiscarded(value)}`,
    )
  }
  if (QUOTABLE.test(value)) return `${name}="${value.replace(/["\\]/g, String.raw`\$&`)}"`
  const encoded = encodeURIComponent(value).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${name}*=UTF-8''${encoded}`
}
