/** The command `verbena`: help, version, wrong use, and installed packages. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { build } from 'esbuild'
import { createProject, verbena } from '#test/command-line.js'

const COMMANDS = [
  ...['new', 'dev', 'last', 'requests', 'request', 'logs', 'replay'],
  ...['routes', 'explain', 'check', 'surface', 'openapi', 'breaking', 'audit'],
]
const APP = `import { createApp, Route } from 'verbena'
class Home extends Route {
  get() {
    return 'home'
  }
}
export const app = createApp({ routes: { Home }, openapi: false })
`
const COMMON = APP.replace(/import (.*) from ('verbena')/, 'const $1 = require($2)').replace('export const', 'const')
const TYPED = APP.replace('get()', 'get(): string').replace('class', 'interface A {}\n\nclass')

describe('verbena', () => {
  it('prints its help without arguments, with --help, and with help', async () => {
    const [plain, ...others] = await Promise.all([[], ['--help'], ['-h'], ['help']].map((args) => verbena(args)))
    assert.equal(plain?.code, 0)
    for (const name of COMMANDS) assert.match(plain.out, new RegExp(`^ {2}${name} `, 'm'))
    assert.match(plain.out, /Exit codes\n {2}0 .*\n {2}1 .*\n {2}2 /)
    for (const { out } of others) assert.equal(out, plain.out)
  })

  it('prints a help of at most 80 columns for each command', async () => {
    const helps = await Promise.all([[], ...COMMANDS].map((name) => verbena([name, '--help'].flat())))
    for (const { code, out } of helps) {
      assert.equal(code, 0)
      assert.match(out, /^ +-h, --help +Show/m)
      assert.deepEqual(
        out.split('\n').filter((line) => line.length > 80 && !/^ +verbena /.test(line)),
        [],
      )
    }
    const { out } = await verbena(['help', 'openapi'])
    assert.match(
      out,
      /Usage\n {2}verbena openapi <module> .*\n\nOptions\n {2}--version <version> {2}.*\n {2}-o, --out <file> {2}/s,
    )
  })

  it('prints the version of the package', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    assert.equal((await verbena(['--version'])).out, `${version}\n`)
  })

  const FLAWS: readonly (readonly [args: readonly string[], message: RegExp])[] = [
    [['rutes', 'app.ts'], /^Cannot run "verbena rutes": the command of this name is unknown\. Did you mean "routes"\?/],
    [['--jsno'], /^Cannot run "verbena --jsno": an option of this name is unknown\./],
    [['help', 'chek'], /Did you mean "check"\?/],
    [['routes'], /^Cannot run "verbena routes": the argument <module> is missing\nUsage: verbena routes <module>/],
    [['routes', 'a.ts', 'b.ts'], /the argument "b\.ts" is one too many/],
    [['routes', 'a.ts', '--jsno'], /the option "--jsno" is unknown\. Did you mean "--json"\?/],
    [['routes', 'a.ts', '--toString'], /the option "--toString" is unknown\.\n/],
    [['routes', 'a.ts', '--json=yes'], /the option "--json" has no value\. Remove "=yes"/],
    [['openapi', 'a.ts', '--out'], /the option "--out" needs a value\. Write "--out <file>"/],
  ]

  for (const [args, message] of FLAWS) {
    it(`rejects ${args.join(' ')}`, async () => {
      const { code, out, err } = await verbena(args)
      assert.deepEqual([code, out], [2, ''])
      assert.match(err, message)
    })
  }
})

describe('an installed verbena', () => {
  it('reads compiled modules, and the source of TypeScript if Node strips types', async () => {
    using project = await createProject({ 'app.js': APP, 'app.ts': TYPED, 'none/a.txt': '' })
    const table = 'METHOD  PATH   GUARDS  CLASS  FILE\nGET     /home  -       Home   app.js:3\n'
    const compiled = await project.verbena(['routes', 'app.js'])
    assert.deepEqual([compiled.code, compiled.out, compiled.err], [0, table, ''])
    const { code, out, err } = await project.verbena(['routes', 'app.ts'])
    if (Reflect.get(process.features, 'typescript')) {
      assert.deepEqual([code, out], [0, table.replace('app.js:3', 'app.ts:5')])
    } else {
      assert.deepEqual([code, out], [2, ''])
      assert.match(err, /^Cannot load "app\.ts": it is TypeScript, and the project has no "tsx"\. Install it with/)
    }
  })

  it('says what Node cannot strip', { skip: !Reflect.get(process.features, 'typescript') }, async () => {
    using project = await createProject({
      'app.js': APP,
      'decorated.ts': `import { log } from 'verbena/decorators'\nclass Home {\n  @log\n  get() {}\n}\n`,
      'renamed.ts': `export { app } from './typed.js'\n`,
      'typed.ts': APP,
    })
    const decorated = await project.verbena(['routes', 'decorated.ts'])
    assert.equal(decorated.code, 2)
    assert.match(
      decorated.err,
      /SyntaxError \(decorated\.ts:3\)\n.*\n {2}Node can remove types, but not compile decorators/,
    )
    const renamed = await project.verbena(['routes', 'renamed.ts'])
    assert.match(renamed.err, /Node does not look for a "\.ts" file in place of "\.js"/)
  })

  it('finds the app of a CommonJS module', async () => {
    using project = await createProject({
      'named.cjs': `${COMMON}exports.app = app\n`,
      'default.cjs': `${COMMON}module.exports = { __proto__: null, default: app }\n`,
    })
    for (const name of ['named.cjs', 'default.cjs']) {
      const { code, out, err } = await project.verbena(['routes', name])
      assert.match(out, /\nGET +\/home /, err)
      assert.equal(code, 0)
    }
  })

  it('rejects an app of another copy of Verbena', async () => {
    using project = await createProject({
      ...{ 'app.js': APP, 'tsconfig.json': '{}' },
      'like-app.js': 'export const app = { openapi() {} }',
    })
    const env = { TSX_TSCONFIG_PATH: `${project.folder}/tsconfig.json` }
    const { code, err } = await verbena(['routes', 'app.js'], { cwd: project.folder, env })
    assert.equal(code, 2)
    assert.match(
      err.replaceAll('\n', ' '),
      /its export "app" is an app of another copy of Verbena, in ".*" instead of ".*\. Run .*"npx verbena"/,
    )
    const like = await verbena(['routes', 'like-app.js'], { cwd: project.folder, env })
    assert.match(like.err, /another copy of Verbena, in "an unknown folder"/)
  })

  it('rejects a bundle that contains Verbena, with its source map', async () => {
    using project = await createProject({ 'app.js': APP })
    await build({
      ...{ entryPoints: [`${project.folder}/app.js`], outfile: `${project.folder}/bundle.mjs` },
      ...{ bundle: true, platform: 'node', format: 'esm', target: 'node20', sourcemap: true },
    })
    const { code, out, err } = await project.verbena(['routes', 'bundle.mjs'])
    assert.deepEqual([code, out], [2, ''])
    assert.match(
      err.replaceAll('\n', ' '),
      /^Cannot load "bundle\.mjs": its export "app" is an app of another copy of Verbena, in a bundle\. .* mark "verbena" as external $/,
    )
  })
})
