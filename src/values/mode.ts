/** Mode of the process, and its environment variables. */

/** Mode of the app from `NODE_ENV`; `unset` if the variable is missing or empty. */
export type Mode = 'production' | 'development' | 'other' | 'unset'

/** A bundler can only change the mode to `production`, because `development` opens the console. */
export function readMode(): Mode {
  const { NODE_ENV: mode } = readVariables()
  // Bundlers replace this expression by the mode of the build.
  if (mode === 'production' || process.env['NODE_ENV'] === 'production') return 'production'
  if (mode === undefined || mode === '') return 'unset'
  return mode === 'development' ? mode : 'other'
}

/** Returns the environment variables of the process. */
export function readVariables(): Readonly<Record<string, string | undefined>> {
  // Not written `process.env`, because bundlers can replace it by the variables of the build.
  const { env } = process
  return env
}
