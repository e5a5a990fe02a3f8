// own process: it uses the debugger, after which V8 counts no blocks of the code
/** Places of functions and classes. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { findPlaces, formatPlace, showPath } from '#src/prove/source-places.js'

const FILE = 'test/prove/source-places.test.ts'

class Plain {
  get() {}
}

class Constructed extends Plain {
  readonly a = 1

  // The place of a class is its beginning, not its constructor.
  constructor() {
    super()
    Object.freeze(this)
  }
}

const arrow = () => 1

describe('findPlaces()', () => {
  it('finds the lines of functions and classes in the source', () => {
    const functions = [Plain, Plain.prototype.get, Constructed, arrow]
    const places = findPlaces(functions)
    assert.deepEqual(
      functions.map((each) => places(each)),
      [13, 14, 17, 27].map((line) => ({ file: FILE, line })),
    )
  })

  it('finds no place of functions of Node and of other values', () => {
    const values = [Array.prototype.map, join, arrow.bind(null), 1, undefined, { a: 1 }]
    const places = findPlaces(values)
    assert.deepEqual(new Set(values.map((each) => places(each))), new Set([null]))
    assert.equal(findPlaces([])(arrow), null)
  })

  it('finds places in files without a source map, and with a source map without files', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'verbena-places-'))
    const plain = join(folder, 'plain.mjs')
    const mapped = join(folder, 'mapped.mjs')
    const map = { version: 3, sources: ['webpack://a/b.ts'], names: [], mappings: 'AAAA' }
    const url = `data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`
    writeFileSync(plain, '\nexport function get() {}\n')
    writeFileSync(mapped, `export function get() {}\n//# sourceMappingURL=${url}\n`)
    process.setSourceMapsEnabled(true)
    const [first, second] = await Promise.all([plain, mapped].map((path) => import(pathToFileURL(path).href)))
    const places = findPlaces([first.get, second.get])
    assert.deepEqual([places(first.get)?.line, places(second.get)], [2, { file: mapped, line: 1 }])
    rmSync(folder, { recursive: true })
  })

  for (const name of ['my-api', '@scope/my-api']) {
    it(`finds the source of a webpack bundle of ${name}`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'verbena-places-'))
      const bundle = join(folder, 'bundle.mjs')
      const map = { version: 3, sources: [`webpack://${name}/./src/index.ts?1a2b`], names: [], mappings: 'AACA' }
      const url = `data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`
      writeFileSync(bundle, `export function get() {}\n//# sourceMappingURL=${url}\n`)
      process.setSourceMapsEnabled(true)
      const { get } = await import(pathToFileURL(bundle).href)
      assert.deepEqual(findPlaces([get])(get), { file: 'src/index.ts', line: 2 })
      rmSync(folder, { recursive: true })
    })
  }
})

describe('formatPlace()', () => {
  it('shortens paths in packages', () => {
    const places = ['src/app.ts', '/a/node_modules/verbena/dist/core.js', 'node_modules/b/c.js', 'node_modules/d'].map(
      (file) => formatPlace({ file, line: 3 }),
    )
    assert.deepEqual(places, ['src/app.ts:3', 'verbena:core.js:3', 'b:c.js:3', 'node_modules/d:3'])
    assert.equal(formatPlace(null), '-')
  })
})

describe('showPath()', () => {
  it('shows paths from the current folder, and others unchanged', () => {
    assert.deepEqual([showPath(join(process.cwd(), 'a/b.ts')), showPath('/a/b.ts')], ['a/b.ts', '/a/b.ts'])
  })
})
