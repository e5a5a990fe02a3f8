/** The code of a new project, and its settings. */
import type { OwnManifest } from '../own-manifest.js'
import type { ValidatorParts } from './validators.js'

/** Values that the files of a project contain. */
export interface NewProject {
  /** Name of the package. */
  readonly name: string
  readonly validator: ValidatorParts
  /** Version of Verbena, and the versions of Node.js that it supports. */
  readonly verbena: OwnManifest
  /** Whether the project compiles its code. Otherwise, Node.js removes the types when it loads a file. */
  readonly hasBuild: boolean
}

export const PACKAGES = { '@types/node': '^20.19.43', tsx: '^4.23.15', typescript: '^6.0.3' }
/** The oldest version that removes types without a flag. */
const TYPESCRIPT_NODE = '>=22.18.0'

export function packageJson({ name, validator, verbena: { version, engines }, hasBuild }: NewProject): string {
  const { tsx: _, ...others } = PACKAGES
  const manifest = {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: hasBuild ? engines : { node: TYPESCRIPT_NODE },
    scripts: {
      dev: 'verbena dev src/server.ts',
      test: `node ${hasBuild ? '--import tsx ' : ''}--test --test-timeout=60000 test/*.test.ts`,
      check: 'tsc && verbena check src/app.ts && verbena surface src/app.ts --check surface.txt',
      ...(hasBuild && { build: 'tsc -p tsconfig.build.json' }),
      start: `NODE_ENV=production node ${hasBuild ? '--enable-source-maps dist/server.js' : 'src/server.ts'}`,
    },
    dependencies: sortKeys({ ...validator.dependencies, verbena: `^${version}` }),
    devDependencies: hasBuild ? PACKAGES : others,
    // Yarn 4 warns about a script that is neither enabled nor disabled.
    ...(hasBuild && { dependenciesMeta: { esbuild: { built: false } } }),
    // knip does not read the command of Verbena.
    knip: { entry: ['src/server.ts', 'test/*.test.ts'] },
    prettier: { semi: false, singleQuote: true, printWidth: 120 },
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

/** Sorts packages by name, as npm does when it adds one. */
function sortKeys(packages: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(packages).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

export function tsconfig(hasBuild: boolean): string {
  const settings = hasBuild ? '' : '    "erasableSyntaxOnly": true,\n    "allowImportingTsExtensions": true,\n'
  return `{
  "compilerOptions": {
    "target": "ES2022",
    "lib": ["ES2023", "ESNext.Disposable"],
    "module": "NodeNext",
    "types": ["node"],
    "strict": true,
    "noUncheckedIndexedAccess": true,
    "noImplicitOverride": true,
    "verbatimModuleSyntax": true,
${settings}    "skipLibCheck": true,
    "noEmit": true
  },
  "include": ["src", "test"]
}
`
}

/** Returns code that Node.js 22 runs without a compiler: imports name existing files, and `await using` is not supported. */
export function withoutCompiler(code: string): string {
  return code
    .replace(/(from '\.[^']+)\.js'/g, "$1.ts'")
    .replaceAll(
      'async () => {\n    await using test = await testApp(app)\n',
      'async (t) => {\n    const test = await testApp(app)\n    t.after(() => test.close())\n',
    )
}

/** pnpm 12 fails if a script of a package is neither allowed nor disabled. tsx works without the script of esbuild. */
export const PNPM_WORKSPACE = `allowBuilds:
  esbuild: false
`

/** By default, Yarn 4 leaves packages in archives, where editors and coding agents do not find the documentation. */
export const YARNRC = `# README.md and AGENTS.md link to the documentation in node_modules.
nodeLinker: node-modules
`

export const TSCONFIG_BUILD = `{
  "extends": "./tsconfig.json",
  "compilerOptions": { "noEmit": false, "rootDir": "src", "outDir": "dist", "sourceMap": true },
  "include": ["src"]
}
`

export function appFile({ name, validator: { library, firstLines, schemas, tasks, options } }: NewProject): string {
  return `/** The API: schemas, routes and services. Importing it starts nothing. */
import { createApp, HttpError, Route, service, type Input, type Result } from 'verbena'
${firstLines}${library}

${schemas}

/** Services that routes read from \`this\`. A test can replace them. */
interface Services {
  readonly tasks: Map<string, Task>
}

class Tasks extends Route<Services> {
  static readonly get = this.contract({ returns: ${tasks}, summary: 'List tasks' })
  async get(): Result<typeof Tasks.get> {
    return [...this.tasks.values()]
  }

  static readonly post = this.contract({ body: NewTask, returns: Task, status: 201, summary: 'Create a task' })
  async post({ body, request, response }: Input<typeof Tasks.post>): Result<typeof Tasks.post> {
    const task = { ...body, id: crypto.randomUUID(), done: false }
    this.tasks.set(task.id, task)
    response.header('location', request.href(TaskById, { id: task.id }))
    return task
  }
}

class TaskById extends Route<Services> {
  static readonly path = '/tasks/{id}'

  static readonly get = this.contract({ returns: Task, errors: [404], summary: 'Read a task' })
  async get({ params }: Input<typeof TaskById.get>): Result<typeof TaskById.get> {
    const task = this.tasks.get(params.id)
    if (task === undefined) throw new HttpError(404, 'This task does not exist')
    return task
  }
}

export const app = createApp({
  name: '${name}',
  version: '0.1.0',
  services: { tasks: service(() => new Map<string, Task>()) },
  routes: { Tasks, TaskById },
${options}})
`
}

export function serverFile({ validator: { library, environment } }: NewProject): string {
  return `/** Starts the app on the port in the environment. No other file opens a port. */
import { environment } from 'verbena'
${library}
import { app } from './app.js'

const { PORT } = environment(${environment})
await app.listen({ port: PORT })
`
}

export const TASKS_TEST = `import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testApp } from 'verbena/testing'
import { app } from '../src/app.js'

describe('tasks', () => {
  it('lists a created task, and reads it by its id', async () => {
    await using test = await testApp(app)
    const created = await test.api('/tasks').post({ body: { title: 'Buy tea' } })
    assert.equal(created.status, 201)
    assert.equal(created.body.title, 'Buy tea')

    const { body: list } = await test.api('/tasks').get()
    assert.deepEqual(list, [created.body])
    const found = await test.api('/tasks/{id}').get({ params: { id: created.body.id } })
    assert.deepEqual(found.body, created.body)
  })

  it('rejects a task without a title', async () => {
    await using test = await testApp(app)
    const { status } = await test.api('/tasks').post({ body: { title: '' } })
    assert.equal(status, 422)
  })

  it('responds with 404 for an unknown id', async () => {
    await using test = await testApp(app)
    const { status } = await test.api('/tasks/{id}').get({ params: { id: 'unknown' } })
    assert.equal(status, 404)
  })
})
`

export const APP_TEST = `import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { app } from '../src/app.js'

describe('app', () => {
  it('has no findings', () => {
    assert.deepEqual(app.check(), [])
  })
})
`
