import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  detailPage,
  listPage,
  messagePage,
  PLAIN_HASHES,
  escapeHtml,
  renderPage,
  SIGN_IN_HASHES,
  SIGN_IN_PAGE,
} from '#src/devconsole/serve/pages.js'
import { createRecord } from '#test/console-records.js'
import { spawnSync } from 'node:child_process'
import { gzipSync } from 'node:zlib'
import { PAGE, SCRIPT_HASH, STYLE_HASH } from '#src/devconsole/serve/page.generated.js'

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
  it('shows the newest 100 requests, each with a link', () => {
    const requests = Array.from({ length: 130 }, (_, index) => createRecord({ seq: index, id: `r_${index}` }))
    const html = listPage('library', requests)
    assert.equal(html.match(/<tr>/g)?.length, 101)
    assert.ok(html.includes('<a href="/__dev__/requests/r_99">') && !html.includes('r_100'))
    assert.match(listPage('library', []), /No request has been recorded yet/)
    assert.match(listPage('library', [createRecord({ 'code.function.name': null })]), /<td><td>1 ms/)
  })

  it('escapes markup in all strings', () => {
    for (const text of HOSTILE) {
      const html = listPage(text, [
        createRecord({ 'url.path': text, 'http.request.method': text, 'code.function.name': text, id: text }),
      ])
      assert.deepEqual(tagsIn(html), tagsIn(listPage('a', [createRecord()])), text)
    }
  })
})

describe('detailPage()', () => {
  const issue = { side: 'request', where: 'body.a', message: 'Wrong', code: null, received: null } as const
  const frame = { n: 0, function: 'f', file: 'a.ts', line: 1, column: 1, kind: 'app' } as const
  const cause = { name: 'Error', message: 'why', frames: [], source: null, cause: null, members: [] }
  const body = { type: 'text/plain', size: 5, text: null, hex: null, truncated: false, omitted: null }

  it('shows all stored details', () => {
    const html = detailPage(
      createRecord({
        request: { headers: [['host', 'localhost']], body: { ...body, text: 'hello' } },
        response: { headers: [], body: { ...body, hex: '6162' } },
        error: { ...cause, message: 'no', frames: [frame], cause, members: [{ ...cause, message: 'member' }] },
        issues: [issue],
        calls: [
          { name: 'db.find', start: 0, duration: 2, own: 2, args: '"7"', result: 'null', error: null, site: null },
        ],
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
    const omitted = detailPage(createRecord({ request: { headers: [], body: { ...body, omitted: 'Not kept' } } }), 800)
    assert.ok(omitted.includes('Not kept') && !omitted.includes('<h2>Error'))
    assert.ok(detailPage(createRecord({ request: { headers: [], body } }), 800).includes('<h2>Request'))
  })

  it('shows queries as a table', () => {
    const plain = { kind: 'sql', params: null, target: null, start: 0, rows: null, status: null, error: null }
    const query = { ...plain, text: 'select 1', duration: 2, site: null, call: null, shape: 0 }
    const html = detailPage(
      createRecord({
        queries: [
          { ...query, params: '7, "<a>"', rows: 3, site: { file: 'a.ts', line: 4 } },
          { ...query, kind: 'http', text: 'GET http://x/', status: 404 },
          { ...query, text: 'insert <b>', error: 'duplicate <key>', duration: null },
        ],
        queriesMore: 2,
      }),
      800,
    )
    const rows = html.match(/<tr>(?:<td>[^<]*)+/g)?.map((row) => row.split('<td>').slice(1))
    assert.deepEqual(rows, [
      ['sql', 'select 1', '7, &#34;&#60;a&#62;&#34;', '3', '2 ms', 'a.ts:4'],
      ['http', 'GET http://x/', '', 'status 404', '2 ms', ''],
      ['sql', 'insert &#60;b&#62;', '', 'duplicate &#60;key&#62;', 'still running', ''],
    ])
    assert.match(html, /2 more were counted and not kept/)
    assert.match(detailPage(createRecord({ queriesMore: 2 }), 800), /<h2>Queries.*2 more/)
    const bare = detailPage(createRecord({ queries: [query] }), 800)
    assert.ok(bare.includes('<td>select 1<td><td><td>2 ms<td></tr></table>'))
    assert.ok(!bare.includes('were counted') && !detailPage(createRecord(), 800).includes('<h2>Queries'))
  })

  it('shows the duration of each phase, or that phases were not measured', () => {
    assert.match(detailPage(createRecord({ 'dev.phases': [1, 0, 2.5] }), 800), /duration 1 ms \(phases 1, 0, 2\.5\)/)
    assert.match(
      detailPage(createRecord({ 'dev.phases': [] }), 800),
      /\(phases not taken: there were too many requests\)/,
    )
  })

  it('escapes markup in all strings', () => {
    const plain = detailPage(
      createRecord({ request: { headers: [['a', 'b']], body: { ...body, text: 'x' } }, error: cause }),
      800,
    )
    for (const text of HOSTILE) {
      const html = detailPage(
        createRecord({
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

  it('contains the style of its hash, and no script', () => {
    for (const html of [detailPage(createRecord(), 800), messagePage('Gone')]) {
      assert.equal(hashIn(html, 'style'), PLAIN_HASHES.style)
      assert.ok(!html.includes('<script'))
    }
  })
})

describe('SIGN_IN_PAGE', () => {
  it('contains the script and style of its hashes', () => {
    assert.equal(hashIn(SIGN_IN_PAGE, 'script'), SIGN_IN_HASHES.script)
    assert.equal(hashIn(SIGN_IN_PAGE, 'style'), SIGN_IN_HASHES.style)
    assert.ok(!/ on\w+=| style=/.test(SIGN_IN_PAGE))
  })
})

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
  it('matches its sources', () => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/build-console.mjs', '--check'], {
      encoding: 'utf8',
    })
    assert.equal(status, 0, stderr)
  })

  it('stays small', () => {
    assert.ok(Buffer.byteLength(PAGE) <= 250_000, `${Buffer.byteLength(PAGE)} bytes`)
    assert.ok(gzipSync(PAGE).length <= 80_000, `${gzipSync(PAGE).length} bytes zipped`)
  })

  it('needs only the two hashes in its content security policy', () => {
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

  it('contains no URL of another origin except the SVG namespace', () => {
    const origins = new Set(PAGE.match(/https?:\/\/[\w.-]+/g))
    assert.deepEqual([...origins], ['http://www.w3.org'])
  })
})

describe('renderPage()', () => {
  it('keeps its hashes with any values', () => {
    const hostile = '</script><script>alert(1)</script>{{token}}$&"\''
    for (const page of [
      renderPage(FACTS),
      renderPage({ token: hostile, name: hostile, version: hostile, boot: hostile }),
    ]) {
      assert.equal(hashOf(inside(page, 'script')), SCRIPT_HASH)
      assert.equal(hashOf(inside(page, 'style')), STYLE_HASH)
    }
  })

  it('fills all placeholders', () => {
    const page = renderPage(FACTS)
    assert.match(page, /<meta name="dev-token" content="t0ken"/)
    assert.match(page, /<meta name="dev-name" content="acme"/)
    assert.match(page, /<meta name="dev-version" content="1\.0\.0"/)
    assert.match(page, /<meta name="dev-boot" content="k3x9qa"/)
    assert.match(page, /<title>acme /)
    assert.doesNotMatch(page, /\{\{/)
  })

  it('escapes hostile names, and does not fill placeholders in them', () => {
    const page = renderPage({ ...FACTS, name: '"><img src=x onerror=alert(1)>{{token}}{{boot}}' })
    assert.doesNotMatch(page, /<img/)
    assert.equal(page.split('t0ken').length, 2)
    assert.equal(page.split('k3x9qa').length, 2)
  })
})

describe('escapeHtml()', () => {
  it('escapes only characters with a meaning in HTML', () => {
    assert.equal(escapeHtml(`a&b<c>d"e'f\`g{h`), 'a&#38;b&#60;c&#62;d&#34;e&#39;f&#96;g&#123;h')
    assert.equal(escapeHtml('ä / = 1'), 'ä / = 1')
  })
})
