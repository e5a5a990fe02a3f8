/** Compiles the fixtures of type errors and gives what the compiler says of them. */
import { execFile } from 'node:child_process'

/** The folder of the fixtures. */
export const FIXTURES = 'test/fixtures/type-errors'

/** A folder whose compiler options have `experimentalDecorators`. */
export const LEGACY_FIXTURES = 'test/fixtures/legacy-decorators'

/** The compilers by version, each the package that is called by its own path. */
export const COMPILERS: Readonly<Record<string, string>> = {
  '5.9': 'typescript-5.9',
  '6': 'typescript',
  '7': 'typescript-7',
}

/** What one compiler says. */
export interface TypeErrors {
  /** All messages as printed, without the folder, in the order of files and lines. */
  readonly text: string
  /** Each message with its lines. */
  readonly messages: readonly TypeError[]
}

/** One message. */
export interface TypeError {
  /** The fixture, without `.ts`. */
  readonly fixture: string
  /** Its lines. */
  readonly lines: readonly string[]
}

const ANY_MESSAGE = /^\S+\(\d+,\d+\): error /

/**
 * Compiles the fixtures.
 *
 * @param compiler name of the package
 * @param folder of the fixtures
 * @returns the messages about the fixtures; those about other files are another test's
 */
export async function typeErrors(compiler: string, folder = FIXTURES): Promise<TypeErrors> {
  const place = new RegExp(`^${folder}/([\\w-]+)\\.ts\\((\\d+),`)
  const printed = await run([`node_modules/${compiler}/bin/tsc`, '-p', folder, '--noEmit', '--pretty', 'false'])
  const messages = messagesIn(printed)
    .flatMap((lines) => {
      const [, fixture, line] = place.exec(lines[0] ?? '') ?? []
      return fixture === undefined ? [] : [{ fixture, line: Number(line), lines }]
    })
    .toSorted((a, b) => a.fixture.localeCompare(b.fixture) || a.line - b.line)
  return { text: messages.map(({ lines }) => `${formatDiagnostic(lines, folder)}\n`).join('\n'), messages }
}

function messagesIn(printed: string): string[][] {
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
      // A compiler that finds errors ends with 1 or 2; without any output it did not run.
      if (error !== null && stdout === '') reject(new Error(stderr, { cause: error }))
      else resolve(stdout)
    })
  })
}
