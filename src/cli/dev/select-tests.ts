/** Selects the tests that import a changed file, directly or through other files, for `verbena dev --test`. */
import { readFile } from 'node:fs/promises'
import { basename, relative, sep } from 'node:path'
import { ModuleNames } from './module-names.js'
import { readImports } from './read-imports.js'

interface TestProject {
  readonly root: string
  /** Paths of all source files. */
  readonly files: readonly string[]
  /** The path of a test contains one of them. */
  readonly testParts: readonly string[]
}

const CODE = /\.(?:[cm]?[jt]s|[jt]sx)$/
const SETTINGS = /^(?:package|[jt]sconfig.*)\.json$/

/** Returns the paths of the tests that these changes can affect: all tests if they are unknown. */
export async function selectTests(project: TestProject, changed: ReadonlySet<string>): Promise<string[]> {
  const { root, files, testParts } = project
  const isTest = (path: string): boolean => {
    const name = relative(root, path).split(sep).join('/')
    return CODE.test(path) && testParts.some((part) => name.includes(part))
  }
  const tests = files.filter(isTest)
  const isModule = (path: string): boolean => files.includes(path) && !SETTINGS.test(basename(path))
  if (![...changed].every(isModule)) return tests
  const names = new ModuleNames(root, files)
  for (const path of files.filter((file) => SETTINGS.test(basename(file)))) {
    if (!names.readSettings(path, await readIfPresent(path))) return tests
  }
  const { importers, open, types } = await readGraph(files, names)
  const affected = findImporters(open, importers)
  for (const path of changed) {
    const pathImporters = findImporters([path], importers)
    const isLoaded = importers.has(path) || !types.has(path)
    if (isLoaded && !tests.some((test) => pathImporters.has(test))) return tests
    for (const each of pathImporters) affected.add(each)
  }
  return tests.filter((test) => affected.has(test))
}

interface ImportGraph {
  readonly importers: ReadonlyMap<string, ReadonlySet<string>>
  /** Files that can load or read any other file. */
  readonly open: ReadonlySet<string>
  /** Files from which another file imports types. */
  readonly types: ReadonlySet<string>
}

async function readGraph(files: readonly string[], modules: ModuleNames): Promise<ImportGraph> {
  const importers = new Map<string, Set<string>>()
  const open = new Set<string>()
  const types = new Set<string>()
  for (const path of files.filter((file) => CODE.test(file))) {
    const imports = readImports(await readIfPresent(path))
    if (imports.isOpen) open.add(path)
    for (const target of imports.types.flatMap((name) => modules.find(path, name))) types.add(target)
    for (const target of imports.names.flatMap((name) => modules.find(path, name))) {
      importers.set(target, (importers.get(target) ?? new Set<string>()).add(path))
    }
  }
  return { importers, open, types }
}

function findImporters(paths: Iterable<string>, importers: ImportGraph['importers']): Set<string> {
  const reached = new Set(paths)
  // The loop also visits the paths that it adds.
  for (const path of reached) for (const importer of importers.get(path) ?? []) reached.add(importer)
  return reached
}

/** A file that was just deleted has no imports. */
function readIfPresent(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '')
}
