/** Files of proofs. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { compareBlocks, findFileFault } from '#src/prove/stored-file.js'

describe('findFileFault()', () => {
  it('accepts a file with the first line', () => {
    assert.equal(findFileFault('format 1\n\nGET /a\n  =======\n', 'format 1'), null)
  })

  it('reports conflict markers, CRLF and another first line', () => {
    assert.equal(findFileFault('format 1\n>>>>>>> main\n', 'format 1'), 'it contains conflict markers')
    assert.match(String(findFileFault('format 1\r\n', 'format 1')), /CRLF.*\.gitattributes/)
    const fault = 'its first line must be "format 1", not "\\u001b[1mx"'
    assert.equal(findFileFault('\u001b[1mx\n', 'format 1'), fault)
  })
})

describe('compareBlocks()', () => {
  const FILE = 'format 1\n\nGET /a\n  one\n  two\n\nGET /b\n  one\n'

  it('returns nothing for the same blocks in another order', () => {
    assert.deepEqual(compareBlocks(FILE, FILE), [])
    assert.deepEqual(compareBlocks(FILE, 'format 1\n\nGET /b\n  one\n\nGET /a\n  one\n  two\n'), [])
  })

  it('returns changed lines, then blocks that only the file has', () => {
    assert.deepEqual(compareBlocks(FILE, 'format 1\n\nGET /a\n  one\n  three\n'), [
      {
        heading: 'GET /a',
        lines: [
          { sign: '-', line: '  two' },
          { sign: '+', line: '  three' },
        ],
      },
      {
        heading: 'GET /b',
        lines: [
          { sign: '-', line: 'GET /b' },
          { sign: '-', line: '  one' },
        ],
      },
    ])
  })

  it('returns all lines of a block that only the app has', () => {
    assert.deepEqual(compareBlocks('', 'GET /a\n'), [{ heading: 'GET /a', lines: [{ sign: '+', line: 'GET /a' }] }])
  })

  it('returns all lines of a block whose order differs', () => {
    const [block] = compareBlocks('GET /a\n  one\n  two\n', 'GET /a\n  two\n  one\n')
    assert.deepEqual(
      block?.lines.map(({ sign, line }) => `${sign}${line}`),
      ['-GET /a', '-  one', '-  two', '+GET /a', '+  two', '+  one'],
    )
  })
})
