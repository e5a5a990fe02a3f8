/** The permitted properties, targets and files of the package. npm, Node.js or a bundler could act on all others. */
import { isObject } from '../../values/objects.js'
import type { PackageFiles } from './package-files.js'

const NAME = 'verbena'
const MODULE = /^dist\/[^/]+\.(?:js|d\.ts)$/
const TEXT = /(?:^|\/)(?:LICENSE|[^/]+\.md)$/
/** Properties of package.json that name files. */
const TARGETS = ['bin', 'exports', 'imports', 'main', 'types']
/** Properties of package.json that the audit reads, or that do nothing in an installed package. */
const PROPERTIES = new Set([
  ...TARGETS,
  ...['name', 'version', 'description', 'keywords', 'homepage', 'bugs', 'repository', 'license', 'author'],
  ...['contributors', 'funding', 'type', 'sideEffects', 'engines', 'files', 'scripts', 'devDependencies', 'overrides'],
  ...['dependencies', 'optionalDependencies', 'peerDependencies'],
])

/** Returns a violation for each property, target and file that a package may not have. */
export function listUnexpected({ manifest: { content }, files, modules, strange }: PackageFiles): string[] {
  const { bin, name, type } = content
  const commands = typeof bin === 'string' ? [String(name)] : Object.keys(Object(bin))
  const targets = TARGETS.flatMap((property) => listTargets(content[property]).map((target) => ({ property, target })))
  return [
    ...Object.keys(content)
      .filter((property) => !PROPERTIES.has(property))
      .map((property) => `package.json: the property "${property}" is not expected`),
    ...(type === 'module' ? [] : ['package.json: "type" is not "module"']),
    ...commands
      .filter((command) => command !== NAME)
      .map((command) => `package.json: it installs the command "${command}"`),
    ...targets
      .filter(({ property, target }) => !isTarget(property, target, modules))
      .map(({ property, target }) => `package.json: "${property}" contains "${target}", which is not a built module`),
    ...[...modules]
      .filter((path) => !MODULE.test(path))
      .map((path) => `dist/manifest.json: it lists "${path}", which is not a module`),
    ...files.filter(({ path }) => !isExpected(path)).map(({ path }) => `${path}: it is not a text or a module`),
    ...strange.map((path) => `${path}: it is a link, an installed package or a special file`),
  ]
}

/** The strings in a value, at any depth. */
function listTargets(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return isObject(value) ? Object.values(value).flatMap(listTargets) : []
}

function isTarget(property: string, target: string, modules: ReadonlySet<string>): boolean {
  if (property === 'exports' && target === './package.json') return true
  // In `exports` and `imports`, Node.js reads a target without "./" as the name of another package.
  const isRelative = target.startsWith('./')
  if (!isRelative && (property === 'exports' || property === 'imports')) return false
  const path = isRelative ? target.slice(2) : target
  return MODULE.test(path) && modules.has(path)
}

function isExpected(path: string): boolean {
  return path.startsWith('dist/') || path === 'package.json' || TEXT.test(path)
}
