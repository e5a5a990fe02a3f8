/** The command `verbena`: the table of its commands, the help, and the messages of its errors. */
import { suggestion } from '../errors/known-keys.js'
import { agent } from './agent.js'
import { agents } from './agents.js'
import { audit } from './audit.js'
import { breaking } from './breaking.js'
import { check } from './check.js'
import {
  allOptions,
  CommandError,
  EXIT,
  formatUsage,
  formatOptionValue,
  parseCommand,
  type Command,
  type ExitCode,
} from './command.js'
import { dev } from './dev.js'
import { explain } from './explain.js'
import { last } from './last.js'
import { logs } from './logs.js'
import { formatModuleError, ModuleError } from './module-error.js'
import { newProject } from './new.js'
import { openapi } from './openapi.js'
import { readOwnManifest } from './own-manifest.js'
import { replay } from './replay.js'
import { request } from './request.js'
import { requests } from './requests.js'
import { routes } from './routes.js'
import { surface } from './surface.js'
import { takeTerminal, wrapText, type Terminal } from './terminal.js'

/** All commands, in the order of the help. */
const COMMANDS: readonly Command[] = [
  ...[newProject, dev, last, requests, request, logs, replay, agent],
  ...[routes, explain, check, surface, openapi, breaking, agents, audit],
]

/** Runs a command, then ends the process, because the imported module may keep it alive. */
export async function main(args: readonly string[]): Promise<void> {
  const terminal = takeTerminal()
  let code: ExitCode = EXIT.failed
  try {
    code = await runCommand(args, terminal)
  } catch (error) {
    terminal.warn(formatFault(error, terminal))
  }
  process.exit(code)
}

async function runCommand([name, ...rest]: readonly string[], terminal: Terminal): Promise<ExitCode> {
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') return printHelp(rest[0], terminal)
  if (name === '--version' || name === '-v') {
    await terminal.print(readOwnManifest().version)
    return EXIT.fine
  }
  const command = findCommand(name)
  const input = parseCommand(command, rest)
  if (input.values['help'] !== true) return command.run(input, terminal)
  return printHelp(name, terminal)
}

async function printHelp(name: string | undefined, terminal: Terminal): Promise<ExitCode> {
  await terminal.print(name === undefined ? formatHelp(terminal) : formatCommandHelp(findCommand(name), terminal))
  return EXIT.fine
}

function findCommand(name: string): Command {
  const command = COMMANDS.find((each) => each.name === name)
  if (command !== undefined) return command
  const names = COMMANDS.map((each) => each.name)
  const help = `${suggestion(name, names)} Commands are ${names.join(', ')}`
  throw new CommandError(
    `Cannot run "verbena ${name}": ${name.startsWith('-') ? 'an option' : 'the command'} of this name is unknown.${help}`,
  )
}

const EXIT_CODES = [
  ['0', 'no error, no finding'],
  ['1', 'findings, changed lines, breaking changes or violations'],
  ['2', 'wrong arguments, or a module or folder that cannot be used'],
] as const

const HELP_WIDTH = 80

const ABOUT_MODULES =
  '<module> is a JavaScript or TypeScript file that exports an app, or a function that returns one, as "app" or as default. ' +
  'TypeScript needs "tsx" in the project, or Node 22.18.'

function formatHelp({ style }: Terminal): string {
  const width = Math.max(...COMMANDS.map((command) => shortUsage(command).length))
  return [
    'Creates, runs and inspects apps, and audits the package. Only "dev" starts one.',
    '',
    `${style('bold', 'Usage')}  verbena <command> [arguments] [options]`,
    '',
    style('bold', 'Commands'),
    ...COMMANDS.map((each) => `  ${style('cyan', shortUsage(each).padEnd(width))}  ${each.summary}`),
    '',
    style('bold', 'Options'),
    ...formatPairs([
      ['--json', 'Print the result as JSON'],
      ['-h, --help', 'Show the help of verbena, or of a command'],
      ['-v, --version', 'Print the version of Verbena'],
    ]),
    '',
    style('bold', 'Exit codes'),
    ...formatPairs(EXIT_CODES),
    '',
    wrapText(ABOUT_MODULES, { width: HELP_WIDTH }),
  ].join('\n')
}

function shortUsage({ name, args }: Command): string {
  return [name, ...args].join(' ')
}

function formatCommandHelp(command: Command, terminal: Terminal): string {
  const { style } = terminal
  const options = Object.entries(allOptions(command)).map(([name, option]) => {
    const { short, help } = option
    return [`${short === undefined ? '' : `-${short}, `}--${name}${formatOptionValue(option)}`, help] as const
  })
  return [
    `${command.summary}.`,
    wrapText(command.details, { width: HELP_WIDTH }),
    '',
    style('bold', 'Usage'),
    wrapText(formatUsage(command), terminal, '  '),
    '',
    style('bold', 'Options'),
    ...formatPairs(options),
    '',
    style('bold', 'Exit codes'),
    ...formatPairs(EXIT_CODES),
    '',
    style('bold', 'Example'),
    `  verbena ${command.example}`,
  ].join('\n')
}

function formatPairs(pairs: readonly (readonly [name: string, text: string])[]): string[] {
  const width = Math.max(...pairs.map(([name]) => name.length))
  return pairs.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`)
}

/** Formats an error for people. Only an error of Verbena itself has a stack. */
function formatFault(error: unknown, terminal: Terminal): string {
  if (error instanceof ModuleError) return formatModuleError(error, terminal)
  if (error instanceof CommandError) return wrapText(error.message, terminal)
  return String(Reflect.get(Object(error), 'stack'))
}
