/* oxlint-disable no-template-curly-in-string */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readImports } from '#src/cli/dev/read-imports.js'

describe('readImports()', () => {
  const FOUND: readonly (readonly [text: string, name: string])[] = [
    [`import { a } from './a.js'`, './a.js'],
    ['import{a}from"./a.js"', './a.js'],
    [`import './a.js'`, './a.js'],
    [`export * as all from './a.js'`, './a.js'],
    [`const a = await import('./a.js')`, './a.js'],
    ['const a = await import(`./a.js`)', './a.js'],
    [`import a = require('./a.cjs')`, './a.cjs'],
    [`import data from './a.json' with { type: 'json' }`, './a.json'],
    [`import { type A, type B } from './a.js'`, './a.js'],
    [`import type from './a.js'`, './a.js'],
    [`import type, { a } from './a.js'`, './a.js'],
    [`// import type of things\nimport { a } from './a.js'`, './a.js'],
    [`// import type {\nimport { a } from './a.js'`, './a.js'],
    [`/* it's */ import { a } from './a.js'`, './a.js'],
    [`const quote = /['"]/; import('./a.js')`, './a.js'],
    ["const text = `it's ${await import('./a.js')}`", './a.js'],
    ["const html = <p>It's {require('./a.js')}</p>", './a.js'],
    [`const text = 'a \\' b'; import('./a.js')`, './a.js'],
    [`const schema = new URL('../a.json', import.meta.url)`, '../a.json'],
    [`const child = fork('src/a.js')`, 'src/a.js'],
  ]

  for (const [text, name] of FOUND) {
    it(`finds ${name} in ${JSON.stringify(text)}`, () => {
      const { names, types, isOpen } = readImports(text)
      assert.ok(names.includes(name), names.join('\n'))
      assert.deepEqual([types, isOpen], [[], false])
    })
  }

  it('finds imports of types', () => {
    for (const names of ['A', '{ A, type B as $C }', '* as all', '{\n  A,\n}']) {
      const { names: found, types } = readImports(`  import type ${names} from './a.js'\nexport const a = 1`)
      assert.deepEqual([found.includes('./a.js'), types], [false, ['./a.js']], names)
    }
    assert.deepEqual(readImports(`export type * from "./a.js"`).types, ['./a.js'])
  })

  const OPEN: readonly string[] = [
    'import(name)',
    "import('./a' + name)",
    'import(`./${name}.js`)',
    "import(/* a comment */ './a.js')",
    "import /* a comment */ ('./a.js')",
    'import.meta.resolve(name)',
    'require(name)',
    'require.resolve(`./${name}`)',
    'const load = require\n',
    'run(require)',
    "import { createRequire } from 'node:module'",
    'import { readFileSync } from "fs"',
    'const { fork } = process.getBuiltinModule(`node:child_process`)',
    'join(import.meta.dirname, name)',
    'const { url } = import.meta',
    "new URL('./routes/', import.meta.url)",
    'new URL(`${name}.js`, import.meta.url)',
    'join(__dirname, name)',
    'resolve(process.cwd(), name)',
    String.raw`import('./\u0061.js')`,
    "import('./a%20b.js')",
  ]

  for (const text of OPEN) {
    it(`reports ${JSON.stringify(text)} as open`, () => {
      assert.equal(readImports(text).isOpen, true)
    })
  }

  it('reports none of the usual forms as open', () => {
    const texts = [
      "import('./a.js', { with: { type: 'json' } })",
      'These endpoints require a token',
      "import.meta.resolve('./a.js')",
      'if (import.meta.main) start()',
      "new URL(\n  './a.json',\n  import.meta.url,\n)",
      "import { filesystem } from 'fs-extra'",
    ]
    assert.deepEqual(
      texts.filter((text) => readImports(text).isOpen),
      [],
    )
  })
})
