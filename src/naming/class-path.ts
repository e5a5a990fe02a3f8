/** The path of a route that declares none: `/user-profiles` for `UserProfiles`. */
import { SetupError } from '../errors/setup-error.js'
import { kebabCase } from './kebab-case.js'

export function classPath(name: string): string {
  const words = kebabCase(name)
  if (words !== '') return `/${words}`
  const wayOut = 'Rename the route or declare "static readonly path"'
  throw new SetupError('ROUTE_NAME', `Cannot derive a path from "${name}": it has no letter or digit. ${wayOut}`)
}
