/** The architecture as data: which folder of `src` may use which, and what stands nowhere. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { breachesOf, tableBreaches, type FolderRule, type HouseRules } from '#test/architecture.js'
import { factsOf, filesBelow, readFacts } from '#test/source.js'

/** The folders that an app is made of. */
const INNER = [
  'naming',
  'versioning',
  'observe',
  'stores',
  'metrics',
  'logging',
  'router',
  'validation',
  'http',
  'context',
  'injection',
  'auth',
  'caching',
  'route',
  'decorators',
  'multipart',
  'openapi',
  'request',
  'options',
  'idempotency',
  'setup',
  'document',
  'check',
  'builtin',
  'devconsole',
]

/** Imports point down this table, types included; `errors` and `values` are open to all. */
const FOLDERS: Readonly<Record<string, FolderRule>> = {
  values: { level: 0, imports: [] },
  naming: { level: 0, imports: [] },
  versioning: { level: 0, imports: [] },
  observe: { level: 0, imports: [] },
  stores: { level: 0, imports: [] },
  errors: { level: 1, imports: ['values'] },
  metrics: { level: 1, imports: ['observe'] },
  logging: { level: 1, imports: ['observe'] },
  router: { level: 1, imports: [] },
  breaking: { level: 1, imports: [] },
  validation: { level: 1, imports: [] },
  http: { level: 1, imports: [] },
  context: { level: 2, imports: ['http', 'logging', 'router', 'validation', 'observe'] },
  injection: { level: 3, imports: ['validation', 'context'] },
  auth: { level: 4, imports: ['validation', 'context', 'injection'] },
  caching: { level: 4, imports: ['http', 'context', 'injection'] },
  limits: { level: 4, imports: ['stores', 'logging', 'validation', 'http', 'context', 'injection'] },
  route: { level: 4, imports: ['naming', 'versioning', 'router', 'http', 'validation', 'context', 'injection'] },
  decorators: { level: 5, imports: ['router', 'route', 'metrics', 'observe', 'versioning', 'logging'] },
  files: { level: 5, imports: ['http', 'context', 'caching', 'route'] },
  multipart: { level: 5, imports: ['http', 'validation', 'route'] },
  openapi: { level: 5, imports: ['route', 'validation', 'router'] },
  request: {
    level: 5,
    imports: ['versioning', 'observe', 'logging', 'router', 'validation', 'http', 'context', 'injection', 'route'],
  },
  upgrade: { level: 6, imports: ['router', 'http', 'context', 'injection', 'route', 'request'] },
  options: {
    level: 6,
    imports: [
      'versioning',
      'observe',
      'logging',
      'router',
      'validation',
      'http',
      'context',
      'injection',
      'route',
      'openapi',
      'request',
    ],
  },
  idempotency: { level: 7, imports: ['stores', 'http', 'context', 'injection', 'route', 'options'] },
  setup: {
    level: 7,
    imports: [
      'naming',
      'versioning',
      'observe',
      'router',
      'validation',
      'http',
      'context',
      'injection',
      'route',
      'decorators',
      'request',
      'options',
    ],
  },
  session: { level: 7, imports: ['stores', 'validation', 'http', 'context', 'injection', 'route', 'options'] },
  document: {
    level: 8,
    imports: [
      'versioning',
      'router',
      'validation',
      'injection',
      'caching',
      'route',
      'openapi',
      'request',
      'options',
      'setup',
    ],
  },
  check: {
    level: 9,
    imports: ['versioning', 'router', 'validation', 'injection', 'route', 'request', 'options', 'setup', 'document'],
  },
  builtin: {
    level: 9,
    imports: [
      'versioning',
      'observe',
      'metrics',
      'logging',
      'validation',
      'http',
      'context',
      'injection',
      'route',
      'decorators',
      'request',
      'options',
      'document',
    ],
  },
  devconsole: {
    level: 10,
    imports: [
      'http',
      'observe',
      'metrics',
      'logging',
      'route',
      'decorators',
      'openapi',
      'request',
      'options',
      'document',
      'check',
    ],
  },
  app: { level: 11, imports: INNER },
  client: { level: 12, imports: ['app'], types: INNER },
  testing: { level: 12, imports: [...INNER, 'app', 'client'] },
  cli: { level: 12, imports: ['app'], types: INNER },
}

const RULES: HouseRules = {
  folders: FOLDERS,
  guardedModules: {
    'node:http': ['http'],
    'node:https': ['http'],
    'node:http2': ['http'],
    'node:net': ['http'],
    'node:vm': [],
    'node:module': [],
  },
  guardedUses: {
    eval: [],
    'new Function': [],
    'process.env': ['options/environment.ts', 'cli/'],
  },
  bannedWords: ['zod', 'valibot', 'arktype'],
}

/** The folders of the console: what it says, hides, is told, keeps, records and answers. */
const CONSOLE_ROOMS = ['wire', 'redact', 'host', 'store', 'record', 'serve']

/** Files that are written for the browser or by a program; the bundler sees to them. */
const NOT_OURS = /\.generated\.ts$|^src\/devconsole\/ui\//

const DEPENDENCY_FIELDS = ['dependencies', 'optionalDependencies', 'peerDependencies', 'bundleDependencies']
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish']

describe('architecture', () => {
  const files = filesBelow('src', '.ts').filter((path) => !NOT_OURS.test(path))

  it('reads the files of src', () => {
    assert.ok(files.includes('src/index.ts'), 'src/index.ts was not found: the test looks in the wrong place')
  })

  it('has a table that only points down', () => {
    assert.deepEqual(tableBreaches(FOLDERS), [])
  })

  it('holds in every file of src', () => {
    assert.deepEqual(breachesOf(files.map(readFacts), RULES), [])
  })

  it('has rooms in the console that import those before them alone', () => {
    const room = (path = ''): number => CONSOLE_ROOMS.findIndex((name) => path.startsWith(`src/devconsole/${name}/`))
    const imports = files.filter((path) => room(path) >= 0).flatMap((path) => readFacts(path).imports)
    const up = imports.filter(({ from, file }) => room(file) > room(from))
    assert.deepEqual(
      up.map(({ from, file }) => `${from} imports ${file}`),
      [],
    )
  })

  it('has only modules that load without touching the process', async () => {
    const before = [process.eventNames(), Object.keys(globalThis)]
    const loaded = await Promise.all(
      files.map((file) => import(`#src/${file.slice('src/'.length).replace(/\.ts$/, '.js')}`)),
    )
    assert.ok(loaded.length > 50)
    assert.deepEqual([process.eventNames(), Object.keys(globalThis)], before)
  })

  it('has no runtime dependency and no install script', () => {
    const manifest: Record<string, unknown> = JSON.parse(readFileSync('package.json', 'utf8'))
    const scripts = Object.keys(manifest['scripts'] ?? {})
    assert.deepEqual(
      DEPENDENCY_FIELDS.filter((field) => field in manifest),
      [],
    )
    assert.deepEqual(
      INSTALL_SCRIPTS.filter((script) => scripts.includes(script)),
      [],
    )
  })
})

describe('breachesOf()', () => {
  const BAD: readonly (readonly [breach: RegExp, path: string, text: string])[] = [
    [/http may not import route/, 'src/http/reply.ts', `import { Route } from '../route/route.js'`],
    [/http may not import route/, 'src/http/reply.ts', `import type { Route } from '../route/route.js'`],
    [/http may not import route/, 'src/http/reply.ts', `export type Of = import('../route/route.js').Route`],
    [/http may not import route/, 'src/http/reply.ts', `const { Route } = await import('../route/route.js')`],
    [/http may not import route/, 'src/http/reply.ts', `export { Route } from '../route/route.js'`],
    [/errors may not import naming/, 'src/errors/a.ts', `import { words } from '../naming/words.js'`],
    [/client may not import route/, 'src/client/a.ts', `import { Route } from '../route/route.js'`],
    [/entry of the package/, 'src/route/a.ts', `import { Route } from '../index.js'`],
    [/outside src/, 'src/route/a.ts', `import { table } from '../../test/table.js'`],
    [/folder the table does not name: utils/, 'src/utils/a.ts', 'export const a = 1'],
    [/index inside a folder/, 'src/http/index.ts', 'export const a = 1'],
    [/may only hold/, 'src/decorators.ts', 'export const a = 1'],
    [/export \*/, 'src/http/a.ts', `export * from './b.js'`],
    [/export \*/, 'src/http/a.ts', `export * as all from './b.js'`],
    [/may only hold/, 'src/index.ts', `import { Route } from './route/route.js'\nexport { Route }`],
    [/default export/, 'src/http/a.ts', 'export default class A {}'],
    [/default export/, 'src/http/a.ts', 'const a = 1\nexport default a'],
    [/default export/, 'src/http/a.ts', 'const a = 1\nexport { a as default }'],
    [/only http may/, 'src/app/a.ts', `import { createServer } from 'node:http'`],
    [/only http may/, 'src/app/a.ts', `import type { Socket } from 'node:net'`],
    [/only relative paths/, 'src/app/a.ts', `import pino from 'pino'`],
    [/only relative paths/, 'src/app/a.ts', `import { readFile } from 'fs'`],
    [/only relative paths/, 'src/app/a.ts', `import { a } from '#src/app/b.js'`],
    [/only relative paths/, 'src/app/a.ts', `const name = 'x'\nawait import(name)`],
    [/uses eval/, 'src/app/a.ts', `eval('1')`],
    [/uses new Function/, 'src/app/a.ts', `new Function('return 1')`],
    [/uses new Function/, 'src/app/a.ts', `globalThis.Function('return 1')`],
    [/uses process.env/, 'src/app/a.ts', `const mode = process.env['NODE_ENV']`],
    [/uses process.env/, 'src/app/a.ts', `const mode = process.env.NODE_ENV`],
    [/uses process.env/, 'src/app/a.ts', `import { env } from 'node:process'`],
    [/names zod/, 'src/app/a.ts', `export const vendor = 'zod'`],
    [/names valibot/, 'src/app/a.ts', '/** As Valibot does. */\nexport const a = 1'],
  ]

  for (const [breach, path, text] of BAD) {
    it(`reports ${JSON.stringify(text)} in ${path}`, () => {
      const breaches = breachesOf([factsOf(path, text)], RULES)
      assert.equal(breaches.length, 1, breaches.join('\n'))
      assert.match(breaches[0] ?? '', breach)
    })
  }

  it('reports files that import each other in a circle, types included', () => {
    const circle = [
      factsOf('src/http/a.ts', `import type { B } from './b.js'`),
      factsOf('src/http/b.ts', `import { c } from './c.js'`),
      factsOf('src/http/c.ts', `import { a } from './a.js'`),
    ]
    assert.deepEqual(breachesOf(circle, RULES), [
      'Files import each other in a circle: src/http/a.ts -> src/http/b.ts -> src/http/c.ts -> src/http/a.ts',
    ])
  })

  it('accepts what the table allows', () => {
    const fine = [
      factsOf('src/index.ts', `export { Route } from './route/route.js'\nexport type { Reply } from './http/reply.js'`),
      factsOf('src/route/route.ts', `import { words } from '../naming/words.js'\nimport { own } from './own.js'`),
      factsOf('src/http/server.ts', `import { createServer } from 'node:http'\nimport { E } from '../errors/e.js'`),
      factsOf('src/options/environment.ts', `export const mode = process.env['NODE_ENV']`),
      factsOf('src/client/client.ts', `import type { Route } from '../route/route.js'`),
    ]
    assert.deepEqual(breachesOf(fine, RULES), [])
  })

  it('reports a table that points up', () => {
    const folders = { low: { level: 0, imports: ['high'] }, high: { level: 1, imports: [] } }
    assert.deepEqual(tableBreaches(folders), ['The table lets low import high, which is not below it'])
  })
})
