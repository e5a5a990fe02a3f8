import '#test/development.js'
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { openConsole } from '../support/browser.js'
import { openBrowserApp, send, type Visit } from '../support/app.js'
import { eventually } from '../support/page.js'

const AGGREGATE: Visit = ['GET', '/invoices/7']
const THROWN: Visit = ['POST', '/invoices/7', { body: { sum: 1 } }]
const INVALID: Visit = ['GET', '/users?limit=many']
const REPEATED: Visit = ['GET', '/orders']

const AGGREGATE_TITLE = 'AggregateError in Invoices.get'
const THROWN_TITLE = 'Error in Invoices.post'
const INVALID_TITLE = 'Clients send an invalid query.limit'
const REPEATED_TITLE = 'Looks like a repeated call: db.query'

interface Opened {
  readonly page: Page
  /** Sends requests, and waits for the last one's problem to be counted. */
  readonly send: (...visits: readonly Visit[]) => Promise<void>
}

async function openProblems(t: TestContext): Promise<Opened> {
  // Limits that no request exceeds, so that each request has one problem.
  const app = await openBrowserApp(t, { slow: 60_000, stall: 60_000 })
  const sendAll = async (...visits: readonly Visit[]) => {
    for (const visit of visits) await send(app.url, visit)
  }
  await sendAll(REPEATED, THROWN, INVALID, AGGREGATE)
  const { page } = await openConsole(t, { app, hash: '#/problems' })
  return { page, send: sendAll }
}

function readTitles(page: Page): Promise<string[]> {
  return page.locator('.pb h3').evaluateAll((titles) => titles.map((title) => (title.textContent ?? '').trim()))
}

function readCount(page: Page, title: string): Promise<string> {
  return page.locator('.pb', { hasText: title }).locator('.n b').innerText()
}

async function untilTitles(page: Page, titles: readonly string[]): Promise<void> {
  await eventually(async () => assert.deepEqual(await readTitles(page), titles))
}

describe('console page: problem of a young process', () => {
  it('has no space for the trend that it does not have', async (t) => {
    const { page } = await openProblems(t)
    for (const width of [1440, 768]) {
      await page.setViewportSize({ width, height: 900 })
      const text = await page.locator('.pb > div').first().boundingBox()
      const count = await page.locator('.pb .n').first().boundingBox()
      const space = (count?.x ?? 0) - (text?.x ?? 0) - (text?.width ?? 0)
      assert.ok(space >= 0 && space < 40, `${space} px at ${width} px`)
    }
  })
})

describe('console page: order of problems', () => {
  it('sorts by severity, then by the time of the last occurrence', async (t) => {
    const { page, send } = await openProblems(t)
    await untilTitles(page, [AGGREGATE_TITLE, THROWN_TITLE, INVALID_TITLE, REPEATED_TITLE])
    await send(INVALID, REPEATED, THROWN)
    await untilTitles(page, [THROWN_TITLE, AGGREGATE_TITLE, INVALID_TITLE, REPEATED_TITLE])
  })

  it('keeps the order while the pointer is over the list, and sorts as soon as it leaves', async (t) => {
    const { page, send } = await openProblems(t)
    const before = [AGGREGATE_TITLE, THROWN_TITLE, INVALID_TITLE, REPEATED_TITLE]
    await untilTitles(page, before)
    await page.locator('.pb').nth(2).hover()
    await send(THROWN, ['GET', '/mismatches'])
    await eventually(async () => assert.equal(await readCount(page, THROWN_TITLE), '2'))
    await eventually(async () => assert.equal((await readTitles(page)).length, 5))
    assert.deepEqual((await readTitles(page)).slice(0, 4), before)
    await page.mouse.move(4, 4)
    // Sooner than the next event of the app, which would also sort the list.
    await page.waitForTimeout(300)
    const titles = await readTitles(page)
    assert.deepEqual(titles.slice(1), [THROWN_TITLE, AGGREGATE_TITLE, INVALID_TITLE, REPEATED_TITLE])
  })

  it('keeps the order while the list has the focus', async (t) => {
    const { page, send } = await openProblems(t)
    await untilTitles(page, [AGGREGATE_TITLE, THROWN_TITLE, INVALID_TITLE, REPEATED_TITLE])
    await page.locator('.pb').nth(1).getByRole('link').focus()
    await send(THROWN)
    await eventually(async () => assert.equal(await readCount(page, THROWN_TITLE), '2'))
    assert.equal((await readTitles(page))[0], AGGREGATE_TITLE)
    await page.getByRole('button', { name: 'Pause' }).focus()
    await page.waitForTimeout(300)
    assert.equal((await readTitles(page))[0], THROWN_TITLE)
  })
})
