/** `Link` headers (RFC 8288), and URI references in headers. */
import { describeDiscarded } from '../values/describe-type.js'
import { isToken } from './fields.js'

/** Relations separated by spaces. They are visible ASCII without quotes and backslashes, so they can be quoted. */
const RELATIONS = /^[!#-[\]-~]+(?: [!#-[\]-~]+)*$/
const QUOTABLE = /^[\x20-\x7e]*$/

/** Percent-encodes characters that are invalid in a URI reference (RFC 3986). Existing percent-encodings stay unchanged. */
export function encodeReference(text: string): string {
  if (typeof text !== 'string') {
    throw new TypeError(`Cannot link to a path or URL: it must be a string, not ${describeDiscarded(text)}`)
  }
  return text.replace(/[^\x21-\x7e]+|["<>\\^`{|}]/g, (part) => encodeURIComponent(part))
}

/** Serializes one link (RFC 8288 section 3). */
export function serializeLink(
  rel: string,
  href: string,
  attributes: Readonly<Record<string, string | undefined>>,
): string {
  if (typeof rel !== 'string')
    throw new TypeError(`Cannot link: the relation must be a string, not ${describeDiscarded(rel)}`)
  if (!RELATIONS.test(rel)) {
    throw new TypeError(
      `Cannot link as "${rel}": the relation must be visible ASCII without quotes and backslashes. Write a relation such as "next"`,
    )
  }
  const parts: string[] = []
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) parts.push(formatAttribute(name, value))
  }
  return [`<${encodeReference(href)}>`, `rel="${rel}"`, ...parts].join('; ')
}

/** Formats an attribute. Values outside ASCII are encoded by RFC 8187, with `*` after the name. */
function formatAttribute(name: string, value: string): string {
  if (!isToken(name) || name.endsWith('*') || name.toLowerCase() === 'rel') {
    throw new TypeError(
      `Cannot link with the attribute "${name}": its name must be a token without "*" at the end, and not "rel". Use a name such as "title"`,
    )
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
