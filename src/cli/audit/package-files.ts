/** The files of the installed package, with their hashes, compared with the manifest that the build wrote. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { isRecord, type UnknownRecord } from '../../values/objects.js'
import { CommandError } from '../command.js'

/** A source file in a module of the package. */
interface Source {
  readonly path: string
  readonly sha256: string
}

export interface PackageFile {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
  /** `unlisted` if the manifest does not name a module; `null` for files that are not compiled. */
  readonly state: 'as built' | 'changed' | 'unlisted' | null
  readonly sources: readonly Source[]
}

export interface PackageFiles {
  readonly manifest: PackageManifest
  readonly files: readonly PackageFile[]
  /** Modules that the manifest names, and that do not exist. */
  readonly missing: readonly string[]
  readonly code: ReadonlyMap<string, string>
}

/** The parts of package.json that an audit needs. */
interface PackageManifest {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly dependencies: readonly string[]
  /** Scripts that run at installation. */
  readonly installScripts: readonly string[]
}

/** A module in `manifest.json`: its hash, and the hashes of its sources by path. */
interface BuiltModule {
  readonly sha256: string
  readonly sources: Readonly<Record<string, string>>
}

const MANIFEST = 'dist/manifest.json'
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare', 'preprepare', 'postprepare']
const DEPENDENCIES = [
  'dependencies',
  'optionalDependencies',
  'peerDependencies',
  'bundleDependencies',
  'bundledDependencies',
]

/**
 * Reads the package in a folder.
 *
 * @throws CommandError if the folder has no package.json, or no manifest of a build
 */
export function readPackage(folder: string): PackageFiles {
  const built = readManifest(folder)
  const paths = listFiles(folder)
  const contents = new Map(paths.map((path) => [path, readFileSync(join(folder, path))]))
  const files = [...contents].map(([path, content]) => describeFile(path, content, built))
  const modules = [...contents].filter(([path]) => /^dist\/.*\.js$/.test(path))
  return {
    manifest: readPackageManifest(readJson(join(folder, 'package.json'))),
    files,
    missing: Object.keys(built).filter((path) => !contents.has(path)),
    code: new Map(modules.map(([path, content]) => [path.slice('dist/'.length), content.toString('utf8')])),
  }
}

function describeFile(path: string, content: Buffer, built: Readonly<Record<string, BuiltModule>>): PackageFile {
  const sha256 = createHash('sha256').update(content).digest('hex')
  const module = built[path]
  const sources = Object.entries(module?.sources ?? {}).map(([source, hash]) => ({ path: source, sha256: hash }))
  const isCompiled = path.startsWith('dist/') && path !== MANIFEST
  return { path, bytes: content.length, sha256, state: isCompiled ? compare(module, sha256) : null, sources }
}

function compare(module: BuiltModule | undefined, sha256: string): PackageFile['state'] {
  if (module === undefined) return 'unlisted'
  return module.sha256 === sha256 ? 'as built' : 'changed'
}

/** Lists the files below a folder, without installed packages. */
function listFiles(folder: string, below: string = ''): string[] {
  const entries = readdirSync(join(folder, below), { withFileTypes: true })
  return entries
    .filter(({ name }) => name !== 'node_modules')
    .flatMap((entry) => {
      const path = join(below, entry.name)
      return entry.isDirectory() ? listFiles(folder, path) : [path.split(sep).join('/')]
    })
    .toSorted()
}

function readManifest(folder: string): Readonly<Record<string, BuiltModule>> {
  const read: unknown = readJson(join(folder, MANIFEST))
  // Proof: the build writes this type. A changed manifest is compared like any other.
  return Object(read) as Readonly<Record<string, BuiltModule>>
}

function readPackageManifest(read: unknown): PackageManifest {
  const given: UnknownRecord = Object(read)
  const scripts = isRecord(given['scripts']) ? Object.keys(given['scripts']) : []
  return {
    name: String(given['name']),
    version: String(given['version']),
    license: String(given['license']),
    dependencies: DEPENDENCIES.flatMap((kind) => Object.keys(Object(given[kind]))),
    installScripts: INSTALL_SCRIPTS.filter((name) => scripts.includes(name)),
  }
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new CommandError(
      `Cannot audit the package: ${path} cannot be read (${String(error)}). Audit an installed package`,
    )
  }
}
