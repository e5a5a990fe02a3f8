import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { defaultLogger } from '#src/logging/default-logger.js'

function written(isTTY: boolean | undefined): string {
  const texts: string[] = []
  const stream = {
    isTTY,
    texts,
    write(text: string) {
      return this.texts.push(text)
    },
  }
  defaultLogger(stream).info({ a: 1 }, 'm')
  return stripVTControlCharacters(texts.join(''))
}

describe('defaultLogger()', () => {
  it('writes for a person at a terminal', () => {
    assert.match(written(true), /^\d\d:\d\d:\d\d info {2}m a=1\n$/)
  })

  it('writes JSON lines everywhere else', () => {
    for (const isTTY of [false, undefined]) assert.match(written(isTTY), /^\{"level":"info",.*"a":1,"msg":"m"\}\n$/)
  })
})
