import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ModuleNames } from '#src/cli/dev/module-names.js'

const FILES = [
  'index.js',
  'src/a.ts',
  'src/A.test.ts',
  'src/b/index.mts',
  'src/b/c.tsx',
  'src/d e.cts',
  'src/data.json',
]

function createNames(): ModuleNames {
  return new ModuleNames(
    '/app',
    FILES.map((file) => `/app/${file}`),
  )
}

/** Returns the paths that a name in `src/a.ts` can mean. */
function find(name: string, names: ModuleNames = createNames()): string[] {
  return [...new Set(names.find('/app/src/a.ts', name))].map((path) => path.slice('/app/'.length))
}

describe('ModuleNames', () => {
  const MEANINGS: readonly (readonly [name: string, files: readonly string[]])[] = [
    ['./a.js', ['src/a.ts']],
    ['./a', ['src/a.ts']],
    ['./a.ts?version=2#top', ['src/a.ts']],
    ['./a.TEST.js', ['src/A.test.ts']],
    ['./d e.cjs', ['src/d e.cts']],
    ['./data.json', ['src/data.json']],
    ['data.json', ['src/data.json']],
    ['src/data.json', ['src/data.json']],
    ['/app/src/a.ts', ['src/a.ts']],
    ['./b', ['src/b/index.mts', 'src/b/c.tsx']],
    ['./b/', ['src/b/index.mts', 'src/b/c.tsx']],
    ['./b/index.mjs', ['src/b/index.mts']],
    ['..', ['index.js']],
    ['.', ['index.js']],
    ['a', []],
    ['node:fs', []],
    ['#a', []],
    ['/users/{id}', []],
  ]

  for (const [name, files] of MEANINGS) {
    it(`finds ${files.join(', ') || 'nothing'} for ${name}`, () => {
      assert.deepEqual(find(name), files)
    })
  }

  it('finds the files of all conditions and patterns of "imports"', () => {
    const names = createNames()
    const imports = {
      '#a': [{ node: { import: './src/a.ts' } }, './src/data.json', null],
      '#b/*': './src/b/*',
      '#*.js': { default: './src/*.ts' },
      '#d': 'a-package',
    }
    assert.equal(names.readSettings('/app/package.json', JSON.stringify({ imports })), true)
    assert.deepEqual(find('#a', names), ['src/a.ts', 'src/data.json'])
    assert.deepEqual(find('#b/c.tsx', names), ['src/b/c.tsx'])
    assert.deepEqual(find('#b/index.js', names), ['src/b/index.mts'])
    assert.deepEqual(find('#a.js', names), ['src/a.ts'])
    assert.deepEqual(find('#d', names), [])
  })

  it('rejects settings that cannot be read or change the meaning of names', () => {
    const names = createNames()
    assert.equal(names.readSettings('/app/package.json', 'no JSON'), false)
    assert.equal(names.readSettings('/app/package.json', '{ "name": "app" }'), true)
    assert.equal(names.readSettings('/app/package.json', '{ "name": "app", "exports": "./index.js" }'), false)
    assert.equal(names.readSettings('/app/packages/core/package.json', '{ "name": "core" }'), false)
    assert.equal(names.readSettings('/app/legacy/package.json', '{ "type": "commonjs" }'), true)
    assert.equal(names.readSettings('/app/tsconfig.json', '{ "baseUrl": "." }'), false)
    assert.equal(names.readSettings('/app/tsconfig.json', '{ "extends": "../base.json" }'), false)
    assert.equal(names.readSettings('/app/src/tsconfig.json', '{ "extends": "../base.json" } // "as usual"'), true)
  })
})
