/** Projection as it runs: records and lists are copied only where something changes. */
import { isObject, type BareRecord, type Known } from '../../values/objects.js'

/** Keeps what a schema describes of a value; gives the same reference where nothing is dropped. */
export type Project = (value: unknown) => unknown
export const keep: Project = (value) => value

export interface MemberProjects {
  /** The members that come first in the description and are kept whole, in its order. */
  readonly keptFirst: readonly string[]
  /** The projection of a member; undefined for one that is not described. */
  readonly of: (key: string) => Project | undefined
}

/** The projection of a list, by the position of an item. */
export type ItemProjects = (index: number) => Project

/** Projects records and lists as far as something is said of them: own enumerable members, as `JSON.stringify` sends them. */
export function projectStructure(members: MemberProjects | null, items: ItemProjects | null): Project {
  return (value) => {
    if (!isObject(value)) return value
    const shown = typeof value['toJSON'] === 'function' ? value['toJSON']('') : value
    if (!isObject(shown)) return value
    if (Array.isArray(shown)) return items === null ? shown : projectList(shown, items)
    if (members === null) return shown
    const keys = Object.keys(shown)
    const { keptFirst } = members
    let at = 0
    while (at < keys.length && at < keptFirst.length && keys[at] === keptFirst[at]) at++
    return at === keys.length ? shown : projectFrom(at, shown, keys, members)
  }
}

function projectFrom(first: number, record: Known, keys: readonly string[], members: MemberProjects): Known {
  let copy: BareRecord | undefined
  let at = first - 1
  // Counted by hand: an iterator of entries takes twice as long.
  for (const key of keys.slice(first)) {
    at++
    const project = members.of(key)
    if (project === keep && copy === undefined) continue
    const value = record[key]
    // Once only: looking again when something has to go would double the work with every level.
    const kept = project === undefined ? undefined : project(value)
    if (project === undefined || kept !== value) copy ??= copyOf(record, keys.slice(0, at))
    if (copy !== undefined && project !== undefined) put(copy, key, kept)
  }
  return copy ?? record
}

function copyOf(record: Known, keys: readonly string[]): BareRecord {
  const copy: BareRecord = {}
  for (const key of keys) put(copy, key, record[key])
  return copy
}

// Assigning to `__proto__` of an ordinary object would change its prototype.
function put(record: BareRecord, key: string, value: unknown): void {
  if (key !== '__proto__') record[key] = value
  else Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true })
}

function projectList(list: readonly unknown[], items: ItemProjects): readonly unknown[] {
  let copy: unknown[] | undefined
  for (let at = 0; at < list.length; at++) {
    const value = list[at]
    const kept = items(at)(value)
    if (kept !== value) copy ??= [...list]
    if (copy !== undefined) copy[at] = kept
  }
  return copy ?? list
}
