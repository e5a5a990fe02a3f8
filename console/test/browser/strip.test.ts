import '#test/development.js'
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { openConsole } from '../support/browser.js'
import { openBrowserApp } from '../support/app.js'
import { untilDrawn, WIDTHS } from '../support/checks.js'
import { eventually } from '../support/page.js'

/** Pairs of labels, and of a label and a mark, whose boxes overlap. */
function findOverlaps(page: Page): Promise<string[]> {
  return page.locator('.strip svg').evaluate((svg) => {
    const labels = [...svg.querySelectorAll('text')]
    const marks = [...svg.querySelectorAll('.mark, circle:not(.mark)')]
    const touch = (a: Element, b: Element) => {
      const [one, two] = [a.getBoundingClientRect(), b.getBoundingClientRect()]
      return one.left < two.right && two.left < one.right && one.top < two.bottom && two.top < one.bottom
    }
    const found = labels.flatMap((label, index) =>
      [...labels.slice(index + 1), ...marks]
        .filter((other) => touch(label, other))
        .map((other) => `${label.textContent} and ${other.textContent}`),
    )
    const { left, right } = svg.getBoundingClientRect()
    const cut = labels.filter((label) => {
      const box = label.getBoundingClientRect()
      return box.left < left || box.right > right
    })
    return [...found, ...cut.map((label) => `${label.textContent} is cut`)]
  })
}

describe('console page: strip', () => {
  it('draws no label over another or over a mark', async (t) => {
    const app = await openBrowserApp(t)
    await app.visit()
    const { page } = await openConsole(t, { app })
    await eventually(async () => assert.ok((await page.locator('.strip .mark').count()) > 20))
    await page.locator('tr.row').first().click()
    for (const width of WIDTHS.filter((each) => each >= 1_024)) await check(page, width)
    await page.keyboard.press('Escape')
    for (const width of WIDTHS) await check(page, width)
  })
})

async function check(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 900 })
  await untilDrawn(page)
  assert.notEqual(await page.locator('.strip text').count(), 0)
  assert.deepEqual(await findOverlaps(page), [], String(width))
}
