import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { FILE_POLICY, PAGE_POLICY } from '#src/reference/policy.js'
import { SCRIPT } from '#src/reference/script.js'
import { STYLE } from '#src/reference/style.js'
import { renderPage } from '#test/reference.js'

describe('PAGE_POLICY', () => {
  it('allows only the style and the script of the page', () => {
    const hash = (text: string) => `sha256-${createHash('sha256').update(text).digest('base64')}`
    const expected = `default-src 'none'; style-src '${hash(STYLE)}'; script-src '${hash(SCRIPT)}'; img-src 'self' data:; base-uri 'none'; form-action 'none'`
    assert.deepEqual([FILE_POLICY, PAGE_POLICY], [expected, `${expected}; frame-ancestors 'self'`])
  })

  it('is in the page, unless an app sends it', () => {
    assert.ok(renderPage({}).includes(`<meta http-equiv="content-security-policy" content="${FILE_POLICY}">`))
    assert.ok(!renderPage({}, { isServed: true }).includes('http-equiv'))
  })
})
