/** Changes after a restart of the app: resolved incidents, and failed requests that are replayed. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { openConsole, untilLive } from '../support/browser.js'
import { eventually, inThreeSteps, readStored, untilCount, untilSaid, untilStored } from '../support/page.js'
import { startProcess, type ShopProcess } from '#test/browser-process.js'
import { post } from '#test/console.js'
import { programArguments } from '#test/repository.js'

const APP = programArguments('test/support/browser-runs-child.ts')
/** Messages of the browser about a connection that broke, and about an app that is not running. */
const ALLOWS = [/ERR_(?:CONNECTION|INCOMPLETE|EMPTY)/]

interface Opened {
  readonly page: Page
  readonly app: ShopProcess
  /** Kills the broken app, and starts the fixed one on the same port. */
  readonly fix: () => Promise<void>
}

async function openApp(t: TestContext, hash = ''): Promise<Opened> {
  const app = await startProcess(t, ...APP, '0', 'broken')
  const { page } = await openConsole(t, { app, hash, allows: [...ALLOWS, /404 .*\/api\/requests/] })
  const fix = async () => {
    await app.kill()
    await page.getByText(/The app does not respond/).waitFor()
    await startProcess(t, ...APP, new URL(app.url).port, 'fixed')
    await untilLive(page)
  }
  return { page, app, fix }
}

async function get({ url }: ShopProcess, ...paths: readonly string[]): Promise<void> {
  for (const path of paths) await (await fetch(`${url}${path}`)).arrayBuffer()
}

/** Titles of the groups with their standings. */
async function readStandings(page: Page): Promise<Record<string, string>> {
  const rows = await page
    .locator('.pb')
    .evaluateAll((all) =>
      all.map((it) => [
        it.querySelector('h3')?.firstChild?.textContent + (it.querySelector('h3 code')?.textContent ?? ''),
        [...it.querySelectorAll('h3 .tag')].map((tag) => tag.textContent).join(),
      ]),
    )
  return Object.fromEntries(rows)
}

async function untilStandings(page: Page, expected: Readonly<Record<string, RegExp>>): Promise<void> {
  await eventually(async () => {
    const standings = await readStandings(page)
    assert.deepEqual(Object.keys(standings).toSorted(), Object.keys(expected).toSorted())
    for (const [title, pattern] of Object.entries(expected)) assert.match(standings[title] ?? '', pattern, title)
  })
}

describe('console page: what changed after a restart', () => {
  it('shows in three clicks which failing requests are fixed, after a kill and a start on the same port', async (t) => {
    const { page, app, fix } = await openApp(t)
    await get(app, '/orders/7', '/searches', '/reports')
    await untilStored(page, 3)
    await fix()
    const click = (name: RegExp) =>
      page.getByRole('link', { name }).or(page.getByRole('button', { name })).first().click()
    const rows = page.locator('.results tbody tr')
    await inThreeSteps(page, async () => {
      await click(/^Problems/)
      await click(/^Replay the 3 failing requests/)
      await eventually(async () => {
        const texts = (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim())
        assert.equal(texts.length, 3)
        assert.match(texts[0] ?? '', /^GET \/orders\/7 500 .*ms 200 .*ms fixed Compare$/)
        assert.match(texts[1] ?? '', /^GET \/searches 200 1\.\d+ s 200 .*ms fixed Compare$/)
        assert.match(texts[2] ?? '', /^GET \/reports 500 .*ms 500 .*ms still there Compare$/)
      })
      await untilStandings(page, {
        'RangeError in OrderById.get': /^gone since the restart of \d\d:\d\d$/,
        'Slow endpoint Searches.get': /^gone since the restart of \d\d:\d\d$/,
        'SyntaxError in Reports.get': /^still there$/,
      })
      assert.match(
        await page.locator('.runs p').first().innerText(),
        /^Since the restart of \d\d:\d\d: 1 still there, 2 gone\.$/,
      )
      assert.match(
        await page.locator('.pb', { hasText: 'Searches.get' }).innerText(),
        /median 1\.\d+ s before, \S+ ms after/,
      )
      await click(/^Compare$/)
      const panel = page.getByRole('tabpanel')
      await panel.getByText('Against the request that was replayed').waitFor()
      await eventually(async () => assert.match(await panel.innerText(), /Status\s+500, then 200/))
    })
    await page.goBack()
    await untilCount(rows, 3)
    await rows.first().getByRole('link', { name: '/orders/7' }).click()
    await page.getByText('RangeError: Order 7 is out of range').waitFor()
  })

  it('distinguishes incidents that were not requested since, and new ones', async (t) => {
    const { page, app, fix } = await openApp(t, '#/problems')
    await get(app, '/orders/7')
    await untilStored(page, 1)
    await untilStandings(page, { 'RangeError in OrderById.get': /^$/ })
    await eventually(async () => assert.equal(await page.locator('.runs').isVisible(), false))
    await fix()
    await untilStandings(page, { 'RangeError in OrderById.get': /^not requested since$/ })
    await get(app, '/news')
    const expected = { 'RangeError in OrderById.get': /^not requested since$/, 'URIError in News.get': /^new$/ }
    await untilStandings(page, expected)
    await page.reload()
    await untilStandings(page, expected)
    await page.locator('.pb', { hasText: 'OrderById' }).getByRole('link', { name: 'Show the request' }).click()
    await page.getByText('RangeError: Order 7 is out of range').waitFor()
  })

  it('asks before it sends requests that can change data, and can leave them out', async (t) => {
    const { page, app, fix } = await openApp(t, '#/problems')
    await get(app, '/orders/7')
    await post(`${app.url}/orders`, { item: 'tea', count: 3 })
    await untilStored(page, 2)
    await fix()
    const replay = page.getByRole('button', { name: 'Replay the 2 failing requests' })
    const dialog = page.getByRole('dialog')
    const sent: string[] = []
    page.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`))
    const sentToApp = () => sent.filter((request) => !request.includes('/__dev__'))
    await replay.click()
    await dialog.getByText('POST /orders').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    assert.deepEqual(sentToApp(), [])
    await replay.click()
    await dialog.getByRole('button', { name: 'Only the 1 that read' }).click()
    await untilSaid(page, /^Replayed 1 request$/)
    assert.deepEqual(sentToApp(), ['GET /orders/7'])
    await replay.click()
    await dialog.getByRole('button', { name: 'Send all 2' }).click()
    await untilSaid(page, /^Replayed 2 requests$/)
    assert.deepEqual(sentToApp(), ['GET /orders/7', 'GET /orders/7', 'POST /orders'])
  })

  it('asks for credentials once, uses the credentials of the tab, and names bodies that were not stored', async (t) => {
    const { page, app, fix } = await openApp(t, '#/problems')
    await post(`${app.url}/orders`, { item: 'x'.repeat(100_000), count: 3 })
    await fetch(`${app.url}/accounts`, { headers: { authorization: 'Bearer the-token' } })
    await untilStored(page, 2)
    await fix()
    const replay = page.getByRole('button', { name: 'Replay the 2 failing requests' })
    const dialog = page.getByRole('dialog')
    await replay.click()
    await dialog.getByRole('button', { name: 'Send all 2' }).click()
    await dialog.getByLabel('Authorization').fill('the-token')
    await dialog.getByRole('button', { name: 'Send', exact: true }).click()
    const rows = page.locator('.results tbody tr')
    const check = async () => {
      const texts = (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim())
      assert.match(texts[0] ?? '', /^POST \/orders 500 .*ms Its body was not kept whole$/)
      assert.match(texts[1] ?? '', /^GET \/accounts 500 .*ms 200 .*ms fixed Compare$/)
    }
    await eventually(check)
    await replay.click()
    await dialog.getByRole('button', { name: 'Send all 2' }).click()
    await untilSaid(page, /^Replayed 1 request$/)
    await eventually(check)
    await untilCount(dialog, 0)
  })

  it('removes earlier runs when the console is cleared', async (t) => {
    const { page, app, fix } = await openApp(t, '#/problems')
    await get(app, '/orders/7')
    await untilStored(page, 1)
    await fix()
    await untilStandings(page, { 'RangeError in OrderById.get': /^not requested since$/ })
    await page.keyboard.press('X')
    await untilStandings(page, {})
    await eventually(async () => assert.doesNotMatch((await readStored(page, 'runs')).join('\n'), /OrderById/))
    await page.reload()
    await untilLive(page)
    await untilStandings(page, {})
    await eventually(async () => assert.equal(await page.locator('.runs').isVisible(), false))
  })
})
