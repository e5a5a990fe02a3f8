/** The public API: the exports of each entry of the package, and their doc comments. */
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { describe, it } from 'node:test'
import ts from 'typescript'

/** Values that each entry exports, sorted. If you add one, add it here, to the changelog and to the guide. */
const EXPORTS: Readonly<Record<string, readonly string[]>> = {
  auth: [
    ...['apiKey', 'basic', 'bearer', 'hashPassword', 'jwt', 'jwtSigner', 'needsRehash', 'signWebhook'],
    ...['verifyPassword', 'webhook'],
  ],
  client: ['createClient', 'isStreamFailure'],
  decorators: ['deprecated', 'log', 'speed', 'version'],
  files: ['file', 'files', 'sendFile'],
  idempotency: ['idempotency', 'redisIdempotency'],
  index: [
    ...['HttpError', 'Route', 'SetupError', 'anyOf', 'apiKey', 'basic', 'bearer', 'bytes', 'cacheControl', 'createApp'],
    ...['cursor', 'decorator', 'environment', 'events', 'form', 'group', 'health', 'json', 'jwt'],
    ...['observeCall', 'observed', 'optional', 'precondition', 'provide', 'redirect', 'reply'],
    ...['sameSecret', 'service', 'startCall', 'stream', 'text'],
  ],
  limits: ['memoryLimits', 'rateLimit', 'redisLimits'],
  lines: ['jsonLines'],
  mount: ['mount'],
  multipart: ['multipart', 'parts'],
  openapi: ['breaking'],
  postgres: ['postgresIdempotency', 'postgresLimits', 'postgresSessions'],
  prove: ['ProofFailure', 'authorization', 'surface', 'surfaceFields'],
  redis: ['redisIdempotency', 'redisLimits', 'redisSessions'],
  session: ['redisSessions', 'sealedCookie', 'session', 'signedCookie', 'signedIn'],
  sqlite: ['sqliteIdempotency', 'sqliteLimits', 'sqliteSessions'],
  testing: ['TestFailure', 'invoke', 'override', 'testApp'],
  upgrade: ['upgrade'],
}

/** Exports that moved to another entry. The former entry still has them. */
const FORMER: Readonly<Record<string, { readonly from: string; readonly names: readonly string[] }>> = {
  session: { from: 'redis', names: ['redisSessions', 'RedisSessionsOptions', 'RedisClient'] },
  idempotency: { from: 'redis', names: ['redisIdempotency', 'RedisIdempotencyOptions', 'RedisClient'] },
  limits: { from: 'redis', names: ['redisLimits', 'RedisLimitsOptions', 'RedisClient'] },
}

const TAGS: ReadonlySet<string> = new Set(['example', 'param', 'returns', 'throws', 'typeParam', 'see', 'interface'])

/** Entries that are not modules. */
const OTHER_ENTRIES = ['./package.json']

const DIST = /^\.\/dist\/(.+)\.(?:d\.ts|js)$/

describe('public API', () => {
  const entries = readdirSync('src').filter((name) => name.endsWith('.ts'))
  const names = entries.map((name) => name.slice(0, -'.ts'.length)).toSorted()

  it('has exactly one entry in package.json for each top-level file of src', () => {
    const { exports } = manifest()
    const expected = Object.fromEntries([
      ...names.map((name) => [subpathOf(name), { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` }]),
      ...OTHER_ENTRIES.map((path) => [path, path]),
    ])
    assert.deepEqual(exports, expected)
    for (const target of Object.values(exports).flatMap((entry) =>
      typeof entry === 'string' ? [] : Object.values(entry),
    )) {
      assert.match(target, DIST)
    }
  })

  it('lists `types` first, as TypeScript requires', () => {
    for (const entry of Object.values(manifest().exports)) {
      if (typeof entry !== 'string') assert.deepEqual(Object.keys(entry), ['types', 'default'])
    }
  })

  it('has all entries in the list of this test', () => {
    assert.deepEqual(Object.keys(EXPORTS).toSorted(), names)
  })

  for (const [name, expected] of Object.entries(EXPORTS)) {
    it(`exports exactly the listed values from ${nameOf(name)}`, async () => {
      const module: Record<string, unknown> = await import(`#src/${name}.js`)
      assert.deepEqual(Object.keys(module).toSorted(), expected)
    })
  }

  it('is exported under the name of the package', async () => {
    const byName: Record<string, unknown> = await import('verbena')
    const byFile: Record<string, unknown> = await import('#src/index.js')
    assert.equal(byName, byFile)
  })

  it('has the same values under former names', async () => {
    for (const [name, { from, names: formerNames }] of Object.entries(FORMER)) {
      const [former, current]: Record<string, unknown>[] = await Promise.all(
        [name, from].map((entry) => import(`#src/${entry}.js`)),
      )
      for (const each of formerNames) assert.equal(former?.[each], current?.[each])
    }
  })

  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile('tsconfig.json', ts.sys.readFile).config,
    ts.sys,
    process.cwd(),
  )
  const program = ts.createProgram(
    entries.map((name) => `src/${name}`),
    options,
  )

  it('marks exports as deprecated only in the former entry, with the name of the current one', () => {
    const marks = names.flatMap((name) => listDeprecated(program, name))
    assert.deepEqual(
      marks,
      names.flatMap((entry) => {
        const { from = '', names: formerNames = [] } = FORMER[entry] ?? {}
        return formerNames.map((name) => `${name} of ${nameOf(entry)}: Import it from \`${nameOf(from)}\`.`)
      }),
    )
  })

  it('has only known tags in comments, because editors read " @name" in an example as a tag', () => {
    const checker = program.getTypeChecker()
    const found = entries.flatMap((entry) =>
      listExports(program, `src/${entry}`).flatMap((symbol) =>
        meant(checker, symbol)
          .getJsDocTags(checker)
          .filter(({ name }) => !TAGS.has(name))
          .map(({ name }) => `${symbol.name}: @${name}`),
      ),
    )
    assert.deepEqual(found, [])
  })

  it('has a doc comment on every export, types included', () => {
    assert.deepEqual(
      entries.flatMap((name) => undocumented(program, `src/${name}`)),
      [],
    )
  })
})

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
}

function manifest(): Manifest {
  return JSON.parse(readFileSync('package.json', 'utf8'))
}

function subpathOf(name: string): string {
  return name === 'index' ? '.' : `./${name}`
}

function nameOf(name: string): string {
  return name === 'index' ? 'verbena' : `verbena/${name}`
}

/** Returns the text of each `@deprecated` at a name in the lists of exports of an entry. */
function listDeprecated(program: ts.Program, entry: string): string[] {
  return listExports(program, `src/${entry}.ts`).flatMap(({ name, declarations = [] }) =>
    declarations
      .map((declaration) => ts.getJSDocDeprecatedTag(declaration))
      .filter((tag) => tag !== undefined)
      .map((tag) => `${name} of ${nameOf(entry)}: ${ts.getTextOfJSDocComment(tag.comment)}`),
  )
}

function listExports(program: ts.Program, entry: string): readonly ts.Symbol[] {
  const checker = program.getTypeChecker()
  const file = program.getSourceFile(entry)
  const module = file && checker.getSymbolAtLocation(file)
  return module ? checker.getExportsOfModule(module) : assert.fail(`${entry} exports nothing`)
}

function undocumented(program: ts.Program, entry: string): string[] {
  const checker = program.getTypeChecker()
  return listExports(program, entry)
    .filter((symbol) => meant(checker, symbol).getDocumentationComment(checker).length === 0)
    .map((symbol) => `${entry}: ${symbol.name}`)
}

function meant(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}
