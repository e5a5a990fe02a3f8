import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countText, paragraphs } from '#src/reference/text.js'
import { renderText } from '#test/reference.js'

describe('paragraphs()', () => {
  it('separates paragraphs at blank lines, and keeps Markdown as it is', () => {
    assert.equal(
      renderText(paragraphs('\n# One *two*\nthree\n\n\n\n[a](javascript:b) ')),
      '<p># One *two*\nthree</p><p>[a](javascript:b)</p>',
    )
    assert.equal(renderText(paragraphs('  ')), '')
  })

  it('cuts a long description', () => {
    assert.ok(renderText(paragraphs('x'.repeat(20_000))).length < 10_100)
  })
})

describe('countText()', () => {
  it('uses the plural unless the number is 1', () => {
    assert.deepEqual(
      [countText(0, 'group'), countText(1, 'group'), countText(2, 'group')],
      ['0 groups', '1 group', '2 groups'],
    )
  })
})
