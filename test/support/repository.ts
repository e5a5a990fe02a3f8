/** Programs of the repository, for tests that run from a compiled copy of it (`scripts/compiled.mjs`) or with tsx. */
import { fileURLToPath } from 'node:url'

/** Folder of the running tests: the repository, or a copy of it. */
const RUNNING = new URL('../../', import.meta.resolve('#test/repository.js'))

/**
 * Returns the arguments of `node` that run a TypeScript file of the repository.
 *
 * @param path path relative to the root
 */
export function programArguments(path: string): string[] {
  return /\/\.cache\/compiled\/[^/]+\/$/.test(RUNNING.pathname)
    ? ['--enable-source-maps', fileURLToPath(new URL(path.replace(/\.ts$/, '.js'), RUNNING))]
    : ['--import=tsx', path]
}
