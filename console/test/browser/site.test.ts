/** The site of the documentation: search, menu, both themes, and narrow windows. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { before, describe, it, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { createApp } from 'verbena'
import { files } from 'verbena/files'
import { openBrowser, type BrowserOptions } from '../support/browser.js'
import { untilDrawn, violations } from '../support/checks.js'
import { onCleanup } from '#test/cleanup.js'
import { createDirectory } from '#test/temp-directory.js'
import { eventually } from '../support/page.js'

const PAGES = [
  'index.html',
  'guides/sessions.html',
  'interfaces/verbena.AppOptions.html',
  'functions/verbena.createApp.html',
  'modules/verbena.html',
]

/** Colors depend on the theme. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']

/** The menus of typedoc have links in their summaries. */
const OF_TYPEDOC = /^nested-interactive at /

describe('site of the documentation', () => {
  /** `SITE` is the folder of a built site. */
  const folder = process.env['SITE'] ?? createDirectory({})

  before(async () => {
    if (process.env['SITE'] !== undefined) return
    await promisify(execFile)(process.execPath, ['node_modules/typedoc/bin/typedoc', '--out', folder])
  })

  for (const [word, title] of [
    ['upload', 'Uploads'],
    ['websocket', 'Upgrades'],
    ['transaction', 'SQLite'],
    ['limits.body', 'Options'],
  ] as const) {
    it(`finds the page for ${word}`, async (t) => {
      const page = await openSite(t, folder)
      await page.keyboard.press('/')
      await page.locator('#tsd-search-input').fill(word)
      await page.locator('#tsd-search-results').getByText(title, { exact: true }).click()
      assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), title)
    })
  }

  it('has a menu with the sections of docs/README.md, in their order', async (t) => {
    const page = await openSite(t, folder)
    const headings = [...readFileSync('docs/README.md', 'utf8').matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
    const menu = page.locator('#tsd-nav-container > li > details > summary')
    const titles = await menu.allInnerTexts()
    assert.deepEqual(
      titles.filter((title) => headings.includes(title)),
      headings,
    )
  })

  it('shows inferred types last and collapsed', async (t) => {
    const page = await openSite(t, folder, 'modules/verbena.html')
    const last = page.locator('.tsd-member-group').last()
    await eventually(async () => assert.match(await last.innerText(), /^Inferred types$/))
    assert.equal(await last.evaluate((element) => element.hasAttribute('open')), false)
  })

  it('lists all options of createApp in a table, with links to guides', async (t) => {
    const page = await openSite(t, folder, 'interfaces/verbena.AppOptions.html')
    const names = await page.locator('.options td:first-child').allInnerTexts()
    for (const name of ['routes', 'services', 'errorFormat', 'limits.body']) assert.ok(names.includes(name), name)
    await page.locator('.options a').first().click()
    await eventually(async () => assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Routes'))
  })

  for (const theme of ['light', 'dark'] as const) {
    for (const width of [1440, 390]) {
      it(`is accessible and fits the window, ${theme}, ${width} px`, async (t) => {
        const page = await openSite(t, folder, PAGES[0], { theme, width })
        const { origin } = new URL(page.url())
        const found: string[] = []
        for (const path of PAGES) {
          await page.goto(`${origin}/${path}`)
          await untilDrawn(page)
          const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
          if (overflow !== 0) found.push(`${path} is ${String(overflow)} px too wide`)
          const all = await violations(page, theme === 'light' ? undefined : COLOR_RULES)
          found.push(...all.filter((each) => !OF_TYPEDOC.test(each)).map((each) => `${path}: ${each}`))
        }
        assert.deepEqual(found, [])
      })
    }
  }
})

/** A test can end while the browser loads the icon. */
const ABORTED_ICON = /favicon\.svg net::ERR_ABORTED/

async function openSite(
  t: TestContext,
  folder: string,
  path = 'index.html',
  options: BrowserOptions = {},
): Promise<Page> {
  const app = createApp({ routes: { '/': files(folder) }, logger: false, signals: false, devConsole: false })
  const { url } = await app.listen()
  onCleanup(t, () => app.close())
  const { context } = await openBrowser(t, url, { ...options, allows: [ABORTED_ICON] })
  const page = await context.newPage()
  await page.goto(`${url}/${path}`)
  await page.locator('#tsd-nav-container details').first().waitFor({ state: 'attached' })
  return page
}
