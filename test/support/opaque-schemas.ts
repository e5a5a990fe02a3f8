/** Schemas without JSON Schema, which handle unknown properties as such libraries do. */
import type { Schema } from 'verbena'

interface Issue {
  readonly message: string
  readonly path: readonly PropertyKey[]
}
/** Returns the validated value, and adds issues. */
export type ReadValue = (value: unknown, path: readonly PropertyKey[], issues: Issue[]) => unknown

/** Handling of unknown properties by an object schema. */
export type Habit = 'keeps' | 'drops' | 'refuses'

/** Accepts any value unchanged. */
export const anything: ReadValue = (value) => value

/** Accepts a string. */
export const word: ReadValue = (value, path, issues) => {
  if (typeof value !== 'string') issues.push({ message: 'no text', path })
  return value
}

/** Accepts an array. */
export function list(item: ReadValue): ReadValue {
  return (value, path, issues) => {
    if (Array.isArray(value)) return value.map((each, index) => item(each, [...path, index], issues))
    issues.push({ message: 'no list', path })
    return value
  }
}

/** Accepts an object with any keys, and validates each value with `member`. */
export function free(member: ReadValue): ReadValue {
  return (value, path, issues) => {
    const entries = Object.entries(Object(value))
    return Object.fromEntries(entries.map(([key, each]) => [key, member(each, [...path, key], issues)]))
  }
}

/** Accepts an object with these properties. */
export function members(habit: Habit, known: Readonly<Record<string, ReadValue>>): ReadValue {
  return (value, path, issues) => {
    if (typeof value !== 'object' || value === null) issues.push({ message: 'no object', path })
    const given: Readonly<Record<string, unknown>> = Object(value)
    const made: Record<string, unknown> = habit === 'keeps' ? { ...given } : {}
    for (const [key, read] of Object.entries(known)) {
      if (key in given) made[key] = read(given[key], [...path, key], issues)
      else issues.push({ message: 'missing', path: [...path, key] })
    }
    const strays = Object.keys(given).filter((key) => !(key in known))
    if (habit === 'refuses' && strays.length > 0) issues.push({ message: `unknown: ${strays.join()}`, path })
    return made
  }
}

/** Ways in which a schema reports issues. */
export interface Manner {
  readonly isAsync?: boolean
  /** Whether it stops at the first issue. */
  readonly isHasty?: boolean
  /** Whether its issues omit the path. */
  readonly isVague?: boolean
  readonly throws?: boolean
}

/** Creates a schema without JSON Schema that counts its runs. */
export function opaqueSchema(read: ReadValue, manner: Manner = {}): Schema & { runs: number } {
  const validate = (value: unknown): unknown => {
    schema.runs++
    const found: Issue[] = []
    const made = read(value, [], found)
    if (found.length === 0) return { value: made }
    if (manner.throws === true) throw new Error(found.map(({ message }) => message).join())
    const told = manner.isHasty === true ? found.slice(0, 1) : found
    return { issues: manner.isVague === true ? told.map(({ message }) => ({ message })) : told }
  }
  const schema = {
    runs: 0,
    '~standard': {
      version: 1 as const,
      vendor: 'own',
      validate: manner.isAsync === true ? async (value: unknown) => validate(value) : validate,
    },
  }
  return schema
}
