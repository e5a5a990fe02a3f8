/** The generators: how each is started for a document, with its defaults. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const FOLDER = fileURLToPath(new URL('.', import.meta.url))

/** Paths for a generator. */
interface Place {
  /** Path of the document. */
  readonly document: string
  /** Folder for the generated code. */
  readonly output: string
}

interface Generator {
  /** Packages whose versions matter, the generator first. */
  readonly packages: readonly [string, ...string[]]
  /** Program below `node_modules/.bin`. */
  readonly program: string
  /** Content of a configuration file, if the program needs one. */
  readonly configure?: (place: Place) => string
  /** @param config path of the configuration file */
  readonly options: (place: Place, config: string) => readonly string[]
}

export const GENERATORS: Readonly<Record<string, Generator>> = {
  'openapi-fetch': {
    packages: ['openapi-typescript', 'openapi-fetch'],
    program: 'openapi-typescript',
    options: ({ document, output }) => [document, '--output', join(output, 'schema.ts')],
  },
  'hey-api': {
    packages: ['@hey-api/openapi-ts'],
    program: 'openapi-ts',
    options: ({ document, output }) => ['--input', document, '--output', output, '--no-log-file'],
  },
  orval: {
    packages: ['orval'],
    program: 'orval',
    configure: ({ document, output }) =>
      JSON.stringify({ api: { input: document, output: { target: join(output, 'index.ts'), client: 'fetch' } } }),
    options: (_place, config) => ['--config', config],
  },
  oazapfts: {
    packages: ['oazapfts', '@oazapfts/runtime'],
    program: 'oazapfts',
    options: ({ document, output }) => [document, join(output, 'index.ts')],
  },
  'openapi-zod-client': {
    packages: ['openapi-zod-client', '@zodios/core'],
    program: 'openapi-zod-client',
    options: ({ document, output }) => [document, '--output', join(output, 'index.ts')],
  },
  'swagger-typescript-api': {
    packages: ['swagger-typescript-api'],
    program: 'swagger-typescript-api',
    options: ({ document, output }) => ['generate', '--path', document, '--output', output, '--name', 'index.ts'],
  },
  'openapi-typescript-codegen': {
    packages: ['openapi-typescript-codegen'],
    program: 'openapi',
    options: ({ document, output }) => ['--input', document, '--output', output],
  },
  'rtk-query': {
    packages: ['@rtk-query/codegen-openapi', '@reduxjs/toolkit'],
    program: 'rtk-query-codegen-openapi',
    configure: ({ document, output }) =>
      JSON.stringify({
        schemaFile: document,
        apiFile: join(FOLDER, 'clients/rtk-query-base.ts'),
        apiImport: 'emptyApi',
        outputFile: join(output, 'index.ts'),
        exportName: 'api',
      }),
    options: (_place, config) => [config],
  },
}

/** Writes the client of a generator into `generated/<name>`. */
export async function generate(name: string, document: unknown): Promise<void> {
  const generator = GENERATORS[name]
  if (generator === undefined) throw new Error(`Unknown generator "${name}"`)
  const output = join(FOLDER, 'generated', name)
  rmSync(output, { recursive: true, force: true })
  mkdirSync(output, { recursive: true })
  const place = { document: join(output, '..', `${name}.document.json`), output }
  const config = join(output, '..', `${name}.config.json`)
  writeFileSync(place.document, JSON.stringify(document))
  if (generator.configure !== undefined) writeFileSync(config, generator.configure(place))
  await run(generator.program, generator.options(place, config))
}

/** Returns names and versions of the packages of a generator. */
export function listVersions(name: string): string {
  const packages = GENERATORS[name]?.packages ?? []
  return packages.map((each) => `${each} ${readVersion(each)}`).join(', ')
}

function readVersion(name: string): string {
  const { version } = JSON.parse(readFileSync(join(FOLDER, 'node_modules', name, 'package.json'), 'utf8'))
  return String(version)
}

interface Output {
  readonly code: number
  readonly text: string
}

/** Runs a program of the folder. Throws if it fails. */
export async function run(program: string, options: readonly string[]): Promise<void> {
  const { code, text } = await runProgram(program, options)
  if (code !== 0) throw new Error(`${program} ended with ${code}:\n${text}`)
}

export async function runProgram(program: string, options: readonly string[]): Promise<Output> {
  const child = spawn(join(FOLDER, 'node_modules/.bin', program), options, { cwd: FOLDER })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (text += part))
  const [code] = await once(child, 'close')
  return { code: Number(code), text }
}
