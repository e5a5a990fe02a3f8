import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Scanner, type ScanToken } from '#src/features/multipart/scanner.js'

function tokensOf(scanner: Scanner, text: string): ScanToken[] {
  scanner.push(Buffer.from(text))
  const tokens: ScanToken[] = []
  for (let token = scanner.next(); token !== null; token = scanner.next()) tokens.push(token)
  return tokens
}

describe('Scanner', () => {
  it('drops the bytes after the last boundary, in the same chunk and in the next ones', () => {
    const scanner = new Scanner('b')
    const kinds = tokensOf(scanner, '--b\r\na: 1\r\n\r\ndata\r\n--b--\r\nmore').map(({ kind }) => kind)
    assert.deepEqual(kinds, ['head', 'data', 'part-end', 'end'])
    assert.deepEqual(tokensOf(scanner, 'more\r\n--b\r\n'), [])
  })
})
