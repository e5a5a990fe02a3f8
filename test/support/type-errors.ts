/** Compiles the fixtures of type errors, and returns the messages of the compiler. */
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import type tsModule from 'typescript'
import { listDiagnostics } from './run-examples.js'

export const FIXTURES = 'test/fixtures/type-errors'

/** Fixtures that are compiled with `experimentalDecorators`. */
export const LEGACY_FIXTURES = 'test/fixtures/legacy-decorators'

/** npm package of each compiler version. */
export const COMPILERS: Readonly<Record<string, string>> = {
  '5.9': 'typescript-5.9',
  '6': 'typescript',
  '7': 'typescript-7',
}

/** Output of a compiler. */
export interface TypeErrors {
  /** All messages as printed, without the folder, ordered by file and line. */
  readonly text: string
  readonly messages: readonly TypeError[]
}

export interface TypeError {
  /** File name of the fixture, without `.ts`. */
  readonly fixture: string
  readonly lines: readonly string[]
}

const ANY_MESSAGE = /^\S+\(\d+,\d+\): error /

/**
 * Compiles the fixtures.
 *
 * @param compiler name of the package
 * @param folder folder of the fixtures
 * @returns messages about the fixtures; messages about other files are ignored
 */
export async function typeErrors(compiler: string, folder = FIXTURES): Promise<TypeErrors> {
  const place = new RegExp(`^${folder}/([\\w-]+)\\.ts\\((\\d+),`)
  const ts: Compiler = createRequire(import.meta.url)(compiler)
  const printed =
    'createProgram' in ts
      ? printErrors(compiler, ts, folder)
      : await run([`node_modules/${compiler}/bin/tsc`, '-p', folder, '--noEmit', '--pretty', 'false'])
  const messages = readMessages(printed)
    .flatMap((lines) => {
      const [, fixture, line] = place.exec(lines[0] ?? '') ?? []
      return fixture === undefined ? [] : [{ fixture, line: Number(line), lines }]
    })
    .toSorted((a, b) => a.fixture.localeCompare(b.fixture) || a.line - b.line)
  return { text: messages.map(({ lines }) => `${formatDiagnostic(lines, folder)}\n`).join('\n'), messages }
}

/** The API of a compiler. TypeScript 7 has only its version. */
type Compiler = typeof tsModule | { readonly version: string }

/** Parsed files by compiler and path, which programs share. */
const parsed = new Map<string, tsModule.SourceFile | undefined>()

/** Returns what `tsc` prints, but only for the files of a folder: checking Verbena takes longer than checking them. */
function printErrors(compiler: string, ts: typeof tsModule, folder: string): string {
  const host = ts.createCompilerHost({})
  const { config } = ts.readConfigFile(`${folder}/tsconfig.json`, ts.sys.readFile)
  const { options, fileNames, errors } = ts.parseJsonConfigFileContent(config, ts.sys, folder)
  const program = ts.createProgram(fileNames, options, {
    ...host,
    getSourceFile: (path, ...rest) => {
      const key = `${compiler} ${path}`
      if (!parsed.has(key)) parsed.set(key, host.getSourceFile(path, ...rest))
      return parsed.get(key)
    },
  })
  const diagnostics = [...errors, ...listDiagnostics(program, ({ fileName }) => fileNames.includes(fileName))]
  return ts.formatDiagnostics(ts.sortAndDeduplicateDiagnostics(diagnostics), host)
}

function readMessages(printed: string): string[][] {
  const messages: string[][] = []
  for (const line of printed.split(/\r?\n/).filter((line) => line !== '')) {
    if (ANY_MESSAGE.test(line)) messages.push([line])
    else messages.at(-1)?.push(line)
  }
  return messages
}

function formatDiagnostic(lines: readonly string[], folder: string): string {
  return lines.join('\n').replace(`${folder}/`, '')
}

function run(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      // A compiler that reports errors exits with 1 or 2. Without output, it did not run.
      if (error !== null && stdout === '') reject(new Error(stderr, { cause: error }))
      else resolve(stdout)
    })
  })
}
