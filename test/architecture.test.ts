// own process: it imports all modules, some of which change the process
/**
 * The architecture as data: the folders that each folder of `src` may import, and forbidden modules, uses and words.
 *
 * @see docs/decisions/0040-five-storeys.md
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { findViolations, findTableViolations, type FolderRule, type HouseRules } from '#test/architecture.js'
import { readFactsFrom, filesBelow, readFacts } from '#test/source.js'

/** A folder may import, including types, from itself, from `errors` and `values`, and from its listed rows, which are all above it. */
const FOLDERS: Readonly<Record<string, FolderRule>> = {
  values: { storey: 'ground', imports: [] },
  errors: { storey: 'ground', imports: ['values'] },
  naming: { storey: 'ground', imports: [] },
  versioning: { storey: 'ground', imports: [] },
  router: { storey: 'ground', imports: [] },
  validation: { storey: 'ground', imports: [] },
  http: { storey: 'ground', imports: [] },
  observe: { storey: 'ground', imports: ['http'] },
  secrets: { storey: 'ground', imports: ['observe'] },

  context: { storey: 'core', imports: ['router', 'validation', 'http', 'observe'] },
  injection: { storey: 'core', imports: ['validation', 'context'] },
  route: { storey: 'core', imports: ['router', 'validation', 'http', 'context', 'injection'] },
  request: {
    storey: 'core',
    imports: ['versioning', 'router', 'validation', 'http', 'observe', 'secrets', 'context', 'injection', 'route'],
  },

  decorators: { storey: 'features', imports: ['versioning', 'router', 'observe', 'secrets', 'route'] },
  'features/stores': { storey: 'features', imports: ['injection'] },
  'features/auth': { storey: 'features', imports: ['http', 'context', 'injection', 'features/stores'] },
  'features/caching': { storey: 'features', imports: ['http', 'context', 'injection'] },
  'features/files': { storey: 'features', imports: ['http', 'context', 'route', 'features/caching'] },
  'features/idempotency': {
    storey: 'features',
    imports: ['http', 'context', 'injection', 'route', 'features/stores'],
  },
  'features/limits': {
    storey: 'features',
    imports: ['validation', 'http', 'observe', 'context', 'injection', 'features/stores'],
  },
  'features/lines': { storey: 'features', imports: ['validation', 'http', 'route'] },
  'features/mount': {
    storey: 'features',
    imports: ['http', 'context', 'injection', 'route', 'request'],
  },
  'features/multipart': { storey: 'features', imports: ['validation', 'http', 'route'] },
  'features/pagination': { storey: 'features', imports: ['validation', 'http', 'context', 'route'] },
  'features/responses': { storey: 'features', imports: ['http', 'context', 'route', 'request'] },
  'features/session': {
    storey: 'features',
    imports: ['validation', 'http', 'context', 'injection', 'route', 'features/stores'],
  },
  'features/upgrade': {
    storey: 'features',
    imports: ['router', 'http', 'context', 'injection', 'route', 'request', 'features/responses'],
  },

  setup: {
    storey: 'app',
    imports: [
      'naming',
      'versioning',
      'router',
      'validation',
      'http',
      'observe',
      'secrets',
      'context',
      'injection',
      'route',
      'request',
      'decorators',
      'features/responses',
    ],
  },
  openapi: {
    storey: 'app',
    imports: [
      'versioning',
      'router',
      'validation',
      'http',
      'injection',
      'route',
      'request',
      'features/caching',
      'setup',
    ],
  },
  reference: { storey: 'app', imports: ['http', 'openapi'] },
  check: {
    storey: 'app',
    imports: ['versioning', 'router', 'validation', 'http', 'injection', 'route', 'request', 'setup', 'openapi'],
  },
  app: {
    storey: 'app',
    imports: [
      'versioning',
      'router',
      'http',
      'observe',
      'secrets',
      'context',
      'injection',
      'route',
      'request',
      'decorators',
      'features/responses',
      'setup',
      'openapi',
      'reference',
      'check',
    ],
    mounts: ['devconsole'],
  },

  devconsole: {
    storey: 'around',
    imports: ['http', 'observe', 'secrets', 'route', 'request', 'decorators', 'setup', 'openapi', 'check'],
  },
  client: { storey: 'around', imports: ['app'], types: 'all above' },
  testing: { storey: 'around', imports: 'all above' },
  prove: { storey: 'around', imports: 'all above' },
  cli: { storey: 'around', imports: 'all above' },
}

/** The folders to read first. Together they are short enough for an afternoon. */
const CORE = ['context', 'injection', 'route', 'request']
const MAX_CORE_LINES = 7_000
/** Folders of tests that are not named after a file of `src`. */
const SUITES = /^test\/(?:e2e|security|property|conformance|examples|how-to|tasks|types|support|fixtures|vendors)\//
const MAX_TESTS_WITHOUT_SOURCE = 40

const RULES: HouseRules = {
  folders: FOLDERS,
  guardedModules: {
    'node:http': ['http'],
    'node:https': ['http'],
    'node:http2': ['http'],
    'node:net': ['http', 'cli'],
    'node:vm': [],
    'node:module': ['cli', 'prove'],
    'node:child_process': ['cli'],
    'node:inspector': ['cli', 'prove'],
  },
  computedImports: ['cli'],
  guardedUses: {
    eval: [],
    'new Function': [],
    'process.env': ['cli/dev/preload.ts', 'setup/environment.ts', 'values/mode.ts'],
  },
  // Projects that the command line creates use one of them. A finding names two libraries that create code.
  bannedWords: {
    zod: ['cli/new/', 'cli/slow-validators.ts'],
    valibot: ['cli/new/'],
    arktype: ['cli/new/', 'cli/slow-validators.ts'],
  },
}

/** Folders of the console, in the order in which they may import each other. */
const CONSOLE_ROOMS = ['wire', 'redact', 'host', 'store', 'record', 'serve']

/** The program \`verbena\`, which runs when it is imported. */
const PROGRAM = 'src/cli/bin.ts'

/** The types of a generated file. */
const NOT_OURS = /\.generated\.d\.ts$/

const DEPENDENCY_FIELDS = ['dependencies', 'optionalDependencies', 'peerDependencies', 'bundleDependencies']
/** Folders that an app loads only if it uses them. */
const LOADED_ON_DEMAND = /^src\/(?:cli|devconsole|prove|reference|features\/files)\//
const COMMENTS = /\/\*[^]*?\*\//g
const LATE_PATTERNS = /latePattern\(String\.raw`[^`]*`/g
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish']

describe('architecture', () => {
  const files = filesBelow('src', '.ts').filter((path) => !NOT_OURS.test(path))

  it('reads the files of src', () => {
    assert.ok(files.includes('src/index.ts'), 'src/index.ts was not found: wrong working directory')
  })

  it('has a table that lists only imports from rows above', () => {
    assert.deepEqual(findTableViolations(FOLDERS), [])
  })

  it('has 25 folders, counting all features as one', () => {
    const rooms = new Set(Object.keys(FOLDERS).map((folder) => folder.split('/')[0]))
    assert.equal(rooms.size, 25)
  })

  it('holds for every file of src', () => {
    assert.deepEqual(findViolations(files.map(readFacts), RULES), [])
  })

  it('has folders in the console that import only from folders before them', () => {
    const room = (path = ''): number => CONSOLE_ROOMS.findIndex((name) => path.startsWith(`src/devconsole/${name}/`))
    const imports = files.filter((path) => room(path) >= 0).flatMap((path) => readFacts(path).imports)
    const up = imports.filter(({ from, file }) => room(file) > room(from))
    assert.deepEqual(
      up.map(({ from, file }) => `${from} imports ${file}`),
      [],
    )
  })

  it('has only modules without side effects on the process', async () => {
    const before = [process.eventNames(), Object.keys(globalThis)]
    const loaded = await Promise.all(
      files
        .filter((file) => file !== PROGRAM)
        .map((file) => import(`#src/${file.slice('src/'.length).replace(/\.ts$/, '.js')}`)),
    )
    assert.ok(loaded.length > 50)
    assert.deepEqual([process.eventNames(), Object.keys(globalThis)], before)
  })

  it('has a core that can be read in an afternoon', () => {
    const core = files.filter((path) => CORE.some((folder) => path.startsWith(`src/${folder}/`)))
    const lines = core.map((path) => readFileSync(path, 'utf8').split('\n').length - 1)
    const total = lines.reduce((sum, count) => sum + count, 0)
    assert.ok(total <= MAX_CORE_LINES, `${total} lines`)
  })

  it('has no Unicode class in a literal of modules that every app loads, because each costs its start up to 0.5 ms', () => {
    const withClass = files.filter((path) => !LOADED_ON_DEMAND.test(path)).filter(hasUnicodeClass)
    assert.deepEqual(withClass, [])
  })

  it('reads the clock at the moment and never stores its functions, so that fake timers of tests work', () => {
    const files = filesBelow('src', '.ts')
    assert.deepEqual(
      files.filter((path) => hasStoredClock(readFileSync(path, 'utf8'))),
      [],
    )
    for (const code of [
      'now = Date.now,',
      'const c = performance.now',
      'wait: setTimeout }',
      'f(setInterval)',
      'now } = Date\n',
    ])
      assert.equal(hasStoredClock(code), true, code)
    for (const code of ['Date.now()', '// Date.now', "'default `Date.now`'", 'setTimeout(f)', 'typeof setTimeout'])
      assert.equal(hasStoredClock(code), false, code)
  })

  it('has tests named after its files', () => {
    const tests = filesBelow('test', '.test.ts').filter((path) => /^test\/.+\//.test(path) && !SUITES.test(path))
    const sources = new Set(filesBelow('src', '.ts').map((path) => path.replace(/^src\//, 'test/')))
    const others = tests.filter((path) => !sources.has(path.replace(/\.test\.ts$/, '.ts')))
    assert.ok(tests.length > 200)
    assert.ok(others.length <= MAX_TESTS_WITHOUT_SOURCE, `${others.length} tests: ${others.join(', ')}`)
  })

  it('is used by the page of the console only through "wire", and the page has tests named after its files', () => {
    const page = filesBelow('console/page', '.ts')
    const imports = page.flatMap((path) => readFileSync(path, 'utf8').match(/(?<= from ')[^']*src\/[^']*/g) ?? [])
    assert.ok(imports.length > 30, `${imports.length} imports`)
    assert.deepEqual(
      imports.filter((path) => !path.includes('/src/devconsole/wire/')),
      [],
    )
    const tests = filesBelow('console/test/unit', '.test.ts')
    const tested = tests.map((path) => path.replace('/test/unit/', '/page/').replace(/\.test\.ts$/, '.ts'))
    assert.ok(tested.length > 20, `${tested.length} tests`)
    assert.deepEqual(
      tested.filter((path) => !page.includes(path)),
      [],
    )
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

describe('findViolations()', () => {
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
    [/folder that is missing in the table: utils/, 'src/utils/a.ts', 'export const a = 1'],
    [/index inside a folder/, 'src/http/index.ts', 'export const a = 1'],
    [/may only contain/, 'src/decorators.ts', 'export const a = 1'],
    [/export \*/, 'src/http/a.ts', `export * from './b.js'`],
    [/export \*/, 'src/http/a.ts', `export * as all from './b.js'`],
    [/may only contain/, 'src/index.ts', `import { Route } from './route/route.js'\nexport { Route }`],
    [/default export/, 'src/http/a.ts', 'export default class A {}'],
    [/default export/, 'src/http/a.ts', 'const a = 1\nexport default a'],
    [/default export/, 'src/http/a.ts', 'const a = 1\nexport { a as default }'],
    [/only http may/, 'src/app/a.ts', `import { createServer } from 'node:http'`],
    [/only http, cli may/, 'src/app/a.ts', `import type { Socket } from 'node:net'`],
    [/only relative paths/, 'src/app/a.ts', `import pino from 'pino'`],
    [/only relative paths/, 'src/app/a.ts', `import { readFile } from 'fs'`],
    [/only relative paths/, 'src/app/a.ts', `import { a } from '#src/app/b.js'`],
    [/only relative paths/, 'src/app/a.ts', `const name = 'x'\nawait import(name)`],
    [/only cli may/, 'src/app/a.ts', `import { spawn } from 'node:child_process'`],
    [/only cli, prove may/, 'src/http/a.ts', `import { register } from 'node:module'`],
    [/no folder may/, 'src/cli/a.ts', `import { runInThisContext } from 'node:vm'`],
    [/uses eval/, 'src/app/a.ts', `eval('1')`],
    [/uses new Function/, 'src/app/a.ts', `new Function('return 1')`],
    [/uses new Function/, 'src/app/a.ts', `globalThis.Function('return 1')`],
    [/uses process.env/, 'src/app/a.ts', `const mode = process.env['NODE_ENV']`],
    [/uses process.env/, 'src/app/a.ts', `const mode = process.env.NODE_ENV`],
    [/uses process.env/, 'src/app/a.ts', `import { env } from 'node:process'`],
    [/contains zod/, 'src/app/a.ts', `export const vendor = 'zod'`],
    [/contains zod/, 'src/cli/new.ts', `export const vendor = 'zod'`],
    [/contains valibot/, 'src/app/a.ts', '/** As Valibot does. */\nexport const a = 1'],
  ]

  for (const [breach, path, text] of BAD) {
    it(`reports ${JSON.stringify(text)} in ${path}`, () => {
      const breaches = findViolations([readFactsFrom(path, text)], RULES)
      assert.equal(breaches.length, 1, breaches.join('\n'))
      assert.match(breaches[0] ?? '', breach)
    })
  }

  it('reports import cycles, including types', () => {
    const circle = [
      readFactsFrom('src/http/a.ts', `import type { B } from './b.js'`),
      readFactsFrom('src/http/b.ts', `import { c } from './c.js'`),
      readFactsFrom('src/http/c.ts', `import { a } from './a.js'`),
    ]
    assert.deepEqual(findViolations(circle, RULES), [
      'Files import each other in a cycle: src/http/a.ts -> src/http/b.ts -> src/http/c.ts -> src/http/a.ts',
    ])
  })

  it('accepts imports that the table allows', () => {
    const fine = [
      readFactsFrom(
        'src/index.ts',
        `export { Route } from './route/route.js'\nexport type { Reply } from './http/reply.js'`,
      ),
      readFactsFrom('src/setup/href.ts', `import { words } from '../naming/words.js'\nimport { own } from './own.js'`),
      readFactsFrom(
        'src/http/server.ts',
        `import { createServer } from 'node:http'\nimport { E } from '../errors/e.js'`,
      ),
      readFactsFrom('src/setup/environment.ts', `export const mode = process.env['NODE_ENV']`),
      readFactsFrom('src/client/client.ts', `import type { Route } from '../route/route.js'`),
    ]
    assert.deepEqual(findViolations(fine, RULES), [])
  })

  it('reports imports from a later row, and storeys out of order', () => {
    const upward: HouseRules['folders'] = {
      low: { storey: 'core', imports: ['high'] },
      high: { storey: 'core', imports: [] },
      ground: { storey: 'ground', imports: [] },
    }
    assert.deepEqual(findTableViolations(upward), [
      'The table allows low to import high, which is not above it',
      'The table lists ground of the ground below a folder of a higher storey',
    ])
  })

  it('reports an import of a feature that is missing in the table', () => {
    const file = readFactsFrom('src/features/auth/a.ts', `import { files } from '../files/files.js'`)
    assert.deepEqual(findViolations([file], RULES), [
      'src/features/auth/a.ts imports src/features/files/files.ts: features/auth may not import features/files',
    ])
  })
})

function hasUnicodeClass(path: string): boolean {
  const code = readFileSync(path, 'utf8').replace(COMMENTS, '').replace(LATE_PATTERNS, '')
  return /\\[pP]\{/.test(code)
}

const STORED_CLOCK =
  /\b(?:Date|performance)\.now\b(?!\(|`)|\bnow\b[^=\n]*\} = (?:Date|performance)\b|[=:(,] *(?:setTimeout|setInterval|setImmediate)\b(?! *[(:])/

/** Whether code stores `Date.now` or a timer function, which fake timers replace later. */
function hasStoredClock(source: string): boolean {
  return STORED_CLOCK.test(source.replace(COMMENTS, '').replaceAll(/\/\/.*/g, ''))
}
