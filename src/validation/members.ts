/** Projects records and lists, copying only what changes. */
import type { BareRecord, Known } from '../values/objects.js'

/** Keeps of a value what a schema describes; gives the same reference where nothing has to go. */
export type Project = (value: unknown) => unknown

/** The projection of what is kept whole. */
export const keep: Project = (value) => value

/** Finds the projection of a member by its name; undefined for one that is not described. */
export type MemberProject = (key: string) => Project | undefined

/** Members in the order in which a description names them, as far as they are kept whole. */
export type Order = readonly string[]

/** Keeps the described members of a record: its own enumerable ones, as `JSON.stringify` sends them. */
export function projectRecord(record: Known, order: Order, projectOf: MemberProject): Known {
  const keys = Object.keys(record)
  const first = usual(keys, order)
  if (first === keys.length) return record
  let copy: BareRecord | undefined
  let at = first - 1
  // Counted by hand: an iterator of entries takes twice as long.
  for (const key of keys.slice(first)) {
    at++
    const project = projectOf(key)
    if (project === keep && copy === undefined) continue
    const value = record[key]
    // Once only: looking again when something has to go would double the work with every level.
    const kept = project === undefined ? undefined : project(value)
    if (project === undefined || kept !== value) copy ??= copyOf(record, keys.slice(0, at))
    if (copy !== undefined && project !== undefined) put(copy, key, kept)
  }
  return copy ?? record
}

/** How many of the first keys are kept without a question. */
function usual(keys: readonly string[], order: Order): number {
  let at = 0
  while (at < keys.length && at < order.length && keys[at] === order[at]) at++
  return at
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

/** Projects the items of a list. */
export function projectList(list: readonly unknown[], projectOf: (index: number) => Project): readonly unknown[] {
  let copy: unknown[] | undefined
  for (let at = 0; at < list.length; at++) {
    const value = list[at]
    const kept = projectOf(at)(value)
    if (kept !== value) copy ??= [...list]
    if (copy !== undefined) copy[at] = kept
  }
  return copy ?? list
}
