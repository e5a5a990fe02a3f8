/** What decorators note of a method. It is kept by function: an overriding method starts without notes. */
import { SetupError } from '../errors/setup-error.js'
import type { Level } from '../logging/logger.js'
import { isVerb, VERB_NAMES } from '../route/endpoints.js'

/** What is noted of one method. */
export interface Notes {
  /** How its calls are logged. */
  log?: { readonly level: Level }
}

/** A decorator for verb methods; it notes something and leaves the method as it is. */
export type MethodDecorator<M extends object = object> = (method: M, context: ClassMethodDecoratorContext) => void

// Not `context.metadata`: Node has no `Symbol.metadata` before 24, and its data would pass on to an overriding method.
const noted = new WeakMap<object, Notes>()

/**
 * Reads the notes of a method.
 *
 * @param method of a class
 * @returns its notes; without decorators an empty record
 */
export function notesOf(method: object): Notes {
  return noted.get(method) ?? {}
}

/**
 * Adds a note to a method.
 *
 * @param decorator its name, for the text of an error
 * @param target the method and what the compiler says of it
 * @param notes what to add
 * @throws SetupError `DECORATOR_MISUSED` on anything but a verb method, and under `experimentalDecorators`
 */
export function note(decorator: string, target: readonly [method: unknown, context: unknown], notes: Notes): void {
  const [method, context] = target
  if (!isMethodContext(context)) {
    throw misused(decorator, 'the compiler runs legacy decorators. Remove "experimentalDecorators" from its options')
  }
  const name = String(context.name)
  if (context.kind !== 'method' || context.static || typeof method !== 'function' || !isVerb(name)) {
    throw misused(decorator, `"${name}" is not a verb method. Put it on ${VERB_NAMES}`)
  }
  noted.set(method, { ...notesOf(method), ...notes })
}

function isMethodContext(context: unknown): context is ClassMethodDecoratorContext {
  return typeof context === 'object' && context !== null && 'kind' in context
}

function misused(decorator: string, why: string): SetupError {
  return new SetupError('DECORATOR_MISUSED', `Cannot use @${decorator}: ${why}`)
}
