/**
 * Restrictions of the process: flags of V8, and the permission model of Node (`--permission`), under which the command cannot read some files
 * and has no inspector.
 */
import { readVariables } from '../values/mode.js'
import type { Terminal } from './terminal.js'

/** Code of errors of the permission model. */
export const PERMISSION_DENIED = 'ERR_ACCESS_DENIED'

/** Whether the process has a permission, such as `fs.read` for a path. Without the permission model, it has all. */
export function hasPermission(scope: string, path?: string): boolean {
  return Reflect.get(process, 'permission')?.has(scope, path) !== false
}

/** Warns if the process may not use the inspector, because all places are then unknown. */
export function warnWithoutPlaces({ warn }: Pick<Terminal, 'warn'>): void {
  if (hasPermission('inspector')) return
  warn('Places in files are unknown, because Node runs with "--permission". Run the command without it to see them')
}

/** Whether the process has a flag of V8, which also accepts it with underscores. */
export function hasFlag(flag: string): boolean {
  const { NODE_OPTIONS: options = '' } = readVariables()
  return [...process.execArgv, ...options.split(' ')].some((option) => option.replaceAll('_', '-') === flag)
}
