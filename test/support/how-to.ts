/**
 * Task pages of `docs/how-to` as projects: a new project in a folder, with the files of the page. The commands of its `sh` blocks run
 * there.
 *
 * A block is a file if the text before it ends with its name: `src/app.ts`, in backticks, and a colon. Lines `# => …` after a command
 * are its expected output: `…` in a line matches any characters, and a line `# => …` any lines. `sh no-run` blocks are not run.
 */
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from './eventually.js'
import { remainingFiles } from './how-to-project.js'
import { configFor, TESTED_COMMAND, TESTED_LOADER } from './repository.js'

const ROOT = resolve(import.meta.dirname, '..', '..')
const PAGES = join(ROOT, 'docs', 'how-to')
/** Port of the apps in the pages. A test replaces it by a free one. */
const PORT = '3000'
/** Pages whose packages or programs only an example has, by its folder. `test/how-to.test.ts` of the example tests them. */
export const EXAMPLE_PAGES = {
  beside: ['proxy-to-another-server', 'serve-vite-beside-api', 'show-bullmq-board', 'stream-pdf-csv-zip'],
  grafana: ['watch-metrics'],
  mounted: [
    ...['mount-better-auth', 'mount-auth-js', 'mount-graphql-yoga', 'mount-apollo-server', 'mount-trpc', 'mount-orpc'],
    'mount-mcp-server',
  ],
  opentelemetry: ['trace-with-opentelemetry'],
  postgres: ['use-postgres', 'run-worker-beside-api'],
  prisma: ['use-prisma'],
  scale: ['use-redis', 'deploy-behind-nginx', 'restart-without-losing-requests', 'run-on-kubernetes'],
  sentry: ['report-errors-to-sentry'],
  'shared-server': ['use-socket-io'],
  sqlite: ['use-sqlite'],
  'test-runners': ['test-with-jest', 'test-with-jest-in-nest', 'test-with-vitest'],
  transactions: ['use-drizzle', 'use-kysely', 'use-knex', 'use-typeorm', 'use-sequelize', 'use-mikroorm'],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** Compiler options of a project. */
export const TSCONFIG = 'tsconfig.json'
const PATIENCE = 60_000
/** Variables of the test process that would change a page. A page reads `PORT`. */
const TEST_VARIABLES = new Set(['CI', 'FORCE_COLOR', 'NODE_ENV', 'NODE_OPTIONS', 'NODE_TEST_CONTEXT', 'PORT'])
const FENCE = /^(?<ticks>`{3,})(?<language>\w*)(?<flag> no-run)?$/
const FILE_NAME = /`(?<path>[^`\s]+)`[^`]{0,20}:$/
const INSTALL = /^npm install\b/
/** Packages that a page installs, in a command or in its text. */
const INSTALLED = /\bnpm install (?<names>[^`\n&]+)/g
const INSTALLED_BEFORE = new Set(['verbena', 'zod'])
/** Names the page whose project a page continues. */
const CONTINUED = /\bContinue the project of \[[^\]]+\]\((?<page>[\w-]+)\.md\)/
/** A command that runs until the page ends. */
const SERVER =
  /^(?<env>(?:[A-Z_]+=(?:\$\([^)]*\)|\S+) )*)(?:npx tsx|node) (?:--[\w-]+(?:[ =]\S+)? )*(?:src|dist)\/[\w.-]+(?: > [\w.]+)?$/

/** A command of a page, and its expected output. */
export interface Command {
  readonly line: number
  readonly text: string
  readonly expected: readonly string[]
}

/** The content of a page. */
export interface Page {
  readonly name: string
  readonly lineCount: number
  /** Code by the path of its file. */
  readonly files: ReadonlyMap<string, string>
  readonly commands: readonly Command[]
  /** Packages that the page installs. */
  readonly installed: readonly string[]
  /** Files of the new project, or of an earlier page, by path. The page replaces some of them. */
  readonly remaining: ReadonlyMap<string, string>
  /** First lines of `ts` blocks without a file name. */
  readonly unnamed: readonly number[]
}

/** Returns the names of all pages, such as `upload-file`. */
export function listPages(): string[] {
  return readdirSync(PAGES).flatMap((name) => (name.endsWith('.md') ? [name.slice(0, -3)] : []))
}

/** Reads a page. */
export function readPage(name: string): Page {
  const text = readFileSync(join(PAGES, `${name}.md`), 'utf8')
  const files = new Map<string, string>()
  const commands: Command[] = []
  const unnamed: number[] = []
  for (const { line, language, before, lines } of readBlocks(text)) {
    const path = FILE_NAME.exec(before)?.groups?.['path']
    if (language === 'sh') commands.push(...readCommands(line, lines))
    else if (path !== undefined) files.set(path, `${lines.join('\n')}\n`)
    else if (language === 'ts') unnamed.push(line)
  }
  const lineCount = text.trimEnd().split('\n').length
  const names = Array.from(text.matchAll(INSTALLED), ({ groups }) => groups?.['names']?.split(' ') ?? []).flat()
  // Without a version, such as `@4`.
  const installed = names.map((installed) => installed.replace(/(?<=.)@.*/, ''))
  return { name, lineCount, files, commands, installed, remaining: filesBefore(name, text), unnamed }
}

function filesBefore(name: string, text: string): ReadonlyMap<string, string> {
  const earlier = CONTINUED.exec(text)?.groups?.['page']
  if (earlier === undefined) return remainingFiles(name, text)
  const { remaining, files } = readPage(earlier)
  return remainingFiles(name, text, new Map([...remaining, ...files]))
}

interface Block {
  readonly line: number
  readonly language: string
  /** The last line of text before the block. */
  readonly before: string
  readonly lines: readonly string[]
}

function readBlocks(text: string): Block[] {
  const blocks: Block[] = []
  let before = ''
  let open: (Omit<Block, 'lines'> & { readonly ticks: string; readonly lines: string[] }) | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const fence = FENCE.exec(line)?.groups
    if (open === undefined && fence !== undefined) {
      const { language = '', ticks = '', flag } = fence
      open = { line: index + 1, language: flag === undefined ? language : 'text', before, ticks, lines: [] }
    } else if (open === undefined) before = line === '' ? before : line
    else if (line === open.ticks) {
      blocks.push(open)
      open = undefined
      before = ''
    } else open.lines.push(line)
  }
  assert.equal(open, undefined, 'the last block does not end')
  return blocks
}

function readCommands(firstLine: number, lines: readonly string[]): Command[] {
  const commands: { line: number; text: string; expected: string[] }[] = []
  let isContinued = false
  for (const [index, line] of lines.entries()) {
    const last = commands.at(-1)
    const expected = /^# =>(?: (?<text>.*))?$/.exec(line)
    if (expected !== null) last?.expected.push(expected[1] ?? '')
    else if (isContinued && last !== undefined) last.text += `\n${line}`
    else if (line !== '' && !line.startsWith('#'))
      commands.push({ line: firstLine + index + 1, text: line, expected: [] })
    isContinued =
      line.endsWith('\\') ||
      (last?.text.startsWith('for ') === true && isContinued && line !== 'done') ||
      line.startsWith('for ')
  }
  return commands
}

/** Returns packages that the code of a page imports, and neither the page nor its project installs. */
export function missingPackages({ files, installed }: Page, existing: Files = {}): string[] {
  const { dependencies = {} } = Object(JSON.parse(existing['package.json'] ?? '{}'))
  const known = new Set([...INSTALLED_BEFORE, ...Object.keys(dependencies), ...installed])
  const code = [...files].flatMap(([path, text]) => (path.endsWith('.ts') ? [text] : [])).join('\n')
  const imported = Array.from(code.matchAll(/(?:from|^import) '([^'.]+)'/gm), ([, name = '']) => packageName(name))
  return imported.filter((name) => !name.startsWith('node:') && !known.has(name))
}

function packageName(path: string): string {
  return path.split('/', path.startsWith('@') ? 2 : 1).join('/')
}

/** Words of a page, such as a port, and their replacements. */
export type Replacements = Readonly<Record<string, string>>

/** Text by the path of its file. */
export type Files = Readonly<Record<string, string>>

/**
 * Writes the project of a page, with a tsconfig.json that finds Verbena. Returns the folder.
 *
 * @param existing further files of the project before the page. With a tsconfig.json, they are the whole project, which finds Verbena as
 *   a package
 */
export function writePage(page: Page, parent: string, words: Replacements = {}, existing: Files = {}): string {
  const folder = resolve(parent, page.name)
  const config = resolve(ROOT, process.env['TSX_TSCONFIG_PATH'] ?? 'tsconfig.json')
  const isOther = TSCONFIG in existing
  for (const [path, text] of Object.entries(existing)) write(folder, path, text)
  const ofPage = isOther ? page.files : [...page.remaining, ...page.files]
  for (const [path, text] of ofPage) write(folder, path, replaceWords(text, words))
  if (isOther) return folder
  const { compilerOptions = {} } = Object(JSON.parse(page.files.get(TSCONFIG) ?? '{}'))
  const settings = { extends: config, compilerOptions, include: ['.'], exclude: ['dist'] }
  write(folder, TSCONFIG, `${JSON.stringify(settings)}\n`)
  const running = { ...settings, extends: configFor(config), include: [page.name] }
  write(parent, runConfig(page.name), `${JSON.stringify(running)}\n`)
  return folder
}

/** Returns the file name of the `tsconfig.json` for the commands of a page. */
function runConfig(name: string): string {
  return `${name}.tsconfig.json`
}

function write(folder: string, path: string, text: string): void {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function replaceWords(text: string, words: Replacements): string {
  return text.replace(/\w+/g, (word) => (Object.hasOwn(words, word) ? (words[word] ?? word) : word))
}

/** Exit code of a process, or the signal that ended it. */
export type Ending = number | NodeJS.Signals | null

/** A page whose commands run in its folder. */
export class RunningPage {
  readonly page: Page
  readonly port: number
  readonly folder: string
  readonly #servers: ChildProcess[] = []
  readonly #outputs: Output[] = []
  readonly #words: Replacements
  readonly #env: NodeJS.ProcessEnv

  /** Writes the files below a folder, from which Node finds the packages of the page. */
  static async create(
    name: string,
    parent: string,
    words: Replacements = {},
    existing: Files = {},
  ): Promise<RunningPage> {
    const page = readPage(name)
    const allWords = { [PORT]: String(await findFreePort()), ...words }
    const folder = writePage(page, parent, allWords, existing)
    const config = TSCONFIG in existing ? join(folder, TSCONFIG) : resolve(parent, runConfig(name))
    return new RunningPage({ page, folder, config }, allWords)
  }

  private constructor(
    { page, folder, config }: { readonly page: Page; readonly folder: string; readonly config: string },
    words: Replacements,
  ) {
    this.page = page
    this.folder = folder
    this.port = Number(words[PORT])
    this.#words = words
    const inherited = Object.entries(process.env).filter(([name]) => !TEST_VARIABLES.has(name))
    // The coverage of a page finds no further line, and takes a fifth of its time.
    const own = { NO_COLOR: '1', NODE_V8_COVERAGE: '', TSX_TSCONFIG_PATH: config }
    this.#env = { ...Object.fromEntries(inherited), ...own }
  }

  /** URL of the app, without a slash at its end. */
  get url(): string {
    return `http://localhost:${this.port}`
  }

  /**
   * Runs all commands in their order, and compares their output. A `grep` may run before its line, because a request is logged after its
   * response. Node finds the source of Verbena by tsx. `tsc` does not follow imports, because the source is outside of its `rootDir`.
   */
  async runAll(): Promise<void> {
    for (const command of this.page.commands) {
      const run = (): Promise<void> => this.#run(command)
      await (command.text.startsWith('grep ') ? eventually(run) : run())
    }
  }

  async #run({ line, text, expected }: Command): Promise<void> {
    if (INSTALL.test(text)) return
    const { name, value = '' } = /^export (?<name>\w+)=(?<value>\S+)$/.exec(text)?.groups ?? {}
    if (name !== undefined) return void (this.#env[name] = replaceWords(value, this.#words))
    const where = `docs/how-to/${this.page.name}.md:${line}: ${text}`
    const env = SERVER.exec(text)?.groups?.['env']
    const isServer = env !== undefined
    // The shell of a server becomes the server, so that it receives signals.
    const command = replaceWords(isServer ? `${env}exec ${text.slice(env.length)}` : text, this.#words)
      .replace(/\b(?:npx tsx|node)(?= --|\b src| dist)/, [process.execPath, ...TESTED_LOADER].join(' '))
      .replace(/^npx tsc/, 'npx tsc --noCheck --noResolve')
      .replace(/^npx verbena(?= )/, [process.execPath, ...TESTED_COMMAND].join(' '))
    const child = spawn('bash', ['-c', command], {
      cwd: this.folder,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group, so that a timeout also ends the children of the shell.
      detached: true,
    })
    const output = collect(child)
    const pattern = toPattern(
      expected.map((each) => replaceWords(each, this.#words)),
      isServer,
    )
    if (isServer) {
      this.#servers.push(child)
      this.#outputs.push(output)
      return this.#waitForServer(child, output, { where, pattern, hasOutput: expected.length > 0 })
    }
    const timer = setTimeout(() => process.kill(-(child.pid ?? assert.fail(where)), 'SIGKILL'), PATIENCE)
    await once(child, 'close')
    clearTimeout(timer)
    if (expected.length > 0) assert.match(output.stdout.trimEnd(), pattern, `${where}\n${output.stderr}`)
    else assert.equal(child.exitCode, 0, `${where}\n${output.stderr}`)
  }

  async #waitForServer(
    child: ChildProcess,
    output: Output,
    { where, pattern, hasOutput }: { where: string; pattern: RegExp; hasOutput: boolean },
  ): Promise<void> {
    const isReady = () => (hasOutput ? pattern.test(output.stdout) : isOpen(this.port))
    const closed = once(child, 'close').then(() => true)
    const end = Date.now() + PATIENCE
    while (!(await isReady())) {
      const isOver = (await Promise.race([closed, sleep(20, false)])) || Date.now() > end
      if (isOver && !(await isReady())) assert.fail(`${where} is not ready: ${output.stdout}\n${output.stderr}`)
    }
  }

  /** Standard output of all servers. */
  get output(): string {
    return this.#outputs.map(({ stdout }) => stdout).join('')
  }

  /** Process ids of the servers. */
  get pids(): number[] {
    return this.#servers.flatMap(({ pid = [] }) => pid)
  }

  /** Sends a signal to each server. */
  signal(signal: NodeJS.Signals): void {
    for (const server of this.#servers) server.kill(signal)
  }

  /** Sends SIGTERM to the servers. Returns their exit codes, or the signal that ended them. */
  async close(): Promise<Ending[]> {
    return Promise.all(this.#servers.map(stop))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

interface Output {
  stdout: string
  stderr: string
}

function collect(child: ChildProcess): Output {
  const output = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  return output
}

/** The output of a server may have lines before and after the expected ones. */
function toPattern(expected: readonly string[], isPart: boolean): RegExp {
  const source = expected
    .map((line, index) => {
      const isLast = index === expected.length - 1
      if (line === '…') return isLast ? '[^]*' : '(?:[^\\n]*\\n)*?'
      return `${escape(line).replaceAll('…', '[^\\n]*')}\\r?${isLast ? '' : '\\n'}`
    })
    .join('')
  return isPart ? new RegExp(`^${source}$`, 'm') : new RegExp(`^${source}$`)
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

async function stop(child: ChildProcess): Promise<Ending> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode ?? child.signalCode
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE)
  child.kill('SIGTERM')
  await once(child, 'exit')
  clearTimeout(timer)
  return child.exitCode ?? child.signalCode
}

/** Returns a free port of 127.0.0.1. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  server.close()
  await once(server, 'close')
  return address.port
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => done(true)).once('error', () => done(false))
    socket.once('connect', () => socket.destroy())
  })
}
