/**
 * Projects the value of a method before its validation. An instance remains an instance, and a Date remains a Date.
 *
 * @see docs/decisions/0049-undescribed-output.md
 */
import { isObject, isPlainRecord, toJsonValue, type UnknownRecord } from '../../values/objects.js'
import { rejectCollection, rejectStructure, type MemberProjects, type Project } from './project-value.js'
import { StructureError, type Structures } from './structures.js'

/**
 * Creates a projection of objects and arrays that are passed to a validator.
 *
 * @param send projects the JSON form of a value
 * @param pass projects an object or array of a described type
 */
export function passObjects(
  { object, array }: Structures,
  send: Project,
  pass: (value: UnknownRecord) => unknown,
): Project {
  return (value) => {
    if (typeof value === 'function') return send(value)
    // A promise is passed, because a later step names its place.
    if (!isObject(value) || value instanceof Promise || isScalarForm(value)) return value
    rejectCollection(value)
    const isList = Array.isArray(value)
    if (!(isList ? array : object)) return rejectStructure(value)
    return isList && typeof Object(value).toJSON === 'function' ? send(value) : pass(value)
  }
}

/** Whether JSON writes an object as a scalar, such as a Date. An object with properties is not, because a function may copy them. */
function isScalarForm(value: UnknownRecord): boolean {
  if (typeof value['toJSON'] !== 'function' || Object.keys(value).length > 0) return false
  return value instanceof Date || !isObject(toJsonValue(value))
}

/**
 * Returns an object with only the members that a schema describes, or the same reference if it has no others. An instance is copied with
 * its prototype. What JSON writes for the copy is also projected.
 */
export function passRecord(value: UnknownRecord, members: MemberProjects, send: Project): UnknownRecord {
  const copy: Record<string, unknown> = Object.create(Object.getPrototypeOf(value))
  const hasForm = typeof value['toJSON'] === 'function'
  let isSame = !hasForm
  const add = (key: string, project: Project, enumerable: boolean): void => {
    const member = value[key]
    const passedValue = passMember(project, member, key)
    isSame &&= passedValue === member
    Object.defineProperty(copy, key, { value: passedValue, enumerable, configurable: true, writable: true })
  }
  for (const key of Object.keys(value)) {
    const project = members.of(key)
    if (project === undefined) isSame = false
    else add(key, project, true)
  }
  if (hasForm || !isPlainRecord(value)) {
    for (const [at, key] of members.keys.entries()) {
      const project = members.projects[at]
      if (project !== undefined && isHidden(value, key)) add(key, project, false)
    }
  }
  if (isSame) return value
  if (hasForm) Object.defineProperty(copy, 'toJSON', { value: () => send(value), configurable: true, writable: true })
  return copy
}

function passMember(project: Project, value: unknown, key: string): unknown {
  try {
    return project(value)
  } catch (error) {
    if (error instanceof StructureError) error.path.unshift(key)
    throw error
  }
}

/** Whether a member is not enumerable, or is a getter of the class. A copy has neither. */
function isHidden(value: object, key: string): boolean {
  for (let at: unknown = value; isObject(at) && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    const descriptor = Object.getOwnPropertyDescriptor(at, key)
    if (descriptor !== undefined) return at === value ? descriptor.enumerable !== true : descriptor.get !== undefined
  }
  return false
}

/** Returns the members of an instance that decide to which branch of a union it belongs. */
export function visibleMembers(value: UnknownRecord, names: readonly string[]): UnknownRecord {
  if (Array.isArray(value) || (isPlainRecord(value) && typeof value['toJSON'] !== 'function')) return value
  const ownMembers = Object.entries(value).filter(([key]) => key !== 'toJSON')
  const hidden = names.filter((name) => isHidden(value, name)).map((name) => [name, value[name]] as const)
  return Object.fromEntries([...ownMembers, ...hidden])
}

/** Whether an object is one of the noted ones, or a copy of one, because some libraries validate a copy. */
export function isHeld(value: object, held: readonly UnknownRecord[]): boolean {
  return held.some((each) => each === value || isCopy(value, each))
}

function isCopy(value: object, original: UnknownRecord): boolean {
  if (Object.getPrototypeOf(value) !== Object.getPrototypeOf(original)) return false
  if (!Array.isArray(original) && !isPlainRecord(original)) return true
  const [entries, others] = [Object.entries(value), Object.entries(original)]
  if (entries.length !== others.length || entries.length === 0) return false
  return entries.every(([key, member]) => {
    if (!Object.hasOwn(original, key)) return false
    return isObject(member) ? isObject(original[key]) : Object.is(member, original[key])
  })
}
