/** `docs/security-tests.md` names an existing test for every threat, and each security test states its rule and its source. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { isNamed, testNames } from '#test/test-names.js'

const PAGE = readFileSync('docs/security-tests.md', 'utf8')
const ATTACKS = readdirSync('test/security')
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => `test/security/${file}`)
/** A test file, or the title of a test in that file. */
const WORD = /`((?:console\/)?test\/[\w/.-]+)`|“([^”]+)”/g

interface ThreatRow {
  readonly threat: string
  readonly tests: readonly { readonly file: string; readonly name: string }[]
}

function threatRows(page: string): ThreatRow[] {
  const [, table = ''] = page.split('## Threats')
  const rows = table.split('\n').filter((line) => /^\| (?!threat |-)/.test(line))
  return rows.map((line) => {
    const cells = line.split(' | ')
    return { threat: (cells[0] ?? '').replace('| ', '').trim(), tests: testsIn(cells.at(-1) ?? '') }
  })
}

/** Returns files with the titles after them; a file without titles has an empty one. */
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

  it('lists each threat once', () => {
    assert.ok(rows.length > 40)
    const threats = rows.map(({ threat }) => threat)
    assert.deepEqual(threats, [...new Set(threats)])
  })

  for (const { threat, tests } of rows) {
    it(`names existing tests for: ${threat}`, () => {
      assert.ok(tests.length > 0, 'No test is named')
      for (const { file, name } of tests) {
        assert.ok(existsSync(file), `${file} does not exist`)
        assert.ok(isNamed(testNames(file), name), `${file} has no test '${name}'`)
      }
    })
  }

  it('mentions every file of test/security', () => {
    for (const file of ATTACKS) assert.ok(PAGE.includes(file), `${file} is missing`)
  })
})

describe('the security tests', () => {
  for (const file of ATTACKS) {
    it(`states a rule and its source for every test in ${file}`, () => assert.deepEqual(testNames(file).untitled, []))
  }
})
