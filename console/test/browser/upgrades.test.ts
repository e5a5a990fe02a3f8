/** The chat of the examples in Chromium: a page of the app talks with its cookie, pages of other origins are refused. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { createApp, reply, Route, type App } from 'verbena'
import { onCleanup } from '#test/cleanup.js'
import { openBrowser } from '../support/browser.js'
import { chatApp } from '../../../examples/chat/app.js'
import { eventually } from '../support/page.js'

class Elsewhere extends Route {
  get() {
    return reply(200, '<!doctype html><title>elsewhere</title>', { 'content-type': 'text/html' })
  }
}

async function listening(t: TestContext, app: App): Promise<number> {
  const { port } = await app.listen()
  onCleanup(t, () => app.close())
  return port
}

/** Connects from a page. Returns the first message, or the code with which the connection was closed. */
function connect(page: Page, url: string): Promise<string> {
  return page.evaluate(
    (to) =>
      new Promise<string>((resolve) => {
        const talk = new WebSocket(to)
        talk.addEventListener('message', ({ data }) => resolve(String(data)))
        talk.addEventListener('close', ({ code }) => resolve(String(code)))
      }),
    url,
  )
}

/** Says who one is, and waits for the room to say so. */
async function enter(page: Page): Promise<void> {
  await page.getByLabel('Your name').fill('Ada')
  await page.getByRole('button', { name: 'Enter' }).click()
  await page.locator('li').first().waitFor()
}

/** Browser error for a rejected handshake. */
const REFUSED = [/WebSocket connection to .* failed: .* 403/]

describe('chat example in Chromium', () => {
  it('accepts a page of the same origin, with the name in its session', async (t) => {
    const port = await listening(t, chatApp({ logger: false, signals: false }))
    const origin = `http://localhost:${port}`
    const { context } = await openBrowser(t, origin)
    const page = await context.newPage()
    await page.goto(`${origin}/`)
    const items = page.locator('li')
    await enter(page)
    await page.getByLabel('Message', { exact: true }).fill('hello')
    await page.getByRole('button', { name: 'Send' }).click()
    await items.nth(1).waitFor()
    await eventually(async () => assert.deepEqual(await items.allTextContents(), ['ada is here', 'hello']))
    const room = await page.evaluate(async () => (await fetch('/rooms/blue')).json())
    assert.deepEqual(room, { guests: 1 })
  })

  it('rejects pages of other origins, including one whose requests include the cookie', async (t) => {
    const port = await listening(t, chatApp({ logger: false, signals: false }))
    const other = await listening(t, createApp({ routes: { Elsewhere }, logger: false, signals: false }))
    const { context } = await openBrowser(t, '', { allows: REFUSED })
    const page = await context.newPage()
    const chat = `ws://localhost:${port}/rooms/blue`
    await page.goto(`http://localhost:${port}/`)
    await enter(page)
    assert.match(await connect(page, chat), /ada is here/)
    // Another port is another origin of the same site: the browser sends the cookie, as it does between sub-domains.
    for (const origin of [`http://localhost:${other}`, `http://evil.rebound.test:${other}`]) {
      await page.goto(`${origin}/elsewhere`)
      assert.equal(await connect(page, chat), '1006', origin)
    }
  })
})
