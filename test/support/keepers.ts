/** Schemas without a description, by hand: they treat unknown members as libraries do that have no JSON Schema. */
import type { Schema } from 'verbena'

interface Issue {
  readonly message: string
  readonly path: readonly PropertyKey[]
}
/** What a schema makes of a value, and what it complains of. */
export type Read = (value: unknown, path: readonly PropertyKey[], issues: Issue[]) => unknown

/** What a record does with members that it does not name. */
export type Habit = 'keeps' | 'drops' | 'refuses'

/** Anything, as it is. */
export const anything: Read = (value) => value

/** A text. */
export const word: Read = (value, path, issues) => {
  if (typeof value !== 'string') issues.push({ message: 'no text', path })
  return value
}

/** A list. */
export function list(item: Read): Read {
  return (value, path, issues) => {
    if (Array.isArray(value)) return value.map((each, index) => item(each, [...path, index], issues))
    issues.push({ message: 'no list', path })
    return value
  }
}

/** Free keys with values of one kind. */
export function free(member: Read): Read {
  return (value, path, issues) => {
    const entries = Object.entries(Object(value))
    return Object.fromEntries(entries.map(([key, each]) => [key, member(each, [...path, key], issues)]))
  }
}

/** Named members. */
export function members(habit: Habit, known: Readonly<Record<string, Read>>): Read {
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

/** How a schema tells what it has found. */
export interface Manner {
  readonly isAsync?: boolean
  /** Whether it stops at the first issue. */
  readonly isHasty?: boolean
  /** Whether its issues say where. */
  readonly isVague?: boolean
  readonly throws?: boolean
}

/** A schema of an unknown library; what it validated is counted. */
export function opaqueSchema(read: Read, manner: Manner = {}): Schema & { runs: number } {
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
