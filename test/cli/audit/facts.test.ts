import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readFacts } from '#src/cli/audit/facts.js'

describe('readFacts()', () => {
  it('lists static imports with their names', () => {
    const { imports } = readFacts(`
      import { readFile as read, stat } from 'node:fs/promises'
      import zlib from 'node:zlib'
      import 'node:net'
      export { a } from './a.js'
    `)
    assert.deepEqual(imports, [
      { module: 'node:fs/promises', names: ['readFile', 'stat'] },
      { module: 'node:zlib', names: [] },
      { module: 'node:net', names: [] },
      { module: './a.js', names: ['a'] },
    ])
  })

  it('lists modules that are loaded later, and a computed name as "?"', () => {
    const code =
      "import('node:fs'); process.getBuiltinModule('node:https'); require('x', {}); import(name); import('a' + b)"
    assert.deepEqual(
      readFacts(code).imports.map(({ module }) => module),
      ['node:fs', 'node:https', 'x', '?', '?'],
    )
  })

  it('lists uses of global functions', () => {
    for (const [code, expected] of [
      ['await fetch(url)', ['fetch']],
      ['(send ?? fetch)(url)', ['fetch']],
      ['globalThis.fetch(url)', ['fetch']],
      ["globalThis['eval'](text)", ['eval']],
      ['(0, eval)(text)', ['eval']],
      ['new Function(text)', ['Function']],
      ['const make = Function(text)', ['Function']],
      ['process.dlopen(m, p)', ['process.dlopen']],
      ['source = process.env', ['process.env']],
    ] as const) {
      assert.deepEqual(readFacts(code).globals, expected, code)
    }
  })

  it('ignores methods, keys, members and prototypes of the same name', () => {
    for (const code of [
      'class A { fetch(request) { return this.#fetch(request) } async #fetch() {} }',
      'const { fetch: send } = options',
      'app.fetch(request)',
      'value instanceof Function',
      'Function.prototype.call',
      "'eval(text)' // eval(text)",
    ]) {
      assert.deepEqual(readFacts(code).globals, [], code)
    }
  })

  it('lists environment variables of sources that read the environment', () => {
    const { variables } = readFacts(`
// src/a.ts
const LIMITS = ['MAX_SIZE']
// src/b.ts
const { TERM: terminal = '', TERM_PROGRAM: program } = readVariables()
const isLocal = process.env['NODE_ENV'] === 'development' || name.startsWith('VSCODE_')
throw new SetupError('ENVIRONMENT_INVALID', 'No')
`)
    assert.deepEqual(variables, ['NODE_ENV', 'TERM', 'TERM_PROGRAM', 'VSCODE_*'])
  })
})
