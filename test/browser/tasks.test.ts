/** Tasks of a developer: each takes at most three clicks. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { openConsole } from '#test/browser.js'
import { openClub, type Club } from '#test/browser-club.js'
import { untilPaths, readRows, untilSaid } from '#test/browser-page.js'
import { ask, openShop } from '#test/browser-shop.js'

const MAX_CLICKS = 3

/** Runs a task on an open page, and counts its clicks. */
async function inThreeClicks(page: Page, task: () => Promise<void>): Promise<void> {
  const clicks = await page.evaluateHandle(() => {
    const counted: string[] = []
    const count = (event: Event) =>
      event.isTrusted && counted.push(String(Reflect.get(event.target ?? {}, 'outerHTML')))
    addEventListener('pointerdown', count, { capture: true })
    return counted
  })
  await task()
  const counted = await clicks.jsonValue()
  assert.ok(counted.length > 0 && counted.length <= MAX_CLICKS, `${counted.length} clicks: ${counted.join('\n')}`)
}

async function openClubAt(t: TestContext, before?: (club: Club) => Promise<unknown>): Promise<Page> {
  const club = await openClub(t)
  await before?.(club)
  return (await openConsole(t, { app: club })).page
}

describe('console page: tasks in three clicks', () => {
  it('finds a request by its pasted id', async (t) => {
    const shop = await openShop(t)
    const failed = await fetch(`${shop.url}/broken`)
    await ask(shop, ['/goods', '/goods/7'])
    const { page } = await openConsole(t, { app: shop })
    await inThreeClicks(page, async () => {
      await page.getByRole('textbox', { name: 'Filter requests' }).click()
      await page.keyboard.insertText(failed.headers.get('x-request-id') ?? '')
      await untilPaths(page, ['/broken'])
      await readRows(page).first().click()
      await page.getByRole('region', { name: 'Request', exact: true }).getByText('The till is empty').first().waitFor()
    })
  })

  it('replays a request with a token', async (t) => {
    const page = await openClubAt(t, async ({ url }) => {
      const response = await fetch(`${url}/members`, { headers: { authorization: 'Bearer b-1' } })
      await response.arrayBuffer()
    })
    await inThreeClicks(page, async () => {
      await readRows(page).first().click()
      await page.getByRole('button', { name: 'Replay' }).click()
      await page.getByRole('dialog').waitFor()
      await page.keyboard.insertText('b-1')
      await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click()
      await untilSaid(page, /^Replayed: 200/)
    })
  })

  it('tries an endpoint with an API key', async (t) => {
    const page = await openClubAt(t)
    await inThreeClicks(page, async () => {
      await page
        .locator('.nav')
        .getByRole('link', { name: /^Routes/ })
        .click()
      await page.getByRole('link', { name: 'GET /by-header' }).click()
      await page.getByLabel('X-Club-Key', { exact: true }).click()
      await page.keyboard.insertText('h-1')
      await page.keyboard.press('Control+Enter')
      await page.getByRole('group', { name: 'Answer' }).getByText('200 OK').waitFor()
    })
  })
})
