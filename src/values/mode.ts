/** Mode of the app from `NODE_ENV`; `unset` if the variable is missing or empty. */
export type Mode = 'production' | 'development' | 'other' | 'unset'

export function readMode(): Mode {
  const mode = process.env['NODE_ENV']
  if (mode === undefined || mode === '') return 'unset'
  return mode === 'production' || mode === 'development' ? mode : 'other'
}

/** Returns the environment variables of the process. */
export function readVariables(): Readonly<Record<string, string | undefined>> {
  return process.env
}
