/**
 * Each generator against the tables of the README: its client is generated, compiled, and called on the running app.
 * `CONSUMERS=hey-api,orval` tries only these; without it, all.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { App } from 'verbena'
import { createConsumedApp } from '../app.js'
import type { Calls } from '../calls.js'
import { FOLDER, generate, GENERATORS, runProgram, listVersions } from '../generators.js'
import { CALL_NAMES, tryCalls } from '../results.js'

const README = readFileSync(join(FOLDER, 'README.md'), 'utf8')

/** Reads the table below a heading as lists of cells, without its first two lines. */
function readRows(heading: string): string[][] {
  const section = README.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  const lines = section.split('\n').filter((line) => line.startsWith('|'))
  const splitCells = (line: string): string[] =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
  return lines.map(splitCells).filter((_, at) => at !== 1)
}

const [titles = [], ...rows] = readRows('Calls')
const names = Object.keys(GENERATORS)
const wanted = process.env['CONSUMERS']?.split(',') ?? names
const chosen = names.filter((name) => wanted.includes(name))

/** The results of a generator, by the name of the call. */
function readColumn(name: string): Record<string, string | undefined> {
  return Object.fromEntries(rows.map((cells) => [cells[0], cells[titles.indexOf(name)]]))
}

describe('tables of the README', () => {
  const apps: App[] = []
  const bases = { header: '', accept: '' }

  before(async () => {
    const inHeader = createConsumedApp('accept-version')
    const inAccept = createConsumedApp({ mediaType: 'version' })
    apps.push(inHeader, inAccept)
    bases.header = (await inHeader.listen()).url
    bases.accept = (await inAccept.listen()).url
    const document = inHeader.openapi({ version: '2.0.0' })
    await Promise.all(chosen.map((name) => generate(name, document)))
  })

  after(() => Promise.all(apps.map((app) => app.close())))

  it('know each generator of this run, and each call', () => {
    assert.ok(chosen.length > 0)
    assert.deepEqual(
      wanted.filter((name) => !names.includes(name)),
      [],
    )
    assert.deepEqual(titles.slice(1), names)
    assert.deepEqual(
      rows.map(([name]) => name),
      CALL_NAMES,
    )
  })

  it('contain the versions', () => {
    const versions = readRows('Versions').slice(1)
    assert.deepEqual(
      versions.filter(([name]) => chosen.includes(name ?? '')),
      chosen.map((name) => [name, listVersions(name)]),
    )
  })

  for (const name of chosen) {
    it(`contain the results of ${name}`, async () => {
      const { calls }: { calls: Calls } = await import(`../clients/${name}.js`)
      assert.deepEqual(await tryCalls(calls, bases), readColumn(name))
    })
  }

  it('contain the gaps of the types', () => {
    const lacks = chosen.flatMap((name) => {
      const text = readFileSync(join(FOLDER, 'clients', `${name}.ts`), 'utf8')
      const reasons = [...text.matchAll(/@ts-expect-error - (.+)/g)].map(([, reason = '']) => reason)
      return [...new Set(reasons)].map((reason) => [name, reason])
    })
    const known = readRows('Types').slice(1)
    assert.deepEqual(
      known.filter(([name]) => chosen.includes(name ?? '')),
      lacks,
    )
  })

  // Takes as long as the clients. A run with some of them is short.
  it('compiles the code that reads the responses', { skip: process.env['CONSUMERS'] !== undefined }, async () => {
    assert.deepEqual(await runProgram('tsc', ['--project', 'tsconfig.json']), { code: 0, text: '' })
  })

  it('contain all errors of the compiler', async () => {
    const compilerOptions = {
      ...{ target: 'ES2022', lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'], types: ['node'] },
      ...{ module: 'ESNext', moduleResolution: 'Bundler', strict: true, skipLibCheck: true, noEmit: true },
    }
    const files = chosen.map((name) => `../clients/${name}.ts`)
    writeFileSync(join(FOLDER, 'generated/tsconfig.json'), JSON.stringify({ compilerOptions, files }))
    const { text } = await runProgram('tsc', ['--project', 'generated/tsconfig.json', '--pretty', 'false'])
    const errors = [...text.matchAll(/^(\S+)\(\d+,\d+\): error (TS\d+)/gm)].map(
      ([, file = '', code = '']) => `${file} ${code}`,
    )
    const counts = [...new Set(errors)].map((error) => {
      const [file = '', code] = error.split(' ')
      const [, name = file] = /^generated\/([^/]+)\//.exec(file) ?? []
      return [name, code, String(errors.filter((other) => other === error).length)]
    })
    const known = readRows('Compiler errors').slice(1)
    const ofChosen = known.filter(([name]) => chosen.includes(name ?? '')).map((cells) => cells.slice(0, 3))
    assert.deepEqual(counts.toSorted(), ofChosen.toSorted(), text)
  })
})
