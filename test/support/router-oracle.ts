/** A slow, simple reference router: compares all templates with a path segment by segment, and picks the best match. */

const RANKS = { literal: 0, parameter: 1, wildcard: 2 } as const
type Kind = keyof typeof RANKS

/** Returns the kind of a template segment. */
export function segmentKind(segment: string): Kind {
  if (!segment.startsWith('{')) return 'literal'
  return segment.endsWith('...}') ? 'wildcard' : 'parameter'
}

/** Splits a template or a path into segments. */
export function parseSegments(path: string): string[] {
  return path === '/' ? [] : path.slice(1).split('/')
}

function fits(template: string, path: string): boolean {
  const [parts, given] = [parseSegments(template), parseSegments(path)]
  if (given.includes('')) return false
  const last = parts.at(-1)
  const isOpen = last !== undefined && segmentKind(last) === 'wildcard'
  if (isOpen ? given.length < parts.length : given.length !== parts.length) return false
  return parts.every((part, at) => segmentKind(part) !== 'literal' || part === given[at])
}

/** Compares two templates: the leftmost segment of different kinds decides. */
function better(one: string, other: string): number {
  const ranks = [one, other].map((text) => parseSegments(text).map((segment) => RANKS[segmentKind(segment)]))
  const [first = [], second = []] = ranks
  const at = first.findIndex((rank, index) => rank !== second[index])
  return (first[at] ?? 0) - (second[at] ?? 0)
}

/** Returns the template that matches a decoded path. */
export function oracle(templates: readonly string[], path: string): string | undefined {
  return templates.filter((template) => fits(template, path)).toSorted(better)[0]
}

/** Returns the template that matches a percent-encoded path; `undefined` if a literal is not encoded as RFC 3986 requires. */
export function spellingOracle(templates: readonly string[], written: string): string | undefined {
  const segments = parseSegments(written)
  const decoded = segments.map((segment) => decodeURIComponent(segment).normalize('NFC'))
  const isDisguised = templates.some((template) =>
    parseSegments(template).some(
      (part, at, parts) =>
        segmentKind(part) === 'literal' &&
        part === decoded[at] &&
        upperHex(segments[at] ?? '') !== spellPath(part) &&
        parts.slice(0, at).every((before, index) => segmentKind(before) !== 'literal' || before === decoded[index]),
    ),
  )
  return isDisguised ? undefined : oracle(templates, `/${decoded.join('/')}`)
}

function upperHex(text: string): string {
  return text.replace(/%../g, (code) => code.toUpperCase())
}

/** Characters that need no encoding in a segment (RFC 3986 section 3.3, `pchar`). */
const PLAIN = /[A-Za-z0-9\-._~!$&'()*+,;=:@]/

/** Percent-encodes a literal; the only accepted spelling. */
function spellPath(text: string): string {
  return [...text].map((character) => (PLAIN.test(character) ? character : encodeSegment(character))).join('')
}

/** Percent-encodes every byte of a character, even if it needs no encoding. */
export function encodeSegment(character: string): string {
  return Buffer.from(character).toString('hex').toUpperCase().replace(/../g, '%$&')
}
