/** QUERY through each proxy of this machine, against the table and the settings of "QUERY" in "Other proxies". */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { createProxiedApp, Journal } from '../app.js'
import { isInstalled, PROGRAMS, Proxy, type Program, type Setup } from '../proxies.js'
import * as scenarios from '../query-scenarios.js'
import { readCode, readTable, type Row } from './guide.js'

const table = readTable('QUERY')
const settings = {
  nginx: readCode('QUERY', 'nginx'),
  Apache: readCode('QUERY', 'Apache'),
  Varnish: readCode('QUERY', 'Varnish'),
}
const rows: Readonly<Record<string, readonly [program: string, settings: string]>> = {
  ...Object.fromEntries(Object.keys(PROGRAMS).map((name) => [name, [name, '']] as const)),
  'Varnish with pass': ['Varnish', settings.Varnish],
}
const chosen = process.env['PROXIES']?.split(',')

/** Returns the program, and the reason to skip its tests. */
function find(name: string): { program: Program; skip: string | false } {
  const program = PROGRAMS[name] ?? assert.fail(name)
  if (chosen !== undefined && !chosen.some((part) => name.startsWith(part))) return { program, skip: 'not chosen' }
  return { program, skip: isInstalled(program) ? false : `not installed: apt-get install ${program.package}` }
}

/** Runs a function with the app behind proxies, and stops them. */
async function withProxies<Value>(
  name: string,
  setups: readonly Setup[],
  use: (...ports: readonly number[]) => Promise<Value>,
): Promise<Value> {
  const { program } = find(name)
  const app = createProxiedApp(new Journal())
  const proxies = setups.map(() => new Proxy(name, program))
  try {
    const { port } = await app.listen()
    await Promise.all(proxies.map((proxy, at) => proxy.start(port, setups[at])))
    return await use(...proxies.map((proxy) => proxy.port))
  } finally {
    await Promise.all(proxies.map((proxy) => proxy.stop()))
    await app.close()
  }
}

describe('QUERY in docs/guides/proxies.md', { concurrency: 3 }, () => {
  it('has a row for each proxy', () => assert.deepEqual([...table.keys()], Object.keys(rows)))

  for (const [row, [name, lines]] of Object.entries(rows)) {
    const { program, skip } = find(name)
    it(row, { skip }, async () => {
      const setups = [{ settings: lines }, { settings: lines, caches: program.canCache }]
      const found = await withProxies(name, setups, async (plain = 0, caching = 0): Promise<Row> => {
        const ifCaching = (scenario: (port: number) => Promise<string>): Promise<string> =>
          program.canCache ? scenario(caching) : Promise.resolve('-')
        return {
          proxy: row,
          body: await scenarios.framing(plain, false),
          'chunked body': await scenarios.framing(plain, true),
          'its ETag': await scenarios.statusWithEtag(plain),
          OPTIONS: await scenarios.options(plain),
          connection: await scenarios.connection(plain),
          'with a cache': await ifCaching(scenarios.cachedResult),
          'a stored GET': await ifCaching(scenarios.cachedGet),
        }
      })
      assert.deepEqual(found, table.get(row))
    })
  }
})

describe('settings for QUERY', () => {
  const body = (lines: string) => (name: string) =>
    withProxies(name, [{ settings: lines }], (port = 0) => scenarios.framing(port, false))

  it('limit_except of nginx rejects QUERY, and cannot contain it', { skip: find('nginx').skip }, async () => {
    assert.equal(await body('limit_except GET POST { deny all; }')('nginx'), '**403**')
    await assert.rejects(body('limit_except GET POST QUERY { deny all; }')('nginx'), /invalid method "QUERY"/)
    assert.equal(await body(settings.nginx)('nginx'), 'Content-Length')
    assert.equal(await body(settings.nginx.replace('|QUERY', ''))('nginx'), '**405**')
  })

  it('AllowMethods of Apache requires that QUERY is registered', { skip: find('Apache').skip }, async () => {
    const list = '<Location />\nAllowMethods GET POST\n</Location>'
    assert.equal(await body(list)('Apache'), '**405**')
    await assert.rejects(
      body(settings.Apache.replace('RegisterHttpMethod QUERY', ''))('Apache'),
      /Invalid Method 'QUERY'/,
    )
    assert.equal(await body(settings.Apache)('Apache'), 'Content-Length')
  })

  it('"hash" of Varnish responds with the result of a GET', { skip: find('Varnish').skip }, async () => {
    const setup = { settings: settings.Varnish.replace('pass', 'hash') }
    assert.equal(await withProxies('Varnish', [setup], (port = 0) => scenarios.cachedResult(port)), '**wrong result**')
    assert.equal(await withProxies('Varnish', [setup], (port = 0) => scenarios.framing(port, false)), '**changed**')
  })
})

describe('curl', () => {
  const isMissing = spawnSync('curl', ['--version']).error !== undefined
  it('sends QUERY through nginx', { skip: find('nginx').skip || (isMissing && 'curl is not installed') }, async () => {
    const { stdout } = await withProxies('nginx', [{}], (port = 0) => {
      const sent = ['-H', 'content-type: application/json', '-d', '{"surname":"Smith"}']
      return promisify(execFile)('curl', ['-sS', '-X', 'QUERY', `http://127.0.0.1:${port}/contacts`, ...sent])
    })
    assert.deepEqual(JSON.parse(stdout), { surname: 'Smith', type: 'application/json', framing: 'Content-Length' })
  })
})
