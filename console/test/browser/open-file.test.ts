/** HAR files and records that are opened in the page, by dropping them and by keyboard. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import type { CDPSession, Page } from 'playwright-core'
import { openConsole, type BrowserOptions } from '../support/browser.js'
import { faultsOfLayout, violations } from '../support/checks.js'
import { eventually, readPaths, untilCount, untilFocus, untilHash, untilPaths, untilSaid } from '../support/page.js'
import { ask, openShop, type Shop } from '../support/shop.js'
import { post, read } from '#test/console.js'
import { createDirectory } from '#test/temp-directory.js'
import type { RequestRecord, RequestSummary } from '#src/devconsole/wire/request-types.js'

type DragType = 'dragEnter' | 'dragOver' | 'drop' | 'dragCancel'

interface Opened {
  readonly shop: Shop
  readonly page: Page
  /** Writes a file, and returns its path. */
  readonly write: (name: string, content: string) => Promise<string>
  /** Sends events of a drag of files over the middle of the page. */
  readonly drag: (files: readonly string[], ...types: readonly DragType[]) => Promise<void>
  /** Drops files on the page. */
  readonly dropFiles: (files: readonly string[]) => Promise<void>
  /** Drops a file of this content on the page. */
  readonly drop: (name: string, content: unknown) => Promise<void>
}

async function openPage(t: TestContext, options: BrowserOptions & { readonly hash?: string } = {}): Promise<Opened> {
  const shop = await openShop(t)
  const directory = createDirectory({})
  const { page, context } = await openConsole(t, { app: shop, ...options })
  const session: CDPSession = await context.newCDPSession(page)
  const write = async (name: string, content: string) => {
    const path = join(directory, name)
    await writeFile(path, content)
    return path
  }
  const drag = async (files: readonly string[], ...types: readonly DragType[]) => {
    const data = { items: [], files: [...files], dragOperationsMask: 1 }
    for (const type of types) await session.send('Input.dispatchDragEvent', { type, x: 700, y: 400, data })
  }
  const dropFiles = async (files: readonly string[]) => {
    await drag(files, 'dragEnter')
    await page.locator('.drop').waitFor()
    await drag(files, 'drop')
  }
  const drop = async (name: string, content: unknown) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    await dropFiles([await write(name, text)])
  }
  return { shop, page, write, drag, dropFiles, drop }
}

function entry(path: string, status = 200, changes: object = {}): object {
  return {
    startedDateTime: '2026-01-02T10:00:00.250Z',
    time: 12.5,
    request: {
      method: 'GET',
      url: `https://shop.test${path}`,
      httpVersion: 'h2',
      headers: [{ name: 'accept', value: '*/*' }],
    },
    response: { status, headers: [], content: { size: 4, mimeType: 'text/plain', text: 'body' } },
    timings: { wait: 12 },
    ...changes,
  }
}

const har = (...entries: readonly object[]) => ({ log: { version: '1.2', entries } })

describe('console page: open a file', () => {
  it('lists the requests of a HAR file that is dropped on any view', async (t) => {
    const { page, drop, shop } = await openPage(t, { hash: '#/health' })
    await ask(shop, ['/goods'])
    await drop('shop.har', har(entry('/first'), entry('/second?a=1', 503), entry('/third')))
    await untilHash(page, /^#\/requests\?q=id%3Afile-1$/)
    await eventually(async () =>
      assert.deepEqual((await readPaths(page)).toSorted(), ['/first', '/second?a=1', '/third']),
    )
    await untilSaid(page, /Opened 3 requests from shop\.har/)
    await eventually(async () =>
      assert.match(await page.getByRole('note').innerText(), /3 requests from shop\.har, read-only/),
    )
    await page.getByRole('link', { name: '/second?a=1' }).click()
    await page.locator('#panel').getByText('https://shop.test').waitFor()
    await eventually(async () =>
      assert.match(await page.locator('#panel').innerText(), /The file contains no phases[^]*wait 12\.0 ms/),
    )
    await page.getByRole('tab', { name: 'Response' }).click()
    await page.locator('#panel').getByText('body', { exact: true }).waitFor()
  })

  it('searches headers and bodies of the file, and closes it', async (t) => {
    const { page, drop, shop } = await openPage(t)
    await ask(shop, ['/goods'])
    await drop(
      'shop.har',
      har(entry('/first'), entry('/second', 200, { response: { status: 200, content: { text: 'green tea' } } })),
    )
    const filter = page.getByLabel('Filter requests')
    await filter.fill('body:"green tea"')
    await untilPaths(page, ['/second'])
    await filter.fill('')
    await eventually(async () => assert.equal((await readPaths(page)).length, 3))
    await page.getByText('from shop.har', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Close the file' }).click()
    await untilPaths(page, ['/goods'])
    await untilCount(page.getByRole('note'), 0)
    await untilFocus(page, /Filter requests/)
  })

  it('opens an exported record whole, and its own HAR export', async (t) => {
    const { page, drop, shop } = await openPage(t)
    await ask(shop, ['/broken'])
    // The record is complete after its response has arrived.
    const exported = await eventually(async () => {
      const { items } = await read<{ readonly items: readonly RequestSummary[] }>(`${shop.url}/__dev__/api/requests`)
      assert.equal(items[0]?.['http.response.status_code'], 500)
      return read<RequestRecord>(`${shop.url}/__dev__/api/requests/${items[0].id}`)
    })
    await drop('record.json', exported)
    await untilHash(page, /^#\/requests\/file-1-0\?q=id%3Afile-1$/)
    await page.getByRole('tab', { name: 'Error' }).click()
    await page.locator('#panel').getByText('The till is empty').first().waitFor()
    await page.locator('#panel').getByText('Nobody paid', { exact: true }).waitFor()
    await drop('export.har', await read(`${shop.url}/__dev__/api/har`))
    await untilHash(page, /^#\/requests\/file-2-0/)
    await page.getByRole('tab', { name: 'Timing' }).click()
    await page.locator('#panel').getByText('Handler').first().waitFor()
    await untilPaths(page, ['/broken'])
  })

  it('sends a request of a file only from its form, and to the app of the page', async (t) => {
    const { page, drop, shop } = await openPage(t)
    const request = {
      method: 'POST',
      url: 'https://shop.test/goods',
      headers: [{ name: 'content-type', value: 'application/json' }],
      postData: { mimeType: 'application/json', text: '{"name":"Tea","price":4}' },
    }
    await drop('shop.har', har(entry('/goods', 500, { request })))
    await page.getByRole('heading', { name: 'POST /goods' }).waitFor()
    await untilCount(page.getByRole('button', { name: /^(?:Replay|Pin)$/ }), 0)
    await page.getByRole('tab', { name: 'Overview' }).focus()
    await page.keyboard.press('r')
    await untilSaid(page, /not replayed: use Edit and resend/)
    assert.deepEqual(shop.changes, [])
    await page.keyboard.press('e')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click()
    const answer = page.getByRole('group', { name: 'Answer' })
    await answer.getByRole('link', { name: 'Open in Requests' }).waitFor()
    assert.deepEqual(shop.changes, ['made Tea'])
  })

  it('opens a file by keyboard', async (t) => {
    const { page, write } = await openPage(t)
    const path = await write('shop.har', JSON.stringify(har(entry('/first'), entry('/second'))))
    page.on('filechooser', (chooser) => void chooser.setFiles(path))
    const button = page.getByRole('button', { name: /^Open a HAR file/ })
    // Afterwards the listener is known to the browser.
    await button.waitFor()
    await page.keyboard.press('o')
    await untilPaths(page, ['/second', '/first'])
    await button.focus()
    await page.keyboard.press('Enter')
    await untilHash(page, /file-2/)
    await untilSaid(page, /Opened 2 requests/)
  })

  it('shows where to drop a file while one is dragged over the page', async (t) => {
    const { page, drag, write } = await openPage(t)
    const path = await write('shop.har', '{}')
    const target = page.getByText('Drop a HAR file or a JSON record to open it')
    await drag([path], 'dragEnter')
    const check = { isDone: false }
    const checked = violations(page).finally(() => (check.isDone = true))
    while (!check.isDone) {
      await drag([path], 'dragOver')
      await target.waitFor()
    }
    assert.deepEqual(await checked, [])
    await drag([path], 'dragCancel')
    await target.waitFor({ state: 'hidden' })
  })

  it('says why a file cannot be opened, and stays as it was', async (t) => {
    const { page, dropFiles, drop, write, shop } = await openPage(t)
    await ask(shop, ['/goods'])
    await untilPaths(page, ['/goods'])
    const rows: readonly (readonly [content: string, reason: RegExp])[] = [
      ['\u0000\u0001PNG garbage', /^Cannot open "x y\.har"\s+The file is not JSON\. Open a HAR file/],
      ['', /The file is empty, or it is a folder/],
      ['{"name":"package"}', /contains neither a HAR archive nor a record/],
      ['{"log":{"entries":[]}}', /The HAR file contains no requests/],
      ['{"log":{"entries":[{}]}}', /No entry of the HAR file has both an HTTP URL and a time/],
    ]
    const dialog = page.getByRole('dialog')
    for (const [content, reason] of rows) {
      await drop('x y.har', content)
      await dialog.waitFor()
      assert.match(await dialog.innerText(), reason)
      assert.deepEqual(await violations(page), [])
      await untilFocus(page, /Close/)
      await page.keyboard.press('Enter')
      await dialog.waitFor({ state: 'hidden' })
    }
    const files = await Promise.all(['a.har', 'b.har'].map((name) => write(name, '{}')))
    await dropFiles(files)
    await eventually(async () => assert.match(await dialog.innerText(), /Open one file at a time/))
    assert.deepEqual([await readPaths(page), new URL(page.url()).hash], [['/goods'], ''])
  })

  it('shows markup in a file as text', async (t) => {
    const { page, drop } = await openPage(t)
    let alerts = 0
    page.on('dialog', (dialog) => {
      alerts++
      void dialog.dismiss()
    })
    const evil = '<img src=x onerror=alert(1)>"><script>alert(2)</script>'
    const url = `https://shop.test/${evil}?q=${evil}`
    const pair = { name: evil, value: `javascript:alert(3) ${evil}` }
    const content = { size: 5, mimeType: `text/html ${evil}`, text: evil, comment: evil }
    const request = { method: evil, url, headers: [pair], postData: { mimeType: evil, params: [pair] } }
    const response = { status: 200, _error: evil, headers: [pair], content }
    await drop(
      '<img src=x onerror=alert(4)>.har',
      har(entry('/', 200, { request, response, comment: evil, serverIPAddress: evil })),
    )
    for (const tab of ['overview', 'request', 'response', 'timing', 'logs', 'compare', 'edit']) {
      await page.evaluate((name) => (location.hash = `#/requests/file-1-0?q=id:file-1&tab=${name}`), tab)
      await page.locator(`[role=tab][aria-selected=true][id=tab-${tab}]`).waitFor()
      await untilCount(page.locator('img, body script[src], iframe, a[href^="javascript:"]'), 0)
    }
    await eventually(async () =>
      assert.match(await page.getByRole('note').innerText(), /<img src=x onerror=alert\(4\)>\.har/),
    )
    assert.equal(alerts, 0)
  })

  it('says that the file is not open for a link to one of its requests', async (t) => {
    const { page } = await openPage(t, { hash: '#/requests/file-1-0' })
    await page.getByText('This request is from a file. Open the file again to see it.').waitFor()
  })

  it('fits every width and theme', async (t) => {
    const { page, drop, shop } = await openPage(t, { reducedMotion: true })
    await post(`${shop.url}/goods`, { name: 'x' })
    const name = `${'a-long-name-of-a-file-'.repeat(6)}.har`
    await drop(name, har(...['/first', '/second', '/third'].map((path) => entry(path)), {}))
    await page.getByRole('note').getByText('Not listed: 1 incomplete request').waitFor()
    assert.deepEqual(await faultsOfLayout(page), [])
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByRole('link', { name: '/second' }).click()
    await page.locator('#panel').getByText('https://shop.test').waitFor()
    assert.deepEqual(await faultsOfLayout(page), [])
  })
})
