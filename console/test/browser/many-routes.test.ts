/** The routes of the console with 10,000 endpoints: only rows in view exist, and a keystroke is drawn within 100 ms. */
import '#test/development.js'
import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { createApp, Route } from 'verbena'
import { openConsole, type BrowserOptions } from '../support/browser.js'
import { untilDrawn, violations } from '../support/checks.js'
import { eventually, untilFocus, untilHash } from '../support/page.js'

const CLASSES = 5_000
const ENDPOINTS = 2 * CLASSES
/** Rows that fit into a window of 900 px, and the spare rows on both sides. */
const MAX_ROWS = 60
const MAX_MS = 100
const ROUNDS = 5

/** Classes `Part1` to `Part5000` with two endpoints each: `/part1`, `/part2` and so on. */
function makeApp() {
  const names = Array.from({ length: CLASSES }, (_, index) => `Part${index + 1}`)
  const routes = Object.fromEntries(
    names.map((name) => {
      const classes = {
        [name]: class extends Route {
          get() {
            return name
          }
          post() {
            return name
          }
        },
      }
      return [name, classes[name] ?? assert.fail()]
    }),
  )
  return createApp({ routes, logger: false, signals: false, devConsole: true })
}

let app = makeApp()
let url = ''

before(async () => {
  url = (await app.listen()).url
})
after(() => app.close())

async function openRoutes(t: TestContext, hash: string, options: BrowserOptions = {}): Promise<Page> {
  const allows = [/ERR_(?:CONNECTION|INCOMPLETE|EMPTY|SOCKET)/]
  const { page } = await openConsole(t, { app: { url }, hash, allows, ...options })
  await page.locator('.tree').getByRole('listitem').first().waitFor({ state: 'attached' })
  return page
}

const rowsOf = (page: Page) => page.getByRole('navigation', { name: 'Routes' }).getByRole('listitem')
const linkTo = (page: Page, path: string) => page.locator(`.tree a[href*="${path}"]`)
const scrollTop = (page: Page): Promise<number> => page.evaluate(() => document.querySelector('.tree')?.scrollTop ?? -1)

/** Whether the link to an endpoint is inside the visible part of the list. */
function isInView(page: Page, id: string): Promise<boolean> {
  return page.evaluate((id) => {
    const link = document.querySelector(`.tree a[href*="${id}"]`)?.getBoundingClientRect()
    const tree = document.querySelector('.tree')?.getBoundingClientRect()
    return link !== undefined && tree !== undefined && link.top >= tree.top && link.bottom <= tree.bottom
  }, id)
}

/** Measures each input from its key event to the end of the frame that shows its result, in ms. */
async function measureInputs(page: Page): Promise<void> {
  await page.evaluate(() => {
    const times: number[] = []
    Object.assign(globalThis, { times })
    const measure = ({ timeStamp }: Event): void => {
      // A task that is queued in a frame runs after its layout and paint.
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel()
        port1.addEventListener('message', () => times.push(performance.now() - timeStamp), { once: true })
        port1.start()
        port2.postMessage(null)
      })
    }
    addEventListener('input', measure, { capture: true })
  })
}

/** Types a word, and returns the time in ms of its slowest key. */
async function typeWord(page: Page, word: string): Promise<number> {
  await page.evaluate(() => Reflect.get(globalThis, 'times').splice(0))
  await page.keyboard.type(word, { delay: 20 })
  return eventually(async () => {
    const times = await page.evaluate((): number[] => Reflect.get(globalThis, 'times'))
    assert.equal(times.length, word.length)
    return Math.max(...times)
  })
}

describe('console routes: 10,000 endpoints', () => {
  it('draws each keystroke within 100 ms, and creates only rows in view', async (t) => {
    const page = await openRoutes(t, '#/routes')
    const field = page.getByRole('textbox', { name: 'Filter routes' })
    await measureInputs(page)
    let best = Infinity
    for (let round = 0; round < ROUNDS; round++) {
      await field.fill('')
      await untilDrawn(page)
      // The first letters match all endpoints, which is the most work.
      best = Math.min(best, await typeWord(page, '/part49'))
      assert.ok((await rowsOf(page).count()) < MAX_ROWS)
    }
    t.diagnostic(`longest keystroke of the best round: ${best.toFixed(1)} ms`)
    assert.ok(best < MAX_MS, `${best} ms`)
    await eventually(async () =>
      assert.equal(await rowsOf(page).first().getAttribute('aria-setsize'), String(2 * (1 + 10 + 100))),
    )
  })

  it('reports the position of each endpoint in the list to screen readers', async (t) => {
    const page = await openRoutes(t, '#/routes/Part2500.post')
    const row = rowsOf(page).filter({ has: page.locator(`[href*="Part2500.post"]`) })
    await eventually(async () => assert.equal(await row.getAttribute('aria-posinset'), '5000'))
    await eventually(async () => assert.equal(await row.getAttribute('aria-setsize'), String(ENDPOINTS)))
    assert.deepEqual(await violations(page), [])
  })

  it('scrolls to the endpoint of a deep link', async (t) => {
    const page = await openRoutes(t, '#/routes/Part4321.get')
    const link = linkTo(page, 'Part4321.get')
    await eventually(async () => assert.ok(await isInView(page, 'Part4321.get')))
    await eventually(async () => assert.equal(await link.getAttribute('aria-current'), 'true'))
    await page.getByRole('heading', { name: 'GET /part4321' }).waitFor()
    assert.ok((await rowsOf(page).count()) < MAX_ROWS)
  })

  it('reaches the last endpoint by scrolling, with the whole height from the start', async (t) => {
    const page = await openRoutes(t, '#/routes')
    const height = await page.evaluate(() => document.querySelector('.tree')?.scrollHeight ?? 0)
    await page.evaluate(() => document.querySelector('.tree')?.scrollTo(0, 1e9))
    await eventually(async () => assert.ok(await isInView(page, `Part${CLASSES}.post`)))
    assert.equal(await page.evaluate(() => document.querySelector('.tree')?.scrollHeight ?? 0), height)
  })

  it('keeps its scroll position when an endpoint is selected, and after a restart', async (t) => {
    const page = await openRoutes(t, '#/routes')
    await page.evaluate(() => document.querySelector('.tree')?.scrollTo(0, 123_456))
    await eventually(async () => assert.ok((await rowsOf(page).first().getAttribute('aria-posinset')) !== '1'))
    await page.locator('.tree a').nth(20).click()
    await page.locator('.tree a[aria-current]').waitFor()
    assert.equal(await scrollTop(page), 123_456)
    const reads = page.waitForResponse('**/__dev__/api/routes')
    await app.close()
    app = makeApp()
    await app.listen({ port: Number(new URL(url).port) })
    await (await reads).finished()
    await page.locator('.tree a[aria-current]').waitFor()
    assert.equal(await scrollTop(page), 123_456)
  })

  it('follows the keys for the next and the previous endpoint', async (t) => {
    const page = await openRoutes(t, '#/routes/Part4000.get')
    await eventually(async () => assert.ok(await isInView(page, 'Part4000.get')))
    await linkTo(page, 'Part4000.get').focus()
    for (let count = 0; count < 30; count++) await page.keyboard.press('j')
    await untilHash(page, /Part4015\.get$/)
    assert.ok(await isInView(page, 'Part4015.get'))
    await untilFocus(page, /\/part4015/)
    for (let count = 0; count < 60; count++) await page.keyboard.press('k')
    await untilHash(page, /Part3985\.get$/)
    assert.ok(await isInView(page, 'Part3985.get'))
  })

  it('steps through the endpoints that match the filter only', async (t) => {
    const page = await openRoutes(t, '#/routes/Part1.get?q=part77')
    await page.keyboard.press('j')
    await untilHash(page, /Part77\.get\?q=part77$/)
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await untilHash(page, /Part770\.get\?q=part77$/)
  })

  it('keeps the focus in the list if its row is scrolled out of view', async (t) => {
    const page = await openRoutes(t, '#/routes')
    await page.locator('.tree a').first().focus()
    for (let count = 0; count < 10; count++) await page.keyboard.press('PageDown')
    await eventually(async () => assert.ok((await scrollTop(page)) > 3_000))
    assert.ok(await page.evaluate(() => document.activeElement?.closest('.tree') !== null))
  })

  it('moves by Tab beyond the rows in view', async (t) => {
    const page = await openRoutes(t, '#/routes')
    await page.locator('.tree a').first().focus()
    for (let count = 0; count < 70; count++) await page.keyboard.press('Tab')
    await untilFocus(page, /\/part36/)
  })

  it('restores the scroll position after an endpoint in a narrow window', async (t) => {
    const page = await openRoutes(t, '#/routes', { width: 420 })
    await page.evaluate(() => document.querySelector('.tree')?.scrollTo(0, 50_000))
    await eventually(async () => assert.ok((await rowsOf(page).first().getAttribute('aria-posinset')) !== '1'))
    await page.locator('.tree a').nth(20).click()
    await page.getByRole('link', { name: 'All routes' }).click()
    await eventually(async () => assert.equal(await scrollTop(page), 50_000))
    assert.ok((await page.locator('.tree a').count()) > 20)
  })
})
