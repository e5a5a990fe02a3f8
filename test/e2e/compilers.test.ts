/** Decorators behave the same with every compiler: tsc, esbuild (which tsx runs), a minified bundle, swc. */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { transform as swc } from '@swc/core'
import { build, transform } from 'esbuild'
import ts from 'typescript'
import older from 'typescript-5.9'

const FIXTURE = 'test/fixtures/decorators/app.ts'

/** URLs of the package's modules in the tests. */
const MODULES: Readonly<Record<string, string>> = {
  verbena: import.meta.resolve('verbena'),
  'verbena/decorators': import.meta.resolve('verbena/decorators'),
}

const EXPECTED = {
  answers: [
    [
      ...['GET', '/users/7', 200, '{"id":"7","field":2,"name":"get","length":1}'],
      ...[['@1769817600', '</news>; rel="deprecation"', '2.0.0'], true],
    ],
    ['PUT', '/users/7', 200, '{"secret":"seen","field":2}', [null, null, null], false],
    ['PATCH', '/users/7', 200, 'patched', [null, null, null], false],
    ['DELETE', '/users/7', 200, 'own', [null, null, null], false],
    ['GET', '/all', 200, 'all', [null, null, null], false],
  ],
  lines: [
    { level: 'info', message: 'GET /users/7 200', route: 'Users', status: 200, version: '2.0.0' },
    { level: 'debug', message: 'PUT /users/7 200', route: 'Users', status: 200, version: undefined },
    { level: 'info', message: 'PATCH /users/7 200', route: 'Users', status: 200, version: undefined },
    { level: 'info', message: 'GET /all 200', route: 'All', status: 200, version: undefined },
  ],
  trail: ['read! GET /users/{id}', 'base PUT /users/{id}', 'in a contract PATCH /users/{id}', 'all GET /all'],
  hidden: 'DECORATOR_HIDDEN',
}

const MODERN = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext }
const OLDER = { target: older.ScriptTarget.ES2022, module: older.ModuleKind.ESNext }

type Compile = (source: string) => Promise<string> | string

const swcOptions = (transformer: object) => ({
  jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: true }, transform: transformer } as const,
})

const COMPILERS: Readonly<Record<string, Compile>> = {
  'tsc 6': (source) => ts.transpile(source, MODERN),
  'tsc 5.9': (source) => older.transpile(source, OLDER),
  'tsc to ES2024': (source) => ts.transpile(source, { ...MODERN, target: ts.ScriptTarget.ES2024 }),
  'tsc without define': (source) => ts.transpile(source, { ...MODERN, useDefineForClassFields: false }),
  esbuild: async (source) => (await transform(source, { loader: 'ts', target: 'es2022' })).code,
  'esbuild, minified': async (source) =>
    (await transform(source, { loader: 'ts', target: 'es2022', minify: true })).code,
  swc: async (source) => (await swc(source, swcOptions({ decoratorVersion: '2022-03' }))).code,
}

const LEGACY: Readonly<Record<string, Compile>> = {
  tsc: (source) => ts.transpile(source, { ...MODERN, experimentalDecorators: true }),
  esbuild: async (source) => {
    const tsconfigRaw = { compilerOptions: { experimentalDecorators: true } }
    return (await transform(source, { loader: 'ts', target: 'es2022', tsconfigRaw })).code
  },
  swc: async (source) => (await swc(source, swcOptions({ legacyDecorator: true }))).code,
}

describe('decorators by compiler', () => {
  let folder = ''
  before(async () => {
    mkdirSync('.cache', { recursive: true })
    folder = await mkdtemp(join('.cache', 'compilers-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  /** Loads compiled code, linked to the package that the tests run. */
  async function load(name: string, code: string): Promise<{ outcome(): Promise<unknown> }> {
    const file = join(folder, `${name.replaceAll(/\W/g, '-')}.mjs`)
    const linked = code.replaceAll(/(["'])(verbena(?:\/decorators)?)\1/g, (_, quote, module) => {
      return `${quote}${MODULES[module]}${quote}`
    })
    await writeFile(file, linked)
    return import(pathToFileURL(file).href)
  }

  for (const [name, compile] of Object.entries(COMPILERS)) {
    it(`works the same compiled by ${name}`, async () => {
      const code = await compile(await readFile(FIXTURE, 'utf8'))
      assert.doesNotMatch(code, /^\s*@\w/m, 'the decorators were left in place')
      const { outcome } = await load(name, code)
      assert.deepEqual(await outcome(), EXPECTED)
    })
  }

  it('works the same bundled and minified by esbuild', async () => {
    const alias = Object.fromEntries(Object.entries(MODULES).map(([name, url]) => [name, new URL(url).pathname]))
    const { outputFiles } = await build({
      ...{ entryPoints: [FIXTURE], bundle: true, minify: true, format: 'esm', platform: 'node', write: false },
      ...{ target: 'es2022', alias, logLevel: 'error' },
    })
    const { outcome } = await load('bundle', outputFiles[0]?.text ?? '')
    assert.deepEqual(await outcome(), EXPECTED)
  })

  it('works without a compiler in contracts and in static decorators', async () => {
    const { outcome } = await load('plain', PLAIN)
    assert.deepEqual(await outcome(), [['debug'], '@1769817600'])
  })

  for (const [name, compile] of Object.entries(LEGACY)) {
    for (const use of ['@log', '@log()']) {
      it(`throws a setup error for legacy decorators compiled by ${name}: ${use}`, async () => {
        const code = await compile(LEGACY_SOURCE.replace('@log', use))
        await assert.rejects(load(`legacy ${name} ${use}`, code), (error: object) => {
          assert.match(String(error), /^SetupError: Cannot use @log: .*"experimentalDecorators"/)
          return 'code' in error && error.code === 'DECORATOR_MISUSED'
        })
      })
    }
  }
})

const LEGACY_SOURCE = `
import { Route } from 'verbena'
import { log } from 'verbena/decorators'
export class Users extends Route {
  @log get() {}
}
`

const PLAIN = `
import { createApp, Route } from 'verbena'
import { deprecated, log } from 'verbena/decorators'
class Users extends Route {
  static decorators = [log({ level: 'debug' })]
  static get = this.contract({ decorators: [deprecated({ since: '2026-01-31' })] })
  get() {}
}
export async function outcome() {
  const levels = []
  const at = (level) => () => levels.push(level)
  const logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  const response = await createApp({ routes: { Users }, logger }).fetch(new Request('http://localhost/users'))
  return [levels, response.headers.get('deprecation')]
}
`
