/** The page of the console: what was built, and what is filled in. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { escapeHtml, renderPage } from '#src/devconsole/serve/page.js'
import { PAGE, SCRIPT_HASH, STYLE_HASH } from '#src/devconsole/serve/page.generated.js'

const FACTS = { token: 't0ken', name: 'acme', version: '1.0.0', boot: 'k3x9qa' }

function inside(page: string, tag: string): string {
  const found = new RegExp(`<${tag}(?: type="module")?>([^]*)</${tag}>`).exec(page)
  assert.ok(found?.[1] !== undefined && found[1].length > 1_000, `no <${tag}>`)
  return found[1]
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

describe('page.generated.ts', () => {
  it('is what its sources give', () => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/build-console.mjs', '--check'], {
      encoding: 'utf8',
    })
    assert.equal(status, 0, stderr)
  })

  it('stays small', () => {
    assert.ok(Buffer.byteLength(PAGE) <= 150_000, `${Buffer.byteLength(PAGE)} bytes`)
    assert.ok(gzipSync(PAGE).length <= 45_000, `${gzipSync(PAGE).length} bytes zipped`)
  })

  it('needs no rule of the policy but the two hashes', () => {
    const [script, style] = [inside(PAGE, 'script'), inside(PAGE, 'style')]
    const markup = PAGE.replace(script, '').replace(style, '')
    assert.doesNotMatch(markup, /\sstyle=|\son\w+=|<link(?! rel="icon" href="data:)/)
    assert.equal(markup.split('<script').length, 2)
    const UNSAFE = ['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'document.write', 'eval(', 'new Function', 'srcdoc']
    assert.deepEqual(
      UNSAFE.filter((name) => script.includes(name)),
      [],
    )
    assert.deepEqual(style.match(/url\(|@import/g), null)
  })

  it('names no other origin but the namespace of SVG', () => {
    const origins = new Set(PAGE.match(/https?:\/\/[\w.-]+/g))
    assert.deepEqual([...origins], ['http://www.w3.org'])
  })
})

describe('renderPage()', () => {
  it('keeps the hashes, whatever is filled in', () => {
    const hostile = '</script><script>alert(1)</script>{{token}}$&"\''
    for (const page of [
      renderPage(FACTS),
      renderPage({ token: hostile, name: hostile, version: hostile, boot: hostile }),
    ]) {
      assert.equal(hashOf(inside(page, 'script')), SCRIPT_HASH)
      assert.equal(hashOf(inside(page, 'style')), STYLE_HASH)
    }
  })

  it('fills every place', () => {
    const page = renderPage(FACTS)
    assert.match(page, /<meta name="dev-token" content="t0ken"/)
    assert.match(page, /<meta name="dev-name" content="acme"/)
    assert.match(page, /<meta name="dev-version" content="1\.0\.0"/)
    assert.match(page, /<meta name="dev-boot" content="k3x9qa"/)
    assert.match(page, /<title>acme /)
    assert.doesNotMatch(page, /\{\{/)
  })

  it('shows hostile names as text, and never fills places in them', () => {
    const page = renderPage({ ...FACTS, name: '"><img src=x onerror=alert(1)>{{token}}{{boot}}' })
    assert.doesNotMatch(page, /<img/)
    assert.equal(page.split('t0ken').length, 2)
    assert.equal(page.split('k3x9qa').length, 2)
  })
})

describe('escapeHtml()', () => {
  it('replaces what has a meaning in HTML, and nothing else', () => {
    assert.equal(escapeHtml(`a&b<c>d"e'f\`g{h`), 'a&#38;b&#60;c&#62;d&#34;e&#39;f&#96;g&#123;h')
    assert.equal(escapeHtml('ä / = 1'), 'ä / = 1')
  })
})
