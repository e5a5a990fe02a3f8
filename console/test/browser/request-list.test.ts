import '#test/development.js'
import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { openConsole } from '../support/browser.js'
import { openBrowserApp, send, type BrowserApp } from '../support/app.js'
import { eventually, readPaths, untilPaths } from '../support/page.js'

/** Starts a request that ends after two later ones. */
async function sendOverlapping(t: TestContext): Promise<BrowserApp> {
  const app = await openBrowserApp(t)
  const held = send(app.url, ['GET', '/held'])
  while (app.db.holding() === 0) await wait(5)
  await wait(20)
  await send(app.url, ['GET', '/users/1'])
  await wait(20)
  await send(app.url, ['GET', '/big/30000'])
  app.db.release()
  await held
  return app
}

/** In the order of their starts, newest first. They end in another order. */
const NEWEST_FIRST = ['/big/30000', '/users/1', '/held']

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, B: 1, kB: 1_000, MB: 1e6 }

/** Reads a column as numbers: `1.93 ms`, `325 B`, `07:49:18.348` or `200`. */
async function readColumn(page: Page, className: string): Promise<number[]> {
  const texts = await page.locator(`tr.row td.${className}`).allInnerTexts()
  return texts.map((text) => {
    if (text.includes(':')) return Number(text.replaceAll(':', ''))
    const [number = '', unit = ''] = text.trim().split(/\s+/)
    return Number(number) * (UNITS[unit] ?? 1)
  })
}

describe('console page: columns of the list', () => {
  for (const [column, className] of [
    ['Status', 'k-st'],
    ['Duration', 'k-d'],
    ['Size', 'k-sz'],
    ['Time', 'k-w'],
  ] as const) {
    it(`sorts ${column} by the value that it shows`, async (t) => {
      const app = await sendOverlapping(t)
      await send(app.url, ['GET', '/users/404'])
      const { page } = await openConsole(t, { app })
      await untilPaths(page, ['/users/404', ...NEWEST_FIRST])
      const head = page.getByRole('columnheader', { name: new RegExp(`^${column}`) })
      for (const direction of ['descending', 'ascending']) {
        await head.getByRole('button').click()
        await eventually(async () => assert.equal(await head.getAttribute('aria-sort'), direction))
        const shown = await readColumn(page, className)
        const sign = direction === 'ascending' ? 1 : -1
        assert.equal(shown.length, 4)
        assert.ok(shown.every(Number.isFinite), String(shown))
        assert.deepEqual(
          shown,
          shown.toSorted((a, b) => sign * (a - b)),
        )
      }
    })
  }
})

describe('console page: order of the list', () => {
  it('follows the starts, which the column Time shows, with and without scripts', async (t) => {
    const app = await sendOverlapping(t)
    const { page } = await openConsole(t, { app })
    await untilPaths(page, NEWEST_FIRST)
    const times = await readColumn(page, 'k-w')
    assert.deepEqual(
      times,
      times.toSorted((a, b) => b - a),
    )
    const plain = await openConsole(t, { app, path: '/__dev__/requests', javaScript: false })
    await eventually(async () =>
      assert.deepEqual(await plain.page.locator('td:nth-child(3)').allInnerTexts(), NEWEST_FIRST),
    )
    const shown = await plain.page.locator('td:nth-child(6)').allInnerTexts()
    assert.deepEqual(shown, shown.toSorted().toReversed())
    assert.equal((await readPaths(page)).length, shown.length)
  })
})
