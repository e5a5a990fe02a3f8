/** Other spellings of literals, such as `/%73ecret` for `/secret`: a parameter beside the literal would take them, past its guards. */
import { plainForm, type Template } from './template.js'

export interface Spellings {
  readonly root: SpellingPlace
  /** Segments of the longest template up to its last literal. */
  depth: number
  /** Whether a literal has a character that requests may also send as it is, though it belongs encoded. */
  hasBare: boolean
}

/** A point between two segments: the ways on that lead to a literal. */
interface SpellingPlace {
  readonly literals: Map<string, SpellingPlace>
  behindAny: SpellingPlace | undefined
}

/** `"`, `<`, `>` and the backtick: `encodeURI` encodes them, a template may have them, and a request may send them as they are. */
const BARE = /%(?:22|3C|3E|60)/

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
      spellings.hasBare ||= BARE.test(segment.text)
    } else place = place.behindAny ??= createPlace()
  }
  spellings.depth = Math.max(spellings.depth, end)
}

/** Tells whether a segment is, decoded and in NFC, a literal of a template that fits up to there, but is not written like it. */
export function hasOtherSpelling({ root, depth }: Spellings, path: string): boolean {
  const pathSegments = path.slice(1).split('/', depth)
  const segments = pathSegments.map((text) => ({ text, plain: plainForm(decodeURIComponent(text)) }))
  return isOther(root, segments, 0)
}

/** Goes every way that fits. A place is reached in one way only, so there are at most as many steps as places. */
function isOther(place: SpellingPlace, segments: readonly { text: string; plain: string }[], at: number): boolean {
  const segment = segments[at]
  if (segment === undefined) return false
  const { text, plain } = segment
  const literal = place.literals.get(plain)
  if (literal !== undefined && (text !== plain || isOther(literal, segments, at + 1))) return true
  return place.behindAny !== undefined && isOther(place.behindAny, segments, at + 1)
}
