/** Removes the values that a client sent from the messages of validation libraries. */
import { isObject } from '../values/objects.js'
import { readPath } from './path.js'

const HIDDEN = '"..."'

/** Replaces quoted strings of an invalid value, such as a password. Keeps numbers and unquoted words, which may be part of the rule. */
export class Redactor {
  readonly #root: unknown
  #strings: StringsWithin | undefined

  constructor(root: unknown) {
    this.#root = root
  }

  redact(message: string, path: readonly unknown[], longest: number): string {
    const value = readPath(this.#root, path)
    if (typeof value === 'string') return hideText(message, value)
    if (!isObject(value)) return message
    const strings = (this.#strings ??= new StringsWithin(Object(this.#root)))
    return replaceQuoted(message, longest, (quoted) => strings.has(value, quoted))
  }
}

// Some libraries escape the strings that they quote, others do not.
function hideText(message: string, text: string): string {
  if (message.length < text.length + 2) return message
  return message.replaceAll(JSON.stringify(text), HIDDEN).replaceAll(`"${text}"`, HIDDEN)
}

// Not a regular expression: it would scan from each open quote again, and overflow the stack for strings of some megabytes.
function replaceQuoted(message: string, longest: number, isHidden: (quoted: string) => boolean): string {
  let text = ''
  let from = 0
  while (text.length <= longest) {
    const open = message.indexOf('"', from)
    const end = open < 0 ? -1 : endOfQuoted(message, open)
    if (end < 0) break
    const quoted = message.slice(open, end)
    text += message.slice(from, open) + (isHidden(quoted) ? HIDDEN : quoted)
    from = end
  }
  return text + message.slice(from)
}

function endOfQuoted(message: string, open: number): number {
  let at = message.indexOf('"', open + 1)
  while (at >= 0 && isEscaped(message, at)) at = message.indexOf('"', at + 1)
  return at < 0 ? -1 : at + 1
}

function isEscaped(message: string, at: number): boolean {
  let slashes = 0
  while (message[at - 1 - slashes] === '\\') slashes++
  return slashes % 2 === 1
}

/** The strings in an object, as a range of positions in the traversal. `to` is exclusive. */
class TextSpan {
  from = 0
  to = 0
}

/** Finds out whether a part of a value contains a string, at any depth. Traverses the value once for all parts. */
class StringsWithin {
  /** Positions of each string, by its JSON. */
  readonly #places = new Map<string, number[]>()
  readonly #spans = new Map<object, TextSpan>()
  #count = 0
  /** `false` if an object occurs twice. It is traversed only once, so only one of its places contains its strings. */
  #isTree = true

  constructor(root: object) {
    // A stack instead of recursion, because a value can be nested deeper than calls.
    const pending: unknown[] = [root]
    while (pending.length > 0) {
      const next = pending.pop()
      if (typeof next === 'string') this.#note(next)
      else if (next instanceof TextSpan) next.to = this.#count
      else if (isObject(next)) this.#enter(next, pending)
    }
  }

  /** Whether a part contains a string. If the value is not a tree, or the part is unknown, checks the whole value to be safe. */
  has(part: object, quoted: string): boolean {
    const places = this.#places.get(quoted)
    const span = this.#isTree ? this.#spans.get(part) : undefined
    if (places === undefined || span === undefined) return places !== undefined
    const place = places[firstUnquoted(places, span.from)]
    return place !== undefined && place < span.to
  }

  /** Pushes the span before the members, so that it is popped and closed after all of them. */
  #enter(holder: object, left: unknown[]): void {
    if (this.#spans.has(holder)) {
      this.#isTree = false
      return
    }
    const span = new TextSpan()
    span.from = this.#count
    this.#spans.set(holder, span)
    left.push(span)
    for (const member of Object.values(holder)) left.push(member)
  }

  #note(text: string): void {
    const quoted = JSON.stringify(text)
    const places = this.#places.get(quoted) ?? []
    this.#places.set(quoted, places)
    places.push(this.#count++)
  }
}

/** Returns the index of the first number that is at least `least`, by binary search in ascending numbers. */
function firstUnquoted(numbers: readonly number[], least: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (Number(numbers[middle]) < least) low = middle + 1
    else high = middle
  }
  return low
}
