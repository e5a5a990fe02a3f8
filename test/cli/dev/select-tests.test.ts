/** Changes of a project, each with the tests that must run, and a comparison with the modules that the tests load. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { selectTests } from '#src/cli/dev/select-tests.js'
import { createDirectory } from '#test/temp-directory.js'

const MANIFEST = {
  type: 'module',
  name: 'shop',
  imports: {
    '#db': { production: './src/db/postgres.ts', default: './src/db/memory.ts' },
    '#lib/*.js': './src/lib/*.ts',
    '#routes/*': ['./src/routes/*'],
  },
}

const FILES: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify(MANIFEST),
  'tsconfig.json': '{ /* as usual */ "compilerOptions": { "strict": true } }',
  '.env': 'PORT=3000',
  'src/server.ts': `import { app } from './app.js'\nimport { port } from './port.js'\nconsole.log(app, port)`,
  'src/port.ts': `export const port = 3000`,
  'src/app.ts': `import './setup.js'
import { users } from '#routes/users.ts'
export type { User } from './types.js'
// It's the app of 'port.ts', or \`./port\`
export const app = { users }`,
  'src/setup.ts': `export {}`,
  'src/types.ts': `export interface User { name: string }`,
  'src/routes/users.ts': `import { db } from '#db'
import type {
  User,
} from '../types.js'
const isQuote = (text: string) => /["'\`]/.test(text)
export const users: User[] = db.filter(isQuote).map((name) => ({ name }))`,
  'src/routes/teams.ts': `export const teams = async () => (await import(\`../lib/rules.js\`)).rules`,
  'src/db/memory.ts': `export const db = ["it's"]`,
  'src/db/postgres.ts': `import { db as memory } from './memory.js'\nexport const db = memory`,
  'src/lib/index.ts': `export * from './rules.js'\nexport { toSlug as slug } from './text/slug.ts'`,
  'src/lib/rules.ts': `import { check } from './check.js'\nexport const rules = [() => check()]`,
  'src/lib/check.ts': `import { rules } from "./rules.js"\nexport const check = () => rules.length`,
  'src/lib/text/slug.ts': `export const toSlug = (text: string) => text.toLowerCase()`,
  'src/lib/legacy.cjs': `module.exports = [require('./table'), require.resolve('./old.cjs')]`,
  'src/lib/old.cjs': `module.exports = 1`,
  'src/lib/table.json': '[]',
  'src/views/home.js': `export default 'home'`,
  'test/support/helper.ts': `export { test } from 'node:test'`,
  'test/app.test.ts': `import { test } from './support/helper.js'\nimport { app } from '../src/app.js'\ntest('app', () => app)`,
  'test/users.test.ts': `import { test } from './support/helper.js'\nimport { users } from '#routes/users.ts'\ntest('users', () => users)`,
  'test/teams.test.ts': `import { test } from 'node:test'\nimport { teams } from '../src/routes/teams.js'\ntest('teams', teams)`,
  'test/check.test.ts': `import { test } from 'node:test'\nimport { check } from '#lib/check.js'\ntest('check', check)`,
  'test/slug.test.ts': `import { test } from 'node:test'\nimport { slug } from '../src/lib/index.js'\ntest('slug', () => slug('A'))`,
  'test/legacy.test.cjs': `const { test } = require('node:test')\ntest('legacy', () => require('../src/lib/legacy.cjs'))`,
  'test/views.test.ts': `import { test } from 'node:test'
const name = ['home'].join()
test('views', () => import(\`../src/views/\${name}.js\`))`,
}

const TESTS = Object.keys(FILES).filter((path) => path.includes('.test.'))
const ALL = TESTS.map((path) => path.slice('test/'.length).replace(/\..*/, ''))
/** It imports a module that an expression names. */
const OPEN = 'views'

type Files = Readonly<Record<string, string>>

/** Returns paths from the root. */
async function selectFor(changed: readonly string[], files: Files = FILES, testParts = ['.test.']): Promise<string[]> {
  return selectIn(createDirectory(files), changed, files, testParts)
}

async function selectIn(root: string, changed: readonly string[], files: Files, testParts: readonly string[]) {
  const paths = Object.keys(files).map((path) => join(root, path))
  const selected = await selectTests(
    { root, files: paths, testParts },
    new Set(changed.map((path) => join(root, path))),
  )
  return selected.map((path) => relative(root, path))
}

/** Runs a test, and returns the modules of the project that Node has loaded for it. */
function findLoaded(root: string, test: string): string[] {
  const coverage = join(root, '.coverage', test)
  const env = {
    ...process.env,
    NODE_V8_COVERAGE: coverage,
    NODE_TEST_CONTEXT: '',
    TSX_TSCONFIG_PATH: join(root, 'tsconfig.json'),
  }
  const { status, stderr } = spawnSync(process.execPath, [`--import=${import.meta.resolve('tsx')}`, test], {
    cwd: root,
    env,
  })
  assert.equal(status, 0, String(stderr))
  const urls = readdirSync(coverage).flatMap((name) => {
    const { result }: { result: { url: string }[] } = JSON.parse(readFileSync(join(coverage, name), 'utf8'))
    return result.map(({ url }) => url)
  })
  return [
    ...new Set(urls.filter((url) => url.startsWith('file:')).map((url) => relative(root, fileURLToPath(url)))),
  ].filter((path) => path in FILES)
}

describe('selectTests()', () => {
  const CHANGES: readonly (readonly [changed: string, tests: readonly string[]])[] = [
    ['src/app.ts', ['app', OPEN]],
    ['src/setup.ts', ['app', OPEN]],
    ['src/routes/users.ts', ['app', 'users', OPEN]],
    ['src/db/memory.ts', ['app', 'users', OPEN]],
    ['src/db/postgres.ts', ['app', 'users', OPEN]],
    ['src/routes/teams.ts', ['teams', OPEN]],
    ['src/lib/rules.ts', ['teams', 'check', 'slug', OPEN]],
    ['src/lib/check.ts', ['teams', 'check', 'slug', OPEN]],
    ['src/lib/index.ts', ['slug', OPEN]],
    ['src/lib/text/slug.ts', ['slug', OPEN]],
    ['src/lib/legacy.cjs', ['legacy', OPEN]],
    ['src/lib/old.cjs', ['legacy', OPEN]],
    ['src/lib/table.json', ['legacy', OPEN]],
    ['src/types.ts', [OPEN]],
    ['test/support/helper.ts', ['app', 'users', OPEN]],
    ['test/app.test.ts', ['app', OPEN]],
    ['test/views.test.ts', [OPEN]],
    // A comment names it.
    ['src/port.ts', ['app', OPEN]],
    ['src/server.ts', ALL],
    ['src/views/home.js', ALL],
    ['.env', ALL],
    ['package.json', ALL],
    ['tsconfig.json', ALL],
    ['src/deleted.ts', ALL],
    ['src/lib', ALL],
  ]

  for (const [changed, tests] of CHANGES) {
    it(`selects ${tests === ALL ? 'all tests' : tests.join(', ')} for ${changed}`, async () => {
      const selected = await selectFor([changed])
      assert.deepEqual(
        selected.map((path) => path.slice('test/'.length).replace(/\..*/, '')),
        ALL.filter((name) => tests.includes(name)),
      )
    })
  }

  it('selects each test that loads a changed module', async () => {
    const root = createDirectory(FILES)
    const loaded = TESTS.map((test) => [test, findLoaded(root, test)] as const)
    assert.ok(
      loaded.every(([, modules]) => modules.length > 1),
      JSON.stringify(loaded),
    )
    const modules = new Set(loaded.flatMap(([, names]) => names))
    assert.ok(modules.size > 17, [...modules].join(' '))
    for (const module of modules) {
      const selected = await selectIn(root, [module], FILES, ['.test.'])
      const missing = loaded.filter(([test, names]) => names.includes(module) && !selected.includes(test))
      assert.deepEqual(missing, [], module)
    }
  })

  it('selects the tests of several changes', async () => {
    const selected = await selectFor(['src/lib/index.ts', 'src/app.ts', 'src/types.ts'])
    assert.deepEqual(selected, ['test/app.test.ts', 'test/slug.test.ts', 'test/views.test.ts'])
  })

  it('selects tests by parts of their path', async () => {
    assert.deepEqual(await selectFor(['package.json'], FILES, ['test/slug', 'legacy.test', 'table.json']), [
      'test/slug.test.ts',
      'test/legacy.test.cjs',
    ])
  })

  it('selects all tests if names can have any meaning', async () => {
    const changed = ['src/lib/index.ts']
    for (const settings of [
      { 'package.json': '{' },
      { 'package.json': '[]' },
      { 'packages/core/package.json': '{ "name": "@shop/core" }' },
      { 'tsconfig.json': '{ "compilerOptions": { "paths": { "~/*": ["./src/*"] } } }' },
      { 'tsconfig.json': '{ "extends": "../tsconfig.json" }' },
    ]) {
      assert.deepEqual(await selectFor(changed, { ...FILES, ...settings }), TESTS)
    }
    assert.deepEqual(
      await selectFor(changed, { ...FILES, 'test/tsconfig.json': '{ "extends": "../tsconfig.json" }' }),
      ['test/slug.test.ts', 'test/views.test.ts'],
    )
  })

  it('treats a missing file as a file without imports', async () => {
    const root = createDirectory({ 'a.test.js': `import './b.js'`, 'b.js': '' })
    const project = {
      root,
      files: ['a.test.js', 'b.js', 'c.test.js'].map((path) => join(root, path)),
      testParts: ['.test.'],
    }
    assert.deepEqual(await selectTests(project, new Set([join(root, 'b.js')])), [join(root, 'a.test.js')])
  })
})
