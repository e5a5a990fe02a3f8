/** Mounts: settings of a group, for unmatched paths below it. */
import type { Template } from './template.js'

interface MountedValue<T> {
  readonly template: Template
  readonly value: T
}

/** Finds the most specific mount that equals or contains a path. */
export class Mounts<T> {
  /** Sorted by priority. */
  readonly #all: readonly MountedValue<T>[]

  constructor(mounts: readonly MountedValue<T>[]) {
    this.#all = mounts.toSorted((one, other) => mountRank(one).localeCompare(mountRank(other)))
  }

  /** Returns the value of the first mount of a path; `undefined` if there is none. */
  of(path: string): T | undefined {
    const texts = path.slice(1).split('/')
    return this.#all.find(({ template }) => isBelow(texts, template))?.value
  }
}

/** Returns a sort key: literals before parameters, as in the router, and inner mounts before outer ones. */
function mountRank({ template: { segments } }: MountedValue<unknown>): string {
  return `${segments.map(({ kind }) => (kind === 'literal' ? 0 : 1)).join('')}2`
}

function isBelow(texts: readonly string[], { segments }: Template): boolean {
  return segments.every((segment, at) => (segment.kind === 'literal' ? segment.text === texts[at] : Boolean(texts[at])))
}
