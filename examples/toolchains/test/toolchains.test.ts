/**
 * The app by each toolchain of this machine, against the app as it is written. `TOOLCHAINS=esbuild,swc` tries only these; without it,
 * all that are installed. `SHOW=1` prints the table of the README.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  buildAndRun,
  findReason,
  prepare,
  readVersion,
  runSource,
  TOOLCHAINS,
  type Report,
  type RoutesOutcome,
} from '../toolchains.js'

const chosen = process.env['TOOLCHAINS']?.split(',')
const unknown = chosen?.filter((name) => !(name in TOOLCHAINS)) ?? []
const toolchains = Object.entries(TOOLCHAINS).filter(([name]) => chosen?.includes(name) ?? true)
const reasons = new Map(
  await Promise.all(toolchains.map(async ([name, toolchain]) => [name, await findReason(toolchain)] as const)),
)
const rows: string[] = []

/** Shortens the result of an array of classes without `static path`: its paths, or the code of its setup error. */
function shorten(tried: RoutesOutcome): string {
  return 'code' in tried ? tried.code : tried.join(' ')
}

/** Fails unless the setup error has one of the codes, and its message names both ways out. */
function assertReason(tried: RoutesOutcome, ...codes: readonly string[]): void {
  assert.ok('code' in tried && codes.includes(tried.code), JSON.stringify(tried))
  assert.match(tried.message, /static (?:readonly )?path/)
  assert.match(tried.message, /routes: \{/)
}

describe('an app built by other tools', () => {
  let source: Report

  before(async () => {
    await prepare()
    source = await runSource()
  })
  after(() => {
    if (process.env['SHOW'] === '1') console.log(rows.join('\n'))
  })

  it('has a toolchain that is installed', () => {
    assert.deepEqual(unknown, [], `Known: ${Object.keys(TOOLCHAINS).join(', ')}`)
    assert.ok([...reasons.values()].includes(undefined), 'Run: npm ci')
  })

  it('closes the console in production without a build', () => assert.equal(source.console, 404))

  for (const [name, toolchain] of toolchains) {
    const reason = reasons.get(name)
    for (const minify of toolchain.canMinify ? [false, true] : [false]) {
      it(`${name}${minify ? ', minified' : ''}`, { skip: reason ?? false }, async () => {
        const { named, strict, unnamed, document, ...built } = await buildAndRun(name, toolchain, minify)
        const cells = [name, readVersion(toolchain.package), toolchain.compiler, minify ? 'yes' : 'no']
        rows.push(`| ${[...cells, shorten(named), shorten(unnamed)].join(' | ')} |`)
        const { named: _named, strict: _strict, unnamed: _unnamed, document: expected, ...others } = source
        assert.deepEqual(built, others)
        assert.deepEqual(JSON.parse(document), JSON.parse(expected))
        // A digit at the end is a name like any other, so only `strict: true` finds "Users2".
        if ('code' in named) assertReason(named, 'ROUTE_NAME')
        else assert.match(shorten(named), /^\/users2? \/names$/)
        assertReason(strict, 'ROUTE_NAME', 'CHECK_FAILED')
        if ('code' in unnamed) assertReason(unnamed, 'ROUTE_NAME')
        else assert.deepEqual(unnamed, ['/home'])
      })
    }
  }
})
