/** Where one word of a name ends and the next begins. */

const SEPARATORS = /[_$]+/

/**
 * Splits a class name into its words. A capital begins a word; in a run of capitals only the last one before a small
 * letter does (`APIStatus`: `API`, `Status`). Digits stay with the letters before them; `_` and `$` separate words.
 */
export function splitWords(name: string): string[] {
  return name
    .split(SEPARATORS)
    .filter((part) => part !== '')
    .flatMap(splitAtCapitals)
}

function splitAtCapitals(part: string): string[] {
  const words: string[] = []
  let start = 0
  for (let index = 1; index < part.length; index++) {
    if (!startsWord(part, index)) continue
    words.push(part.slice(start, index))
    start = index
  }
  words.push(part.slice(start))
  return words
}

function startsWord(part: string, index: number): boolean {
  if (!isCapital(part.charAt(index))) return false
  return !isCapital(part.charAt(index - 1)) || isSmall(part.charAt(index + 1))
}

// Both look at one UTF-16 unit, as template literal types do: the type level has to come to the same words.
function isCapital(unit: string): boolean {
  return unit !== unit.toLowerCase()
}

function isSmall(unit: string): boolean {
  return unit !== unit.toUpperCase()
}
