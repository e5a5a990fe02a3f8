import '#test/development.js'
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { createApp, HttpError, Route, type App, type Input } from 'verbena'
import * as z from 'zod'
import type { RequestRecord } from '#src/devconsole/wire/request-types.js'
import { read, waitForSnapshot, readStatus } from '#test/console.js'
import { openConsole } from '../support/browser.js'
import { stickingOut, untilDrawn } from '../support/checks.js'

/** Strings that some web page has interpreted as markup or code. */
const CORPUS: readonly string[] = [
  '<img src=x onerror=alert(1)>',
  '"><svg/onload=alert(2)>',
  "' autofocus onfocus='alert(3)",
  '</script><script>alert(4)</script>',
  '</title></style></textarea><iframe srcdoc="<script>alert(5)</script>">',
  `${'javascript'}:alert(6)//http://x.example/`,
  '<a href="javascript:alert(7)">here</a>',
  '{{constructor.constructor("alert(8)")()}} {{count}} {{name}}',
  `\${alert(9)} \`\${alert(10)}\` <%= alert(11) %>`,
  '&lt;b&gt; &#60;b&#62; &amp;',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(12)>',
  '\u202Egnp.exe\u202C \u200Bzero\u200D\uFEFF width \u2066isolated\u2069',
  'line\nbreak\r\ttab \u2028 \u0007 \u001B[31mred\u001B[0m',
  '__proto__ constructor toString',
]
/** Strings that are valid in a header. */
const IN_HEADERS = CORPUS.filter((text) => /^[\x20-\x7e]+$/.test(text))
const ALL = CORPUS.join(' | ')
const NAMED = '<b onclick=alert(20)>name</b>'

class Store {
  async find(text: string): Promise<string> {
    return text
  }

  async [NAMED](): Promise<void> {}
}

class Hostile extends Route<{ [NAMED]: Store }> {
  static readonly path = '/texts/{text...}'
  static readonly get = this.contract({
    query: z.object({ limit: z.int(ALL).optional() }).loose(),
    summary: `Summary ${ALL}`,
    description: `Description ${ALL}`,
  })
  async get({ params, log, response }: Input<typeof Hostile.get>) {
    const service = this[NAMED]
    for (const text of CORPUS) {
      log.warn({ [text]: text }, text)
      for (let count = 0; count < 5; count++) await service.find(text)
    }
    await service[NAMED]()
    for (const [index, text] of IN_HEADERS.entries()) response.header(`x-${index}`, text)
    return { [ALL]: CORPUS, params }
  }

  static readonly post = this.contract({ body: z.object({ [NAMED]: z.int(ALL), text: z.string() }), summary: ALL })
  async post() {
    return ALL
  }

  async put() {
    const members = CORPUS.map((text) => new TypeError(text))
    throw Object.assign(new AggregateError(members, ALL, { cause: ALL }), { name: NAMED })
  }

  async delete() {
    throw new HttpError(409, ALL)
  }
}
Object.defineProperty(Hostile, 'name', { value: NAMED })

let app: App & { readonly url?: string }
let url = ''
let records: RequestRecord[] = []

before(async () => {
  const silent = (): void => {}
  app = createApp({
    name: `app ${CORPUS.join(' ')}`,
    services: { [NAMED]: new Store() },
    routes: { [NAMED]: Hostile },
    logger: { debug: silent, info: silent, warn: silent, error: silent },
    signals: false,
  })
  const listening = await app.listen()
  url = listening.url
  const count = await attack(listening.port)
  const { requests } = await waitForSnapshot(url, count)
  records = await Promise.all(requests.map(({ id }) => read<RequestRecord>(`${url}/__dev__/api/requests/${id}`)))
})
after(() => app.close())

describe('console page: hostile strings', () => {
  const TABS: readonly (readonly [method: string, status: number, tab: string, texts: readonly string[]])[] = [
    ['GET', 200, 'overview', [NAMED]],
    ['GET', 200, 'request', [...CORPUS.slice(0, 5), IN_HEADERS.join(' | ')]],
    ['GET', 200, 'response', IN_HEADERS],
    ['GET', 200, 'timing', [NAMED]],
    ['GET', 200, 'logs', CORPUS],
    ['GET', 200, 'compare', []],
    ['GET', 422, 'validation', [ALL]],
    ['POST', 422, 'request', ['<img src=x onerror=alert(1)>']],
    ['POST', 422, 'validation', [NAMED, ALL]],
    ['PUT', 500, 'overview', [NAMED]],
    ['PUT', 500, 'error', [NAMED, ALL, ...CORPUS.slice(0, 10)]],
    ['DELETE', 409, 'response', ['<img src=x onerror=alert(1)>']],
  ]
  for (const [method, status, tab, texts] of TABS) {
    it(`shows strings unchanged in ${tab} of ${method} ${status}`, async (t) => {
      const { page } = await openConsole(t, { app: { url }, hash: `#/requests/${idOf(method, status)}?tab=${tab}` })
      await page.locator(`#panel[aria-labelledby="tab-${tab}"]`).waitFor()
      await page.getByText('Reading …').waitFor({ state: 'hidden' })
      await holds(page, texts)
    })
  }

  const VIEWS: readonly (readonly [view: string, texts: readonly string[]])[] = [
    ['#/requests', [NAMED, '/<img/src=x/onerror=alert(1)>', '?<svg/onload=alert(2)>']],
    [`#/requests?q=${encodeURIComponent(`${CORPUS[0]} "${CORPUS[3]}"`)}`, [CORPUS[3] ?? '']],
    [`#/requests?q=${encodeURIComponent('<img/src=x/onerror=alert(1)>:x')}`, ['<img/src=x/onerror=alert(1)>']],
    [`#/requests/${encodeURIComponent(CORPUS[0] ?? '')}?tab=${encodeURIComponent(CORPUS[1] ?? '')}`, []],
    [`#/routes/${encodeURIComponent(`${NAMED}.get`)}`, [NAMED, `Summary ${ALL}`, `Description ${ALL}`]],
    [`#/routes/${encodeURIComponent(`${NAMED}.post`)}`, [NAMED, ALL]],
    ['#/performance', []],
    ['#/logs', CORPUS],
    ['#/problems', [NAMED]],
    ['#/health', []],
  ]
  for (const [hash, texts] of VIEWS) {
    it(`shows strings unchanged at ${decodeURIComponent(hash).slice(0, 60)}`, async (t) => {
      const allows = [/status of 404.*api\/requests/]
      const { page } = await openConsole(t, { app: { url }, hash, allows })
      await page.waitForTimeout(300)
      await holds(page, [...texts, CORPUS[0] ?? ''])
    })
  }

  it('shows strings unchanged in the palette and the form of an endpoint', async (t) => {
    const { page } = await openConsole(t, { app: { url }, hash: `#/routes/${encodeURIComponent(`${NAMED}.post`)}` })
    await page.getByRole('textbox', { name: 'Body' }).fill(JSON.stringify({ [NAMED]: ALL }))
    await page.locator('.try input[required]').fill(CORPUS[0] ?? '')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Open in Requests').waitFor()
    await holds(page, [NAMED])
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('texts')
    await holds(page, [NAMED])
  })

  it('shows strings unchanged in pages without scripts', async (t) => {
    const { page } = await openConsole(t, { app: { url }, path: '/__dev__/requests' })
    await holds(page, [NAMED, CORPUS[0] ?? ''])
    const rows: readonly (readonly [method: string, status: number, texts: readonly string[]])[] = [
      ['GET', 200, [...CORPUS.slice(0, 9), ...IN_HEADERS]],
      ['POST', 422, [NAMED, CORPUS[0] ?? '']],
      ['PUT', 500, [NAMED, ...CORPUS.slice(0, 9)]],
    ]
    for (const [method, status, texts] of rows) {
      await page.goto(`${url}/__dev__/requests/${idOf(method, status)}`)
      await holds(page, texts)
    }
  })
})

/** Elements that the strings would create as markup, and that the page never creates. */
const MADE = 'img, iframe, object, embed, math, base, body script, body style, b[onclick], [onload], [onfocus]'

/** Asserts that the page contains the strings, and created no elements from them. */
async function holds(page: Page, texts: readonly string[]): Promise<void> {
  await untilDrawn(page)
  const { text, made, links } = await page.evaluate((selector) => {
    const links = Array.from(document.querySelectorAll('a'), (link) => link.href)
    const made = Array.from(document.querySelectorAll(selector), (element) => element.outerHTML)
    return { text: `${document.title} ${document.body.textContent}`, made, links }
  }, MADE)
  for (const part of texts) assert.ok(text.includes(part), `${JSON.stringify(part)} in ${text.slice(0, 3_000)}`)
  assert.deepEqual(made, [])
  for (const width of [1440, 320]) {
    await page.setViewportSize({ width, height: 900 })
    await untilDrawn(page)
    assert.deepEqual(await stickingOut(page), [], String(width))
  }
  for (const link of links) assert.equal(new URL(link).origin, new URL(url).origin, link)
}

function idOf(method: string, status: number): string {
  const found = records.find(
    (record) => record['http.request.method'] === method && record['http.response.status_code'] === status,
  )
  assert.ok(found, `${method} ${status}`)
  return found.id
}

/** Sends all strings in every place of a request. Returns the number of requests. */
async function attack(port: number): Promise<number> {
  const query = new URLSearchParams(CORPUS.map((text, index) => [index % 2 === 0 ? text : `q${index}`, text]))
  const headers = { 'x-text': IN_HEADERS.join(' | '), 'user-agent': CORPUS[0] ?? '', referer: CORPUS[1] ?? '' }
  const path = `${url}/texts/${encodeURIComponent(CORPUS[0] ?? '')}`
  const json = { ...headers, 'content-type': 'application/json' }
  const body = JSON.stringify({ [NAMED]: ALL, [ALL]: CORPUS, text: 1 })
  const sent = [
    fetch(`${path}?${query.toString()}`, { headers }),
    fetch(`${path}?limit=${encodeURIComponent(ALL)}`, { headers }),
    fetch(path, { method: 'POST', headers: json, body }),
    fetch(path, { method: 'PUT', headers }),
    fetch(path, { method: 'DELETE', headers }),
    fetch(`${url}/${encodeURIComponent(ALL)}`, { headers }),
  ]
  for (const answer of await Promise.all(sent)) await answer.arrayBuffer()
  const raw = 'GET /<img/src=x/onerror=alert(1)>?<svg/onload=alert(2)> HTTP/1.1\r\nHost: localhost\r\n\r\n'
  assert.equal(await readStatus(port, raw), 404)
  return sent.length + 1
}
