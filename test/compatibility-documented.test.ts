/** The page about compatibility names the versions that its suites install. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'

const ROW = /^\| `([^`]+)` +\| (\S+) +\| `([^`]+)` +\|/gm
const page = readFileSync('docs/compatibility.md', 'utf8')
const rows = [...page.matchAll(ROW)].map(([, name = '', version = '', suite = '']) => ({ name, version, suite }))

/** Returns the version of a dependency of a suite, without the `npm:` alias. */
function installedVersion(suite: string, name: string): string | undefined {
  const path = suite.startsWith('examples/') ? `${suite}/package.json` : 'package.json'
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(path, 'utf8'))
  const version: unknown = dependencies[name] ?? devDependencies[name]
  return typeof version === 'string' ? version.replace(/^npm:.+@/, '') : undefined
}

describe('docs/compatibility.md', () => {
  it('has rows of every suite', () => {
    const suites = [...new Set(rows.map(({ suite }) => suite))].filter((suite) => suite.startsWith('examples/'))
    for (const name of ['validators', 'consumers', 'toolchains', 'test-runners', 'postgres', 'scale']) {
      assert.ok(suites.includes(`examples/${name}`), name)
    }
  })

  for (const { name, version, suite } of rows) {
    it(`names the version of ${name} in ${suite}`, () => {
      assert.ok(existsSync(suite), `There is no ${suite}`)
      assert.equal(version, installedVersion(suite, name))
    })
  }
})
