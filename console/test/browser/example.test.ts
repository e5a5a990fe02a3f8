/** The example that `npm start` serves, visited by `npm run visit`: the console shows each problem after at most two clicks. */
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { createInterface } from 'node:readline'
import { after, before, describe, it, type TestContext } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { openConsole } from '../support/browser.js'
import { eventually, inThreeSteps } from '../support/page.js'

const MOST_CLICKS = 2
const NO_SQLITE = isBuiltin('node:sqlite') ? false : 'Node before 22.13 has no node:sqlite'
const SQL = 'select sku, name, cents from products where sku = ?'
/** With SQL, the repeated call is a query of the service. */
const [REPEATED, REPEATED_TITLE] = NO_SQLITE
  ? ['shop.getProduct', 'Looks like a repeated call: shop.getProduct']
  : [SQL, `Looks like one query per row: ${SQL}`]
const TROUBLES = 'examples/users/troubles.ts'

interface Running {
  readonly child: ChildProcess
  readonly url: string
}

let example: Running

before(async () => {
  example = await startExample()
  const visit = run('visit.ts', { PORT: new URL(example.url).port })
  assert.deepEqual(await once(visit, 'exit'), [0, null])
})

after(async () => {
  const ended = once(example.child, 'exit')
  example.child.kill('SIGKILL')
  await ended
})

function run(file: string, env: Readonly<Record<string, string>>): ChildProcess {
  const environment = { ...process.env, ...env, NODE_ENV: 'development' }
  const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit']
  return spawn(process.execPath, ['--import=tsx', `examples/users/${file}`], { env: environment, stdio })
}

async function startExample(): Promise<Running> {
  const child = run('main.ts', { PORT: '0' })
  assert.ok(child.stdout)
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /listens on (\S+)/.exec(line)?.[1]
    if (url === undefined) continue
    child.stdout.resume()
    return { child, url }
  }
  throw new Error('The example ended before it said where it listens')
}

/** Returns the number of the only line of the example that contains `text`. */
function lineOf(text: string): number {
  const lines = readFileSync(TROUBLES, 'utf8').split('\n')
  const found = lines.flatMap((line, index) => (line.includes(text) ? [index + 1] : []))
  assert.equal(found.length, 1, text)
  return found[0] ?? 0
}

/** Opens the page and clicks at most `MOST_CLICKS` times. */
async function clicked(t: TestContext, ...find: readonly ((page: Page) => Locator)[]): Promise<Page> {
  assert.ok(find.length <= MOST_CLICKS)
  const { page } = await openConsole(t, { app: example })
  for (const each of find) await each(page).click()
  return page
}

const row = (path: string, status: number) => (page: Page) =>
  page
    .locator('tr.row', { has: page.getByText(String(status), { exact: true }) })
    .getByRole('link', { name: path, exact: true })
const tab = (name: RegExp) => (page: Page) => page.getByRole('tab', { name })
const view = (name: RegExp) => (page: Page) => page.getByRole('navigation').getByRole('link', { name })

async function panelText(page: Page, sign: string | RegExp): Promise<string> {
  const panel = page.getByRole('tabpanel')
  await panel.getByText(sign).first().waitFor()
  return panel.innerText()
}

describe('console page: example app', () => {
  it('shows the exception with its source line', async (t) => {
    const page = await clicked(t, row('/orders/2/receipt', 500), tab(/^Error/))
    const text = await panelText(page, "Cannot read properties of undefined (reading 'last4')")
    const line = lineOf('payment.card.last4')
    assert.match(text, /TypeError/)
    assert.ok(text.includes(`${TROUBLES}:${line}`), text)
    const hit = await page.getByRole('tabpanel').locator('.code .hit').innerText()
    assert.match(hit, new RegExp(`^${line}\\s.*payment\\.card\\.last4`))
    const [frame] = await page.getByRole('tabpanel').locator('.frames li').allInnerTexts()
    assert.equal(frame?.replaceAll(/\s+/g, ' '), `OrderReceipt.get ${TROUBLES}:${line}`)
  })

  it('shows the repeated service call with its place in the code', async (t) => {
    const page = await clicked(t, row('/orders/1', 200))
    const text = await panelText(page, `${REPEATED} ran 9 times with the same shape`)
    assert.ok(text.includes(`from ${TROUBLES}:${lineOf('await this.shop.getProduct')}`), text)
  })

  it('shows in three steps which SQL was slow', { skip: NO_SQLITE }, async (t) => {
    const { page } = await openConsole(t, { app: example })
    const panel = page.getByRole('tabpanel', { name: /^Queries/ })
    await inThreeSteps(page, async () => {
      await row('/orders/1', 200)(page).click()
      await tab(/^Queries/)(page).click()
      await panel.getByRole('columnheader', { name: 'Time' }).getByRole('button').click()
    })
    const times = panel.locator('tbody tr td:nth-child(4)')
    await eventually(async () => {
      const [first = '', second = ''] = (await times.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))
      assert.ok(Number.parseFloat(first) >= Number.parseFloat(second), `${first} before ${second}`)
    })
    await panel.getByText(SQL).first().waitFor()
  })

  it('shows the slow endpoint', async (t) => {
    const page = await clicked(t, view(/Performance/))
    const first = page.getByRole('region', { name: 'Endpoints' }).locator('tbody tr').first()
    await first.getByText('/products').waitFor()
    await eventually(async () => assert.match(await first.innerText(), /GET\s+\/products\s+1\s/))
    await eventually(async () =>
      assert.match(await first.locator('.hot').innerText(), /^(?:[89]\d\d ms|[1-9]\.\d+ s)$/),
    )
  })

  it('shows the invalid field with the received value', async (t) => {
    const page = await clicked(t, row('/orders', 422), tab(/^Validation/))
    await panelText(page, 'body.lines.1.quantity')
    const cells = page.getByRole('tabpanel').locator('tbody tr').first().locator('td')
    const [where, message = '', received] = await cells.allInnerTexts()
    assert.deepEqual([where, received], ['body.lines.1.quantity', '0'])
    assert.match(message, /^Too small: expected number to be >=1/)
  })

  it('shows the unsupported version and the available versions', async (t) => {
    const page = await clicked(t, row('/prices', 406))
    const text = await panelText(page, 'No endpoint satisfies version 3.0')
    assert.match(text, /Requested by\s+accept-version/)
    assert.match(text, /Versions:\s+1\.x,\s+2\.x/)
  })

  it('shows an earlier stall of the event loop with the request in progress', async (t) => {
    const page = await clicked(t, view(/Problems/))
    const stall = page.locator('.pb', { hasText: 'The event loop was blocked during GET /reports/sales' })
    await stall.waitFor()
    await eventually(async () =>
      assert.match(await stall.innerText(), /No other code ran for \d{3} ms\. In progress: .*GET \/reports\/sales/),
    )
  })

  it('lists each problem, opened by one click', async (t) => {
    const page = await clicked(t, view(/Problems/))
    const titles = [
      'TypeError in OrderReceipt.get',
      REPEATED_TITLE,
      'Slow endpoint Products.get',
      'Clients send an invalid body.lines.1.quantity',
      'Clients request a version that is missing: GET /prices',
      'The event loop was blocked during GET /reports/sales',
    ]
    for (const title of titles) await page.getByRole('heading', { name: title, exact: true }).waitFor()
    const thrown = page.locator('.pb', { hasText: titles[0] ?? '' }).locator('.n')
    await eventually(async () => assert.match(await thrown.innerText(), /^1\s+time$/))
  })

  it('draws the marks of the last minute together with the requests', async (t) => {
    const { page } = await openConsole(t, { app: example })
    await page.locator('tr.row').first().waitFor()
    const marks = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          requestAnimationFrame(() => resolve(document.querySelectorAll('.strip .mark').length))
        }),
    )
    assert.ok(marks > 0)
  })
})
