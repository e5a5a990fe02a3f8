/** `verbena new`: writes a project with an app, a test and its settings. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { kebabCase } from '../naming/kebab-case.js'
import { createBlock } from './agents/block.js'
import { AGENTS_FILE } from './agents/markers.js'
import { CommandError, EXIT, printResult, readMessage, readString, type Command, type CommandInput } from './command.js'
import {
  APP_TEST,
  appFile,
  withoutCompiler,
  PACKAGES,
  packageJson,
  PNPM_WORKSPACE,
  serverFile,
  TASKS_TEST,
  tsconfig,
  TSCONFIG_BUILD,
  YARNRC,
  type NewProject,
} from './new/code.js'
import { agents, GITATTRIBUTES, GITIGNORE, readme } from './new/documents.js'
import { AUTHORIZATION, AUTHORIZATION_TEST, SURFACE } from './new/proofs.js'
import { DEFAULT_VALIDATOR, VALIDATORS, type ValidatorParts } from './new/validators.js'
import { readOwnManifest } from './own-manifest.js'
import type { Terminal } from './terminal.js'

const VALIDATOR_NAMES = [...VALIDATORS.keys()]

/** Longest name that npm accepts. */
const MAX_NAME = 214
/** Names that are the same in the folder and the package. */
const PACKAGE_NAME = /^[a-z0-9]+(?:[._-]+[a-z0-9]+)*$/
/** A folder that contains only this is empty, so that `git init` and a clone of a new repository can come first. */
const REPOSITORY = '.git'
/** A path that a shell reads without quotes. */
const PLAIN_PATH = /^[\w./\\:@-]+$/

/** Address of the app with the default port. */
const ORIGIN = 'http://127.0.0.1:3000'

/** A created project, as `--json` prints it. */
interface CreatedProject {
  /** Absolute path. */
  readonly folder: string
  readonly name: string
  readonly validator: string
  /** Paths in the folder. */
  readonly files: readonly string[]
  /** Commands that install and start it. */
  readonly next: readonly string[]
}

export const newProject: Command = {
  name: 'new',
  summary: 'Create a project with an app and tests',
  args: ['<dir>'],
  options: {
    validator: {
      type: 'string',
      value: '<name>',
      help: `Library for schemas: ${VALIDATOR_NAMES.join(', ')}; default ${DEFAULT_VALIDATOR}`,
    },
    'no-build': { type: 'boolean', help: 'For Node.js 22.18 or later, which runs TypeScript' },
  },
  details: 'The folder must be new or empty. Its name becomes the name of the package. Nothing is installed.',
  example: 'new my-api',
  async run(input, terminal) {
    const created = createProject(input)
    await printResult(input, created, () => formatCreated(created, terminal), terminal)
    return EXIT.fine
  },
}

function createProject(input: CommandInput): CreatedProject {
  const [dir = ''] = input.args
  const validator = readString(input, 'validator') ?? DEFAULT_VALIDATOR
  const hasBuild = input.values['no-build'] !== true
  const project = { verbena: readOwnManifest(), validator: findValidator(validator), hasBuild }
  const folder = resolve(dir)
  const name = packageName(basename(folder), project.validator)
  const files = projectFiles({ ...project, name })
  try {
    prepareFolder(dir, folder)
    for (const [path, text] of Object.entries(files)) writeNew(join(folder, path), text)
  } catch (error) {
    throw error instanceof CommandError ? error : folderError(dir, error)
  }
  const enter = folder === process.cwd() ? [] : [`cd ${quotePath(dir)}`]
  return { folder, name, validator, files: Object.keys(files), next: [...enter, 'npm install', 'npm run dev'] }
}

function findValidator(name: string): ValidatorParts {
  const validator = VALIDATORS.get(name)
  if (validator !== undefined) return validator
  const state = `"--validator" must be ${VALIDATOR_NAMES.join(', ')}, not "${name}"`
  throw new CommandError(
    `Cannot create a project: ${state}. For another library of Standard Schema, create the project and replace its schemas`,
  )
}

/** Derives a name that npm accepts, and that is not the name of a dependency, because npm does not install a package into itself. */
function packageName(folder: string, { dependencies }: ValidatorParts): string {
  const letters = folder.normalize('NFKD').replace(/\p{Mark}/gu, '')
  const kebab = kebabCase(letters.replace(/[^a-z0-9]+/gi, '_')) || 'api'
  const name = (PACKAGE_NAME.test(folder) ? folder : kebab).slice(0, MAX_NAME)
  const isTaken = ['verbena', ...Object.keys({ ...dependencies, ...PACKAGES })].includes(name)
  return isTaken ? `${name}-api` : name
}

function projectFiles(project: NewProject): Record<string, string> {
  const { name, hasBuild } = project
  const toSource = hasBuild ? (code: string) => code : withoutCompiler
  return {
    'src/app.ts': toSource(appFile(project)),
    'src/server.ts': toSource(serverFile(project)),
    'test/app.test.ts': toSource(APP_TEST),
    'test/authorization.test.ts': toSource(AUTHORIZATION_TEST),
    'test/tasks.test.ts': toSource(TASKS_TEST),
    'authorization.txt': AUTHORIZATION,
    'surface.txt': SURFACE,
    'package.json': packageJson(project),
    'tsconfig.json': tsconfig(hasBuild),
    ...(hasBuild && { 'tsconfig.build.json': TSCONFIG_BUILD, 'pnpm-workspace.yaml': PNPM_WORKSPACE }),
    '.yarnrc.yml': YARNRC,
    'README.md': readme(name, hasBuild),
    [AGENTS_FILE]: agents(hasBuild, createBlock().text),
    '.gitignore': GITIGNORE,
    '.gitattributes': GITATTRIBUTES,
  }
}

function prepareFolder(dir: string, folder: string): void {
  if (dir === '') throw new CommandError('Cannot create a project: <dir> is empty. Name a folder, such as "my-api"')
  mkdirSync(folder, { recursive: true })
  const [first, ...others] = readdirSync(folder).filter((name) => name !== REPOSITORY)
  if (first === undefined) return
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  throw new CommandError(
    `Cannot create a project in "${dir}": the folder is not empty, it contains "${first}"${more}. Name a new folder`,
  )
}

/** Creates a file. Throws if it exists. */
function writeNew(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text, { flag: 'wx' })
}

function folderError(dir: string, error: unknown): CommandError {
  const isFile = Reflect.get(Object(error), 'code') === 'EEXIST'
  const state = isFile ? 'a file has this name. Name a new folder' : readMessage(error)
  return new CommandError(`Cannot create a project in "${dir}": ${state}`)
}

function quotePath(path: string): string {
  return PLAIN_PATH.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`
}

function formatCreated({ name, folder, files, next }: CreatedProject, { style }: Terminal): string {
  return [
    `Created ${style('bold', name)} in ${folder}`,
    ...files.map((path) => style('dim', `  ${path}`)),
    '',
    style('bold', 'Next steps'),
    ...next.map((command) => `  ${command}`),
    '',
    style('bold', 'Then open'),
    `  ${style('cyan', `${ORIGIN}/tasks`)}         the API`,
    `  ${style('cyan', `${ORIGIN}/openapi.json`)}  its OpenAPI document`,
    `  ${style('cyan', `${ORIGIN}/__dev__`)}       the console: requests, logs, errors`,
  ].join('\n')
}
