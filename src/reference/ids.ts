/** Ids of elements, which are unique in the page and can be linked to. */

const MAX_LENGTH = 200
/** Characters that would have to be escaped in a URL or in HTML. */
const UNSAFE = /[^\p{L}\p{N}._~-]+/gu

export class Ids {
  readonly #used = new Set(['top', 'main', 'authentication', 'changes', 'schemas'])
  readonly #next = new Map<string, number>()

  /** Returns an id for a name. Names that are equal except for unsafe characters get numbers. */
  create(name: string): string {
    const base = name.slice(0, MAX_LENGTH).replaceAll(UNSAFE, '-')
    let id = base
    for (let number = this.#next.get(base) ?? 2; this.#used.has(id); number++) {
      id = `${base}-${number}`
      this.#next.set(base, number + 1)
    }
    this.#used.add(id)
    return id
  }
}
