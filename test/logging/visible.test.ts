import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { jsonLogger } from '#src/logging/lines.js'
import { showControls } from '#src/logging/visible.js'

/** What can end a line, move a cursor, or turn the direction of a text. */
const CONTROLS: readonly (readonly [about: string, char: string])[] = [
  ['NUL', '\u0000'],
  ['backspace', '\b'],
  ['line feed', '\n'],
  ['carriage return', '\r'],
  ['escape', '\u001b'],
  ['delete', '\u007f'],
  ['next line (C1)', '\u0085'],
  ['control sequence introducer (C1)', '\u009b'],
  ['Arabic letter mark', '\u061c'],
  ['left-to-right mark', '\u200e'],
  ['right-to-left mark', '\u200f'],
  ['line separator', '\u2028'],
  ['paragraph separator', '\u2029'],
  ['left-to-right embedding', '\u202a'],
  ['right-to-left override', '\u202e'],
  ['left-to-right isolate', '\u2066'],
  ['pop directional isolate', '\u2069'],
]

describe('showControls()', () => {
  for (const [about, char] of CONTROLS) {
    it(`shows ${about}, and JSON lines do`, () => {
      const escaped = `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
      assert.equal(showControls(`a${char}b${char}`), `a${escaped}b${escaped}`)
      const written: string[] = []
      jsonLogger((text) => void written.push(text)).info({ [`k${char}`]: `v${char}` }, `m${char}`)
      const [line = ''] = written
      assert.ok(!line.slice(0, -1).includes(char), JSON.stringify(line))
      const { level: _level, time: _time, ...rest } = JSON.parse(line)
      assert.deepEqual(rest, { [`k${char}`]: `v${char}`, msg: `m${char}` })
    })
  }

  it('leaves all other characters alone', () => {
    const text = 'aÄß 😀 \u00a0\u200d\u2027\u2030\\u000a"'
    assert.equal(showControls(text), text)
  })
})
