/** Describes a result without its values: `10 × { id, title }`. Runs no code of the app. */
import { isProxy } from 'node:util/types'
import { isObject, isObjectOrFunction } from '../../values/objects.js'

const MAX_KEYS = 8
const MAX_KEY_LENGTH = 30

export function resultShape(result: unknown): string {
  if (!isObjectOrFunction(result)) return result === null ? 'null' : typeof result
  if (typeof result === 'function') return 'function'
  if (isProxy(result)) return 'object'
  if (Array.isArray(result)) return listShape(result)
  const size = countEntries(result)
  if (size !== null) return `${className(result)} of ${size}`
  return `${classPrefix(result)}${membersShape(result)}`
}

function listShape(list: readonly unknown[]): string {
  if (list.length === 0) return '[]'
  const first: unknown = Object.getOwnPropertyDescriptor(list, 0)?.value
  return `${list.length} × ${Array.isArray(first) ? 'array' : resultShape(first)}`
}

/** Returns the number of entries or bytes; `null` for other objects. */
function countEntries(value: object): number | null {
  if (value instanceof Map || value instanceof Set) return value.size
  return ArrayBuffer.isView(value) ? value.byteLength : null
}

function classPrefix(value: object): string {
  const name = className(value)
  return name === 'Object' || name === '' ? '' : `${name} `
}

function className(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (!isObject(prototype) || isProxy(prototype)) return ''
  const creator: unknown = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value
  const name: unknown = typeof creator === 'function' ? Object.getOwnPropertyDescriptor(creator, 'name')?.value : ''
  return typeof name === 'string' ? name.slice(0, MAX_KEY_LENGTH) : ''
}

/** Returns the names of the properties, and the lengths of arrays. */
function membersShape(value: object): string {
  const keys = Object.keys(value)
  if (keys.length === 0) return '{}'
  const members = keys.slice(0, MAX_KEYS).map((key) => {
    const member: unknown = Object.getOwnPropertyDescriptor(value, key)?.value
    return `${key.slice(0, MAX_KEY_LENGTH)}${Array.isArray(member) ? `: ${member.length} ×` : ''}`
  })
  return `{ ${members.join(', ')}${keys.length > MAX_KEYS ? ', …' : ''} }`
}
