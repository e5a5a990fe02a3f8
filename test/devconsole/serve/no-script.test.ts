import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { detailPage, listPage, messagePage, STYLE_HASH } from '#src/devconsole/serve/no-script.js'
import { SIGN_IN_HASHES, SIGN_IN_PAGE } from '#src/devconsole/serve/sign-in.js'
import { recordWith } from '#test/console-records.js'

const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '</script><script>alert(1)</script>',
  '"><svg onload=x>',
  "' onfocus='x",
  '&lt;b&gt;',
  '`',
  '\u202e\u200b',
]

const tagsIn = (html: string) =>
  [...new Set(Array.from(html.matchAll(/<([a-z!][a-z0-9]*)/g), ([, tag]) => tag))].toSorted()
const hashIn = (html: string, tag: string) => {
  const text = new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(html)?.[1] ?? ''
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

describe('listPage()', () => {
  it('shows the newest hundred, each with a link', () => {
    const requests = Array.from({ length: 130 }, (_, index) => recordWith({ seq: index, id: `r_${index}` }))
    const html = listPage('library', requests)
    assert.equal(html.match(/<tr>/g)?.length, 101)
    assert.ok(html.includes('<a href="/__dev__/requests/r_99">') && !html.includes('r_100'))
    assert.match(listPage('library', []), /No request has been recorded yet/)
    assert.match(listPage('library', [recordWith({ 'code.function.name': null })]), /<td><td>1 ms/)
  })

  it('takes no text for markup', () => {
    for (const text of HOSTILE) {
      const html = listPage(text, [
        recordWith({ 'url.path': text, 'http.request.method': text, 'code.function.name': text, id: text }),
      ])
      assert.deepEqual(tagsIn(html), tagsIn(listPage('a', [recordWith()])), text)
    }
  })
})

describe('detailPage()', () => {
  const issue = { side: 'request', where: 'body.a', message: 'Wrong', code: null, received: null } as const
  const frame = { n: 0, function: 'f', file: 'a.ts', line: 1, column: 1, kind: 'app' } as const
  const cause = { name: 'Error', message: 'why', frames: [], source: null, cause: null, members: [] }
  const body = { type: 'text/plain', size: 5, text: null, hex: null, truncated: false, omitted: null }

  it('shows all that is kept', () => {
    const html = detailPage(
      recordWith({
        request: { headers: [['host', 'localhost']], body: { ...body, text: 'hello' } },
        response: { headers: [], body: { ...body, hex: '6162' } },
        error: { ...cause, message: 'no', frames: [frame], cause, members: [{ ...cause, message: 'member' }] },
        issues: [issue],
        calls: [{ name: 'db.find', start: 0, duration: 2, args: '"7"', error: null }],
        logs: [{ seq: 1, time: 0, level: 'info', message: 'looking', fields: null, request: null }],
        'dev.flags': ['slow'],
        'http.route': null,
        'code.function.name': null,
      }),
      800,
    )
    for (const text of [
      'host: localhost',
      'hello',
      '6162',
      'Error: no',
      'a.ts:1',
      'Error: why',
      'member',
      'body.a: Wrong',
      'db.find',
      'info looking',
      'flags slow',
    ]) {
      assert.ok(html.includes(text), text)
    }
    const omitted = detailPage(recordWith({ request: { headers: [], body: { ...body, omitted: 'Not kept' } } }), 800)
    assert.ok(omitted.includes('Not kept') && !omitted.includes('<h2>Error'))
    assert.ok(detailPage(recordWith({ request: { headers: [], body } }), 800).includes('<h2>Request'))
  })

  it('says how long each phase took, or that phases were not taken', () => {
    assert.match(detailPage(recordWith({ 'dev.phases': [1, 0, 2.5] }), 800), /duration 1 ms \(phases 1, 0, 2\.5\)/)
    assert.match(
      detailPage(recordWith({ 'dev.phases': [] }), 800),
      /\(phases not taken: there were too many requests\)/,
    )
  })

  it('takes no text for markup', () => {
    const plain = detailPage(
      recordWith({ request: { headers: [['a', 'b']], body: { ...body, text: 'x' } }, error: cause }),
      800,
    )
    for (const text of HOSTILE) {
      const html = detailPage(
        recordWith({
          'url.path': text,
          'url.query': text,
          request: { headers: [[text, text]], body: { ...body, text } },
          error: { ...cause, message: text, name: text, frames: [{ ...frame, function: text, file: text }] },
        }),
        800,
      )
      assert.deepEqual(tagsIn(html), tagsIn(plain), text)
    }
  })

  it('is styled by what its hash says, and runs nothing', () => {
    for (const html of [detailPage(recordWith(), 800), messagePage('Gone')]) {
      assert.equal(hashIn(html, 'style'), STYLE_HASH)
      assert.ok(!html.includes('<script'))
    }
  })
})

describe('SIGN_IN_PAGE', () => {
  it('runs and shows what its hashes say', () => {
    assert.equal(hashIn(SIGN_IN_PAGE, 'script'), SIGN_IN_HASHES.script)
    assert.equal(hashIn(SIGN_IN_PAGE, 'style'), SIGN_IN_HASHES.style)
    assert.ok(!/ on\w+=| style=/.test(SIGN_IN_PAGE))
  })
})
