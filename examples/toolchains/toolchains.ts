/** The compilers and bundlers: how each of them builds the app for Node.js. */
import { execFile } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import ts from 'typescript'

const require = createRequire(import.meta.url)
const run = promisify(execFile)
const VERBENA = join(import.meta.dirname, '../..')
const CACHE = join(import.meta.dirname, '.cache')
/** Folder of the app in TypeScript. The package is in `node_modules` next to it, as in a project. */
const SOURCE = join(CACHE, 'app')
const INSTALLED = join(CACHE, 'node_modules/verbena')
/** The app as the compiler of TypeScript writes it for ES2022, without decorators. */
const COMPILED = join(CACHE, 'compiled')
const TYPESCRIPT = join(SOURCE, 'main.ts')
const JAVASCRIPT = join(COMPILED, 'main.js')

/** Options of a build. */
export interface Task {
  /** Empty folder. */
  readonly folder: string
  readonly minify: boolean
}

interface Toolchain {
  /** Package whose version is in the table. */
  readonly package: string
  /** Compiler of the decorators: the tool, a loader, or the compiler of TypeScript before it. */
  readonly compiler: string
  readonly canMinify: boolean
  /** Returns the command that starts the app. */
  readonly build: (task: Task) => Promise<readonly [string, ...string[]]>
}

const esbuild: Toolchain = {
  package: 'esbuild',
  compiler: 'esbuild, `target: es2022`',
  canMinify: true,
  build: async ({ folder, minify }) => {
    const outfile = join(folder, 'main.mjs')
    await bundleWithEsbuild({ outfile, minify, format: 'esm' })
    return [process.execPath, outfile]
  },
}

async function bundleWithEsbuild(options: {
  readonly outfile: string
  readonly minify: boolean
  readonly format: 'esm' | 'cjs'
}): Promise<void> {
  const { build } = await import('esbuild')
  await build({ ...options, entryPoints: [TYPESCRIPT], bundle: true, platform: 'node', target: 'es2022' })
}

const rollup: Toolchain = {
  package: 'rollup',
  compiler: 'tsc; minified by terser',
  canMinify: true,
  build: async ({ folder, minify }) => {
    const [{ rollup: bundle }, { minify: terser }] = await Promise.all([import('rollup'), import('terser')])
    const resolver = {
      name: 'packages of node_modules',
      resolveId: (source: string) => resolvePackage(source) ?? null,
    }
    const built = await bundle({ input: JAVASCRIPT, plugins: [resolver], external: /^node:/, onwarn: () => {} })
    const file = join(folder, 'main.mjs')
    await built.write({ file, format: 'esm', inlineDynamicImports: true })
    if (minify) writeFileSync(file, (await terser(readFileSync(file, 'utf8'), { module: true })).code ?? '')
    return [process.execPath, file]
  },
}

function resolvePackage(name: string): string | undefined {
  if (name === 'zod') return fileURLToPath(import.meta.resolve('zod'))
  const [, entry = 'index'] = /^verbena(?:\/(.+))?$/.exec(name) ?? []
  return name.startsWith('verbena') ? join(INSTALLED, 'dist', `${entry}.js`) : undefined
}

const rolldown: Toolchain = {
  package: 'rolldown',
  compiler: 'tsc',
  canMinify: true,
  build: async ({ folder, minify }) => {
    const { build } = await import('rolldown')
    const file = join(folder, 'main.mjs')
    await build({
      ...{ input: JAVASCRIPT, platform: 'node', logLevel: 'silent' },
      output: { file, format: 'esm', minify, codeSplitting: false },
    })
    return [process.execPath, file]
  },
}

const SWC = {
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    transform: { decoratorVersion: '2022-03' },
    target: 'es2022',
  },
} as const

/** Options that webpack and Rspack share. */
function webpackOptions({ folder, minify }: Task) {
  return {
    ...({ mode: 'production', target: 'node20', entry: TYPESCRIPT, devtool: false, context: CACHE } as const),
    output: { path: folder, filename: 'main.mjs', module: true, chunkFormat: 'module' },
    optimization: { minimize: minify },
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  }
}

const webpack: Toolchain = {
  package: 'webpack',
  compiler: 'swc-loader, `decoratorVersion: "2022-03"`',
  canMinify: true,
  build: async ({ folder, minify }) => {
    const { default: create } = await import('webpack')
    const compiler = create({
      ...webpackOptions({ folder, minify }),
      experiments: { outputModule: true },
      module: { rules: [{ test: /\.ts$/, loader: require.resolve('swc-loader'), options: SWC }] },
    })
    await compile(compiler)
    return [process.execPath, join(folder, 'main.mjs')]
  },
}

interface Compiler {
  run(callback: (error: Error | null, stats?: Stats) => void): void
  close(callback: () => void): void
}

interface Stats {
  hasErrors(): boolean
  toString(options: { all: boolean; errors: boolean }): string
}

/** Runs a compiler of webpack or Rspack. */
function compile(compiler: Compiler | null): Promise<void> {
  return new Promise((resolve, reject) => {
    compiler?.run((error, stats) => {
      const text = stats?.hasErrors() === true ? stats.toString({ all: false, errors: true }) : undefined
      compiler.close(() => {
        if (error !== null || text !== undefined) reject(error ?? new Error(text))
        else resolve()
      })
    })
  })
}

const rspack: Toolchain = {
  package: '@rspack/core',
  compiler: 'builtin:swc-loader, `decoratorVersion: "2022-03"`',
  canMinify: true,
  build: async ({ folder, minify }) => {
    const { rspack: create } = await import('@rspack/core')
    const compiler = create({
      ...webpackOptions({ folder, minify }),
      module: { rules: [{ test: /\.ts$/, loader: 'builtin:swc-loader', options: SWC }] },
    })
    await compile(compiler)
    return [process.execPath, join(folder, 'main.mjs')]
  },
}

const parcel: Toolchain = {
  package: 'parcel',
  compiler: 'tsc',
  canMinify: true,
  build: async ({ folder, minify }) => {
    const args = ['build', JAVASCRIPT, '--dist-dir', folder, '--no-cache', '--no-source-maps']
    await run(process.execPath, [executable('parcel'), ...args, ...(minify ? [] : ['--no-optimize'])], {
      cwd: COMPILED,
    })
    return [process.execPath, join(folder, 'main.js')]
  },
}

const bun: Toolchain = {
  package: 'bun',
  compiler: 'Bun',
  canMinify: true,
  build: async ({ folder, minify }) => {
    const file = join(folder, 'main.mjs')
    const args = ['build', TYPESCRIPT, '--target=node', `--outfile=${file}`, ...(minify ? ['--minify'] : [])]
    await run(executable('bun'), args, { cwd: SOURCE })
    return [process.execPath, file]
  },
}

const ncc: Toolchain = {
  package: '@vercel/ncc',
  compiler: 'its ts-loader with TypeScript 6',
  canMinify: true,
  build: async ({ folder, minify }) => {
    const args = ['build', TYPESCRIPT, '--out', folder, '--no-cache', ...(minify ? ['--minify'] : [])]
    await run(process.execPath, [executable('@vercel/ncc', 'ncc'), ...args], { cwd: SOURCE })
    const file = ['index.mjs', 'index.js'].map((name) => join(folder, name)).find(existsSync)
    return [process.execPath, file ?? join(folder, 'index.js')]
  },
}

const swc: Toolchain = {
  package: '@swc/core',
  compiler: 'swc, `decoratorVersion: "2022-03"`, one file each',
  canMinify: true,
  build: async ({ folder, minify }) => {
    const { transform } = await import('@swc/core')
    const options = {
      ...{ swcrc: false, configFile: false, minify },
      jsc: { ...SWC.jsc, ...(minify && { minify: { compress: true, mangle: { toplevel: true } } }) },
      module: { type: 'es6' },
    } as const
    return transpileEach(folder, async (code, filename) => (await transform(code, { ...options, filename })).code)
  },
}

const babel: Toolchain = {
  package: '@babel/core',
  compiler: 'Babel, `version: "2023-11"`, one file each',
  canMinify: false,
  build: async ({ folder }) => {
    const { transformAsync } = await import('@babel/core')
    const decorators: [string, object] = ['@babel/plugin-proposal-decorators', { version: '2023-11' }]
    const options = {
      ...{ babelrc: false, configFile: false, cwd: import.meta.dirname },
      presets: ['@babel/preset-typescript'],
      plugins: [decorators],
    }
    return transpileEach(
      folder,
      async (code, filename) => (await transformAsync(code, { ...options, filename }))?.code ?? '',
    )
  },
}

/** Compiles each file separately, next to the packages. */
async function transpileEach(
  folder: string,
  transpile: (code: string, filename: string) => string | Promise<string>,
): Promise<readonly [string, ...string[]]> {
  for (const name of readdirSync(SOURCE).filter((file) => file.endsWith('.ts'))) {
    const path = join(SOURCE, name)
    const code = await transpile(readFileSync(path, 'utf8'), path)
    writeFileSync(join(folder, name.replace('.ts', '.js')), code)
  }
  return [process.execPath, join(folder, 'main.js')]
}

const executableOfNode: Toolchain = {
  package: 'postject',
  compiler: 'esbuild, CommonJS',
  canMinify: true,
  build: async ({ folder, minify }) => {
    const [main, blob, program] = [join(folder, 'main.cjs'), join(folder, 'main.blob'), join(folder, 'app')]
    await bundleWithEsbuild({ outfile: main, minify, format: 'cjs' })
    const config = join(folder, 'sea.json')
    writeFileSync(config, JSON.stringify({ main, output: blob, disableExperimentalSEAWarning: true }))
    await run(process.execPath, ['--experimental-sea-config', config])
    copyFileSync(process.execPath, program)
    const fuse = ['--sentinel-fuse', 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2']
    await run(process.execPath, [executable('postject'), program, 'NODE_SEA_BLOB', blob, ...fuse])
    rmSync(blob)
    return [program]
  },
}

/** By name, as in the table of the README. */
export const TOOLCHAINS: Readonly<Record<string, Toolchain>> = {
  ...{ esbuild, rollup, rolldown, webpack, Rspack: rspack, Parcel: parcel, Bun: bun, ncc, swc, Babel: babel },
  'single executable': executableOfNode,
}

function readManifest(name: string): { readonly version: string; readonly bin: string | Record<string, string> } {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'node_modules', name, 'package.json'), 'utf8'))
}

/** Version of an installed package. */
export function readVersion(name: string): string {
  return readManifest(name).version
}

/** Path of the program of an installed package. */
function executable(name: string, program = basename(name)): string {
  const { bin } = readManifest(name)
  return join(import.meta.dirname, 'node_modules', name, typeof bin === 'string' ? bin : (bin[program] ?? ''))
}

/** Why a tool cannot run on this machine, or `undefined`. */
export async function findReason({ package: name }: Toolchain): Promise<string | undefined> {
  if (!existsSync(join(import.meta.dirname, 'node_modules', name))) return `${name} is not installed`
  if (name !== 'bun') return undefined
  // npm may not run the script of the package that installs the program.
  return run(executable('bun'), ['--version']).then(
    () => undefined,
    () => 'the package has no program. Run: node node_modules/bun/install.js',
  )
}

/** Copies the app and the built package into an empty cache, and compiles the app by tsc. */
export async function prepare(): Promise<void> {
  if (!existsSync(join(VERBENA, 'dist/index.js')))
    throw new Error('The package is not built. Run in its folder: npm run build')
  rmSync(CACHE, { recursive: true, force: true })
  for (const name of ['dist', 'package.json']) cpSync(join(VERBENA, name), join(INSTALLED, name), { recursive: true })
  cpSync(join(import.meta.dirname, 'app'), SOURCE, { recursive: true })
  mkdirSync(COMPILED)
  const manifest = { name: 'toolchains', private: true, type: 'module' }
  writeFileSync(join(CACHE, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(SOURCE, 'package.json'), JSON.stringify(manifest))
  const target = { context: 'node', engines: { node: '>=20.19' }, outputFormat: 'esmodule', includeNodeModules: true }
  writeFileSync(join(COMPILED, 'package.json'), JSON.stringify({ ...manifest, targets: { default: target } }))
  // Parcel would read the `paths` of the example.
  writeFileSync(join(COMPILED, 'tsconfig.json'), '{}')
  const compilerOptions = { target: 'ES2022', module: 'NodeNext', types: ['node'], strict: true, skipLibCheck: true }
  writeFileSync(join(SOURCE, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }))
  const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext }
  await transpileEach(COMPILED, (code) => ts.transpileModule(code, { compilerOptions: options }).outputText)
}

/** Builds and runs the app in production, and returns its report. */
export async function buildAndRun(name: string, toolchain: Toolchain, minify: boolean): Promise<Report> {
  const folder = join(CACHE, `${name}-${minify ? 'minified' : 'plain'}`.replaceAll(' ', '-'))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const [program, ...args] = await toolchain.build({ folder, minify })
  return start(program, args)
}

/** Runs the app as it is written, with tsx. */
export function runSource(): Promise<Report> {
  return start(process.execPath, ['--import', 'tsx', TYPESCRIPT])
}

async function start(program: string, args: readonly string[]): Promise<Report> {
  const { stdout } = await run(program, [...args], {
    cwd: SOURCE,
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const line = stdout.split('\n').find((text) => text.startsWith('REPORT '))
  if (line === undefined) throw new Error(`The app printed no report: ${stdout}`)
  return JSON.parse(line.slice('REPORT '.length))
}

/** Paths of an app, or its setup error. */
export type RoutesOutcome = readonly string[] | { readonly code: string; readonly message: string }

/** What `app/main.ts` prints. */
export interface Report {
  readonly routes: RoutesOutcome
  readonly document: string
  readonly responses: unknown
  readonly audited: readonly string[]
  readonly console: number
  readonly pinned: RoutesOutcome
  readonly named: RoutesOutcome
  /** The same with `strict: true`. */
  readonly strict: RoutesOutcome
  readonly unnamed: RoutesOutcome
}
