import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
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
import { gzipSync } from 'node:zlib'
import { PAGE, PAGE_SCRIPT, SCRIPT_HASHES, STYLE_HASH, VIEWS_SCRIPT } from '#src/devconsole/serve/page.generated.js'

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
    assert.deepEqual([hashIn(SIGN_IN_PAGE, 'script')], SIGN_IN_HASHES.scripts)
    assert.equal(hashIn(SIGN_IN_PAGE, 'style'), SIGN_IN_HASHES.style)
    assert.ok(!/ on\w+=| style=/.test(SIGN_IN_PAGE))
  })
})

const FACTS = { token: 't0ken', name: 'acme', version: '1.0.0', boot: 'k3x9qa' }

function styleOf(page: string): string {
  const found = /<style>([^]*)<\/style>/.exec(page)
  assert.ok(found?.[1] !== undefined && found[1].length > 1_000, 'no <style>')
  return found[1]
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

describe('page.generated.js', () => {
  it('contains only files that console/build.mjs compares: the page, wire, and what wire imports', () => {
    const files = Array.from((PAGE_SCRIPT + VIEWS_SCRIPT).matchAll(/^\/\/ (\S+\.ts)$/gm), ([, file = '']) => file)
    assert.ok(files.length > 90, `${files.length} files`)
    const others = files.filter((file) => !/^(?:page|wire)\//.test(file))
    assert.deepEqual(others.toSorted(), [
      '../http/methods.ts',
      '../observe/buckets.ts',
      '../openapi/reading/json.ts',
      '../values/json-pointer.ts',
    ])
  })

  it('stays small', () => {
    for (const loaded of [PAGE + PAGE_SCRIPT, VIEWS_SCRIPT]) {
      assert.ok(Buffer.byteLength(loaded) <= 250_000, `${Buffer.byteLength(loaded)} bytes`)
      assert.ok(gzipSync(loaded).length <= 80_000, `${gzipSync(loaded).length} bytes zipped`)
    }
  })

  it('is readable: short lines, and the names of the source', () => {
    const lines = [PAGE, PAGE_SCRIPT, VIEWS_SCRIPT].flatMap((text) => text.split('\n'))
    assert.deepEqual(
      lines.filter((line) => line.length > 200 && !line.includes('href="data:')),
      [],
    )
    const code = PAGE_SCRIPT + VIEWS_SCRIPT
    const files = readdirSync('console/page', { recursive: true, encoding: 'utf8' })
    const sources = files.filter((file) => file.endsWith('.ts')).map((file) => file.replaceAll('\\', '/'))
    const declared = sources.flatMap((file) => {
      // A file of constants and types only can be inlined completely.
      if (!code.includes(`// page/${file}\n`)) return []
      const text = readFileSync(`console/page/${file}`, 'utf8')
      return Array.from(text.matchAll(/^(?:export )?(?:async )?(?:function|class) (\w+)/gm), ([, name = '']) => name)
    })
    assert.ok(declared.length > 500, `${declared.length} functions and classes`)
    const missing = declared.filter((name) => !new RegExp(`(?:function|class) ${name}(?:\\$\\d)?\\b`).test(code))
    assert.deepEqual(missing, [])
  })

  it('needs only the hashes in its content security policy', () => {
    const style = styleOf(PAGE)
    const markup = PAGE.replace(style, '')
    assert.doesNotMatch(markup, /\sstyle=|\son\w+=|<link(?!\s+rel="icon"\s+href="data:)/)
    const scripts = Array.from(markup.matchAll(/<script[^>]*>[^<]*<\/script>/g), ([tag]) => tag)
    assert.deepEqual(scripts, [
      `<script type="module" src="/__dev__/page.js" integrity="${hashOf(PAGE_SCRIPT)}"></script>`,
      `<script type="module" src="/__dev__/views.js" integrity="${hashOf(VIEWS_SCRIPT)}"></script>`,
    ])
    assert.deepEqual(SCRIPT_HASHES, [hashOf(PAGE_SCRIPT), hashOf(VIEWS_SCRIPT)])
    const UNSAFE = ['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'document.write', 'eval(', 'new Function', 'srcdoc']
    assert.deepEqual(
      UNSAFE.filter((name) => (PAGE_SCRIPT + VIEWS_SCRIPT).includes(name)),
      [],
    )
    assert.deepEqual(style.match(/url\(|@import/g), null)
  })

  it('imports only its first script', () => {
    const imports = Array.from(
      (PAGE_SCRIPT + VIEWS_SCRIPT).matchAll(/\bimport\b[^'"`]*['"`]([^'"`]+)/g),
      ([, path]) => path,
    )
    assert.deepEqual(imports, ['./page.js'])
  })

  it('contains no URL of another origin except the SVG namespace', () => {
    const origins = new Set((PAGE + PAGE_SCRIPT + VIEWS_SCRIPT).match(/https?:\/\/[\w.-]+/g))
    assert.deepEqual([...origins], ['http://www.w3.org'])
  })
})

describe('renderPage()', () => {
  it('keeps the hash of its style with any values', () => {
    const hostile = '</script><script>alert(1)</script>{{token}}$&"\''
    for (const page of [
      renderPage(FACTS),
      renderPage({ token: hostile, name: hostile, version: hostile, boot: hostile }),
    ]) {
      assert.equal(hashOf(styleOf(page)), STYLE_HASH)
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
