/** A new project with the settings of typescript-eslint in docs/install.md. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { ESLint } from 'eslint'

const VERBENA = join(import.meta.dirname, '../../..')
/** The package is in `node_modules` next to the projects. The example has the other packages. */
const CACHE = join(import.meta.dirname, '.cache')
const [, CONFIG = ''] =
  /`eslint\.config\.mjs`:\n\n```js\n([^]*?)```/.exec(readFileSync(join(VERBENA, 'docs/install.md'), 'utf8')) ?? []

/** TypeScript of a new project. */
const FILES = [
  ...['src/app.ts', 'src/server.ts'],
  ...['test/app.test.ts', 'test/authorization.test.ts', 'test/tasks.test.ts'],
]

describe('typescript-eslint in a new project', () => {
  before(() => {
    rmSync(CACHE, { recursive: true, force: true })
    for (const name of ['dist', 'package.json'])
      cpSync(join(VERBENA, name), join(CACHE, 'node_modules/verbena', name), { recursive: true })
  })
  after(() => rmSync(CACHE, { recursive: true, force: true }))

  for (const args of [[], ['--no-build']]) {
    it(`reports nothing after verbena new ${args.join(' ')}`, async () => {
      const folder = join(CACHE, `project${args.length}`)
      execFileSync(process.execPath, [join(VERBENA, 'dist/cli.js'), 'new', folder, ...args])
      writeFileSync(join(folder, 'eslint.config.mjs'), CONFIG)
      const results = await new ESLint({ cwd: folder }).lintFiles(['.'])
      const linted = results.map(({ filePath }) => relative(folder, filePath)).filter((path) => path.endsWith('.ts'))
      assert.deepEqual(linted.toSorted(), FILES)
      assert.deepEqual(
        results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => `${ruleId}: ${message}`)),
        [],
      )
    })
  }
})
