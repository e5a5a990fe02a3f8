/** Whether the console is there, and for whom. */
import type { DevConsoleOptions } from '../../setup/options.js'
import { SetupError } from '../../errors/setup-error.js'
import type { Mode } from '../../values/mode.js'

/** `open` to browsers on this machine without a token, `guarded` by a token for everybody. */
export type ConsoleState = 'off' | 'open' | 'guarded'
export type ConsoleOption = 'auto' | boolean | DevConsoleOptions

/** Without a token it opens in development only: elsewhere a reverse proxy may make every request look like a local one. */
export function consoleState(option: ConsoleOption, mode: Mode): ConsoleState {
  if (option === false || (option === 'auto' && mode === 'production')) return 'off'
  const settings = settingsIn(option)
  checkConsoleOption(settings, mode)
  return settings.token === undefined && mode === 'development' ? 'open' : 'guarded'
}

function checkConsoleOption({ token, allow = [], allowInProduction = false }: DevConsoleOptions, mode: Mode): void {
  if (mode === 'production' && !(allowInProduction && token !== undefined)) {
    throw consoleOptionError('NODE_ENV is "production". Remove it, or give "allowInProduction: true" and a "token"')
  }
  if (allow.length > 0 && token === undefined) {
    throw consoleOptionError('"allow" opens it to other machines, and it has no token. Give a "token", too')
  }
}

export function offReason(option: ConsoleOption, mode: Mode): string {
  if (settingsIn(option).token !== undefined) return 'devConsole.token is set'
  if (mode === 'unset') return 'NODE_ENV is not set'
  return mode === 'development' ? 'NODE_ENV is "development"' : 'NODE_ENV is not "development"'
}

export function settingsIn(option: ConsoleOption): DevConsoleOptions {
  return typeof option === 'object' ? option : {}
}

function consoleOptionError(why: string): SetupError {
  return new SetupError('OPTION_INVALID', `Cannot use option "devConsole": ${why}`)
}
