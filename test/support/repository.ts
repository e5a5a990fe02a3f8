/** Programs of the repository, for tests that run from a compiled copy of it (`scripts/compiled.mjs`) or with tsx. */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Folder of the running tests: the repository, or a copy of it. */
const RUNNING = new URL('../../', import.meta.resolve('#test/repository.js'))

const IS_COPY = /\/\.cache\/compiled\/[^/]+\/$/.test(RUNNING.pathname)

/** The program `verbena` with tsx, for modules of users: of the repository, or compiled. */
export const COMMAND: readonly string[] = [
  ...(IS_COPY ? ['--enable-source-maps'] : []),
  ...['--import', import.meta.resolve('tsx')],
  fileURLToPath(new URL(`src/cli/bin.${IS_COPY ? 'js' : 'ts'}`, RUNNING)),
]

/** Path of a `tsconfig.json` for tsx, in which `verbena` is the source that `COMMAND` runs. */
export const COMMAND_CONFIG: string = fileURLToPath(new URL('tsconfig.json', RUNNING))

/**
 * Returns the path of a `tsconfig.json` with which tsx runs modules of users.
 *
 * @param path path of the `tsconfig.json` that checks their types; another than that of the repository remains
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
  return IS_COPY
    ? ['--enable-source-maps', fileURLToPath(new URL(path.replace(/\.ts$/, '.js'), RUNNING))]
    : ['--import=tsx', path]
}
