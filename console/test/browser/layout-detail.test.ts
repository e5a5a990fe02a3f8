import '#test/development.js'
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { RequestSummary } from '#src/devconsole/wire/request-types.js'
import { openConsole } from '../support/browser.js'
import { openBrowserApp, send, type BrowserApp } from '../support/app.js'
import { faultsOfLayout, untilDrawn, WIDTHS } from '../support/checks.js'
import { untilCount } from '../support/page.js'

let app: BrowserApp
let requests: readonly RequestSummary[]

before(async () => {
  app = await openBrowserApp()
  await app.visit()
  requests = (await app.snapshot()).requests
})
after(() => app.close())

/** Request whose detail is open, a tab, and the content of the tab. */
type Row = readonly [request: string, tab: string, text: string | RegExp]

const ROWS: readonly Row[] = [
  ['GET /orders 200', 'overview', /looks like/i],
  ['POST /invoices/7 500', 'overview', /could be written/],
  ['POST /users 422', 'overview', /issue|invalid/i],
  ['GET /editions 406', 'overview', />=2\.0\.0/],
  ['GET /held 0', 'overview', /closed|aborted/i],
  ['GET /users 200', 'request', 'authorization'],
  ['PUT /letters 202', 'request', /Dear Ada/],
  ['PUT /letters 202', 'response', /Dear Ada/],
  ['GET /big/30000 200', 'response', /xxxx/],
  ['GET /orders 200', 'timing', /db\.query/],
  ['GET /orders 200', 'logs', 'the index is old'],
  ['POST /users 422', 'validation', /body\.addresses/],
  ['GET /mismatches 500', 'validation', /body\.count/],
  ['POST /invoices/7 500', 'error', /Cannot read properties/],
  ['GET /invoices/7 500', 'error', /second printer/],
  ['GET /orders 200', 'compare', 'Against the previous'],
]

describe('console layout: request', () => {
  for (const [request, tab, text] of ROWS) {
    it(`fits every width and theme: ${tab} of ${request}`, async (t) => {
      const { page } = await openConsole(t, {
        app,
        hash: `#/requests/${idOf(request)}?tab=${tab}`,
        reducedMotion: true,
      })
      await page.locator('#panel').getByText(text).first().waitFor()
      assert.deepEqual(await faultsOfLayout(page), [])
    })
  }

  it('fits every width and theme: a request that is no longer stored', async (t) => {
    const allows = [/status of 404.*api\/requests\/r_gone/]
    const { page } = await openConsole(t, { app, hash: '#/requests/r_gone', allows })
    await page.getByText('no longer stored').waitFor()
    assert.deepEqual(await faultsOfLayout(page), [])
  })

  it('shows the copy menu in every width and theme', async (t) => {
    const { page } = await openConsole(t, { app, hash: `#/requests/${idOf('GET /orders 200')}` })
    await page.locator('summary', { hasText: 'Copy' }).click()
    await page.getByText('HTTP archive (HAR)').waitFor()
    assert.deepEqual(await faultsOfLayout(page), [])
  })
})

describe('console page: long target', () => {
  it('shows three lines of it, and all on request', async (t) => {
    const long = requests.find((it) => it['url.path'].length > 300)
    const { page } = await openConsole(t, { app, hash: `#/requests/${long?.id}`, width: 420 })
    const heading = page.getByRole('region', { name: 'Request', exact: true }).locator('h2')
    const heightOf = async () => (await heading.boundingBox())?.height ?? 0
    const before = await heightOf()
    assert.ok(before < 70, `${before} px`)
    await page.getByRole('button', { name: 'Show all' }).click()
    assert.ok((await heightOf()) > before)
    await untilCount(page.getByRole('button', { name: 'Show all' }), 0)
  })

  it('shows at most three lines in every width, with a button only if there are more', async (t) => {
    // A target that has more than three lines in a narrow window only.
    const path = `/users/${'half-as-long-'.repeat(9)}`
    await send(app.url, ['GET', path])
    const { requests: all } = await app.snapshot()
    for (const length of [path.length, 300]) {
      const found = all.find((it) => it['url.path'].length >= length)
      const { page } = await openConsole(t, { app, hash: `#/requests/${found?.id}` })
      const heading = page.getByRole('region', { name: 'Request', exact: true }).locator('h2')
      const button = page.getByRole('button', { name: 'Show all' })
      await heading.waitFor()
      const seen: boolean[] = []
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        await untilDrawn(page)
        const [isCut, lines] = await heading.evaluate((it) => {
          const { lineHeight } = getComputedStyle(it)
          return [it.scrollHeight > it.clientHeight + 1, it.clientHeight / Number.parseFloat(lineHeight)] as const
        })
        assert.ok(lines < 3.2, `${width} px: ${lines} lines`)
        assert.equal(await button.isVisible(), isCut, `${width} px`)
        seen.push(isCut)
      }
      assert.deepEqual([seen[0], seen.at(-1)], [length === 300, true])
    }
  })
})

function idOf(request: string): string {
  const nameOf = (summary: RequestSummary) =>
    `${summary['http.request.method']} ${summary['url.path']} ${summary['http.response.status_code']}`
  const found = requests.find((summary) => nameOf(summary) === request)
  assert.ok(found, request)
  return found.id
}
