import '#test/development.js'
import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { openConsole } from '../support/browser.js'
import { openBrowserApp, send, type BrowserApp } from '../support/app.js'
import { eventually } from '../support/page.js'

/** A search for the Hebrew word for peace. Without isolation it would move the digits after it. */
const TERM = 'שלום'

let app: BrowserApp

before(async () => {
  app = await openBrowserApp()
  await send(app.url, ['GET', '/orders'])
  await send(app.url, ['GET', `/users?term=${encodeURIComponent(TERM)}&limit=5`])
})
after(() => app.close())

async function openLogs(t: TestContext, hash = '#/logs'): Promise<Page> {
  const { page } = await openConsole(t, { app, hash })
  await page.locator('.lg li').first().waitFor()
  return page
}

async function checkFields(line: Locator): Promise<void> {
  const fields = line.locator('.f bdi')
  assert.deepEqual(await fields.allInnerTexts(), [`term=${TERM}`, 'limit=5'])
  assert.equal(await line.locator('.f').innerText(), `term=${TERM} limit=5`)
  const [term, limit] = await Promise.all((await fields.all()).map((field) => field.boundingBox()))
  assert.ok(term && limit && term.x + term.width <= limit.x, `${term?.x} ${term?.width} ${limit?.x}`)
}

describe('console page: log lines', () => {
  it('isolates each field, so that text from right to left moves no other', async (t) => {
    const page = await openLogs(t)
    await eventually(() => checkFields(page.locator('.lg li', { hasText: 'searching users' })))
    await page.locator('.lg li', { hasText: 'searching users' }).getByRole('link').click()
    await page.locator('#panel[aria-labelledby="tab-logs"]').waitFor()
    await eventually(() => checkFields(page.locator('#panel .lg li', { hasText: 'searching users' })))
  })

  it('shows a chosen level and all above it', async (t) => {
    const page = await openLogs(t)
    const levels = async () => new Set(await page.locator('.lg .lv').allInnerTexts())
    for (const [name, expected] of [
      ['error and up', ['error']],
      ['warn and up', ['error', 'warn']],
      ['info and up', ['error', 'info', 'warn']],
      ['debug and up', ['debug', 'error', 'info', 'warn']],
    ] as const) {
      await page.getByRole('group', { name: 'Level' }).getByRole('button', { name, exact: true }).click()
      await eventually(async () => assert.deepEqual([...(await levels())].toSorted(), expected, name))
    }
  })

  it('lists lines by the time that they show, newest first', async (t) => {
    const page = await openLogs(t)
    const times = await page.locator('.lg time').allInnerTexts()
    assert.ok(times.length > 5)
    assert.deepEqual(times, times.toSorted().toReversed())
  })
})
