/** Types of commands, and parsing of their arguments. */
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { suggestion } from '../errors/known-keys.js'
import type { Terminal } from './terminal.js'

/** Exit codes of all commands. */
export const EXIT = { fine: 0, findings: 1, failed: 2 } as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** A wrong use of the command line, or a module that cannot be loaded. Its message is printed without a stack. */
export class CommandError extends Error {}

/** Returns the result of a function, or throws its error as a `CommandError` with a prefix. */
export function attempt<T>(prefix: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw new CommandError(`${prefix}${readMessage(error)}`)
  }
}

/** Returns the message of a thrown value as text. */
export function readMessage(error: unknown): string {
  return String(Reflect.get(Object(error), 'message'))
}

export interface CommandOption {
  readonly type: 'boolean' | 'string'
  readonly multiple?: boolean
  readonly short?: string
  /** Name of its value in the help, such as `<file>`. A boolean option with a name may have a value: `--inspect=9230`. */
  readonly value?: string
  readonly help: string
}

type CommandOptions = Readonly<Record<string, CommandOption>>

export interface Command {
  readonly name: string
  /** Sentence without a final period. */
  readonly summary: string
  /** Names of the arguments, in order. */
  readonly args: readonly string[]
  readonly options: CommandOptions
  /** Name of the arguments after `--`, if the command has them. */
  readonly rest?: string
  /** Further sentences of the help. */
  readonly details: string
  /** Command line of an example, without `verbena`. */
  readonly example: string
  readonly run: (input: CommandInput, terminal: Terminal) => Promise<ExitCode>
}

export interface CommandInput {
  /** As many as `args` of the command. */
  readonly args: readonly string[]
  readonly values: Readonly<Record<string, OptionValue>>
  /** Arguments after `--`. */
  readonly rest: readonly string[]
}

type OptionValue = string | boolean | readonly (string | boolean)[] | undefined

/** Options of every command. */
const COMMON: CommandOptions = {
  json: { type: 'boolean', help: 'Print the result as JSON' },
  help: { type: 'boolean', short: 'h', help: 'Show this help' },
}

export function allOptions({ options }: Pick<Command, 'options'>): CommandOptions {
  return { ...options, ...COMMON }
}

/** Parses arguments. Throws a `CommandError` for unknown options, missing values, and a wrong number of arguments. */
export function parseCommand(command: Command, words: readonly string[]): CommandInput {
  const options = allOptions(command)
  const end = findEnd(command, words)
  const config = { args: words.slice(0, end), options: parserOptions(options), strict: false, tokens: true } as const
  const { values, positionals, tokens } = parseArgs({ ...config, allowPositionals: true })
  const toError = (why: string): CommandError =>
    new CommandError(`Cannot run "verbena ${command.name}": ${why}\nUsage: ${formatUsage(command)}`)
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined
    if (option === undefined) {
      const similar = suggestion(token.name, Object.keys(options)).replace('"', '"--')
      throw toError(`the option "${token.rawName}" is unknown.${similar}`)
    }
    if (option.type === 'string' && token.value === undefined) {
      throw toError(`the option "${token.rawName}" needs a value. Write "--${token.name} ${option.value}"`)
    }
    if (option.type === 'boolean' && option.value === undefined && token.value !== undefined) {
      throw toError(`the option "${token.rawName}" has no value. Remove "=${token.value}"`)
    }
  }
  if (values['help'] !== true) checkCount(command, positionals, toError)
  return { args: positionals, values, rest: words.slice(end + 1) }
}

function findEnd({ rest }: Command, words: readonly string[]): number {
  return rest === undefined || !words.includes('--') ? words.length : words.indexOf('--')
}

function parserOptions(options: CommandOptions): NonNullable<ParseArgsConfig['options']> {
  return Object.fromEntries(
    Object.entries(options).map(([name, { type, short, multiple = false }]) => {
      return [name, { type, multiple, ...(short === undefined ? {} : { short }) }]
    }),
  )
}

function checkCount({ args }: Command, words: readonly string[], toError: (why: string) => CommandError): void {
  const missing = args[words.length]
  if (missing !== undefined) throw toError(`the argument ${missing} is missing`)
  const extra = words[args.length]
  if (extra !== undefined) throw toError(`the argument "${extra}" is one too many`)
}

export function formatUsage({ name, args, options, rest }: Command): string {
  const shownOptions = Object.entries(allOptions({ options })).map(
    ([name, option]) => `[--${name}${formatOptionValue(option)}]`,
  )
  return ['verbena', name, ...args, ...shownOptions, ...(rest === undefined ? [] : [`[-- ${rest}]`])].join(' ')
}

/** Formats the value of an option for the help: ` <file>`, or `[=<port>]` if it may be missing. */
export function formatOptionValue({ type, value }: CommandOption): string {
  if (value === undefined) return ''
  return type === 'boolean' ? `[=${value}]` : ` ${value}`
}

/** Prints a result: as JSON with `--json`, or else its text. */
export function printResult(
  { values }: CommandInput,
  result: unknown,
  format: () => string,
  { print }: Terminal,
): Promise<void> {
  return print(values['json'] === true ? JSON.stringify(result, null, 2) : format())
}

/** Returns the value of an option with `type: 'string'`. */
export function readString({ values }: CommandInput, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

/** Returns the values of an option with `multiple`. */
export function readStrings({ values }: CommandInput, name: string): readonly string[] {
  const value = values[name]
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}
