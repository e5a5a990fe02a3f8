/** `docs/options.md` lists exactly the options of `createApp`, with their defaults. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { OPTION_NAMES } from '#src/setup/check-options.js'
import { DEFAULTS } from '#src/setup/options.js'
import { defaultRows, optionRows } from '#test/options.js'

const PAGE = readFileSync('docs/options.md', 'utf8')

describe('docs/options.md', () => {
  const rows = optionRows(PAGE, 'Options of `createApp`')

  it('lists exactly the options of createApp, in their order', () => {
    assert.deepEqual([...new Set(rows.map(({ name }) => name.split('.')[0]))], OPTION_NAMES)
  })

  it('lists every limit and timeout', () => {
    const expected = Object.entries(DEFAULTS).flatMap(([group, value]: readonly [string, unknown]) =>
      typeof value === 'object' && value !== null ? Object.keys(value).map((key) => `${group}.${key}`) : [],
    )
    assert.deepEqual(
      rows.map(({ name }) => name).filter((name) => name.includes('.')),
      expected,
    )
  })

  it('lists each option once', () => {
    const names = rows.map(({ name }) => name)
    assert.deepEqual(names, [...new Set(names)])
  })

  it('lists the default of each option that has one', () => {
    const byName = ({ name: a }: { name: string }, { name: b }: { name: string }): number => a.localeCompare(b)
    assert.deepEqual(
      rows.filter(({ value }) => value !== undefined).toSorted(byName),
      defaultRows(DEFAULTS).toSorted(byName),
    )
  })
})

describe('optionRows()', () => {
  it('reads names and defaults of a single section', () => {
    const page = [
      '# Options',
      '## One',
      '| option | default | what |',
      '| ------ | ------- | ---- |',
      "| `a` | `'x'` | |",
      '| `b.c` | `1_000` | |',
      '| `d`   | `false` | |',
      '| `e`   | none    | |',
      '## Two',
      '| `f` | none | |',
    ]
    assert.deepEqual(optionRows(page.join('\n'), 'One'), [
      { name: 'a', value: 'x' },
      { name: 'b.c', value: 1000 },
      { name: 'd', value: false },
      { name: 'e', value: undefined },
    ])
  })

  it('rejects a page without the section', () => {
    assert.throws(() => optionRows('# Options', 'One'), /no heading "One"/)
  })
})

describe('defaultRows()', () => {
  it('names nested defaults by their path', () => {
    assert.deepEqual(defaultRows({ a: 'x', b: { c: 1, d: undefined } }), [
      { name: 'a', value: 'x' },
      { name: 'b.c', value: 1 },
    ])
    assert.throws(() => defaultRows({ a: null }), /Cannot read the default of "a"/)
  })
})
