/**
 * Rebuilds `dist` from `src`: a module per entry and three for the command line, a shared module, and modules that are loaded on demand, each
 * with a file of types. The result is the source without its types: it only renames duplicate names, and has a comment with the path
 * before the code of each file. The comments are shorter than in the source (decision 46): a declaration keeps the first sentence of its
 * comment, unless a file of types contains it, and the console and the command line have no comments.
 *
 * @see docs/decisions/0046-comments-of-the-package.md
 */
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'
import blankTypes from 'ts-blank-space'
import { ensurePage } from '../console/build.mjs'
import { withoutComments } from './comments.mjs'
import { CONSOLE_STYLE, CACHE, COMPILERS, ROOT, executable, fail, filesBelow, node, withHeadings } from './tools.mjs'

const DIST = join(ROOT, 'dist')
const DECLARATIONS = join(CACHE, `declarations-${process.pid}`)
/** The entries of the package are the files directly in `src`. */
const ENTRIES = filesBelow('src', (path) => /^src\/[a-z-]+\.ts$/.test(path)).map((path) => path.slice(4, -3))
/** Modules with more than one room. Every other room that an app loads is a module with its name. */
const SMALL_ROOMS = {
  ground: ['values', 'errors', 'naming', 'versioning', 'router'],
  observe: ['observe', 'secrets'],
  core: ['context', 'injection', 'route', 'request'],
  features: ['decorators', 'features'],
  app: ['openapi', 'check', 'app', 'devconsole'],
}
/** The program `verbena`, the preload of apps that `verbena dev` starts, and the program of their tests. They have no types, and no app loads them. */
const PROGRAMS = { cli: 'cli/bin', 'cli-dev': 'cli/dev/preload', 'cli-test': 'cli/dev/test-child' }
const FROM_NODE = /^node:/
const GENERATED = /\.generated\.js$/
/** Warning about types that are not exported. Only parameters use them, so no declaration of a user has to name them. */
const UNNAMED_TYPES = /private shared type exports/
/** Comments for tools. */
const TO_TOOLS = /^[ \t]*(?:\/\/|\/\*) *(?:c8|oxlint-|prettier-ignore|@ts-).*\n/gm
/** Examples of the public API. They stay in the files of types. */
const EXAMPLES = /\n[ \t]*\* @example\n[ \t]*\* ```[^]*?\n[ \t]*\* ```(?=\n)/g
const DOCUMENTATION = /^[ \t]*\/\*\*(?:[^*]|\*(?!\/))*\*\/\n/gm
/** Comments of exported names in an entry. */
const EXPORT_COMMENTS = /^ +(\/\*\*.*\*\/)\n +(\w+),$/gm
/** The console and the command line, which have no comments in the package. */
const WITHOUT_COMMENTS = /\/src\/(?:cli\/|devconsole\/|prove\/source-places)/
const MAX_COMMENT_WIDTH = 136
/** Comments that prove a cast, which the modules do not contain. */
const PROOFS = /^[ \t]*\/\/ Proof:.*\n(?:[ \t]*\/\/.*\n)*/gm
/** Comments of types, which the modules do not contain. */
const OF_TYPES = /^\/\*\*(?:[^*]|\*(?!\/))*\*\/\n(?=(?:export )?(?:interface|type) )/gm
/** Comments in the files of types. The modules do not repeat them. */
const documented = new Set()

await ensurePage()
rmSync(DIST, { recursive: true, force: true })
const compiler = [executable(COMPILERS[6], 'tsc'), '-p', 'tsconfig.build.json', '--outDir', DECLARATIONS]
try {
  if (node(compiler) !== 0) fail('Cannot build: the types do not hold')
  const types = await write(await bundle(DECLARATIONS, '.d.ts', dts()), {
    entryFileNames: '[name].d.ts',
    chunkFileNames: '[name].ts',
    manualChunks: typeChunks,
    minifyInternalExports: false,
  })
  for (const { path } of types) collectDocumentation(path)
  const code = await write(await bundle('src', '.ts', { load: withoutTypes }, PROGRAMS), {
    chunkFileNames: '[name].js',
    manualChunks: codeChunks,
    minifyInternalExports: false,
  })
  writeManifest([...code, ...types])
} finally {
  rmSync(DECLARATIONS, { recursive: true, force: true })
}

function bundle(folder, extension, plugin, programs = {}) {
  const entries = ENTRIES.map((name) => [name, resolve(ROOT, folder, name + extension)])
  const commands = Object.entries(programs).map(([name, path]) => [name, resolve(ROOT, folder, path + extension)])
  return rollup({
    input: Object.fromEntries([...entries, ...commands]),
    external: FROM_NODE,
    plugins: [{ resolveId: (to, from) => sourceOf(to, from, extension) }, plugin],
    treeshake: { moduleSideEffects: false },
    onwarn: (warning) => {
      if (!UNNAMED_TYPES.test(warning.message)) fail(`Cannot build: ${warning.message}`)
    },
  })
}

/** Resolves an import. Sources import each other by the names of compiled files. */
function sourceOf(to, from, extension) {
  if (from === undefined || !to.startsWith('.')) return null
  return resolve(dirname(from), GENERATED.test(to) ? to : to.replace(/\.js$/, extension))
}

function withoutTypes(path) {
  const refuse = ({ pos }) => fail(`Cannot build: what stands at ${pos} of ${path} is no type, and no JavaScript`)
  const source = readFileSync(path, 'utf8')
  return blankTypes(WITHOUT_COMMENTS.test(path) ? withoutComments(source) : shortenComments(source), refuse)
}

function shortenComments(source) {
  return [TO_TOOLS, PROOFS, OF_TYPES, EXAMPLES]
    .reduce((text, comments) => text.replace(comments, ''), source)
    .replace(DOCUMENTATION, shortenComment)
}

/** Returns the first sentence of a comment if it fits a line, and nothing for comments of members and of the public API. */
function shortenComment(comment) {
  const text = commentText(comment)
  if (!comment.startsWith('/**') || documented.has(text)) return ''
  const [sentence] = text.split(/(?<=\.) (?=[A-Z`]|@see )/)
  const line = `/** ${sentence} */\n`
  return line.length <= MAX_COMMENT_WIDTH ? line : ''
}

function collectDocumentation(path) {
  const comments = readFileSync(join(ROOT, path), 'utf8').replace(EXAMPLES, '').match(DOCUMENTATION) ?? []
  for (const comment of comments) documented.add(commentText(comment))
}

/** Returns the words of a comment, however its lines are broken. */
function commentText(comment) {
  return comment
    .replace(/^[ \t]*\/\*\*|\*\/$/gm, '')
    .replace(/^[ \t]*\*/gm, '')
    .split(/\s+/)
    .filter((word) => word !== '')
    .join(' ')
}

/**
 * Assigns a file to a chunk: the room that it belongs to if every app loads it, code that other entries share, the proofs, the console, or
 * its page.
 * The client shares no code, so it contains no server code.
 */
function codeChunks(path, { getModuleInfo }) {
  if (GENERATED.test(path)) return 'console-page'
  if (path.includes('/src/cli/')) return undefined
  // Its size counts as before for the command line, which always loads it. The proofs load it if they fail.
  if (path.endsWith('/src/prove/source-places.js') || path.endsWith('/src/prove/source-places.ts')) return 'cli-places'
  // The command line uses more of it than the entry exports.
  if (path.includes('/src/prove/')) return 'proofs'
  // Its former entries import it, so that an app with other stores does not load it.
  if (/\/src\/(?:redis|features\/stores\/redis\/[a-z]+)\.ts$/.test(path)) return 'redis'
  const { isEntry, importers } = getModuleInfo(path)
  const users = usersOf(path, getModuleInfo)
  if (users.length === 0 && path.includes('/devconsole/')) return 'console'
  if (path.includes('/src/reference/')) return 'reference'
  // The entry of documents uses it too, and loads neither the page nor the console.
  if (path.includes('/breaking/upgrade-document.')) return 'upgrade-document'
  // The page of the API and the console share it. Neither loads the other.
  if (path.includes('/src/openapi/reading/')) return 'reading'
  // The console shares files too, and an entry must not load it for them.
  if (importers.some((importer) => importer.includes('/devconsole/'))) users.push('console')
  if (isEntry || users.includes('client.ts')) return undefined
  if (users.includes('index.ts')) return findModule(path)
  // Otherwise the other entries would load code that only one entry and the command line use.
  return users.length < 2 || (users.length === 2 && users.includes('bin.ts')) ? undefined : 'shared'
}

/** Returns the module of the package for a file in `src`. Small rooms share a module. */
function findModule(path) {
  const [room] = relative(join(ROOT, 'src'), path).split('/')
  const [module] = Object.entries(SMALL_ROOMS).find(([, rooms]) => rooms.includes(room)) ?? [room]
  return module
}

/** Assigns a file of types to a chunk. All shared types are in one file, because types have no runtime cost. */
function typeChunks(path, { getModuleInfo }) {
  return usersOf(path, getModuleInfo).length > 1 ? 'core.d' : undefined
}

/** Returns the entries that load a file immediately. */
function usersOf(path, getModuleInfo) {
  return entriesAbove(path, getModuleInfo).map((entry) => entry.slice(entry.lastIndexOf('/') + 1))
}

/** Returns the paths of the entries with a direct or indirect static import of a file. */
function entriesAbove(path, getModuleInfo, seen = new Set()) {
  if (seen.has(path)) return []
  seen.add(path)
  const { isEntry, importers } = getModuleInfo(path)
  const above = importers.flatMap((importer) => entriesAbove(importer, getModuleInfo, seen))
  return isEntry ? [path, ...above] : above
}

/** Writes the modules of a bundle. Returns their paths, and the paths of the sources in them. */
async function write(bundled, options) {
  const { output } = await bundled.generate({ format: 'es', dir: DIST, hoistTransitiveImports: false, ...options })
  mkdirSync(DIST, { recursive: true })
  const style = await resolveConfig(join(ROOT, 'package.json'))
  for (const { fileName, code, modules } of output) {
    const path = join(DIST, fileName)
    const ownStyle = fileName.startsWith('console') ? CONSOLE_STYLE : style
    const text = withExportComments(withHeadings(code, modules, sourcePath), fileName)
    writeFileSync(path, await format(text, { ...ownStyle, filepath: path }))
    if (code.startsWith('#!')) chmodSync(path, 0o755)
  }
  return output.map(({ fileName, modules }) => {
    const paths = Object.keys(modules).filter((path) => modules[path].renderedLength > 0)
    return { path: `dist/${fileName}`, sources: paths.map(sourcePath).toSorted() }
  })
}

/** Adds the comments of exports in an entry, such as `@deprecated`, to its types. The bundler drops them. */
function withExportComments(code, fileName) {
  const entry = fileName.replace(/\.d\.ts$/, '')
  if (entry === fileName || !ENTRIES.includes(entry)) return code
  const source = readFileSync(join(ROOT, `src/${entry}.ts`), 'utf8')
  const comments = new Map([...source.matchAll(EXPORT_COMMENTS)].map(([, comment, name]) => [name, comment]))
  return code.replace(/^export (?:type )?\{[^}]*\}/gm, (list) =>
    list.replace(/\w+/g, (name) => (comments.has(name) ? `\n${comments.get(name)}\n${name}` : name)),
  )
}

/** Writes the hash of each file and of its sources, for `verbena audit`. */
function writeManifest(built) {
  const files = built.map(({ path, sources }) => {
    const hashes = sources.map((source) => [source, sha256(source)])
    return [path, { sha256: sha256(path), sources: Object.fromEntries(path.endsWith('.js') ? hashes : []) }]
  })
  writeFileSync(join(DIST, 'manifest.json'), `${JSON.stringify(Object.fromEntries(files), null, 1)}\n`)
}

function sha256(path) {
  return createHash('sha256')
    .update(readFileSync(join(ROOT, path)))
    .digest('hex')
}

/** Returns the path in `src` for code or types. */
function sourcePath(path) {
  const isTypes = path.startsWith(DECLARATIONS)
  return isTypes ? `src/${relative(DECLARATIONS, path).replace(/\.d\.ts$/, '.ts')}` : relative(ROOT, path)
}
