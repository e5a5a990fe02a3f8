/** Errors as the console shows them: name, message, frames, what caused them and what they hold. */
import { beginOf, cut } from '../redact/cut.js'
import type { Hider } from '../redact/hider.js'
import { readStack } from '../host/stack.js'
import type { ErrorDetail, StackFrame } from '../wire/request-types.js'

const DEEPEST = 5
const MOST_MEMBERS = 10
/** Errors of one record, and their frames: each level may have as many members as the one before. */
const MOST_ERRORS = 50
const MOST_FRAMES = 200
const LONGEST_NAME = 100
const LONGEST_MESSAGE = 4_096

export function describeError(error: unknown, root: string, hider: Hider): ErrorDetail {
  return new Description(root, hider).of(error, 0)
}

/** The name of what was thrown. Returns `TypeError`; the type of what is no error. */
export function nameOfError(error: unknown): string {
  const nameOf = (): string => (error instanceof Error ? cut(String(error.name), LONGEST_NAME) : `(${typeof error})`)
  return quietly(nameOf, '(unreadable)')
}

/**
 * Gives the class of a route its name back, where a compiler has put an underscore before it: esbuild does that to
 * classes whose decorators or static members speak of the class itself.
 */
export function nameRoute(error: ErrorDetail, route: string): ErrorDetail {
  const frames = error.frames.map((frame) =>
    frame.function.startsWith(`_${route}.`) ? { ...frame, function: frame.function.slice(1) } : frame,
  )
  const cause = error.cause === null ? null : nameRoute(error.cause, route)
  return { ...error, frames, cause, members: error.members.map((member) => nameRoute(member, route)) }
}

class Description {
  readonly #root: string
  readonly #hider: Hider
  #errors = 0
  #frames = 0

  constructor(root: string, hider: Hider) {
    this.#root = root
    this.#hider = hider
  }

  of(error: unknown, depth: number): ErrorDetail {
    this.#errors++
    const name = nameOfError(error)
    const plain = messageOf(error)
    const message = this.#hider.hide(beginOf(plain, LONGEST_MESSAGE))
    const bare = { name, message, frames: [], source: null, cause: null, members: [] }
    if (!isError(error)) return bare
    const stack = quietly(() => String(error.stack), '')
    const frames = readStack(stack, plain, this.#root)
      .slice(0, MOST_FRAMES - this.#frames)
      .map((frame): StackFrame => ({ n: this.#frames++, ...frame }))
    if (depth >= DEEPEST) return { ...bare, frames }
    const cause = quietly(() => error.cause, undefined)
    const members = quietly(() => (error instanceof AggregateError ? [...error.errors].slice(0, MOST_MEMBERS) : []), [])
    return {
      ...bare,
      frames,
      cause: cause === undefined || this.#errors >= MOST_ERRORS ? null : this.of(cause, depth + 1),
      members: members.flatMap((member: unknown) => (this.#errors < MOST_ERRORS ? this.of(member, depth + 1) : [])),
    }
  }
}

export function messageOf(error: unknown): string {
  return quietly(() => String(error instanceof Error ? error.message : error), '[cannot be read]')
}

function isError(error: unknown): error is Error {
  return quietly(() => error instanceof Error, false)
}

/** Whatever was thrown may throw again at any touch. */
function quietly<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}
