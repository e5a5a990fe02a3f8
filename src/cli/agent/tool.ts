/** Types of tools, and checks of their arguments. */
import { suggestion } from '../../errors/known-keys.js'
import type { UnknownRecord } from '../../values/objects.js'
import { CommandError, type CommandInput } from '../command.js'

/** A part of JSON Schema. */
interface ArgumentSchema {
  readonly type: 'string' | 'integer' | 'array'
  readonly description?: string
  readonly enum?: readonly string[]
  readonly items?: { readonly type: 'string' }
  readonly minimum?: 1
}

export interface ToolContext {
  /** Options of the command, such as `--app` and `--url`. */
  readonly input: CommandInput
  /** Aborted when the client has closed the input. */
  readonly signal: AbortSignal
}

export interface Tool {
  readonly name: string
  readonly description: string
  readonly args: Readonly<Record<string, ArgumentSchema>>
  readonly required: readonly string[]
  /** Whether a client can call it without asking the user, because it only reads. */
  readonly isReadOnly: boolean
  /** Way to get a smaller result; empty if there is none. */
  readonly narrow: string
  /** Returns Markdown of any length. Throws an error whose message says why the tool cannot work now. */
  readonly run: (args: UnknownRecord, context: ToolContext) => Promise<string>
}

const PAGE: ArgumentSchema = { type: 'integer', minimum: 1 }

/** The description of a tool for a client, as the specification of the protocol defines it. */
export function describeTool({ name, description, args, required, isReadOnly }: Tool): object {
  const inputSchema = { type: 'object', properties: { ...args, page: PAGE }, required, additionalProperties: false }
  return { name, description, inputSchema, ...(isReadOnly ? { annotations: { readOnlyHint: true } } : {}) }
}

/** Throws a `CommandError` for unknown, missing and invalid arguments. Models can correct themselves with its message. */
export function checkArguments({ name, args, required }: Tool, values: UnknownRecord): void {
  const schemas = new Map(Object.entries({ ...args, page: PAGE }))
  const cannot = `Cannot call "${name}":`
  for (const [key, value] of Object.entries(values)) {
    const schema = schemas.get(key)
    if (schema === undefined) {
      const knownNames = [...schemas.keys()]
      const similar = suggestion(key, knownNames)
      throw new CommandError(
        `${cannot} the argument "${key}" is unknown.${similar} Arguments are ${knownNames.join(', ')}`,
      )
    }
    if (!isValid(value, schema)) throw new CommandError(`${cannot} "${key}" must be ${argumentType(schema)}`)
  }
  const missing = required.find((key) => !Object.hasOwn(values, key))
  if (missing !== undefined) throw new CommandError(`${cannot} the argument "${missing}" is missing`)
}

function isValid(value: unknown, { type, enum: choices }: ArgumentSchema): boolean {
  if (type === 'integer') return Number.isSafeInteger(value) && Number(value) >= 1
  if (type === 'array') return Array.isArray(value) && value.every((each) => typeof each === 'string')
  return typeof value === 'string' && (choices === undefined || choices.includes(value))
}

function argumentType({ type, enum: choices }: ArgumentSchema): string {
  if (choices !== undefined) return choices.map((choice) => `"${choice}"`).join(' or ')
  return { string: 'a string', integer: 'a positive integer', array: 'an array of strings' }[type]
}

/** Returns a checked argument; empty if it is missing. */
export function readArgument(args: UnknownRecord, name: string): string {
  return String(args[name] ?? '')
}

/** Returns a checked argument of several strings; empty if it is missing. */
export function readTexts(args: UnknownRecord, name: string): readonly string[] {
  const value = args[name]
  return Array.isArray(value) ? value.map(String) : []
}
