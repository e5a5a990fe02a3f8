import '#test/development.js'
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { openConsole } from '../support/browser.js'
import { openBrowserApp, type BrowserApp } from '../support/app.js'
import { faultsOfLayout, stickingOut, untilDrawn, violations } from '../support/checks.js'

const TOKEN = 'a-token-of-these-tests'
const HASHES = ['#/requests', '#/routes/Users.post', '#/performance', '#/logs', '#/problems', '#/health']
/** A sheet of A4. */
const SHEET = { width: 794, height: 1123 }

let app: BrowserApp
let failed: string

before(async () => {
  app = await openBrowserApp()
  await app.visit()
  const { requests } = await app.snapshot()
  failed = requests.find((summary) => summary['error.type'] === 'Error')?.id ?? ''
})
after(() => app.close())

describe('console layout: page without scripts', () => {
  const ROWS = [
    ['the list', () => '/__dev__/requests', '/mismatches'],
    ['a request', () => `/__dev__/requests/${failed}`, 'could be written'],
  ] as const
  for (const [name, path, text] of ROWS) {
    it(`fits every width and theme: ${name}`, async (t) => {
      const { page } = await openConsole(t, { app, path: path() })
      await page.getByText(text).first().waitFor()
      assert.deepEqual(await faultsOfLayout(page), [])
    })
  }

  it('fits every width and theme: a request that is no longer stored', async (t) => {
    const { page } = await openConsole(t, { app, path: '/__dev__/requests/r_gone', allows: [/status of 404/] })
    await page.getByText('All requests').waitFor()
    assert.deepEqual(await faultsOfLayout(page), [])
  })
})

describe('console layout: sign-in page', () => {
  it('fits every width and theme', async (t) => {
    const guarded = await openBrowserApp(t, { token: TOKEN })
    const { page } = await openConsole(t, { app: guarded, live: false, allows: [/status of 401/] })
    await page.getByText('needs a token').waitFor()
    assert.deepEqual(await faultsOfLayout(page), [])
  })
})

describe('console layout: zoom', () => {
  const ZOOMED = [
    ['200', { width: 640, height: 512 }],
    ['400', { width: 320, height: 256 }],
  ] as const
  for (const [percent, size] of ZOOMED) {
    it(`is readable and reachable at ${percent} % zoom of a window of 1280 x 1024 px`, async (t) => {
      const { page } = await openConsole(t, { app, ...size, context: { deviceScaleFactor: 2 } })
      for (const hash of [...HASHES, `#/requests/${failed}?tab=error`]) {
        await show(page, hash)
        assert.deepEqual(await stickingOut(page), [], hash)
        assert.deepEqual(await hiddenBelow(page), [], hash)
      }
    })
  }
})

describe('console layout: user preferences', () => {
  it('has no animations with reduced motion', async (t) => {
    const animations = (page: Page) => page.evaluate(() => document.getAnimations().length)
    const { page: still } = await openConsole(t, { app, reducedMotion: true })
    assert.equal(await animations(still), 0)
    const { page: moving } = await openConsole(t, { app })
    assert.notEqual(await animations(moving), 0)
  })

  it('shows the selection and the focus in forced colors', async (t) => {
    const { page } = await openConsole(t, { app, forcedColors: true, hash: '#/requests' })
    const chosen = page.locator('.nav a[aria-current="page"]')
    assert.notEqual(await chosen.evaluate((element) => getComputedStyle(element).outlineStyle), 'none')
    for (let step = 0; step < 20; step++) {
      await page.keyboard.press('Tab')
      assert.deepEqual(await focused(page), 'seen', `step ${step}`)
    }
    for (const hash of HASHES) {
      await show(page, hash)
      assert.deepEqual([...(await stickingOut(page)), ...(await violations(page))], [], hash)
    }
  })

  it('prints the whole view without buttons', async (t) => {
    const { page } = await openConsole(t, { app, ...SHEET })
    await page.emulateMedia({ media: 'print' })
    for (const hash of [...HASHES, `#/requests/${failed}?tab=error`]) {
      await show(page, hash)
      assert.deepEqual([...(await stickingOut(page)), ...(await cutOff(page))], [], hash)
      assert.deepEqual(await page.getByRole('button', { name: /Pause|Theme|Replay|HAR/ }).all(), [], hash)
      assert.ok(((await page.locator('main').boundingBox())?.x ?? 1) < 1, hash)
    }
    const pdf = await page.pdf({ format: 'A4' })
    assert.equal(pdf.subarray(0, 5).toString(), '%PDF-')
  })
})

async function show(page: Page, hash: string): Promise<void> {
  await page.evaluate((to) => (location.hash = to), hash)
  await page.waitForLoadState('networkidle').catch(() => {})
  await untilDrawn(page)
}

/** Whether the focused element is in the window and has an outline. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement
    if (element === null || element === document.body) return 'nothing'
    const { outlineStyle, outlineWidth } = getComputedStyle(element)
    const box = element.getBoundingClientRect()
    const isIn = box.bottom > 0 && box.top < innerHeight
    return isIn && outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1
      ? 'seen'
      : element.outerHTML.slice(0, 200)
  })
}

/** Returns controls that are below the window, or outside the scrolled area, even after scrolling to them. */
function hiddenBelow(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const main = document.querySelector('main')
    const found: string[] = []
    for (const element of document.querySelectorAll('main a, main button, main input, main h2')) {
      if (!element.checkVisibility({ visibilityProperty: true })) continue
      element.scrollIntoView({ block: 'nearest' })
      const box = element.getBoundingClientRect()
      const edge = main?.getBoundingClientRect() ?? box
      if (box.bottom > innerHeight + 1 || box.bottom > edge.bottom + 1 || box.top < edge.top - 1) {
        found.push(`${element.outerHTML.slice(0, 80)} ${box.top} ${box.bottom} in ${edge.top} ${edge.bottom}`)
      }
    }
    return found.slice(0, 5)
  })
}

/** Returns elements that hide a part of their content. */
function cutOff(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    Array.from(document.body.querySelectorAll('*'))
      .filter((element) => {
        const { overflowY } = getComputedStyle(element)
        const isCut = overflowY !== 'visible' && element.scrollHeight > element.clientHeight + 2
        return isCut && element.clientHeight > 1 && element.checkVisibility() && element.closest('svg, .vh') === null
      })
      .map((element) => `${element.tagName} ${element.className}: ${element.scrollHeight} of ${element.clientHeight}`),
  )
}
