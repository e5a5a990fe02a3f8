/** Bodies in the page: large ones do not block it, and the page says why a body is not stored. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import type { DevConsoleOptions } from 'verbena'
import { openConsole } from '../support/browser.js'
import { eventually, readRows } from '../support/page.js'
import { ask, openShop, type Shop } from '../support/shop.js'
import { post } from '#test/console.js'

const FIVE_MB = 5 * 1024 * 1024
const json = (body: string) => ({ method: 'POST', body, headers: { 'content-type': 'application/json' } })

interface Opened {
  readonly shop: Shop
  readonly page: Page
}

async function openWith(t: TestContext, devConsole: DevConsoleOptions = {}): Promise<Opened> {
  const shop = await openShop(t, { devConsole })
  const { page } = await openConsole(t, { app: shop })
  // The observer records tasks that block the page for 50 ms or more.
  await page.evaluate(() => {
    Object.assign(globalThis, { held: [] })
    new PerformanceObserver((list) => {
      Reflect.get(globalThis, 'held').push(...list.getEntries().map(({ duration }) => duration))
    }).observe({ type: 'longtask' })
  })
  return { shop, page }
}

async function asked(shop: Shop, path: string, init: RequestInit = {}): Promise<void> {
  const response = await fetch(`${shop.url}${path}`, init)
  await response.arrayBuffer()
}

/** Opens the newest request at a tab, and says how long that took and what held the page up. */
async function open(t: TestContext, page: Page, tab: 'Request' | 'Response'): Promise<string> {
  const row = readRows(page).first()
  await row.waitFor()
  const begin = performance.now()
  await row.click()
  await page.getByRole('tab', { name: tab }).click()
  const panel = page.getByRole('tabpanel', { name: tab })
  await panel.getByRole('heading', { name: /^Body/ }).waitFor()
  const took = performance.now() - begin
  const held = await page.evaluate((): number[] => Reflect.get(globalThis, 'held'))
  t.diagnostic(`opened in ${took.toFixed(0)} ms, longest task ${Math.max(0, ...held).toFixed(0)} ms`)
  assert.ok(took < 2_000, `opened in ${took} ms`)
  assert.ok(Math.max(0, ...held) < 1_500, `held up for ${held.join(', ')} ms`)
  return panel.innerText()
}

describe('console page: bodies', () => {
  it('shows that a 5 MB JSON response is too long to be stored', async (t) => {
    const { shop, page } = await openWith(t)
    await asked(shop, `/lists?size=${FIVE_MB}`)
    const text = await open(t, page, 'Response')
    assert.match(text, /5\.\d MB, application\/json/)
    assert.match(text, /It is too long to look for secrets in it, and was not kept/)
  })

  it('shows JSON responses of up to 256 kB, and the beginning of longer ones', async (t) => {
    const shop = await openShop(t)
    const { page } = await openConsole(t, { app: shop })
    await ask(shop, ['/lists?size=40000', '/lists?size=400000'])
    const show = async (index: number) => {
      await readRows(page).nth(index).click()
      await page.getByRole('tab', { name: 'Response' }).click()
    }
    await show(1)
    await page.getByRole('region', { name: 'JSON' }).getByText('"green tea"').first().waitFor()
    await show(0)
    await page.getByText(/Only the beginning of \d+\.\d kB was kept/).waitFor()
    await page.getByText('green tea').first().waitFor()
  })

  it('shows as much of a JSON response as the setting says', async (t) => {
    const { shop, page } = await openWith(t, { bodyLimit: 20_000 })
    await asked(shop, '/lists?size=40000')
    assert.match(await open(t, page, 'Response'), /Only the beginning of \d+\.\d kB was kept/)
    const text = await page.locator('#panel .code').first().innerText()
    assert.ok(text.length > 100 && text.length <= 20_000, `${text.length} characters`)
  })

  it('says that a member is missing if the client did not send it', async (t) => {
    const shop = await openShop(t)
    const { page } = await openConsole(t, { app: shop })
    await post(`${shop.url}/goods`, { name: 'x' })
    await readRows(page).first().click()
    await page.getByRole('tab', { name: /^Validation/ }).click()
    const cells = page.getByRole('row', { name: /body\.price/ })
    await eventually(async () => assert.match(await cells.innerText(), /missing$/))
    await eventually(async () => assert.match(await page.getByRole('row', { name: /body\.name/ }).innerText(), /"x"$/))
  })

  it('shows that a 5 MB JSON request is too long to be stored', async (t) => {
    const { shop, page } = await openWith(t)
    await asked(shop, '/lists', json(JSON.stringify([' '.repeat(FIVE_MB)])))
    const text = await open(t, page, 'Request')
    assert.match(text, /5\.\d MB, application\/json/)
    assert.match(text, /It is too long to look for secrets in it, and was not kept/)
  })

  it('shows the beginning of JSON that was captured raw', async (t) => {
    const { shop, page } = await openWith(t, { captureBodies: 'raw' })
    await asked(shop, `/lists?size=${FIVE_MB}`)
    const text = await open(t, page, 'Response')
    assert.match(text, /"green tea"/)
    assert.match(text, /Only the beginning of 5\.\d MB was kept/)
    const length = await page.getByRole('region', { name: 'Text' }).innerText()
    assert.ok(length.length <= 16 * 1024, `${length.length} characters`)
  })

  it('shows the beginning of a long text', async (t) => {
    const { shop, page } = await openWith(t)
    await asked(shop, '/texts?size=40000')
    const text = await open(t, page, 'Response')
    assert.match(text, /All the tea in the shop/)
    assert.match(text, /Only the beginning of (?:39|40)(?:\.\d)? kB was kept/)
  })

  it('shows the first bytes of a binary body', async (t) => {
    const { shop, page } = await openWith(t)
    await asked(shop, '/pictures')
    const text = await open(t, page, 'Response')
    assert.match(text, /image\/png/)
    assert.match(text, /89 50 4e 47 0d 0a 1a 0a/)
  })

  it('folds JSON, and renders only visible lines', async (t) => {
    const { shop, page } = await openWith(t)
    await asked(
      shop,
      '/lists',
      json(JSON.stringify({ a: { deep: 1 }, many: Array.from({ length: 2_000 }, (_, at) => at) })),
    )
    await open(t, page, 'Request')
    const code = page.getByRole('region', { name: 'JSON' })
    const lines = code.locator('.ln')
    assert.ok((await lines.count()) < 200)
    await code.evaluate((element) => element.scrollTo(0, element.scrollHeight))
    await eventually(async () => assert.match(await code.innerText(), /\b1999\b/))
    assert.ok((await lines.count()) < 200)
    await code.evaluate((element) => element.scrollTo(0, 0))
    const fold = page.getByRole('button', { name: '/a', exact: true })
    await fold.click()
    await eventually(async () => assert.equal(await fold.getAttribute('aria-expanded'), 'false'))
    await eventually(async () => assert.doesNotMatch(await code.innerText(), /deep/))
    await page.keyboard.press('Enter')
    await eventually(async () => assert.match(await code.innerText(), /deep/))
  })

  it('shows a 5 MB response in the form without blocking the page', async (t) => {
    const { page } = await openWith(t)
    await page.keyboard.press('2')
    await page.getByRole('link', { name: 'GET /lists' }).click()
    await page.getByLabel('size').fill(String(FIVE_MB))
    const begin = performance.now()
    await page.getByRole('button', { name: 'Send' }).click()
    const answer = page.getByRole('group', { name: 'Answer' })
    await answer.getByText(/are too many to show here/).waitFor()
    const held = await page.evaluate((): number[] => Reflect.get(globalThis, 'held'))
    t.diagnostic(`${(performance.now() - begin).toFixed(0)} ms, longest task ${Math.max(0, ...held).toFixed(0)} ms`)
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      answer.getByRole('button', { name: 'Download' }).click(),
    ])
    assert.equal(file.suggestedFilename(), 'body.txt')
  })
})
