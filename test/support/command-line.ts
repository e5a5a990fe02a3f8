/** Runs the command `verbena` as a child process: from the source, or as an installed package. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, version } from 'esbuild'
import { COMMAND, COMMAND_CONFIG, compiledFile, PLAIN_COMMAND } from './repository.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FIXTURES = join(ROOT, 'test/fixtures/cli')
/** Bundled packages of this age are removed. */
const UNUSED_MS = 86_400_000

export interface CommandResult {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface RunOptions {
  /** Working directory; default: the fixtures. */
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

/**
 * Runs the source of the command on a fixture: on the compiled file, if it has one, because a process without tsx takes half the time.
 * The result names the fixture as `args` does.
 */
export async function verbena(args: readonly string[], given: RunOptions = {}): Promise<CommandResult> {
  const options = { cwd: FIXTURES, ...given }
  const fixture = args.find((arg) => arg.endsWith('.ts')) ?? ''
  const compiled = compiledFile(join(options.cwd, fixture))
  if (compiled === undefined) return run([...COMMAND, ...args], options)
  const files = args.map((arg) => (arg === fixture ? compiled : arg))
  const { code, out, err } = await run([...PLAIN_COMMAND, ...files], options)
  return { code, out: out.replaceAll(compiled, fixture), err: err.replaceAll(compiled, fixture) }
}

/** Runs a Node program, and returns its exit code and output. */
export function run(args: readonly string[], { cwd, env = {} }: RunOptions): Promise<CommandResult> {
  const { FORCE_COLOR: _force, NO_COLOR: _no, NODE_OPTIONS: _options, ...inherited } = process.env
  const given = { ...inherited, TSX_TSCONFIG_PATH: COMMAND_CONFIG, ...env }
  return new Promise((resolve) => {
    execFile(process.execPath, [...args], { cwd, env: given }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err })
    })
  })
}

/** A folder with the package installed, as in a user's project, and no tsx. */
export interface Project extends Disposable {
  readonly folder: string
  /** Runs the installed command in the folder. */
  readonly verbena: (args: readonly string[]) => Promise<CommandResult>
}

/** Returns a folder with the bundled package. It is made once for each content of `src`. */
async function bundlePackage(): Promise<string> {
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.[jt]s$/.test(path),
  )
  const hash = createHash('sha256').update(version)
  for (const path of sources.toSorted()) hash.update(path).update(readFileSync(join(ROOT, 'src', path)))
  const folder = join(ROOT, '.cache/bundled', hash.digest('hex').slice(0, 16))
  if (existsSync(folder)) return folder
  const draft = `${folder}-${process.pid}`
  const entries = readdirSync(join(ROOT, 'src')).filter((file) => file.endsWith('.ts'))
  const points = entries.map((file) => [file.slice(0, -'.ts'.length), join(ROOT, 'src', file)])
  await build({
    entryPoints: {
      ...Object.fromEntries(points),
      cli: join(ROOT, 'src/cli/bin.ts'),
      'cli-dev': join(ROOT, 'src/cli/dev/preload.ts'),
      'cli-test': join(ROOT, 'src/cli/dev/test-child.ts'),
    },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    outdir: draft,
  })
  try {
    renameSync(draft, folder)
  } catch {
    // Another process has made it.
    rmSync(draft, { recursive: true })
  }
  for (const name of readdirSync(dirname(folder))) {
    const other = join(dirname(folder), name)
    if (statSync(other).mtimeMs < Date.now() - UNUSED_MS) rmSync(other, { recursive: true, force: true })
  }
  return folder
}

/** Creates a project with files by path. */
export async function createProject(files: Readonly<Record<string, string>>): Promise<Project> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'verbena-cli-')))
  const installed = join(folder, 'node_modules/verbena')
  cpSync(await bundlePackage(), join(installed, 'dist'), { recursive: true })
  cpSync(join(ROOT, 'package.json'), join(installed, 'package.json'))
  // Hides a tsx in a folder above.
  const all = { 'package.json': '{"type":"module"}', 'node_modules/tsx/package.json': '{"exports":{}}', ...files }
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return {
    folder,
    verbena: (args) => run([join(installed, 'dist/cli.js'), ...args], { cwd: folder, env: { NODE_V8_COVERAGE: '' } }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}
