/** The sign-in page of a guarded console: link, field, blocked cookies, and the part of the address that remains. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { chromium, type Page } from 'playwright-core'
import type { App } from 'verbena'
import { openBrowser, untilLive } from '../support/browser.js'
import { ask, openShop } from '../support/shop.js'
import { onCleanup } from '#test/cleanup.js'
import { createDirectory } from '#test/temp-directory.js'

/** Contains characters that are escaped in a link. */
const TOKEN = 'a token & 100 % of these tests'
const ALLOWS = [/status of (?:40[13]|429)/, /ERR_(?:ABORTED|CONNECTION)/]
const MUST_WAIT_MS = 1_100

interface SignInPage {
  readonly page: Page
  readonly app: App
  readonly url: string
  readonly link: string
}

async function openAt(t: TestContext, hash: string): Promise<SignInPage> {
  const { app, url } = await openShop(t, { devConsole: { token: TOKEN } })
  await ask({ url }, ['/broken'])
  const { context } = await openBrowser(t, url, { allows: ALLOWS })
  const page = await context.newPage()
  await page.goto(`${url}/__dev__${hash}`)
  return { page, app, url, link: `${url}/__dev__#token=${encodeURIComponent(TOKEN)}` }
}

async function enter(page: Page, text: string): Promise<void> {
  await page.getByLabel('Token or link').fill(text)
  await page.keyboard.press('Enter')
}

describe('console sign-in page', () => {
  it('focuses the field, and accepts the token without a mouse', async (t) => {
    const { page } = await openAt(t, '')
    await page.getByLabel('Token or link').waitFor()
    await page.keyboard.type(TOKEN)
    await page.keyboard.press('Enter')
    await untilLive(page)
  })

  it('accepts a link in the field, and keeps the deep link', async (t) => {
    const { page, link } = await openAt(t, '#/requests?q=status%3A5xx')
    await enter(page, ` ${link} `)
    await untilLive(page)
    assert.equal(new URL(page.url()).hash, '#/requests?q=status%3A5xx')
  })

  it('keeps the deep link if the printed link is opened in the same tab', async (t) => {
    const { page, link } = await openAt(t, '#/health')
    await page.getByLabel('Token or link').waitFor()
    await page.goto(link)
    await untilLive(page)
    assert.equal(new URL(page.url()).hash, '#/health')
  })

  it('keeps the page without JavaScript that was requested', async (t) => {
    const { page, url } = await openAt(t, '')
    await page.goto(`${url}/__dev__/requests`)
    await enter(page, TOKEN)
    await page.getByRole('heading', { name: 'Requests of shop' }).waitFor()
    assert.equal(page.url(), `${url}/__dev__/requests`)
  })

  it('reports wrong tokens and too many attempts, and selects the text', async (t) => {
    const { page } = await openAt(t, '#token=100%')
    await page.getByRole('status').getByText('This token does not open the console').waitFor()
    await enter(page, 'wrong')
    await page.getByRole('status').getByText('Wait a second').waitFor()
    await page.waitForTimeout(MUST_WAIT_MS)
    await page.keyboard.type(TOKEN)
    await page.keyboard.press('Enter')
    await untilLive(page)
  })

  it('reports an app that does not respond', async (t) => {
    const { page, app } = await openAt(t, '')
    await page.getByLabel('Token or link').waitFor()
    await app.close()
    await enter(page, TOKEN)
    await page.getByText('The app does not respond').waitFor()
  })

  it('reports that the browser blocks cookies', async (t) => {
    const { url } = await openShop(t, { devConsole: { token: TOKEN } })
    const page = await openWithoutCookies(t)
    await page.goto(`${url}/__dev__`)
    await enter(page, TOKEN)
    await page.getByText('The token is correct, but the browser blocks cookies of this site').waitFor()
  })
})

/** Opens a browser whose profile blocks cookies of all sites: value 2 of `default_content_setting_values`. */
async function openWithoutCookies(t: TestContext): Promise<Page> {
  const preferences = { profile: { default_content_setting_values: { cookies: 2 } } }
  const profile = createDirectory({ 'Default/Preferences': JSON.stringify(preferences) })
  const executablePath = process.env['CHROMIUM_BIN'] ?? '/usr/bin/chromium'
  const context = await chromium.launchPersistentContext(profile, { executablePath, args: ['--no-sandbox'] })
  onCleanup(t, () => context.close())
  return context.newPage()
}
