/** The path of a route that declares none. */
import { SetupError } from '../errors/setup-error.js'
import { kebabCase } from './kebab-case.js'

/**
 * Derives the path of a route from its name: `/` and the name in kebab-case. Returns the path, such as `/user-profiles`
 * for `UserProfiles`.
 */
export function classPath(name: string): string {
  const words = kebabCase(name)
  if (words === '') {
    throw new SetupError(
      'ROUTE_NAME',
      `Cannot derive a path from "${name}": it has no letter or digit. Rename the route or declare "static readonly path"`,
    )
  }
  return `/${words}`
}
