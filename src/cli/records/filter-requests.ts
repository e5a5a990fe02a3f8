/** The filter of the console's page, for `--where`. */
import type { Filter } from '../../devconsole/wire/filter.js'
import { CommandError } from '../command.js'

/** Parses a filter. Throws a `CommandError` for an invalid one. */
export async function parseWhere(where: string): Promise<Filter> {
  /* c8 ignore next -- the test runner adds a branch around an import */
  const { parseFilter } = await import('../../devconsole/serve/mount.js')
  const filter = parseFilter(where)
  const [wrong] = filter.errors
  if (wrong !== undefined) throw new CommandError(`Cannot use "--where ${where}": ${wrong.message}`)
  return filter
}
