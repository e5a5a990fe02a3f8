/** `docs/security-tests.md` names a test for every threat. Each test exists, and each test of an attack names its rule and its source. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { isNamed, testNames } from '#test/test-names.js'

const PAGE = readFileSync('docs/security-tests.md', 'utf8')
const ATTACKS = readdirSync('test/security')
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => `test/security/${file}`)
/** A file, or the name of a test in the file before it. */
const WORD = /`(test\/[\w/.-]+)`|“([^”]+)”/g

interface ThreatRow {
  readonly threat: string
  readonly tests: readonly { readonly file: string; readonly name: string }[]
}

function threatRows(page: string): ThreatRow[] {
  const [, table = ''] = page.split('## Threats')
  const rows = table.split('\n').filter((line) => line.startsWith('| '))
  return rows.slice(2).map((line) => {
    const cells = line.split(' | ')
    return { threat: (cells[0] ?? '').replace('| ', '').trim(), tests: testsIn(cells.at(-1) ?? '') }
  })
}

/** All names of all files; a file without a name has an empty one. */
function testsIn(cell: string): ThreatRow['tests'] {
  const tests: { file: string; name: string }[] = []
  for (const [, file, name = ''] of cell.matchAll(WORD)) {
    const last = tests.at(-1)
    if (file !== undefined) tests.push({ file, name: '' })
    else if (last?.name === '') last.name = name
    else tests.push({ file: last?.file ?? '', name })
  }
  return tests
}

describe('docs/security-tests.md', () => {
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
        assert.ok(isNamed(testNames(file), name), `${file} has no test '${name}'`)
      }
    })
  }

  it('leaves no file of attacks out', () => {
    for (const file of ATTACKS) assert.ok(PAGE.includes(file), `${file} is not named`)
  })
})

describe('the tests of attacks', () => {
  for (const file of ATTACKS) {
    it(`name a rule and its source: ${file}`, () => assert.deepEqual(testNames(file).untitled, []))
  }
})
