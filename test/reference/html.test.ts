import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { markup } from '#src/reference/html.js'

describe('markup', () => {
  it('escapes text in content and attributes', () => {
    const text = `<script>"it's" & more`
    assert.equal(
      markup`<a title="${text}">${text}</a>`.text,
      `<a title="&lt;script&gt;&quot;it's&quot; &amp; more">&lt;script&gt;&quot;it's&quot; &amp; more</a>`,
    )
  })

  it('includes HTML, lists and numbers, and nothing for null and false', () => {
    assert.equal(markup`${[markup`<b>1</b>`, 2, null, false, ['<']]}.`.text, '<b>1</b>2&lt;.')
    assert.equal(markup`<p>`.text, '<p>')
  })

  it('replaces characters that HTML does not allow', () => {
    assert.equal(markup`${'a\0b\u{1B}c\uD800d\n\t😀'}`.text, 'a\uFFFDb\uFFFDc\uFFFDd\n\t😀')
  })
})
