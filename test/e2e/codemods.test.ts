/** Codemods change the file before.txt of their fixtures to after.txt. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'

const [BEFORE, AFTER] = ['before', 'after'].map((name) => readFileSync(`test/fixtures/codemods/${name}.txt`, 'utf8'))

function writeFiles(test: TestContext, files: Readonly<Record<string, string | undefined>>): string {
  mkdirSync('.cache', { recursive: true })
  const folder = mkdtempSync(join('.cache', 'codemod-'))
  test.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text = ''] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

function run(...paths: readonly string[]): string {
  return execFileSync(process.execPath, ['codemods/0.1.0.mjs', ...paths], { encoding: 'utf8' })
}

describe('codemods/0.1.0.mjs', () => {
  it('renames types, properties, options, states and the channel of imports from Verbena', (test) => {
    const folder = writeFiles(test, { 'src/app.ts': BEFORE })
    assert.equal(run(folder), `changed ${join(folder, 'src/app.ts')}\n`)
    assert.equal(readFileSync(join(folder, 'src/app.ts'), 'utf8'), AFTER)
  })

  it('leaves a changed file as it is', (test) => {
    assert.equal(run(writeFiles(test, { 'app.ts': AFTER })), '')
  })

  it('ignores files that do not import Verbena, declarations, and node_modules', (test) => {
    const own = "import { CallStart } from './own.js'\nconst { wayOut, age } = optional(x, { invalid: 'refuse' })\n"
    assert.equal(run(writeFiles(test, { 'own.ts': own, 'app.d.ts': BEFORE, 'node_modules/a/index.js': BEFORE })), '')
  })

  it('changes only the given file', (test) => {
    const folder = writeFiles(test, { 'a.ts': BEFORE, 'b.ts': BEFORE })
    assert.equal(run(join(folder, 'a.ts')), `changed ${join(folder, 'a.ts')}\n`)
  })
})
