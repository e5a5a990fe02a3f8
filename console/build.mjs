/**
 * Builds the page of the console, `console/page`, into `src/devconsole/serve/page.generated.js`, which git ignores. Does nothing if the page
 * was built from the same files.
 *
 *   node console/build.mjs
 *
 * @see docs/decisions/0045-a-readable-page.md
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT, filesBelow } from '../scripts/tools.mjs'

const TARGET = join(ROOT, 'src/devconsole/serve/page.generated.js')
const FOLDERS = ['console/page', 'src/devconsole/wire']
const PROGRAMS = ['console/build.mjs', 'console/bundle.mjs', 'scripts/comments.mjs', 'scripts/tools.mjs']
/** Files of other folders that `wire` imports. A test compares them with the bundle. */
const SHARED = [
  'src/http/methods.ts',
  'src/observe/buckets.ts',
  'src/openapi/reading/json.ts',
  'src/values/json-pointer.ts',
]
const TOOLS = ['prettier', 'rollup', 'ts-blank-space', 'typescript']

if (process.argv[1] === fileURLToPath(import.meta.url)) await ensurePage()

/** Builds the page, unless the file was built from the same sources with the same tools. */
export async function ensurePage() {
  const start = `/** Made of console/page by console/build.mjs, from ${hashOfSources()}. */\n`
  if (existsSync(TARGET) && readFileSync(TARGET, 'utf8').startsWith(start)) return
  const { bundlePage } = await import('./bundle.mjs')
  // Processes that run side by side see a whole file.
  const draft = `${TARGET}-${process.pid}`
  writeFileSync(draft, `${start}\n${await bundlePage()}`)
  renameSync(draft, TARGET)
}

function hashOfSources() {
  const sources = [
    ...FOLDERS.flatMap((folder) => filesBelow(folder, (path) => /\.(?:ts|css|html)$/.test(path))),
    ...PROGRAMS,
    ...SHARED,
  ]
  const versions = TOOLS.map((name) => JSON.parse(read(`node_modules/${name}/package.json`)).version)
  return createHash('sha256')
    .update(JSON.stringify([versions, sources.map((path) => [path, read(path)])]))
    .digest('hex')
}

function read(path) {
  return readFileSync(join(ROOT, path), 'utf8')
}
