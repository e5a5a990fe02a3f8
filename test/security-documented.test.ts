/** `SECURITY.md` names a test for every threat, and each test is there. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'

const PAGE = readFileSync('SECURITY.md', 'utf8')
const NAMED = /`(test\/[\w/.-]+)`: “([^”]+)”/g

interface ThreatRow {
  readonly threat: string
  readonly tests: readonly { readonly file: string; readonly name: string }[]
}

function threatRows(page: string): ThreatRow[] {
  const [, table = ''] = page.split('## Threats')
  const rows = table.split('\n').filter((line) => line.startsWith('| '))
  return rows.slice(2).map((line) => {
    const cells = line.split(' | ')
    const tests = [...(cells.at(-1) ?? '').matchAll(NAMED)].map(([, file = '', name = '']) => ({ file, name }))
    return { threat: (cells[0] ?? '').replace('| ', '').trim(), tests }
  })
}

describe('SECURITY.md', () => {
  const rows = threatRows(PAGE)

  it('lists threats, none twice', () => {
    assert.ok(rows.length > 40)
    const threats = rows.map(({ threat }) => threat)
    assert.deepEqual(threats, [...new Set(threats)])
  })

  for (const { threat, tests } of rows) {
    it(`names a test that is there for: ${threat}`, () => {
      assert.ok(tests.length > 0, 'No test is named')
      for (const { file, name } of tests) {
        assert.ok(existsSync(file), `${file} is not there`)
        assert.ok(readFileSync(file, 'utf8').includes(`'${name}'`), `${file} has no test '${name}'`)
      }
    })
  }

  it('leaves no file of attacks out', () => {
    const files = readdirSync('test/security').filter((file) => file.endsWith('.test.ts'))
    for (const file of files) assert.ok(PAGE.includes(`test/security/${file}`), `${file} is not named`)
  })
})
