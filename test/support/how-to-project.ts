/** The project that task pages start from: the files that `verbena new` creates. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { configFor, IS_DIST, PLAIN_COMMAND, TESTED_LOADER } from './repository.js'

const ROOT = resolve(import.meta.dirname, '..', '..')
/** The compiled program if the tests run on `dist`. */
const PROGRAM = IS_DIST ? [join(ROOT, 'dist/cli.js')] : PLAIN_COMMAND
const PATIENCE = 60_000

const TESTS = ['test/app.test.ts', 'test/authorization.test.ts', 'test/tasks.test.ts']
/** Files that a page keeps unless it replaces or deletes them. `src/app.ts` and its test of tasks are replaced by most pages. */
const FILES = ['src/app.ts', 'src/server.ts', ...TESTS, 'tsconfig.build.json']
/** Pages whose code does not belong to this project, and the reason. */
const OTHER_PROJECTS: Readonly<Record<string, string>> = {
  'lay-out-large-app': 'its src/app.ts exports a function, so that each test creates an app',
  'write-tests': 'its src/app.ts exports a function, so that each test creates an app with other services',
}
/** Names files to delete: `Delete` and the name of the file, in backticks. */
const DELETED = /\b[Dd]elete\s`(?<path>[^`\s]+)`/g

let created: ReadonlyMap<string, string> | undefined

/**
 * Returns the files by path that a page does not delete.
 *
 * @param earlier files of the page that it continues; default: of a new project
 */
export function remainingFiles(name: string, text: string, earlier?: ReadonlyMap<string, string>): Map<string, string> {
  if (!hasApp(name)) return new Map()
  const deleted = new Set(Array.from(text.matchAll(DELETED), ({ groups }) => groups?.['path']))
  created ??= createFiles()
  return new Map([...(earlier ?? created)].filter(([path]) => !deleted.has(path)))
}

function createFiles(): Map<string, string> {
  const parent = mkdtempSync(join(tmpdir(), 'verbena-project-'))
  try {
    const folder = join(parent, 'shop')
    const { status, output } = runNode([...PROGRAM, 'new', folder], ROOT, join(ROOT, 'tsconfig.json'))
    if (status !== 0) throw new Error(`Cannot create a project: ${output}`)
    return new Map(FILES.map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
  } finally {
    rmSync(parent, { recursive: true })
  }
}

/** Imports the app of each folder, and prints its findings. */
const CHECK = `const findings = {}
for (const folder of process.argv.slice(1)) {
  process.chdir(folder)
  const check = async () => (await import(folder + '/src/app.ts')).app.check()
  findings[folder] = await check().catch((error) => [String(error)])
}
console.log(JSON.stringify(findings))
process.exit()`

/** Whether the project of a page has an app in `src/app.ts`. */
export function hasApp(name: string): boolean {
  return !(name in OTHER_PROJECTS)
}

/**
 * Returns the findings of projects by folder, without variables, as `verbena check src/app.ts` in `npm run check` finds them. All projects
 * share a process, because loading Verbena takes a second.
 */
export function readFindings(folders: readonly string[], tsconfig: string): Map<string, unknown> {
  const args = [...TESTED_LOADER, '--input-type=module', '--eval', CHECK, ...folders]
  const { status, output } = runNode(args, ROOT, resolve(tsconfig))
  if (status !== 0) throw new Error(`Cannot check ${folders.join(', ')}: ${output}`)
  return new Map(Object.entries(JSON.parse(output.split('\n').findLast((line) => line.startsWith('{"')) ?? '{}')))
}

function runNode(args: readonly string[], cwd: string, tsconfig: string) {
  const { NODE_OPTIONS: _options, NODE_TEST_CONTEXT: _context, ...inherited } = process.env
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd,
    env: { ...inherited, TSX_TSCONFIG_PATH: configFor(tsconfig) },
    encoding: 'utf8',
    timeout: PATIENCE,
  })
  return { status, output: stripVTControlCharacters(`${stdout}${stderr}`) }
}
