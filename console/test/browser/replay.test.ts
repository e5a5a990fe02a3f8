/** Requests that the page sends: replays, edited requests and the form, and copied or exported requests. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { describe, it, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import type { Locator, Page, Route } from 'playwright-core'
import type { Har } from '#src/devconsole/serve/har.js'
import type { RequestSummary } from '#src/devconsole/wire/request-types.js'
import { openConsole } from '../support/browser.js'
import { eventually, readPaths, readRows, untilCount, untilPaths, untilSaid } from '../support/page.js'
import { ask, openShop, type Shop } from '../support/shop.js'
import { post, read } from '#test/console.js'

const run = promisify(execFile)

interface Opened {
  readonly shop: Shop
  readonly page: Page
}

async function openAt(t: TestContext, hash = '', before?: (shop: Shop) => Promise<unknown>): Promise<Opened> {
  const shop = await openShop(t)
  await before?.(shop)
  const context = { permissions: ['clipboard-read', 'clipboard-write'] }
  const { page } = await openConsole(t, { app: shop, hash, context })
  return { shop, page }
}

/** Sends the form, and waits for the record of the request. */
async function send(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Send' }).click()
  const answer = page.getByRole('group', { name: 'Answer' })
  await answer.getByRole('link', { name: 'Open in Requests' }).waitFor()
  return answer
}

async function newest(shop: Shop): Promise<RequestSummary> {
  const { items } = await read<{ readonly items: readonly RequestSummary[] }>(
    `${shop.url}/__dev__/api/requests?limit=1`,
  )
  assert.ok(items[0])
  return items[0]
}

function copied(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText())
}

describe('console page: endpoint form', () => {
  it('sends path and query parameters', async (t) => {
    const { shop, page } = await openAt(t, '#/routes/Goods.get')
    await page.getByLabel('kind').selectOption('cup')
    await page.getByLabel('sold').selectOption('true')
    await page.getByLabel('limit').fill('25')
    const answer = await send(page)
    await eventually(async () => assert.match(await answer.innerText(), /200 OK/))
    await eventually(async () => assert.match(await answer.innerText(), /"cup"[^]*true[^]*25/))
    assert.equal((await newest(shop))['url.query'], 'kind=cup&sold=true&fresh=true&limit=25')
    await page.getByLabel('sold').selectOption('')
    await page.getByLabel('fresh').selectOption('false')
    await eventually(async () => assert.match(await (await send(page)).innerText(), /"fresh": false/))
    await eventually(async () => assert.equal((await newest(shop))['url.query'], 'kind=cup&fresh=false&limit=25'))
    await page.getByLabel('sold').selectOption('false')
    await eventually(async () => assert.match(await (await send(page)).innerText(), /"sold": false/))
    await page.getByRole('link', { name: 'GET /goods/{id}' }).click()
    await page.getByLabel(/^id/).fill('a/b ü?')
    await eventually(async () => assert.match(await (await send(page)).innerText(), /"a\/b ü\?"/))
  })

  it('keeps typed values while requests arrive and the page reloads its data', async (t) => {
    const { shop, page } = await openAt(t, '#/routes/Goods.get')
    await page.getByLabel('limit').fill('33')
    await page.getByLabel('limit').focus()
    await ask(shop, ['/goods', '/goods?limit=1'])
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await page.getByText(/^2 calls/).waitFor()
    await eventually(async () => assert.equal(await page.getByLabel('limit').inputValue(), '33'))
    assert.ok(await page.getByLabel('limit').evaluate((input) => input === document.activeElement))
  })

  it('keeps typed values when the document with the fields arrives after them', async (t) => {
    const { shop, page } = await openAt(t, '')
    const held: Route[] = []
    await page.route('**/api/openapi*', (route) => void held.push(route))
    await page.goto(`${shop.url}/__dev__?late#/routes/GoodById.get`)
    await page.getByText('Reading the OpenAPI document').waitFor()
    await page.getByLabel(/^id/).fill(`o'7`)
    await Promise.all(held.map((route) => route.continue()))
    await page.getByText('Reading the OpenAPI document').waitFor({ state: 'detached' })
    await eventually(async () => assert.equal(await page.getByLabel(/^id/).inputValue(), `o'7`))
    await eventually(async () => assert.match(await (await send(page)).innerText(), /"o'7"/))
  })

  it('shows validation errors in the form', async (t) => {
    const { shop, page } = await openAt(t, '#/routes/Goods.post')
    await page.getByLabel('Body').fill('{"name":"x","price":-1}')
    const answer = await send(page)
    await eventually(async () => assert.match(await answer.innerText(), /422 Unprocessable Content/))
    await eventually(async () => assert.match(await answer.innerText(), /"\/name"[^]*"\/price"/))
    assert.deepEqual(shop.changes, [])
    await answer.getByRole('link', { name: 'Open in Requests' }).click()
    await page.getByRole('tab', { name: /^Validation/ }).click()
    await eventually(async () => assert.match(await page.getByRole('tabpanel').innerText(), /name[^]*price/))
  })

  it('keeps focus and folding in the response when its record arrives', async (t) => {
    const { page } = await openAt(t, '#/routes/GoodById.get')
    await page.getByLabel('id').fill('7')
    const removed = await page.evaluateHandle(() => {
      const texts: string[] = []
      const note = ({ removedNodes }: MutationRecord) =>
        texts.push(...Array.from(removedNodes, (it) => it.textContent ?? ''))
      const options = { childList: true, subtree: true }
      new MutationObserver((changes) => changes.forEach(note)).observe(
        document.querySelector('.out') ?? document,
        options,
      )
      return texts
    })
    await send(page)
    assert.deepEqual(await removed.jsonValue(), ['Waiting for the response …'])
  })

  it('sends a JSON body without a confirmation', async (t) => {
    const { shop, page } = await openAt(t, '#/routes/Goods.post')
    const example: unknown = JSON.parse(await page.getByLabel('Body').inputValue())
    assert.deepEqual(Object.keys(Object(example)), ['name', 'price'])
    await page.getByLabel('Body').fill('{"name":"tea","price":4}')
    await eventually(async () => assert.match(await (await send(page)).innerText(), /201 Created/))
    assert.deepEqual(shop.changes, ['made tea'])
    const { 'dev.replayOf': replayOf } = await newest(shop)
    assert.match(replayOf ?? '', /^r_0trial/)
  })

  it('sends the version header', async (t) => {
    const { page } = await openAt(t, '#/routes/Editions.get')
    await page.getByLabel(/^accept-version/i).fill('1.0.0')
    await eventually(async () => assert.match(await (await send(page)).innerText(), /406 Not Acceptable/))
    await page.getByLabel(/^accept-version/i).fill('2.1.0')
    await eventually(async () => assert.match(await (await send(page)).innerText(), /200 OK/))
  })
})

describe('console page: replay', () => {
  it('replays a request and links it to the original', async (t) => {
    const { shop, page } = await openAt(t, '', (shop) => ask(shop, ['/goods/7?a=1']))
    const { id } = await newest(shop)
    await readRows(page).first().click()
    await page.getByRole('button', { name: 'Replay' }).click()
    await untilSaid(page, /^Replayed: 200/)
    await untilPaths(page, ['/goods/7?a=1', '/goods/7?a=1'])
    assert.equal((await newest(shop))['dev.replayOf'], id)
    await readRows(page).first().click()
    await page.getByRole('region', { name: 'Request', exact: true }).getByRole('link', { name: id }).click()
    assert.match(page.url(), new RegExp(`${id}$`))
    await page.goto(`${shop.url}/__dev__#/requests?q=is%3Areplayed`)
    await untilPaths(page, ['/goods/7?a=1'])
  })

  it('replays a request with its body after one confirmation', async (t) => {
    const { shop, page } = await openAt(t, '', (shop) => post(`${shop.url}/goods`, { name: 'tea', price: 3 }))
    await readRows(page).first().click()
    const replay = page.getByRole('button', { name: 'Replay' })
    await replay.click()
    const dialog = page.getByRole('dialog')
    await eventually(async () => assert.match(await dialog.innerText(), /Send this POST again\?[^]*once in this tab/))
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.equal(shop.changes.length, 1)
    await replay.click()
    await dialog.getByRole('button', { name: 'Send' }).click()
    await untilSaid(page, /^Replayed: 201/)
    await page.keyboard.press('r')
    await eventually(() => assert.deepEqual(shop.changes, ['made tea', 'made tea', 'made tea']))
    await eventually(async () => assert.equal((await readPaths(page)).length, 3))
    await untilCount(dialog, 0)
  })

  it('does not replay a request whose body was not stored', async (t) => {
    const body = ['x'.repeat(20_000)]
    const { page } = await openAt(t, '', (shop) => post(`${shop.url}/lists`, body))
    await readRows(page).first().click()
    await page.keyboard.press('r')
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click()
    await untilSaid(page, /Its body was not kept whole/)
    assert.equal((await readPaths(page)).length, 1)
  })

  it('fills the form with a request and sends the changes', async (t) => {
    const { shop, page } = await openAt(t, '', (shop) =>
      post(`${shop.url}/goods`, { name: 'tea', price: 3 }, { 'x-mark': 'kept' }),
    )
    const { id } = await newest(shop)
    await readRows(page).first().click()
    await page.getByRole('button', { name: 'Edit and resend' }).click()
    const body = page.getByLabel('Body')
    await page.getByRole('region', { name: 'Edit and resend' }).waitFor()
    assert.deepEqual(JSON.parse(await body.inputValue()), { name: 'tea', price: 3 })
    await body.fill('{"name":"cup","price":3}')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click()
    await page.getByRole('link', { name: 'Open in Requests' }).waitFor()
    assert.deepEqual(shop.changes, ['made tea', 'made cup'])
    const sent = await newest(shop)
    assert.equal(sent['dev.replayOf'], id)
    const record = await (await fetch(`${shop.url}/__dev__/api/requests/${sent.id}`)).text()
    assert.match(record, /"x-mark","kept"/)
  })

  it('edits a request without an endpoint beside its record', async (t) => {
    const { page } = await openAt(t, '', (shop) => ask(shop, ['/nowhere']))
    await readRows(page).first().click()
    await page.keyboard.press('e')
    await page.getByRole('region', { name: 'Edit and resend' }).waitFor()
    assert.match(page.url(), /#\/requests\/.*tab=edit/)
  })
})

describe('console page: copy and export', () => {
  it('copies a command that runs in a shell', async (t) => {
    const word = `it's "tea" & $HOME \`x\` \\ ü\n!`
    const { shop, page } = await openAt(t, '', async ({ url }) => {
      await post(`${url}/goods?note=${encodeURIComponent(word)}`, { name: word, price: 2 }, { 'x-note': `it's $HOME` })
    })
    await readRows(page).first().click()
    await page.keyboard.press('c')
    await untilSaid(page, /^Copied as cURL/)
    const { stdout } = await run('sh', ['-c', `${await copied(page)} --silent`])
    assert.deepEqual(JSON.parse(stdout), { name: word, price: 2, id: 2 })
    assert.deepEqual(shop.changes, [`made ${word}`, `made ${word}`])
    await eventually(async () => {
      assert.equal(new URLSearchParams((await newest(shop))['url.query']).get('note'), word)
    })
  })

  it('copies a command from the form', async (t) => {
    const { shop, page } = await openAt(t, '#/routes/GoodById.get')
    await page.getByLabel(/^id/).fill(`o'7`)
    await page.getByRole('button', { name: 'Copy as cURL' }).click()
    await untilSaid(page, /^Copied as cURL/)
    const { stdout } = await run('sh', ['-c', `${await copied(page)} --silent`])
    assert.equal(stdout, await (await fetch(`${shop.url}/goods/o'7`)).text())
  })

  it('exports the visible requests as an archive', async (t) => {
    const { page } = await openAt(t, '', (shop) => ask(shop, ['/goods', '/goods/1?a=b', '/broken']))
    await page.getByRole('textbox', { name: 'Filter requests' }).fill('-is:error')
    await untilPaths(page, ['/goods/1?a=b', '/goods'])
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: /^HAR/ }).click()])
    assert.equal(file.suggestedFilename(), 'requests.har')
    const har: Har = JSON.parse(await readFile(await file.path(), 'utf8'))
    assert.equal(har.log.version, '1.2')
    assert.deepEqual(
      har.log.entries.map(({ request }) => new URL(request.url).pathname),
      ['/goods', '/goods/1'],
    )
  })
})
