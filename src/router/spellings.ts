/**
 * Other spellings of literals, such as `/%73ecret` for `/secret`. A parameter in their place would match them and bypass the guards.
 *
 * @see docs/decisions/0016-encodings-of-literals.md
 */
import { plainForm, type Template } from './template.js'

export interface Spellings {
  readonly root: SpellingPlace
  /** Maximum number of segments of a template up to its last literal. */
  depth: number
  /** Whether a literal has a character that requests may send unencoded, although it must be encoded. */
  hasBare: boolean
}

/** Position between two segments, with all next segments that lead to a literal. */
interface SpellingPlace {
  readonly literals: Map<string, SpellingPlace>
  behindAny: SpellingPlace | undefined
}

/** Matches encoded `"`, `<`, `>` and backtick: characters of templates that `encodeURI` encodes, but requests may send unencoded. */
const BARE_PATH = /%(?:22|3C|3E|60)/

export function createSpellings(): Spellings {
  return { root: createPlace(), depth: 0, hasBare: false }
}

function createPlace(): SpellingPlace {
  return { literals: new Map(), behindAny: undefined }
}

export function addSpellings(spellings: Spellings, { segments }: Template): void {
  const end = segments.findLastIndex(({ kind }) => kind === 'literal') + 1
  let place = spellings.root
  for (const segment of segments.slice(0, end)) {
    if (segment.kind === 'literal') {
      const next = place.literals.get(segment.text) ?? createPlace()
      place.literals.set(segment.text, next)
      place = next
      spellings.hasBare ||= BARE_PATH.test(segment.text)
    } else place = place.behindAny ??= createPlace()
  }
  spellings.depth = Math.max(spellings.depth, end)
}

/** Whether a segment equals a literal of a matching template after decoding and NFC, but has another spelling. */
export function hasOtherSpelling({ root, depth }: Spellings, path: string): boolean {
  const pathSegments = path.slice(1).split('/', depth)
  const segments = pathSegments.map((text) => ({ text, plain: plainForm(decodeURIComponent(text)) }))
  return isOther(root, segments, 0)
}

/** Searches all matching templates. Each place has only one path to it, so a search visits each place at most once. */
function isOther(place: SpellingPlace, segments: readonly { text: string; plain: string }[], at: number): boolean {
  const segment = segments[at]
  if (segment === undefined) return false
  const { text, plain } = segment
  const literal = place.literals.get(plain)
  if (literal !== undefined && (text !== plain || isOther(literal, segments, at + 1))) return true
  return place.behindAny !== undefined && isOther(place.behindAny, segments, at + 1)
}
