import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isNamed, namesIn } from './test-names.js'

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
  const found = namesIn('test/a.test.ts', SOURCE)

  it('finds suites, tests, tables and the rules of rows, however they are made', () => {
    for (const name of ['a suite', 'does c', 'does d', 'a table', 'refuses a', 'refuses b']) {
      assert.equal(isNamed(found, name), true, name)
    }
  })

  it('leaves open what is computed', () => {
    assert.equal(isNamed(found, 'refuses the host a.b'), true)
    assert.equal(isNamed(found, 'says nothing of null'), true)
    assert.equal(isNamed(found, 'refuses the host '), false)
    assert.equal(isNamed(found, 'it refuses the host a'), false)
  })

  it('takes no other text for a name', () => {
    for (const text of ['no test', 'a source', 'only a text', 'x', 'y', 'anything', '']) {
      assert.equal(isNamed(found, text), false, text)
    }
  })

  it('finds tests that have no rule and source', () => {
    assert.deepEqual(
      found.untitled.map(([quote]) => quote),
      ["'", '`'],
    )
  })
})
