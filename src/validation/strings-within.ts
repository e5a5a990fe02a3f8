/** The texts within a value, found in one walk, however many parts of the value are asked about. */
import { isObject } from '../values/objects.js'

/** Which of the texts, in the order of the walk, stand in an object: from the first on, up to the end. */
interface Span {
  readonly from: number
  to: number
}

interface Frame {
  readonly span: Span
  readonly members: readonly unknown[]
  next: number
}

/** Tells which texts a part of a value holds, at any depth. */
export class StringsWithin {
  /** Where each text stands, by its form in JSON. */
  readonly #places = new Map<string, number[]>()
  readonly #spans = new Map<object, Span>()
  #count = 0
  /** What stands in two places is walked through once, so only one of them would know of its texts. */
  #isTree = true

  constructor(root: object) {
    this.#walk(root)
  }

  /**
   * Tells whether a text stands in a part of the value. Returns true also where it stands elsewhere, when the value is
   * no tree or the part was not met in it.
   */
  has(part: object, quoted: string): boolean {
    const places = this.#places.get(quoted)
    const span = this.#isTree ? this.#spans.get(part) : undefined
    if (places === undefined || span === undefined) return places !== undefined
    const place = places[firstFrom(places, span.from)]
    return place !== undefined && place < span.to
  }

  // With a stack of its own: a value may nest deeper than calls can.
  #walk(root: object): void {
    const frames = [this.#enter(root)]
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      if (frame.next === frame.members.length) {
        frame.span.to = this.#count
        frames.pop()
        continue
      }
      const member = frame.members[frame.next++]
      if (typeof member === 'string') this.#note(member)
      else if (!isObject(member)) continue
      else if (this.#spans.has(member)) this.#isTree = false
      else frames.push(this.#enter(member))
    }
  }

  #enter(holder: object): Frame {
    const span = { from: this.#count, to: this.#count }
    this.#spans.set(holder, span)
    return { span, members: Object.values(holder), next: 0 }
  }

  #note(text: string): void {
    const quoted = JSON.stringify(text)
    const places = this.#places.get(quoted)
    if (places === undefined) this.#places.set(quoted, [this.#count])
    else places.push(this.#count)
    this.#count++
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
