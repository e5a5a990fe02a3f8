/** Mounts: what holds for a part of an app, found for paths that no route has. */
import type { Template } from './template.js'

interface Mount<T> {
  readonly template: Template
  readonly value: T
}

/** Finds the longest mount that a path lies below, or is. */
export class Mounts<T> {
  /** In the order in which they are tried. */
  readonly #all: readonly Mount<T>[]

  constructor(mounts: readonly Mount<T>[]) {
    this.#all = mounts.toSorted((one, other) => mountRank(one).localeCompare(mountRank(other)))
  }

  /** The value of that mount; `undefined` where the path lies below none. */
  of(path: string): T | undefined {
    const texts = path.slice(1).split('/')
    return this.#all.find(({ template }) => isBelow(texts, template))?.value
  }
}

/** As in the router a literal goes before a parameter, and a mount before those around it. */
function mountRank({ template: { segments } }: Mount<unknown>): string {
  return `${segments.map(({ kind }) => (kind === 'literal' ? 0 : 1)).join('')}2`
}

function isBelow(texts: readonly string[], { segments }: Template): boolean {
  return segments.every((segment, at) => (segment.kind === 'literal' ? segment.text === texts[at] : Boolean(texts[at])))
}
