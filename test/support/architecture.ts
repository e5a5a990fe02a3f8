/** Checks the imports between the folders of `src` against a table of rules. Works on facts about files, not on the files. */
import { posix } from 'node:path'
import { COMPUTED, type Import, type SourceFacts } from '#test/source.js'

/** Folders that all others may import. They import nothing themselves. */
const OPEN_TO_ALL: readonly string[] = ['errors', 'values']

/** The layers of `src`, lowest first. */
export const STOREYS = ['ground', 'core', 'features', 'app', 'around'] as const

/** Allowed imports of a folder of `src`, beside itself and the folders that are open to all. */
export interface FolderRule {
  readonly storey: (typeof STOREYS)[number]
  readonly imports: readonly string[] | 'all above'
  /** Folders from which only types may be imported. */
  readonly types?: readonly string[] | 'all above'
  /** Folders of a higher storey that this folder loads. */
  readonly mounts?: readonly string[]
}

/** All rules; their values are in `test/architecture.test.ts`. */
export interface HouseRules {
  readonly folders: Readonly<Record<string, FolderRule>>
  /** Modules of Node, with the only folders that may import them. */
  readonly guardedModules: Readonly<Record<string, readonly string[]>>
  /** Folders with \`import()\` of a path that is known only at run time. */
  readonly computedImports: readonly string[]
  /** Restricted uses, with the only files, or folders ending in `/`, that may have them; paths from `src`. */
  readonly guardedUses: Readonly<Record<string, readonly string[]>>
  /** Words that must not appear in code or comments, with the only folders, ending in `/`, that may contain them; paths from `src`. */
  readonly bannedWords: Readonly<Record<string, readonly string[]>>
}

/** Returns the folder of a file in `src`, such as `http` or `features/auth`; empty for entries such as `src/index.ts`. */
export function folderName(path: string): string {
  const folders = path.split('/').slice(1, -1)
  return folders.slice(0, folders[0] === 'features' ? 2 : 1).join('/')
}

/** Returns the folders that a row allows. `all above` means all rows before it. */
function allowedFolders(
  folders: HouseRules['folders'],
  folder: string,
  list: FolderRule['types'] = [],
): readonly string[] {
  const names = Object.keys(folders)
  return typeof list === 'string' ? names.slice(0, names.indexOf(folder)) : list
}

/**
 * Lists every violation of the rules.
 *
 * @returns a message for each violation
 */
export function findViolations(files: readonly SourceFacts[], rules: HouseRules): string[] {
  return [...files.flatMap((file) => fileBreaches(file, rules)), ...findCycles(files.flatMap((file) => file.imports))]
}

/**
 * Finds cycles of imports between files; reports each cycle once.
 *
 * @param imports all imports, including type imports
 */
export function findCycles(imports: readonly Import[]): string[] {
  const targets = new Map<string, string[]>()
  for (const { from, file } of imports) if (file) targets.set(from, [...(targets.get(from) ?? []), file])
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (file: string, trail: readonly string[]): void => {
    const start = trail.indexOf(file)
    if (start >= 0) cycles.push(`Files import each other in a cycle: ${[...trail.slice(start), file].join(' -> ')}`)
    if (start >= 0 || done.has(file)) return
    for (const target of targets.get(file) ?? []) visit(target, [...trail, file])
    done.add(file)
  }
  for (const file of targets.keys()) visit(file, [])
  return cycles
}

/** Finds errors in the table: unknown names, imports of a later row, storeys out of order, and cycles of folders. */
export function findTableViolations(folders: HouseRules['folders']): string[] {
  const names = Object.keys(folders)
  const edges = Object.entries(folders).flatMap(([from, { imports, types, mounts = [] }]) =>
    [...allowedFolders(folders, from, imports), ...allowedFolders(folders, from, types), ...mounts].map((to) => ({
      from,
      to,
    })),
  )
  const isMounted = ({ from, to }: { from: string; to: string }): boolean =>
    folders[from]?.mounts?.includes(to) ?? false
  const down = edges.filter((edge) => {
    const [from, to] = [names.indexOf(edge.from), names.indexOf(edge.to)]
    return to < 0 || (to > from && !isMounted(edge))
  })
  const storeys = Object.values(folders).map(({ storey }) => STOREYS.indexOf(storey))
  const misplaced = names.filter((_, row) => Number(storeys[row]) < Math.max(...storeys.slice(0, row)))
  const asImports = edges.map(({ from, to }) => ({ from, specifier: to, file: to, typeOnly: false }))
  return [
    ...down.map(({ from, to }) => `The table allows ${from} to import ${to}, which is not above it`),
    ...misplaced.map(
      (name) => `The table lists ${name} of the ${folders[name]?.storey} below a folder of a higher storey`,
    ),
    ...findCycles(asImports),
  ]
}

function fileBreaches(file: SourceFacts, rules: HouseRules): string[] {
  return [
    ...placeBreaches(file, rules),
    ...file.imports.map((found) => importBreach(found, rules)),
    ...[...file.uses].map((use) => useBreach(file, use, rules)),
    ...Object.keys(rules.bannedWords).map((word) => wordBreach(file, word, rules)),
    file.hasDefaultExport ? `${file.path} has a default export: use a named export` : undefined,
    file.hasStarExport ? `${file.path} has \`export *\`: list the exported names` : undefined,
  ].filter((breach) => breach !== undefined)
}

function placeBreaches({ path, onlyReexports }: SourceFacts, { folders }: HouseRules): string[] {
  const folder = folderName(path)
  if (folder === '') {
    return onlyReexports
      ? []
      : [`${path} is an entry of the package: it may only contain \`export { ... } from '...'\``]
  }
  const breaches: string[] = []
  if (!Object.hasOwn(folders, folder)) breaches.push(`${path} is in a folder that is missing in the table: ${folder}`)
  if (posix.basename(path) === 'index.ts')
    breaches.push(`${path} is an index inside a folder: name it after its content`)
  return breaches
}

function importBreach(found: Import, rules: HouseRules): string | undefined {
  const { from, specifier, file } = found
  if (file !== undefined) return insideBreach(found, file, rules)
  if (specifier === COMPUTED && rules.computedImports.includes(folderName(from))) return undefined
  if (!specifier.startsWith('node:'))
    return `${from} imports ${specifier}: only relative paths and \`node:\` modules are allowed`
  const allowed = rules.guardedModules[specifier.split('/')[0] ?? specifier]
  if (!allowed || allowed.includes(folderName(from))) return undefined
  return `${from} imports ${specifier}: ${allowed.length === 0 ? 'no folder may' : `only ${allowed.join(', ')} may`}`
}

function insideBreach(
  { from, specifier, typeOnly }: Import,
  file: string,
  { folders }: HouseRules,
): string | undefined {
  if (!file.startsWith('src/')) return `${from} imports ${specifier}, which is outside src`
  const [importer, imported] = [folderName(from), folderName(file)]
  if (importer === imported || importer === '') return undefined
  if (imported === '') return `${from} imports ${file}, an entry of the package: import the original file`
  const rule = folders[importer]
  const allowed = [
    ...allowedFolders(folders, importer, rule?.imports),
    ...(typeOnly ? allowedFolders(folders, importer, rule?.types) : []),
    ...(rule?.mounts ?? []),
  ]
  if (allowed.includes(imported) || (OPEN_TO_ALL.includes(imported) && !OPEN_TO_ALL.includes(importer)))
    return undefined
  return `${from} imports ${file}: ${importer} may not import ${imported}`
}

function useBreach({ path }: SourceFacts, use: string, { guardedUses }: HouseRules): string | undefined {
  const places = guardedUses[use] ?? []
  if (isIn(path, places)) return undefined
  return `${path} uses ${use}: ${places.length === 0 ? 'no file may' : `only ${places.join(', ')} may`}`
}

function wordBreach({ path, text }: SourceFacts, word: string, { bannedWords }: HouseRules): string | undefined {
  if (isIn(path, bannedWords[word] ?? [])) return undefined
  return new RegExp(`\\b${word}`, 'i').test(text) ? `${path} contains ${word}` : undefined
}

/** Whether a file of `src` is one of the files, or in one of the folders ending in `/`. */
function isIn(path: string, places: readonly string[]): boolean {
  const inSrc = path.replace(/^src\//, '')
  return places.some((place) => inSrc === place || (place.endsWith('/') && inSrc.startsWith(place)))
}
