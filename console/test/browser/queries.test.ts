/** Queries in the page of the console: the tab of a request, the waterfall, and the tables of the performance view. */
import '#test/development.js'
import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { openConsole } from '../support/browser.js'
import { faultsOfLayout, stickingOut, untilDrawn } from '../support/checks.js'
import { eventually, inThreeSteps, readRows, untilCount, untilFocus, untilHash, untilSaid } from '../support/page.js'
import { openQueryApp, SLOW_TEXT, type QueryApp } from '../support/queries.js'

/** Texts that a page must not take for markup or SQL for more than text. */
const CORPUS: readonly string[] = [
  '<img src=x onerror=alert(1)>',
  '"><svg/onload=alert(2)>',
  '</script><script>alert(4)</script>',
  '</code></td></table><iframe srcdoc="<script>alert(5)</script>">',
  `${'javascript'}:alert(6)//http://x.example/`,
  '{{constructor.constructor("alert(8)")()}} {{name}}',
  "select '<b onclick=alert(9)>' -- </script>",
  '&lt;b&gt; &#60;b&#62; &amp;',
  '\u202Egnp.exe\u202C \u200Bzero\u200D width \u2066isolated\u2069',
  '__proto__ constructor toString',
]

let app: QueryApp
let orders = ''
let many = ''

before(async () => {
  app = await openQueryApp(CORPUS)
  ;[orders = ''] = await app.ask('/orders')
  await app.ask('/orders')
  ;[many = ''] = await app.ask('/products?count=60')
})
after(() => app.close())

/** Opens a tab of a request, and waits for its panel. */
async function openTab(t: TestContext, id: string, tab: string, width = 1440): Promise<Page> {
  const context = { permissions: ['clipboard-read', 'clipboard-write'] }
  const hash = `#/requests/${id}?tab=${tab}`
  const { page } = await openConsole(t, { app, hash, width, reducedMotion: true, context })
  await page.locator(`#panel[aria-labelledby="tab-${tab}"]`).waitFor()
  await page.getByText('Reading …').waitFor({ state: 'hidden' })
  return page
}

/** Rows of the table of queries, without groups' members. */
function rowsOf(page: Page): Locator {
  return page.locator('.qtab tbody tr:not(.qm)')
}

const columnTexts = (rows: Locator, column: number): Promise<string[]> =>
  rows.locator(`td:nth-child(${column})`).allInnerTexts()

describe('console page: which SQL was slow', () => {
  it('takes three clicks from the list', async (t) => {
    const { page } = await openConsole(t, { app })
    await inThreeSteps(page, async () => {
      await readRows(page).filter({ hasText: '/orders' }).first().click()
      await page.getByRole('tab', { name: /^Queries/ }).click()
      await page.locator('#panel').getByRole('columnheader', { name: 'Time' }).getByRole('button').click()
    })
    await rowsOf(page).first().waitFor()
    const [slowest = ''] = await columnTexts(rowsOf(page), 2)
    assert.match(slowest, /select orders\.id, orders\.total/)
    assert.match(slowest, /support\/queries\.ts:\d+/)
  })

  it('takes two clicks through the performance view', async (t) => {
    const { page } = await openConsole(t, { app })
    await page
      .getByRole('navigation')
      .getByRole('link', { name: /Performance/ })
      .click()
    const statements = page.getByRole('table', { name: 'Statements' })
    await statements.getByRole('link').first().click()
    await untilHash(page, /^#\/requests\/r_\w+\?tab=queries$/)
    await rowsOf(page).getByText('left join customers').waitFor()
  })
})

describe('console page: Queries tab', () => {
  it('lists kind, text, parameters, result, time and call site', async (t) => {
    const page = await openTab(t, orders, 'queries')
    await eventually(async () =>
      assert.match(await page.locator('#panel h3').first().innerText(), /^10 queries, \d+% of the time/),
    )
    const texts = await columnTexts(rowsOf(page), 2)
    assert.equal(texts.length, 5)
    const parts = [
      [/^sql\s+shop, orders\.list/, /7, "2026-01-01T00:00:00Z"/, /support\/queries\.ts:\d+/],
      [/6 ×/, /N\+1/, /select id, price from products where id = \$1/],
      [/insert into audit/, /"ada", "redacted"/, /duplicate key value violates "audit_pkey"/],
      [/^http\s+127\.0\.0\.1/, /GET http:\/\/127\.0\.0\.1:\d+\/rates\?base=EUR/],
      [/^redis\s+cache, orders\.leave/, /SET orders:7 1 EX 60/],
    ]
    for (const [index, patterns] of parts.entries()) {
      for (const pattern of patterns) assert.match(texts[index] ?? '', pattern)
    }
    assert.deepEqual(await columnTexts(rowsOf(page), 3), ['12 rows', '6 rows', '–', '503', '–'])
    const times = await columnTexts(rowsOf(page), 4)
    assert.match(times[0] ?? '', /^\d+\.\d ms\s+\d+%$/)
    assert.match(times[4] ?? '', /^still running/)
    await untilCount(page.getByRole('tab', { name: 'Queries 10' }), 1)
  })

  it('shows the repeated queries of a group, and closes them again', async (t) => {
    const page = await openTab(t, orders, 'queries')
    const group = page.getByRole('button', { name: '6 queries like query 2' })
    assert.match((await columnTexts(rowsOf(page), 2))[1] ?? '', /6 different parameters: 101 · 102 · .* and 1 more/)
    await group.click()
    await eventually(async () => assert.equal(await group.getAttribute('aria-expanded'), 'true'))
    assert.deepEqual(await columnTexts(page.locator('tr.qm'), 2), ['101', '102', '103', '104', '105', '106'])
    await group.click()
    await untilCount(page.locator('tr.qm'), 0)
  })

  it('clamps a long text to three lines, and shows it formatted on request', async (t) => {
    const page = await openTab(t, orders, 'queries')
    const height = (await rowsOf(page).first().locator('.qt').boundingBox())?.height ?? 0
    assert.ok(height > 20 && height < 62, `${height} px`)
    await page.getByRole('button', { name: 'Show all' }).click()
    const whole = await page.getByRole('region', { name: 'Text of the query' }).innerText()
    assert.match(whole, /\nfrom orders\nleft join customers on .*\nwhere orders\.shop_id = \$1\n {2}and /)
    assert.equal(whole.replaceAll(/\s/g, ''), SLOW_TEXT.replaceAll(/\s/g, ''))
    assert.deepEqual(await page.locator('.qp.whole li').allInnerTexts(), [
      '7',
      '"2026-01-01T00:00:00Z"',
      '"2026-02-01T00:00:00Z"',
    ])
  })

  it('copies the text of a query unchanged', async (t) => {
    const page = await openTab(t, orders, 'queries')
    await page.getByRole('button', { name: 'Copy the text of query 1', exact: true }).click()
    await untilSaid(page, /Copied the text of query 1/)
    assert.equal(await page.evaluate<string>('navigator.clipboard.readText()'), SLOW_TEXT)
  })

  it('sorts by keyboard, and keeps focus and open rows', async (t) => {
    const page = await openTab(t, orders, 'queries')
    const head = page.locator('#panel').getByRole('columnheader', { name: 'Time' })
    await page.getByRole('button', { name: 'Query 8', exact: true }).press('Enter')
    await head.getByRole('button').press('Enter')
    await eventually(async () => assert.equal(await head.getAttribute('aria-sort'), 'descending'))
    await untilFocus(page, /button "Time/)
    await page.keyboard.press('Enter')
    await eventually(async () => assert.equal(await head.getAttribute('aria-sort'), 'ascending'))
    assert.match((await columnTexts(rowsOf(page), 2)).at(-1) ?? '', /select orders\.id/)
    const open = page.getByRole('button', { name: 'Query 8', exact: true })
    await eventually(async () => assert.equal(await open.getAttribute('aria-expanded'), 'true'))
    await page.getByRole('tab', { name: /^Queries/ }).focus()
    await page.keyboard.press('ArrowRight')
    await page.locator('#panel[aria-labelledby="tab-timing"]').waitFor()
  })

  it('shows 50 statements, and all on request', async (t) => {
    const page = await openTab(t, many, 'queries')
    await untilCount(rowsOf(page), 50)
    await eventually(async () =>
      assert.match(await page.locator('.qbox .more').innerText(), /^10 more statements not shown/),
    )
    await page.locator('.qbox .more').getByRole('button', { name: 'Show all' }).click()
    await untilCount(rowsOf(page), 60)
  })

  it('is missing for a request without queries', async (t) => {
    const [id = ''] = await app.ask('/products')
    const page = await openTab(t, id, 'overview')
    await page.getByRole('tab', { name: 'Compare' }).waitFor()
    await untilCount(page.getByRole('tab', { name: /Queries/ }), 0)
  })
})

describe('console page: Compare tab', () => {
  it('compares the numbers of queries', async (t) => {
    const [id = ''] = await app.ask('/products?count=2')
    const page = await openTab(t, id, 'compare')
    await eventually(async () => assert.match(await page.locator('#panel').innerText(), /Queries\s+\d+, then 2/))
  })
})

describe('console page: waterfall with queries', () => {
  it('indents queries below the call that sent them, and shows the details of each', async (t) => {
    const page = await openTab(t, orders, 'overview')
    const names = await page.locator('.wf .n .lb').allInnerTexts()
    assert.deepEqual(
      names.map((name) => name.trim().slice(0, 24)),
      [
        'orders.list',
        'select orders.id, orders',
        'orders.product ×6',
        'select id, price from pr',
        'orders.audit',
        'insert into audit (actor',
        'orders.rates',
        'GET http://127.0.0.1:'.padEnd(24),
        'orders.leave',
        'SET orders:7 1 EX 60',
      ].map((name, index) => (index === 7 ? (names[7] ?? '').trim().slice(0, 24) : name)),
    )
    const call = page.getByRole('button', { name: 'orders.list' })
    await call.press('Enter')
    await untilFocus(page, /button "orders\.list" \[expanded\]/)
    const details = page.locator('.wd')
    for (const text of [/Call\s+orders\.list\(7\)/, /Result\s+12 × \{ id, total \}/, /Own time/, /Called from/]) {
      assert.match(await details.innerText(), text)
    }
    await call.press('Enter')
    await page.getByRole('button', { name: /^insert into audit/ }).click()
    for (const text of [/Error\s+duplicate key/, /"ada"\s+"redacted"/, /Sent from/, /Target\s+shop/]) {
      assert.match(await details.innerText(), text)
    }
  })

  it('shows the single calls of a row of several', async (t) => {
    const page = await openTab(t, orders, 'overview')
    await page.getByRole('button', { name: 'orders.product ×6' }).click()
    await untilCount(page.getByRole('button', { name: 'orders.product', exact: true }), 6)
    await page.getByText('still running').waitFor()
  })

  it('shows 50 rows, and all on request', async (t) => {
    const page = await openTab(t, many, 'timing')
    await untilCount(page.locator('.wf .n'), 50)
    await page.getByRole('button', { name: 'Show all' }).click()
    await untilCount(page.locator('.wf .n'), 60)
  })
})

describe('console page: performance of statements and services', () => {
  it('lists statements and service methods, which can be sorted', async (t) => {
    const { page } = await openConsole(t, { app, hash: '#/performance' })
    const statements = page.getByRole('table', { name: 'Statements' })
    const first = async () => (await statements.locator('tbody tr').first().innerText()).replaceAll(/\s+/g, ' ')
    await statements.getByText('from products').waitFor()
    assert.match(await first(), /select orders\.id/)
    await statements.getByRole('button', { name: 'Count' }).click()
    assert.match(await first(), /select id, price from products where id = .* 12 0 12 /)
    const services = page.getByRole('table', { name: 'Service methods' })
    await eventually(async () => assert.match(await services.innerText(), /orders\.product\s+12\s+0\s/))
    assert.match(
      await page
        .getByText(/of recorded requests/)
        .first()
        .innerText(),
      /since the start/,
    )
  })

  it('reads new figures every two seconds, and none while paused', async (t) => {
    const { page } = await openConsole(t, { app, hash: '#/performance' })
    const cell = page.getByRole('table', { name: 'Service methods' }).locator('tr', { hasText: 'orders.rates' })
    const count = async () => Number((await cell.locator('td').nth(1).innerText()).trim())
    const start = await count()
    await app.ask('/orders')
    await eventually(async () => assert.equal(await count(), start + 1))
    await page.getByRole('button', { name: 'Pause' }).click()
    await app.ask('/orders')
    await page.waitForTimeout(2_500)
    assert.equal(await count(), start + 1)
  })

  it('explains empty tables', async (t) => {
    const empty = await openQueryApp()
    t.after(() => empty.close())
    const { page } = await openConsole(t, { app: empty, hash: '#/performance' })
    await page.getByText('No queries yet').waitFor()
    await page.getByText('No service calls yet').waitFor()
    assert.deepEqual(await faultsOfLayout(page), [])
  })
})

describe('console page: layout of queries', () => {
  for (const tab of ['queries', 'overview']) {
    it(`fits every width and theme: ${tab}`, async (t) => {
      const page = await openTab(t, orders, tab)
      const closed = page.locator('#panel [aria-expanded="false"]')
      for (let left = 5; left > 0; left--) await closed.first().click()
      assert.deepEqual(await faultsOfLayout(page), [])
    })
  }

  it('fits every width and theme: performance', async (t) => {
    const { page } = await openConsole(t, { app, hash: '#/performance', reducedMotion: true })
    await page.getByText('from products').waitFor()
    assert.deepEqual(await faultsOfLayout(page), [])
  })
})

describe('console page: hostile queries', () => {
  /** Elements that the queries would create as markup. */
  const MADE = 'img, iframe, object, embed, base, body script, body style, [onclick], [onload], [onerror]'

  async function holds(page: Page): Promise<void> {
    await untilDrawn(page)
    const found = await page.evaluate((selector) => {
      const links = Array.from(document.querySelectorAll('a'), ({ href }) => new URL(href).origin)
      const made = Array.from(document.querySelectorAll(selector), ({ outerHTML }) => outerHTML)
      return { text: document.body.textContent, made, links }
    }, MADE)
    for (const text of CORPUS) assert.ok(found.text.includes(text), text)
    assert.deepEqual(found.made, [])
    assert.deepEqual([...new Set(found.links)], [new URL(app.url).origin])
    for (const width of [1440, 320]) {
      await page.setViewportSize({ width, height: 900 })
      await untilDrawn(page)
      assert.deepEqual(await stickingOut(page), [], String(width))
    }
  }

  it('shows text, parameters, kind, target and error unchanged', async (t) => {
    const [id = ''] = await app.ask('/hostile')
    const queries = await openTab(t, id, 'queries')
    await holds(queries)
    await queries.getByRole('button', { name: 'Query 1', exact: true }).click()
    await holds(queries)
    const overview = await openTab(t, id, 'overview')
    const closed = overview.locator('#panel [aria-expanded="false"]')
    while ((await closed.count()) > 0) await closed.first().click()
    await holds(overview)
  })

  it('shows them unchanged in the page for browsers without JavaScript', async (t) => {
    const [id = ''] = await app.ask('/hostile')
    const path = `/__dev__/requests/${id}`
    const { page } = await openConsole(t, { app, path })
    await holds(page)
    await eventually(async () =>
      assert.match(
        await page.locator('table').innerText(),
        /^Kind\s+Query\s+Parameters\s+Result\s+Duration\s+Sent from/,
      ),
    )
  })
})
