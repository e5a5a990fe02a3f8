/** The page while very much comes. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { Snapshot } from '#src/devconsole/wire/feed-types.js'
import { openConsole } from '../support/browser.js'
import { eventually, readRows } from '../support/page.js'
import { openShop, type Shop } from '../support/shop.js'
import { read } from '#test/console.js'

const SECONDS = 4
const EACH_SECOND = 500
const STEP_MS = 20

/** Sends requests in small steps at the wanted rate. Returns their number. */
async function flood(shop: Shop): Promise<number> {
  const begin = performance.now()
  const all = SECONDS * EACH_SECOND
  for (let count = 0; count < all;) {
    const due = Math.min(all, ((performance.now() - begin) / 1_000) * EACH_SECOND)
    const paths = Array.from({ length: Math.max(0, Math.ceil(due) - count) }, (_, index) => `/goods/${count + index}`)
    await Promise.all(paths.map((path) => shop.app.fetch(new Request(`${shop.url}${path}`))))
    count += paths.length
    await sleep(STEP_MS)
  }
  return all
}

/** Notes the time between frames, and the most rows that there were. */
function watch(page: Page): Promise<void> {
  return page.evaluate(() => {
    const seen = { frames: Array.from<number>([]), rows: 0 }
    Object.assign(globalThis, { seen })
    let last = performance.now()
    const look = () => {
      const now = performance.now()
      seen.frames.push(now - last)
      seen.rows = Math.max(seen.rows, document.querySelectorAll('tr.row').length)
      last = now
      requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })
}

describe('console page: 500 requests per second', () => {
  it('keeps the page responsive, with few rows', async (t) => {
    const shop = await openShop(t)
    const { page } = await openConsole(t, { app: shop })
    await watch(page)
    const count = await flood(shop)
    const { frames, rows }: { frames: number[]; rows: number } = await page.evaluate(() =>
      Reflect.get(globalThis, 'seen'),
    )
    const sorted = frames.toSorted((a, b) => a - b)
    const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]?.toFixed(0)
    t.diagnostic(
      `${frames.length} frames: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, worst ${at(1)} ms; ${rows} rows at most`,
    )
    assert.ok(rows > 10 && rows <= 200, `${rows} rows`)
    // The console counts all requests, although it does not store all of them.
    await eventually(async () => {
      assert.match(
        await page.getByRole('link', { name: /^Requests/ }).innerText(),
        new RegExp(`${count / 1_000}[,  ]?000`),
      )
    })
    const { buffer } = await read<Snapshot>(`${shop.url}/__dev__/api/snapshot`)
    assert.ok(buffer.skipped > 0 && buffer.skipped < count, `${buffer.skipped} skipped`)
    const skipped = buffer.skipped.toLocaleString('en-US')
    await page.getByText(`${skipped} more requests counted, but not stored`).waitFor()
    await readRows(page).first().click()
    await page.getByRole('tabpanel', { name: 'Overview' }).getByText('GoodById.get').waitFor()
    await page.keyboard.press('3')
    await page.getByRole('img', { name: /./ }).first().waitFor()
    await page.keyboard.press('1')
    await page.keyboard.press('Shift+X')
    await page.getByText('more requests counted').waitFor({ state: 'hidden' })
  })
})
