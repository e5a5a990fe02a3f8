/** Notable requests after a restart of the app: opened whole, and sent again. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page, Route } from 'playwright-core'
import { openConsole, untilLive } from '../support/browser.js'
import {
  eventually,
  readPaths,
  readRows,
  readStored,
  untilCount,
  untilPaths,
  untilSaid,
  untilStored,
} from '../support/page.js'
import { startProcess, type ShopProcess } from '#test/browser-process.js'
import { ask, makeShop } from '../support/shop.js'
import { onCleanup } from '#test/cleanup.js'
import { actionToken, post } from '#test/console.js'
import { createDirectory } from '#test/temp-directory.js'
import { TOKEN_HEADER } from '#src/devconsole/wire/request-types.js'
import { programArguments } from '#test/repository.js'

const APP = programArguments('test/support/browser-runs-child.ts')
/** Messages of the browser about a connection that broke, and about an app that is not running. */
const ALLOWS = [/ERR_(?:CONNECTION|INCOMPLETE|EMPTY)/]

interface Opened {
  readonly page: Page
  readonly app: ShopProcess
  /** Kills the app, and starts it again on the same port. */
  readonly restart: (version: 'broken' | 'fixed') => Promise<ShopProcess>
}

async function openApp(t: TestContext, before?: (page: Page) => Promise<void>): Promise<Opened> {
  const app = await startProcess(t, ...APP, '0', 'broken')
  const { page } = await openConsole(t, { app, allows: [...ALLOWS, /404 .*\/api\/requests/] })
  await before?.(page)
  let running = app
  const restart = async (version: 'broken' | 'fixed') => {
    await running.kill()
    await page.getByText(/The app does not respond/).waitFor()
    running = await startProcess(t, ...APP, new URL(app.url).port, version)
    await untilLive(page)
    return running
  }
  return { page, app, restart }
}

async function fail({ url }: ShopProcess): Promise<void> {
  await post(`${url}/orders`, { item: 'tea', count: 3 }, { 'x-shelf': 'b7' })
}

/** Reads the tabs of the request that is open. */
async function readTabs(page: Page): Promise<Record<string, string>> {
  const texts: Record<string, string> = {}
  for (const tab of await page.getByRole('tab').all()) {
    await tab.click()
    texts[(await tab.innerText()).replace(/\d+/, '').trim()] = await page.getByRole('tabpanel').innerText()
  }
  return texts
}

describe('console page: requests of an earlier run', () => {
  it('opens a failed request whole after a kill, and after a reload of the page', async (t) => {
    const { page, app, restart } = await openApp(t)
    await fail(app)
    await untilPaths(page, ['/orders'])
    await untilStored(page, 1)
    await restart('fixed')
    for (const isReloaded of [false, true]) {
      if (isReloaded) await page.reload()
      await page.getByRole('link', { name: '/orders', exact: true }).click()
      await page.getByText(/TypeError: No stock for 3/).waitFor()
      const { Overview, Request, Response, Error: thrown } = await readTabs(page)
      assert.match(Overview ?? '', /Orders\.post/)
      assert.match(Request ?? '', /x-shelf\s+b7[^]*"count": 3/)
      assert.match(Response ?? '', /"status": 500/)
      assert.match(thrown ?? '', /TypeError[^]*throw new TypeError[^]*Stock is null/)
      await untilCount(page.getByText('Only the summary'), 0)
      await untilCount(page.getByRole('button', { name: 'Pin' }), 0)
      await page.getByRole('link', { name: 'Close' }).click()
    }
  })

  it('finds a stored request by its headers and its body', async (t) => {
    const { page, app, restart } = await openApp(t)
    await fail(app)
    await untilStored(page, 1)
    await restart('fixed')
    const filter = page.getByRole('textbox', { name: 'Filter requests' })
    for (const [q, paths] of [
      ['header:x-shelf=b7', ['/orders']],
      ['body:coffee', []],
      ['body:tea', ['/orders']],
    ] as const) {
      await filter.fill(q)
      await eventually(async () => assert.deepEqual(await page.locator('tr.row .pth:visible').allTextContents(), paths))
    }
    // The page draws its list before it knows the app.
    const delay = async (route: Route) => {
      await sleep(500)
      await route.continue()
    }
    await page.route('**/api/snapshot', delay, { times: 1 })
    await page.reload()
    await untilPaths(page, ['/orders'])
  })

  it('replays and edits a request of an earlier run', async (t) => {
    const { page, app, restart } = await openApp(t)
    await fail(app)
    await untilStored(page, 1)
    await restart('fixed')
    await page.getByRole('link', { name: '/orders', exact: true }).click()
    await page.getByRole('button', { name: 'Replay', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click()
    await untilSaid(page, /^Replayed: 200/)
    await page.getByRole('button', { name: 'Edit and resend' }).click()
    const body = page.getByRole('textbox', { name: 'Body' })
    await eventually(async () => assert.match(await body.inputValue(), /"count": 3/))
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('group', { name: 'Answer' }).getByText('200').first().waitFor()
  })

  it('stores rejected, slow and pinned requests, but not ordinary ones', async (t) => {
    const { page, app } = await openApp(t)
    for (const path of ['/news', '/nowhere', '/searches']) await (await fetch(`${app.url}${path}`)).arrayBuffer()
    await untilStored(page, 2)
    await page.getByRole('link', { name: '/news', exact: true }).click()
    await page.getByRole('button', { name: 'Pin' }).click()
    await untilStored(page, 3)
  })

  it('deletes the stored requests when the console is cleared, by the page or another client', async (t) => {
    const { page, app, restart } = await openApp(t)
    await fail(app)
    await untilStored(page, 1)
    await restart('broken')
    await fail(app)
    await untilStored(page, 2)
    await page.getByRole('button', { name: 'Clear' }).click()
    await untilStored(page, 0)
    await fail(app)
    await untilStored(page, 1)
    await post(`${app.url}/__dev__/api/clear`, {}, { [TOKEN_HEADER]: await actionToken(app.url) })
    await untilStored(page, 0)
    await page.reload()
    await untilLive(page)
    assert.deepEqual(await readPaths(page), [])
  })

  it('stores at most 500 records and 8 MB, the newest of them', async (t) => {
    const { page, app } = await openApp(t)
    const fill = ({ from, count, bytes }: Record<'from' | 'count' | 'bytes', number>) =>
      new Promise<void>((resolve) => {
        const opening = indexedDB.open('dev-console /__dev__')
        opening.addEventListener('success', () => {
          const writing = opening.result.transaction('records', 'readwrite')
          for (let time = from; time < from + count; time++) {
            writing.objectStore('records').put({ id: `x${time}`, app: 'orders', time, bytes, text: 'no record' })
          }
          writing.addEventListener('complete', () => {
            opening.result.close()
            resolve()
          })
        })
      })
    await page.evaluate(fill, { from: 0, count: 700, bytes: 10 })
    await fail(app)
    await untilStored(page, 500)
    await page.evaluate(fill, { from: 1_000, count: 10, bytes: 2 * 1024 * 1024 })
    await fail(app)
    await untilStored(page, 5)
    await page.reload()
    await untilPaths(page, ['/orders', '/orders'])
  })

  it('opens requests of an earlier run from memory if the browser has no storage', async (t) => {
    const block = "Object.defineProperty(globalThis, 'indexedDB', { get() { throw new Error('blocked') } })"
    const { page, app, restart } = await openApp(t, async (opened) => {
      await untilLive(opened)
      await opened.addInitScript(block)
      await opened.reload()
      await untilLive(opened)
    })
    await fail(app)
    const read = page.waitForResponse(/api\/requests\/r_/)
    await untilPaths(page, ['/orders'])
    await (await read).finished()
    await restart('fixed')
    await page.getByRole('link', { name: '/orders', exact: true }).click()
    await page.getByText(/TypeError: No stock for 3/).waitFor()
  })

  it('stores nothing if the browser has no space left', async (t) => {
    const { page, app } = await openApp(t, async (opened) => {
      // A reload would abort the requests of the first page.
      await untilLive(opened)
      await opened.addInitScript(
        "IDBObjectStore.prototype.put = () => { throw new DOMException('no space', 'QuotaExceededError') }",
      )
      await opened.reload()
      await untilLive(opened)
    })
    await fail(app)
    await page.getByRole('link', { name: '/orders', exact: true }).click()
    await page.getByText(/TypeError: No stock for 3/).waitFor()
    assert.equal((await readStored(page, 'records')).length, 0)
  })

  it('ignores stored requests of other apps, and malformed values', async (t) => {
    const { page, app } = await openApp(t)
    await fail(app)
    await untilStored(page, 1)
    await page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          const opening = indexedDB.open('dev-console /__dev__')
          opening.addEventListener('success', () => {
            const writing = opening.result.transaction(['records', 'runs'], 'readwrite')
            const values = ['{', '{"id":"<img>"}', 'null', 5, undefined]
            for (const [index, text] of values.entries()) {
              const item = { id: `x${index}`, app: 'orders', time: index, bytes: 10, text }
              for (const table of ['records', 'runs']) writing.objectStore(table).put(item)
            }
            writing.addEventListener('complete', () => {
              opening.result.close()
              resolve()
            })
          })
        }),
    )
    await app.kill()
    const { app: other } = makeShop()
    const { url } = await other.listen({ port: Number(new URL(app.url).port) })
    onCleanup(t, () => other.close())
    await page.reload()
    await untilLive(page)
    await (await fetch(`${url}/goods/9`)).arrayBuffer()
    await untilPaths(page, ['/goods/9'])
  })
})

describe('console page: devConsole.keep', () => {
  it('opens and replays a failed request of an earlier run in a browser that has not seen it', async (t) => {
    const keep = join(createDirectory({}), '.dev/console.json')
    const start = async () => {
      const { app } = makeShop({ devConsole: { keep } })
      const { url } = await app.listen()
      onCleanup(t, () => app.close())
      return { app, url }
    }
    const first = await start()
    await ask(first, ['/broken'])
    await first.app.close()
    const second = await start()
    await ask(second, ['/goods'])
    const { page } = await openConsole(t, { app: second })
    await untilPaths(page, ['/goods', '/broken'])
    await readRows(page).last().click()
    await page.getByRole('tab', { name: /^Error/ }).click()
    await page.getByRole('tabpanel').getByText('The till is empty').waitFor()
    await page.keyboard.press('r')
    await untilSaid(page, /^Replayed: 500/)
  })
})
