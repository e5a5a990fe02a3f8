/** The files of the installed package, with their hashes, compared with the manifest that the build wrote. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, sep } from 'node:path'
import type { UnknownRecord } from '../../values/objects.js'
import { CommandError } from '../command.js'

/** A source file in a module of the package. */
interface PackageSource {
  readonly path: string
  readonly sha256: string
}

export interface PackageFile {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
  /** `unlisted` if the manifest does not name a module; `null` for files that are not compiled. */
  readonly state: 'as built' | 'changed' | 'unlisted' | null
  readonly sources: readonly PackageSource[]
}

export interface PackageFiles {
  readonly manifest: PackageManifest
  readonly files: readonly PackageFile[]
  /** Modules that the manifest names, and that do not exist. */
  readonly missing: readonly string[]
  /** Paths of the manifest. */
  readonly modules: ReadonlySet<string>
  /** Paths that are neither files nor directories, and installed packages. They are not read. */
  readonly strange: readonly string[]
  readonly code: ReadonlyMap<string, string>
}

/** The parts of package.json that an audit needs. */
interface PackageManifest {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly dependencies: readonly string[]
  /** Scripts that can run at installation. */
  readonly installScripts: readonly string[]
  readonly content: UnknownRecord
}

/** A module in `manifest.json`: its hash, and the hashes of its sources by path. */
interface BuiltModule {
  readonly sha256: string
  readonly sources: Readonly<Record<string, string>>
}

const MANIFEST = 'dist/manifest.json'
/** Scripts that run only by name, in a checkout. A package manager can run other scripts at installation. */
const SCRIPT = /^(?:bench|build|check|console|dev|docs|format|lint|package|start|test|types|visit|words)(?:$|:)/
const DEPENDENCIES = ['dependencies', 'optionalDependencies', 'peerDependencies']

/**
 * Reads the package in a folder.
 *
 * @throws CommandError if the folder has no package.json, or no manifest of a build
 */
export function readPackage(folder: string): PackageFiles {
  const built = readManifest(folder)
  const entries = listFolder(folder)
  const paths = entries
    .filter(({ isFile }) => isFile)
    .map(({ path }) => path)
    .toSorted()
  const contents = new Map(paths.map((path) => [path, readFileSync(join(folder, path))]))
  const files = [...contents].map(([path, content]) => describeFile(path, content, built))
  const modules = [...contents].filter(([path]) => /^dist\/.*\.js$/.test(path))
  return {
    manifest: readPackageManifest(readJsonFile(join(folder, 'package.json'))),
    files,
    missing: Object.keys(built).filter((path) => !contents.has(path)),
    modules: new Set(Object.keys(built)),
    strange: entries
      .filter(({ isFile }) => !isFile)
      .map(({ path }) => path)
      .toSorted(),
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

interface Entry {
  readonly path: string
  readonly isFile: boolean
}

/** Lists the entries below a folder. Of `node_modules`, only the names of packages, without `.bin`, which pnpm writes. */
function listFolder(folder: string, below: string = ''): Entry[] {
  const isOfPackages = basename(below) === 'node_modules'
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = join(below, entry.name)
    if (entry.isDirectory() && !isOfPackages) return listFolder(folder, path)
    if (isOfPackages && entry.name === '.bin') return []
    return [{ path: path.split(sep).join('/'), isFile: entry.isFile() && !isOfPackages }]
  })
}

function readManifest(folder: string): Readonly<Record<string, BuiltModule>> {
  const manifest: unknown = readJsonFile(join(folder, MANIFEST))
  // Proof: the build writes this type. A changed manifest is compared like any other.
  return Object(manifest) as Readonly<Record<string, BuiltModule>>
}

function readPackageManifest(manifest: unknown): PackageManifest {
  const content: UnknownRecord = Object(manifest)
  return {
    name: String(content['name']),
    version: String(content['version']),
    license: String(content['license']),
    dependencies: DEPENDENCIES.flatMap((kind) => Object.keys(Object(content[kind]))),
    installScripts: Object.keys(Object(content['scripts'])).filter((script) => !SCRIPT.test(script)),
    content,
  }
}

function readJsonFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new CommandError(
      `Cannot audit the package: ${path} cannot be read (${String(error)}). Audit an installed package`,
    )
  }
}
