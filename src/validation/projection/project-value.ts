/**
 * Projects objects and arrays by prepared projections of their members and items.
 *
 * @see docs/decisions/0039-objects-where-none-is-described.md
 */
import { isObject, isObjectOrFunction, toJsonForm, type BareRecord, type UnknownRecord } from '../../values/objects.js'
import { valueOr } from '../../values/value-or.js'
import { StructureError, structureError, type Structures } from './structures.js'

/**
 * Returns a value with only the members that a schema describes, or the same reference if nothing is dropped. Throws a `StructureError`
 * for an object or array that the schema does not describe.
 */
export type Project = (value: unknown) => unknown
export const keep: Project = (value) => value

type NamedProjects = readonly (readonly [key: string, project: Project | undefined])[]
/** Finds the projection of a member without a name. */
type FindProject = (key: string) => Project | undefined

export class MemberProjects {
  /** Names of the described members, in the order of the description. */
  readonly keys: readonly string[]
  /** Projections of the members, in the order of `keys`. */
  readonly projects: readonly Project[]
  /** Whether each member is an array of scalars. Checking such an array takes less time than a call of its projection. */
  readonly flat: readonly boolean[]
  /** Names that a rule forbids. */
  readonly #forbidden: readonly string[]
  readonly #rest: Project | undefined
  readonly #find: FindProject | null
  /** Made for the first value with other members, or with another order. */
  #named: ReadonlyMap<string, Project | undefined> | null = null

  /**
   * @param named a name without a projection is forbidden by a rule
   * @param rest projection of members without a name; `undefined` if they are not described
   * @param find projection of members without a name, if patterns decide
   */
  constructor(named: NamedProjects, rest: Project | undefined, find: FindProject | null = null) {
    const described = named.flatMap(([key, project]) => (project === undefined ? [] : [{ key, project }]))
    this.keys = described.map(({ key }) => key)
    this.projects = described.map(({ project }) => project)
    this.flat = this.projects.map((project) => flatProjects.has(project))
    this.#forbidden = named.flatMap(([key, project]) => (project === undefined ? [key] : []))
    this.#rest = rest
    this.#find = find
  }

  /** Returns the projection of a member; `undefined` if the member is not described. */
  of(key: string): Project | undefined {
    this.#named ??= new Map(this.keys.map((name, at) => [name, this.projects[at]]))
    const project = this.#named.get(key)
    if (project !== undefined || this.#forbidden.includes(key)) return project
    return this.#find === null ? this.#rest : this.#find(key)
  }
}

/** Projections of arrays of scalars. */
const flatProjects: WeakSet<Project> = new WeakSet()

/** Projections of the items of an array; `undefined` for items that are not described. */
export interface ItemProjects {
  readonly first: readonly (Project | undefined)[]
  readonly rest: Project | undefined
}

interface StructureProjects {
  /** `null` if all members are kept. */
  readonly members: MemberProjects | null
  /** `null` if all items are kept. */
  readonly items: ItemProjects | null
  readonly structures: Structures
}

/** Creates a projection of objects and arrays. It reads own enumerable properties, like `JSON.stringify`. */
export function projectStructure({ members, items, structures }: StructureProjects): Project {
  const { object, array } = structures
  if (!object && !array) return rejectAll
  const project: Project = (value) => {
    if (!isObjectOrFunction(value)) return value
    const json = toJsonForm(value)
    if (!isObject(json)) return isPlainDate(value) ? value : json
    const isList = Array.isArray(json)
    if (!(isList ? array : object)) return rejectStructure(json)
    if (isList) return items === null ? json : projectList(json, items)
    return members === null ? json : projectRecord(json, members)
  }
  if (array && isFlat(items)) flatProjects.add(project)
  return project
}

function isFlat(items: ItemProjects | null): boolean {
  return items !== null && items.rest === rejectAll && items.first.length === 0
}

export const rejectAll: Project = (value) => {
  if (!isObjectOrFunction(value)) return value
  const json = toJsonForm(value)
  if (!isObject(json)) return isPlainDate(value) ? value : json
  return rejectStructure(json)
}

/** Throws for a Map or Set, which JSON writes as `{}`. */
export function rejectCollection(value: object): void {
  const state = describeCollection(value)
  if (state !== undefined) throw new StructureError(state)
}

/** Returns why JSON cannot represent a Map or Set; `undefined` for other objects. */
export function describeCollection(value: object): string | undefined {
  if (value instanceof Map) return 'is a Map, which JSON cannot represent. Return "Object.fromEntries(map)"'
  if (value instanceof Set) return 'is a Set, which JSON cannot represent. Return "Array.from(set)"'
  return undefined
}

/** Projects what neither side of a schema describes: rejects objects and arrays. */
export const rejectUndescribed: Project = (value) => {
  if (isObject(value)) rejectCollection(value)
  try {
    return rejectAll(value)
  } catch {
    const what = Array.isArray(value) ? 'array' : 'object'
    const way = 'Describe it, or write "project: false", as in json(schema, { project: false })'
    throw new StructureError(`is an ${what} that the schema does not describe. ${way}`)
  }
}

// Other values become their JSON form, because a second call of `toJSON` may return another value. For a Date, this would only cost time.
export function isPlainDate(value: object): boolean {
  return value instanceof Date && Reflect.ownKeys(value).length === 0
}

/** Throws a `StructureError`, unless JSON writes the object as a scalar, such as `new String('a')` or `JSON.rawJSON('1')`. */
export function rejectStructure(value: object): unknown {
  const isScalar = !Array.isArray(value) && valueOr(() => !JSON.stringify(value).startsWith('{'), false)
  if (isScalar) return value
  throw structureError(value)
}

function projectRecord(record: UnknownRecord, members: MemberProjects): UnknownRecord {
  const { keys, flat } = members
  let at = 0
  let count = 0
  // `for-in` takes a third less time than an array of keys. It also visits inherited properties, but only after all own ones.
  for (const key in record) {
    while (keys[at] !== key) if (++at >= keys.length) return projectRest(record, members, count)
    const value = record[key]
    // Checks for scalars first, which takes a third less time.
    const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    if (!isScalar && isObjectOrFunction(value) && !(flat[at] && isFlatList(value)) && Object.hasOwn(record, key)) {
      const projectedMember = projectMember(members.projects[at], value, key)
      if (projectedMember !== value)
        return projectRest(record, members, count + 1, applyProjects(record, count, projectedMember))
    }
    at++
    count++
  }
  return record
}

/** Whether a value is an array of scalars without `toJSON`. */
function isFlatList(value: UnknownRecord): boolean {
  if (!Array.isArray(value) || 'toJSON' in value) return false
  for (let at = 0; at < value.length; at++) {
    const item: unknown = value[at]
    if (typeof item !== 'string' && isObjectOrFunction(item)) return false
  }
  return true
}

/** Copies the first `count` members, and adds the next one with the value `last`. */
function applyProjects(record: UnknownRecord, count: number, last: unknown): BareRecord {
  const keys = Object.keys(record)
  const copy = copyKeys(record, keys.slice(0, count))
  for (const key of keys.slice(count, count + 1)) putMember(copy, key, last)
  return copy
}

/** Projects the members from a position on. Each is projected only once: a second time would double the work at each level. */
function projectRest(record: UnknownRecord, members: MemberProjects, from: number, before?: BareRecord): UnknownRecord {
  const keys = Object.keys(record)
  let copy = before
  let at = from - 1
  // Counts manually, because an iterator of entries takes twice as long.
  for (const key of keys.slice(from)) {
    at++
    const project = members.of(key)
    if (project === keep && copy === undefined) continue
    const value = record[key]
    const projectedMember = project === undefined ? undefined : projectMember(project, value, key)
    if (project === undefined || projectedMember !== value) copy ??= copyKeys(record, keys.slice(0, at))
    if (copy !== undefined && project !== undefined) putMember(copy, key, projectedMember)
  }
  return copy ?? record
}

/** Projects a member or an item; adds its key to the path of an error. */
function projectMember(project: Project = keep, value: unknown, key: string | number): unknown {
  try {
    return project(value)
  } catch (error) {
    if (error instanceof StructureError) error.path.unshift(key)
    throw error
  }
}

function copyKeys(record: UnknownRecord, keys: readonly string[]): BareRecord {
  const copy: BareRecord = {}
  for (const key of keys) putMember(copy, key, record[key])
  return copy
}

// Assigning to `__proto__` of an ordinary object would change its prototype.
function putMember(record: BareRecord, key: string, value: unknown): void {
  if (key !== '__proto__') record[key] = value
  else Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true })
}

export function projectList(list: readonly unknown[], { first, rest }: ItemProjects): readonly unknown[] {
  let copy: unknown[] | undefined
  let at = 0
  try {
    for (; at < list.length; at++) {
      const project = at < first.length ? first[at] : rest
      if (project === undefined) return (copy ?? list).slice(0, at)
      const value = list[at]
      if (!isObjectOrFunction(value)) continue
      const projectedMember = project(value)
      if (projectedMember !== value) copy ??= [...list]
      if (copy !== undefined) copy[at] = projectedMember
    }
  } catch (error) {
    if (error instanceof StructureError) error.path.unshift(at)
    throw error
  }
  return copy ?? list
}
