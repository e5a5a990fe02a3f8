/** How strings express lists: with commas in headers and paths, and as `tag[]` in queries and forms. Decided during setup. */
import { BareRecord } from '../../values/objects.js'
import { trimBlanks } from '../../values/trim-blanks.js'
import type { RawText, TextValue } from './convert-text.js'

/** Part of a request, or the environment. */
export type TextPlace = 'params' | 'query' | 'headers' | 'cookies' | 'fields' | 'environment'

/** Strings whose lists are arrays. */
interface SplitText {
  readonly raw: RawText
  /** Standard Schema issues by key. */
  readonly rejections: ReadonlyMap<string, object>
}

type SplitLists = (raw: RawText) => SplitText

const NO_REJECTIONS: ReadonlyMap<string, object> = new Map()

/**
 * Returns the function that reads the lists of a place; `null` if there are none.
 *
 * @param lists keys that accept only lists
 * @param brackets keys of lists by their spelling with `[]`
 */
export function listSplitter(
  place: TextPlace,
  lists: readonly string[],
  brackets: ReadonlyMap<string, string>,
): SplitLists | null {
  if (place === 'headers' && lists.length > 0) return splitHeaders(lists)
  if (place === 'params' && lists.length > 0) return rejectEmptyItems(lists)
  return brackets.size > 0 ? readBrackets(brackets) : null
}

/** Splits lists of headers (RFC 9110 section 5.6.1). Several lines of a header are already joined by commas. */
function splitHeaders(lists: readonly string[]): SplitLists {
  return (sent) => {
    const raw = copyText(sent)
    for (const key of lists) {
      const value = sent[key]
      if (typeof value === 'string') raw[key] = value.split(',').map(trimBlanks).filter(Boolean)
    }
    return { raw, rejections: NO_REJECTIONS }
  }
}

/** Lists of paths are split before they are decoded. An empty item is rejected, because a path has no empty segments either. */
function rejectEmptyItems(lists: readonly string[]): SplitLists {
  return (raw) => {
    const rejections = new Map<string, object>()
    for (const key of lists) {
      const at = [raw[key]].flat().indexOf('')
      if (at >= 0) rejections.set(key, { message: 'Expected no empty item', path: [key, at] })
    }
    return { raw, rejections }
  }
}

/** Reads `tag[]` as `tag`, as many clients spell the items of a list. */
function readBrackets(brackets: ReadonlyMap<string, string>): SplitLists {
  return (sent) => {
    const spelled = [...brackets].filter(([spelling]) => Object.hasOwn(sent, spelling))
    if (spelled.length === 0) return { raw: sent, rejections: NO_REJECTIONS }
    const raw = copyText(sent)
    const rejections = new Map<string, object>()
    for (const [spelling, key] of spelled) {
      delete raw[spelling]
      if (Object.hasOwn(sent, key)) {
        const message = `Expected only one of the spellings ${key} and ${spelling}`
        rejections.set(key, { message, path: [key] })
      } else raw[key] = sent[spelling]
    }
    return { raw, rejections }
  }
}

function copyText(raw: RawText): BareRecord<TextValue | undefined> {
  return Object.assign(new BareRecord<TextValue | undefined>(), raw)
}
