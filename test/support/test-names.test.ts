import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isNamed, readNames } from './test-names.js'

const SOURCE = `
const note = 'no test'
function wire(rule: string, source: string) { return { rule, source } }
function acts(what: string, source: string) { return { rule: \`says nothing of \${what}\`, source } }
const ROWS = [wire('refuses a', note), wire(\`refuses the host \${note}\`, 'x'), { rule: 'refuses b', source: 'a source' }]
testRows('a table', () => note, ROWS)
describe('a suite', () => {
  it('does c', () => {})
  it(formatTitle({ rule: 'does d', source: 'y' }), () => {})
  it(\`\${note}\`, () => assert.equal(note, 'only a text'))
})`

describe('namesIn()', () => {
  const found = readNames('test/a.test.ts', SOURCE)

  it('finds the names of suites, tests, tables and rows', () => {
    for (const name of ['a suite', 'does c', 'does d', 'a table', 'refuses a', 'refuses b']) {
      assert.equal(isNamed(found, name), true, name)
    }
  })

  it('accepts any value for a computed part', () => {
    assert.equal(isNamed(found, 'refuses the host a.b'), true)
    assert.equal(isNamed(found, 'says nothing of null'), true)
    assert.equal(isNamed(found, 'refuses the host '), false)
    assert.equal(isNamed(found, 'it refuses the host a'), false)
  })

  it('ignores other strings', () => {
    for (const text of ['no test', 'a source', 'only a text', 'x', 'y', 'anything', '']) {
      assert.equal(isNamed(found, text), false, text)
    }
  })

  it('lists tests without rule and source', () => {
    assert.deepEqual(
      found.untitled.map(([quote]) => quote),
      ["'", '`'],
    )
  })
})
