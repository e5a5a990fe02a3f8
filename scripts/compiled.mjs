/**
 * Compiles `src`, `test` and `examples` to JavaScript, so that the many processes of the tests load it without a compiler: importing `src`
 * takes 0.3 s of processor time, and with tsx 1.1 s.
 *
 * Each file is compiled once for its content. A copy of the repository links to these files; its name is a hash of them all, so that
 * processes of different contents can run side by side.
 */
import { createHash } from 'node:crypto'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { transformSync, version } from 'esbuild'
import { CACHE, ROOT, filesBelow } from './tools.mjs'

const COMPILED = join(CACHE, 'compiled')
/** Examples with their own packages are not compiled, except for the part that a test imports. */
const FOLDERS = [
  'src',
  'console',
  'test',
  'examples/chat',
  'examples/library',
  'examples/users',
  'examples/sqlite/test',
]
const IGNORED = /\/node_modules\/|\.d\.ts$/
const SOURCE = /\.(?:ts|mts)$/
/** Files that are not compiled, which a copy links to. Markdown and the like are read from the repository. */
const LINKED = /\.(?:mjs|cjs|js|json)$/
/** Like tsx, but for the oldest supported Node version. `tsconfig.json` sets nothing else that changes code. */
const SETTINGS = {
  ...{ format: 'esm', platform: 'node', target: 'node20.19', keepNames: true, loader: 'ts' },
  ...{ sourcemap: 'inline', sourcesContent: true },
  tsconfigRaw: { compilerOptions: { useDefineForClassFields: true, verbatimModuleSyntax: true } },
}
/** An empty statement, for files of types: c8 reports a file whose source map is empty as 0 %. The first sign may end a type. */
const STATEMENT = ';;\n'
/**
 * Imports on demand in `src` are in separate files of the copy: tsx, which loads the modules of users, rewrites a file with such an import,
 * and c8 could no longer map it to the source. The replacement has the same length.
 */
const DYNAMIC_IMPORT = /\bimport\((?=["'`\w])/
/** Programs that `verbena dev` starts. A copy also has them under their names in the package. */
const PROGRAMS = { 'src/cli/dev/preload.ts': 'cli-dev.js', 'src/cli/dev/test-child.ts': 'cli-test.js' }
/** Files of `src` that read the path of the copy. */
const OF_COPY = new Set(['src/cli/dev/app-process.ts', ...Object.keys(PROGRAMS)])
/** Resolves the names that `paths` of `tsconfig.json` contains. */
const NAMES = { '#src/*': './src/*', '#test/*': './test/support/*' }
/** Settings of tsx for modules of users that a program of the copy loads. */
const PROJECT = {
  extends: join(ROOT, 'tsconfig.json'),
  compilerOptions: { paths: { verbena: ['./src/index.js'], 'verbena/*': ['./src/*.js'] } },
}
/** Copies that no run has used for this time are removed. */
const UNUSED_MS = 86_400_000

/**
 * Returns the folder of a copy. In a copy, `verbena` is `src`.
 * @param isOfDist whether `verbena` is the built package
 */
export function compiledCopy(isOfDist = false) {
  mkdirSync(join(COMPILED, 'files'), { recursive: true })
  const files = FOLDERS.flatMap((folder) => filesBelow(folder, isNeeded)).map((path) => ({ path, file: compile(path) }))
  const name = hash(JSON.stringify([files, isOfDist, PROJECT, PROGRAMS]))
  const copy = join(COMPILED, name)
  if (!existsSync(copy)) writeCopy(copy, files, isOfDist)
  const now = new Date()
  utimesSync(copy, now, now)
  removeUnused()
  return copy
}

/** Returns the path of a source file in a copy. */
export function compiledPath(copy, path) {
  return join(copy, path.replace(SOURCE, '.js'))
}

function isNeeded(path) {
  return !IGNORED.test(path) && (SOURCE.test(path) || LINKED.test(path))
}

/** Compiles a file, once for each content. Returns the name of the result. */
function compile(path) {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const define = OF_COPY.has(path) ? {} : sourcePaths(join(ROOT, path))
  const name = hash(JSON.stringify([version, SETTINGS, STATEMENT, String(DYNAMIC_IMPORT), define, text]))
  const target = join(COMPILED, 'files', name)
  if (existsSync(target)) return name
  // All copies have the same depth, so that the path of the source is the same in each.
  const sourcefile = relative(join(COMPILED, 'copy', dirname(path)), join(ROOT, path))
  write(target, SOURCE.test(path) ? compileText(path, text, { ...SETTINGS, define, sourcefile }) : text)
  return name
}

function compileText(path, text, settings) {
  const { code } = transformSync(text, settings)
  if (code.startsWith('//#')) return transformSync(text.trimEnd() + STATEMENT, settings).code
  if (!path.startsWith('src/') || !DYNAMIC_IMPORT.test(code)) return code
  return `${code.split(DYNAMIC_IMPORT).join('__load(')}import { __load } from './${loaderName(path)}'\n`
}

/** Name of the file that imports for another file of its folder. */
function loaderName(path) {
  return basename(path).replace(SOURCE, '.load.mjs')
}

/** Constants for `import.meta`: a compiled module reads the paths of its source, and finds the files beside it. */
function sourcePaths(file) {
  return {
    'import.meta.url': JSON.stringify(pathToFileURL(file).href),
    'import.meta.filename': JSON.stringify(file),
    'import.meta.dirname': JSON.stringify(dirname(file)),
  }
}

function writeCopy(copy, files, isOfDist) {
  const draft = `${copy}-${process.pid}`
  for (const { path, file } of files) {
    const target = compiledPath(draft, path)
    mkdirSync(dirname(target), { recursive: true })
    linkSync(join(COMPILED, 'files', file), target)
    if (path in PROGRAMS) linkSync(join(COMPILED, 'files', file), join(dirname(target), PROGRAMS[path]))
    if (path.startsWith('src/') && DYNAMIC_IMPORT.test(readFileSync(join(ROOT, path), 'utf8'))) {
      writeFileSync(join(dirname(target), loaderName(path)), 'export const __load = (to) => import(to)\n')
    }
  }
  symlinkSync(join(ROOT, 'scripts'), join(draft, 'scripts'))
  const entries = { '.': './src/index.js', './*': './src/*.js' }
  const manifest = { type: 'module', imports: NAMES, ...(isOfDist ? {} : { name: 'verbena', exports: entries }) }
  writeFileSync(join(draft, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(draft, 'tsconfig.json'), JSON.stringify(PROJECT))
  if (isOfDist) {
    mkdirSync(join(draft, 'node_modules'))
    symlinkSync(ROOT, join(draft, 'node_modules/verbena'))
  }
  rename(draft, copy)
}

function write(target, text) {
  const draft = `${target}-${process.pid}`
  writeFileSync(draft, text)
  renameSync(draft, target)
}

/** Renames a folder, unless another process was faster. */
function rename(from, to) {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!existsSync(to)) throw error
    rmSync(from, { recursive: true })
  }
}

function removeUnused() {
  const oldest = Date.now() - UNUSED_MS
  for (const name of readdirSync(COMPILED)) {
    const path = join(COMPILED, name)
    if (name !== 'files' && statSync(path).mtimeMs < oldest) rmSync(path, { recursive: true, force: true })
  }
  const files = join(COMPILED, 'files')
  for (const name of readdirSync(files)) {
    const { nlink, mtimeMs } = statSync(join(files, name))
    if (nlink === 1 && mtimeMs < oldest) rmSync(join(files, name), { force: true })
  }
}

function hash(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
