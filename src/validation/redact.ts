/** Takes what a client sent back out of the messages that libraries make of it. */
import { isObject } from '../values/objects.js'
import { valueAt } from './path.js'

const HIDDEN = '"..."'

/** Replaces quoted text of a refused value, which may be a password. Numbers and bare words stay: the rule itself may hold them. */
export class Redactor {
  readonly #root: unknown
  #strings: StringsWithin | undefined

  constructor(root: unknown) {
    this.#root = root
  }

  redact(message: string, path: readonly unknown[], longest: number): string {
    if (!message.includes('"')) return message
    const value = valueAt(this.#root, path)
    if (typeof value === 'string') return hideText(message, value)
    if (!isObject(value)) return message
    const strings = (this.#strings ??= new StringsWithin(Object(this.#root)))
    return replaceQuoted(message, longest, (quoted) => strings.has(value, quoted))
  }
}

// Some libraries escape what they quote, some do not.
function hideText(message: string, text: string): string {
  if (message.length < text.length + 2) return message
  return message.replaceAll(JSON.stringify(text), HIDDEN).replaceAll(`"${text}"`, HIDDEN)
}

// By hand: an expression looks at an open quote again and again, and runs out of stack in a text of some megabytes.
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

/** Which texts stand in an object, as positions in the walk: `to` is the first behind them. */
class Span {
  from = 0
  to = 0
}

/** Tells which texts a part of a value holds, at any depth: one walk, however many parts are asked about. */
class StringsWithin {
  /** Where each text stands, by its form in JSON. */
  readonly #places = new Map<string, number[]>()
  readonly #spans = new Map<object, Span>()
  #count = 0
  /** What stands in two places is walked through once, so only one of them would know of its texts. */
  #isTree = true

  constructor(root: object) {
    // A list of what is left instead of a call for each level: a value may nest deeper than calls can.
    const pending: unknown[] = [root]
    while (pending.length > 0) {
      const next = pending.pop()
      if (typeof next === 'string') this.#note(next)
      else if (next instanceof Span) next.to = this.#count
      else if (isObject(next)) this.#enter(next, pending)
    }
  }

  /** Errs on the safe side: where the value is no tree, or the part was not met in it, a text may stand anywhere. */
  has(part: object, quoted: string): boolean {
    const places = this.#places.get(quoted)
    const span = this.#isTree ? this.#spans.get(part) : undefined
    if (places === undefined || span === undefined) return places !== undefined
    const place = places[firstFrom(places, span.from)]
    return place !== undefined && place < span.to
  }

  /** The span comes before the members in the list, so it is met again, and closed, after all of them. */
  #enter(holder: object, left: unknown[]): void {
    if (this.#spans.has(holder)) {
      this.#isTree = false
      return
    }
    const span = new Span()
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

/** The index of the first of some ascending numbers that is not below another. */
function firstFrom(numbers: readonly number[], least: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (Number(numbers[middle]) < least) low = middle + 1
    else high = middle
  }
  return low
}
