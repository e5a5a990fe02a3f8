/** The link into an editor that the author of an app names. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { editorTemplate } from '#src/devconsole/editor.js'

describe('editorTemplate()', () => {
  it('takes the scheme of an editor', () => {
    const VSCODE = 'vscode://file/{file}:{line}:{column}'
    assert.equal(editorTemplate(VSCODE), VSCODE)
    assert.equal(editorTemplate('x-my.editor+1:{file}'), 'x-my.editor+1:{file}')
  })

  it('takes no template that a browser would run or load', () => {
    for (const template of [
      // oxlint-disable-next-line no-script-url -- what must not become a link
      'javascript:alert({line})',
      'DATA:text/html,{file}',
      'https://x/{file}',
      '{file}',
      '://',
      'a b://x',
      '',
    ]) {
      assert.equal(editorTemplate(template), null, template)
    }
  })
})
