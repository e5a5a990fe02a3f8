/** Output of commands: colors, tables, wrapped text, closed pipes. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { describe, it } from 'node:test'
import { formatCount, formatTable, usesColors, wrapText, type Terminal } from '#src/cli/terminal.js'
import { verbena } from '#test/command-line.js'
import { COMMAND, COMMAND_CONFIG } from '#test/repository.js'

const COLUMNS = [{ title: 'A' }, { title: 'B', paint: (text: string) => text.toUpperCase() }, { title: 'C' }]
const ENV = { ...process.env, TSX_TSCONFIG_PATH: COMMAND_CONFIG }
const ROWS = [
  ['get', '/a', 'app.ts:1'],
  ['delete', '/abc', 'app.ts:20'],
]

function terminal(width: number): Terminal {
  return { width, style: (_, text) => text, print: () => Promise.resolve(), warn: () => {} }
}

describe('formatTable()', () => {
  it('formats more rows than a call can have arguments', () => {
    const rows = Array.from({ length: 200_000 }, () => ['a'])
    const table = formatTable([{ title: 'NAME' }], rows, terminal(Infinity))
    assert.equal(table.split('\n').length, 200_001)
  })

  it('aligns columns, and paints cells without their padding', () => {
    const table = 'A       B     C\nget     /A    app.ts:1\ndelete  /ABC  app.ts:20'
    assert.equal(formatTable(COLUMNS, ROWS, terminal(Infinity)), table)
    assert.equal(formatTable(COLUMNS, ROWS, terminal(23)), table)
  })

  it('continues each row on a second line if the table is wider than the terminal', () => {
    const table = 'A       B\n        C\nget     /A\n        app.ts:1\ndelete  /ABC\n        app.ts:20'
    assert.equal(formatTable(COLUMNS, ROWS, terminal(22)), table)
  })
})

describe('wrapText()', () => {
  it('breaks lines between words, and indents each line', () => {
    const text = wrapText('one two three four five six seven\n\neight', { width: 24 }, '  ')
    assert.equal(text, '  one two three four\n  five six seven\n\n  eight')
  })

  it('does not break a word, and uses at least 20 columns', () => {
    assert.equal(
      wrapText('a-word-of-more-than-twenty-letters b', { width: 1 }),
      'a-word-of-more-than-twenty-letters\nb',
    )
  })
})

describe('formatCount()', () => {
  it('adds the plural s', () => {
    assert.deepEqual([formatCount(1, 'finding'), formatCount(2, 'finding')], ['1 finding', '2 findings'])
  })
})

describe('usesColors()', () => {
  it('uses colors in a terminal, unless NO_COLOR is set or the terminal is dumb', () => {
    const settings = [{}, { NO_COLOR: '' }, { NO_COLOR: '1' }, { TERM: 'dumb' }, { FORCE_COLOR: '0' }]
    assert.deepEqual(
      settings.map((each) => usesColors({ isTTY: true }, each)),
      [true, true, false, false, false],
    )
    assert.equal(usesColors({ isTTY: false }, {}), false)
  })
})

describe('output of verbena', () => {
  const COLORS: readonly (readonly [env: Readonly<Record<string, string>>, hasColors: boolean])[] = [
    [{}, false],
    [{ FORCE_COLOR: '1' }, true],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    [{ FORCE_COLOR: '0' }, false],
    [{ FORCE_COLOR: 'false' }, false],
  ]

  for (const [env, hasColors] of COLORS) {
    it(`has ${hasColors ? 'colors' : 'no colors'} in a pipe with ${JSON.stringify(env)}`, async () => {
      const { out } = await verbena(['--help'], { env })
      assert.equal(out.includes('\u001B['), hasColors)
      const { err } = await verbena(['none'], { env })
      assert.equal(err.includes('\u001B['), hasColors)
    })
  }

  it('ends without an error if the reader closes the pipe', async () => {
    const child = spawn(process.execPath, [...COMMAND, 'openapi', 'test/fixtures/cli/fine.ts'], { env: ENV })
    child.stdout.destroy()
    let message = ''
    child.stderr.on('data', (chunk) => (message += chunk))
    const [code] = await once(child, 'close')
    assert.deepEqual([code, message], [0, ''])
  })

  it('exits with 2 if the output cannot be written', { skip: process.platform !== 'linux' }, async () => {
    const full = openSync('/dev/full', 'w')
    const args = [...COMMAND, 'openapi', 'test/fixtures/cli/fine.ts']
    const child = spawn(process.execPath, args, { env: ENV, stdio: ['ignore', full, 'pipe'] })
    let message = ''
    child.stderr?.on('data', (chunk) => (message += chunk))
    const [code] = await once(child, 'close')
    assert.equal(code, 2)
    assert.match(message, /ENOSPC/)
  })
})
