/** Programs of the repository, for tests that run from a compiled copy of it (`scripts/compiled.mjs`) or with tsx. */
import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Folder of the running tests: the repository, or a copy of it. */
const RUNNING = new URL('../../', import.meta.resolve('#test/repository.js'))

const IS_COPY = /\/\.cache\/compiled\/[^/]+\/$/.test(RUNNING.pathname)

/** Modules that the compiled program imports before tsx. They load faster without it. */
const BEFORE_TSX = ['#src/index.js', '#src/decorators.js', 'zod']

/** Options of `node` for TypeScript of users: tsx, after the compiled program if there is one. */
const WITH_TSX: readonly string[] = [
  ...(IS_COPY ? ['--enable-source-maps'] : []),
  ...[...(IS_COPY ? BEFORE_TSX : []), 'tsx'].flatMap(importing),
]

/** The program `verbena` with tsx, for modules of users: of the repository, or compiled. */
export const COMMAND: readonly string[] = [
  ...(IS_COPY ? importing('#src/cli/main.js') : []),
  ...WITH_TSX,
  fileURLToPath(new URL(`src/cli/bin.${IS_COPY ? 'js' : 'ts'}`, RUNNING)),
]

/** Whether the tests run on the built package. */
export const IS_DIST: boolean = process.env['TSX_TSCONFIG_PATH']?.endsWith('tsconfig.dist.json') === true

/** Options of `node` for TypeScript that imports the tested code as `verbena`: `dist` in tests of the built package. */
export const TESTED_LOADER: readonly string[] = IS_DIST ? importing('tsx') : WITH_TSX

/** The program `verbena` of the tested code: `dist` in tests of the built package. A module of a user may only use one of them. */
export const TESTED_COMMAND: readonly string[] = IS_DIST ? [...TESTED_LOADER, resolve('dist/cli.js')] : COMMAND

/** The program `verbena` for JavaScript that does not import Verbena. The compiled program starts without tsx. */
export const PLAIN_COMMAND: readonly string[] = IS_COPY ? ['--enable-source-maps', ...COMMAND.slice(-1)] : COMMAND

/** Returns the path of the compiled file of a TypeScript file in this folder; `undefined` if there is none. */
export function compiledFile(path: string): string | undefined {
  const compiled = compiledPath(relative(resolve(), path))
  return IS_COPY && path.endsWith('.ts') && existsSync(compiled) ? compiled : undefined
}

/** Path of a `tsconfig.json` for tsx, in which `verbena` is the source that `COMMAND` runs. */
export const COMMAND_CONFIG: string = fileURLToPath(new URL('tsconfig.json', RUNNING))

/**
 * Returns the `tsconfig.json` for running code. It is the path itself, unless this is the `tsconfig.json` of the repository.
 *
 * @param path path of the `tsconfig.json` for checking types
 */
export function configFor(path: string): string {
  return resolve(path) === fileURLToPath(new URL('../../tsconfig.json', import.meta.url)) ? COMMAND_CONFIG : path
}

/**
 * Returns the arguments of `node` that run a TypeScript file of the repository.
 *
 * @param path path relative to the root
 */
export function programArguments(path: string): string[] {
  return IS_COPY ? ['--enable-source-maps', compiledPath(path)] : ['--import=tsx', path]
}

/** Returns the path of a TypeScript file in the compiled copy, from its path relative to the root. */
function compiledPath(path: string): string {
  return join(fileURLToPath(RUNNING), path.replace(/\.ts$/, '.js'))
}

function importing(name: string): string[] {
  return ['--import', import.meta.resolve(name)]
}
