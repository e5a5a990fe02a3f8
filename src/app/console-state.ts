/** Whether the console is there, and for whom. */
import type { DevConsoleOptions } from '../devconsole/options.js'
import { SetupError } from '../errors/setup-error.js'
import type { Mode } from './environment.js'

/** `open` for everybody on this machine, `guarded` for those of them who have its token. */
export type ConsoleState = 'off' | 'open' | 'guarded'

/** The option `devConsole`. */
export type ConsoleOption = 'auto' | boolean | DevConsoleOptions

/** Where an app runs. */
export interface Surroundings {
  readonly mode: Mode
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean
}

/**
 * Decides whether the console is there. Where nobody has said what this place is, it may be a service behind a reverse proxy whose
 * requests look like those of this machine: there it has a token.
 *
 * @param option as given to `createApp`, checked
 * @param surroundings where the app runs
 * @returns the state
 * @throws SetupError `OPTION_INVALID` for a console in production that was not asked for twice, and for one that is reached from
 * elsewhere without a token
 */
export function consoleState(option: ConsoleOption, { mode, isTerminal }: Surroundings): ConsoleState {
  if (option === false) return 'off'
  if (option !== 'auto') return stateGiven(option === true ? {} : option, mode)
  if (mode === 'production') return 'off'
  return mode === 'development' || (mode === 'unset' && isTerminal) ? 'open' : 'guarded'
}

function stateGiven({ token, allow = [], allowInProduction = false }: DevConsoleOptions, mode: Mode): ConsoleState {
  if (mode === 'production' && !(allowInProduction && token !== undefined)) {
    throw refused('NODE_ENV is "production". Remove it, or give "allowInProduction: true" and a "token"')
  }
  if (allow.length > 0 && token === undefined) {
    throw refused('"allow" opens it to other machines, and it has no token. Give a "token", too')
  }
  return token === undefined ? 'open' : 'guarded'
}

function refused(why: string): SetupError {
  return new SetupError('OPTION_INVALID', `Cannot use option "devConsole": ${why}`)
}
