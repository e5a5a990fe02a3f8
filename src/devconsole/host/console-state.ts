/** Whether the console is enabled, and who can open it. */
import type { DevConsoleOptions } from '../../setup/options.js'
import { optionError } from '../../errors/options.js'
import type { SetupError } from '../../errors/setup-error.js'
import type { Mode } from '../../values/mode.js'

/** `open`: browsers on this machine can open the console without a token. `guarded`: every client needs the token. */
export type ConsoleState = 'off' | 'open' | 'guarded'
export type ConsoleOption = 'auto' | boolean | DevConsoleOptions

/** Path of the console. */
export const BASE = '/__dev__'

/** Without a token, the console is open only in development. Elsewhere, a reverse proxy can make every request look local. */
export function consoleState(option: ConsoleOption, mode: Mode): ConsoleState {
  if (option === false || (option === 'auto' && mode === 'production')) return 'off'
  const settings = readSettings(option)
  checkConsoleOption(settings, mode)
  return settings.token === undefined && mode === 'development' ? 'open' : 'guarded'
}

function checkConsoleOption(options: DevConsoleOptions, mode: Mode): void {
  const { token, allow = [], allowInProduction = false, keep } = options
  if (mode === 'production' && !(allowInProduction && token !== undefined)) {
    throw consoleOptionError(
      'NODE_ENV is "production". Remove the option, or set "allowInProduction: true" and a "token"',
    )
  }
  if (mode === 'production' && keep !== undefined) {
    throw consoleOptionError('"keep" writes requests to a file, and NODE_ENV is "production". Remove "keep"')
  }
  if (allow.length > 0 && token === undefined) {
    throw consoleOptionError('"allow" opens the console to other machines, which requires a token. Add a "token"')
  }
}

export function offReason(option: ConsoleOption, mode: Mode): string {
  if (readSettings(option).token !== undefined) return 'devConsole.token is set'
  if (mode === 'unset') return 'NODE_ENV is not set'
  return mode === 'development' ? 'NODE_ENV is "development"' : 'NODE_ENV is not "development"'
}

export function readSettings(option: ConsoleOption): DevConsoleOptions {
  return typeof option === 'object' ? option : {}
}

function consoleOptionError(why: string): SetupError {
  return optionError('createApp()', 'devConsole', why)
}
