/** Tasks of a developer: each takes at most three clicks and keys. Tests of queries and of runs contain the other two tasks. */
import { describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { openConsole } from '../support/browser.js'
import { openClub, type Club } from '../support/club.js'
import { inThreeSteps, readRows, untilFocus, untilPaths, untilSaid } from '../support/page.js'
import { ask, openShop } from '../support/shop.js'

async function openClubAt(t: TestContext, before?: (club: Club) => Promise<unknown>): Promise<Page> {
  const club = await openClub(t)
  await before?.(club)
  return (await openConsole(t, { app: club })).page
}

const clickJump = (page: Page) => page.getByRole('button', { name: 'Jump to' }).click()
const clickOption = (page: Page) => page.getByRole('option', { name: 'GET /by-header' }).click()
const clickSend = (page: Page) => page.getByRole('button', { name: 'Send', exact: true }).click()
const pressKeys = (keys: string) => (page: Page) => page.keyboard.press(keys)

describe('console page: tasks in three steps', () => {
  it('finds a request by its pasted id', async (t) => {
    const shop = await openShop(t)
    const failed = await fetch(`${shop.url}/broken`)
    await ask(shop, ['/goods', '/goods/7'])
    const { page } = await openConsole(t, { app: shop })
    await inThreeSteps(page, async () => {
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
    await inThreeSteps(page, async () => {
      await readRows(page).first().click()
      await page.getByRole('button', { name: 'Replay' }).click()
      await page.getByRole('dialog').waitFor()
      await page.keyboard.insertText('b-1')
      await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click()
      await untilSaid(page, /^Replayed: 200/)
    })
  })

  for (const [by, open, choose, send] of [
    ['mouse', clickJump, clickOption, clickSend],
    ['keyboard', pressKeys('Control+k'), pressKeys('Enter'), pressKeys('Control+Enter')],
  ] as const) {
    it(`tries an endpoint with an API key, by ${by}`, async (t) => {
      const page = await openClubAt(t)
      await inThreeSteps(page, async () => {
        await open(page)
        await page.keyboard.insertText('by-header')
        await page.getByRole('option', { name: 'GET /by-header' }).waitFor()
        await choose(page)
        await untilFocus(page, /^textbox "X-Club-Key/)
        await page.keyboard.insertText('h-1')
        await send(page)
        await page.getByRole('group', { name: 'Answer' }).getByText('200 OK').waitFor()
      })
    })
  }
})
