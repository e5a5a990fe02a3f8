/** Requests that are replayed or edited exactly as sent, for any method, parameters, cookies and bodies. */
import '#test/development.js'
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { bytes, createApp, form, HttpError, json, reply, Route, text, type Input } from 'verbena'
import * as z from 'zod'
import { openConsole, untilLive } from '../support/browser.js'
import { eventually, readPaths, readRows, untilPaths, untilSaid } from '../support/page.js'
import { onCleanup } from '#test/cleanup.js'

const PDF = { 'content-type': 'application/pdf' }
const PNG = Buffer.from('89504e470d0a1a0a', 'hex')

class Resets extends Route {
  static readonly path = '/resets/{token}/{name}'
  static readonly get = this.contract({})
  get({ params }: Input<typeof Resets.get>) {
    return { name: params.name }
  }
}

class Blobs extends Route {
  static readonly post = this.contract({ body: bytes({ types: ['image/png'] }) })
  post({ body }: Input<typeof Blobs.post>) {
    return { length: body.length }
  }

  get() {
    return reply(200, Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(1_000, 0xc3)]), PDF)
  }
}

class Teas extends Route {
  static readonly get = this.contract({
    query: z.object({
      tag: z.array(z.string()).optional(),
      sold: z.boolean().optional(),
      kind: z.enum(['green', 'black']).optional(),
      limit: z.int().optional(),
    }),
  })
  get({ query }: Input<typeof Teas.get>) {
    return query
  }
}

/** Reads its cookie without a security scheme. */
class Visits extends Route {
  get({ request }: Input) {
    const { cookie } = request.headers
    if (cookie !== 'visitor=v-12345678') throw new HttpError(401, `Unknown cookie ${cookie}`)
    return { visitor: 'ada' }
  }
}

class Themes extends Route {
  static readonly get = this.contract({ cookies: z.object({ theme: z.enum(['light', 'dark']) }) })
  get({ cookies }: Input<typeof Themes.get>) {
    return cookies.theme === 'dark' ? 'It is night' : 'It is day'
  }
}

class Letters extends Route {
  static readonly post = this.contract({ body: text(), returns: text() })
  post({ body }: Input<typeof Letters.post>) {
    return `[${body}]`
  }

  static readonly put = this.contract({ body: form(z.object({ to: z.string(), pages: z.int().min(2) })) })
  put({ body }: Input<typeof Letters.put>) {
    return body
  }
}

class Orders extends Route {
  static readonly post = this.contract({ body: json(z.object({ id: z.number() })) })
  post({ body }: Input<typeof Orders.post>) {
    return { ordered: body.id > 0 }
  }
}

interface Running {
  readonly url: string
  readonly close: () => Promise<void>
}

const ROUTES = { Resets, Blobs, Teas, Visits, Themes, Letters, Orders }

async function startApp(t: TestContext, routes: Partial<typeof ROUTES> = ROUTES, port = 0): Promise<Running> {
  const app = createApp({ name: 'teas', version: '1.0.0', routes, logger: false, signals: false, devConsole: true })
  const { url } = await app.listen({ port })
  onCleanup(t, () => app.close())
  return { url, close: () => app.close() }
}

interface Opened {
  readonly app: Running
  readonly page: Page
}

/** Sends a request, and selects its row. */
async function openRequest(t: TestContext, path: string, init: RequestInit = {}): Promise<Opened> {
  const app = await startApp(t)
  await (await fetch(`${app.url}${path}`, init)).arrayBuffer()
  const { page } = await openConsole(t, { app, allows: [/ERR_(?:CONNECTION|INCOMPLETE|EMPTY)/] })
  await readRows(page).first().click()
  await page.getByRole('tabpanel', { name: 'Overview' }).waitFor()
  return { app, page }
}

async function openForm(t: TestContext, endpoint: string): Promise<Page> {
  return (await openConsole(t, { app: await startApp(t), hash: `#/routes/${endpoint}` })).page
}

async function send(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  const answer = page.getByRole('group', { name: 'Answer' })
  await answer.getByRole('link', { name: 'Open in Requests' }).waitFor()
  return answer
}

describe('console page: replay of an incomplete request', () => {
  it('does not replay a binary body, and the form says that it was not stored', async (t) => {
    const { page } = await openRequest(t, '/blobs', {
      method: 'POST',
      headers: { 'content-type': 'image/png' },
      body: PNG,
    })
    await page.keyboard.press('r')
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click()
    await untilSaid(page, /^Its body was not kept whole: use Edit and resend/)
    assert.equal((await readPaths(page)).length, 1)
    await page.keyboard.press('e')
    await page.getByText('Its body was not kept whole. Complete it before you send it.').waitFor()
  })

  it('does not replay a path with a secret, and the form asks for it', async (t) => {
    const { page } = await openRequest(t, '/resets/t-12345678/ada')
    await page.keyboard.press('r')
    await untilSaid(page, /^Its path contains secrets, which were not kept: use Edit and resend/)
    assert.equal((await readPaths(page)).length, 1)
    await page.keyboard.press('e')
    await page.getByText('Its path contains secrets, which were not kept. Complete it before you send it.').waitFor()
    await page.getByLabel('token').fill('t-12345678')
    assert.match(await (await send(page)).innerText(), /200 OK[^]*"ada"/)
  })
})

describe('console page: edited request', () => {
  it('contains repeated, empty and invalid parameters as they were sent', async (t) => {
    const query = 'tag=a&tag=b&sold=maybe&kind=red&limit='
    const { page } = await openRequest(t, `/teas?${query}`)
    await page.keyboard.press('e')
    await page.getByRole('region', { name: 'Edit and resend' }).waitFor()
    await send(page)
    await page.getByRole('link', { name: /^Requests/ }).click()
    await eventually(async () => assert.equal((await readPaths(page)).length, 2))
    const [[, sent = ''] = [], [, before = ''] = []] = (await readPaths(page)).map((path) => path.split('?'))
    const listPairs = (text: string) => [...new URLSearchParams(text)].map(String).toSorted()
    assert.deepEqual(listPairs(sent), listPairs(before))
  })

  it('has numbers that JavaScript would round, as they were sent', async (t) => {
    const body = '{"id": 12345678901234567890}'
    const { page } = await openRequest(t, '/orders', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    await page.getByRole('tab', { name: 'Request' }).click()
    await page.getByRole('tabpanel').getByText(body).waitFor()
    await page.keyboard.press('e')
    await eventually(async () => assert.equal(await page.getByLabel('Body').inputValue(), body))
  })

  it('has the method HEAD if it was sent with it', async (t) => {
    const { page } = await openRequest(t, '/teas', { method: 'HEAD' })
    await page.keyboard.press('e')
    await page.getByRole('region', { name: 'Edit and resend' }).waitFor()
    assert.match(await (await send(page)).innerText(), /No body/)
    await page.getByRole('link', { name: /^Requests/ }).click()
    await eventually(async () => assert.deepEqual(await page.locator('tr.row .k-m').allInnerTexts(), ['HEAD', 'HEAD']))
  })

  it('uses the cookies of the tab, also without a security scheme', async (t) => {
    const { page } = await openRequest(t, '/visits', { headers: { cookie: 'visitor=v-12345678' } })
    await page.keyboard.press('r')
    await page.getByRole('dialog').getByLabel('Cookie').fill('visitor=v-12345678')
    await page.keyboard.press('Enter')
    await untilSaid(page, /^Replayed: 200/)
    await page.keyboard.press('e')
    assert.match(await (await send(page)).innerText(), /200 OK[^]*"ada"/)
    await page.getByLabel('Headers', { exact: true }).fill('cookie: visitor=v-87654321')
    await eventually(async () =>
      assert.match(await (await send(page)).innerText(), /401 Unauthorized[^]*Unknown cookie visitor=v-87654321/),
    )
    assert.equal(await page.evaluate(() => document.cookie), '')
  })

  it('opens beside its record if the app no longer has its endpoint', async (t) => {
    const { app, page } = await openRequest(t, '/visits')
    const { Visits: _, ...others } = ROUTES
    await page.locator('.nav').getByRole('link', { name: 'Routes' }).click()
    await page.getByRole('link', { name: 'GET /visits' }).waitFor()
    // The page has the routes of the earlier app until it has read the new ones.
    await page.route('**/__dev__/api/routes', (route) => void setTimeout(() => void route.continue(), 3_000))
    await app.close()
    const { port } = new URL(app.url)
    await startApp(t, others, Number(port))
    await untilLive(page)
    await page.getByRole('link', { name: /^Requests/ }).click()
    await untilPaths(page, ['/visits'])
    await readRows(page).first().click()
    await page.getByRole('button', { name: 'Edit and resend' }).click()
    await eventually(async () => assert.equal(await page.getByLabel('Target').inputValue(), '/visits'))
    assert.match(await (await send(page)).innerText(), /404 Not Found/)
  })
})

describe('console page: form of an endpoint', () => {
  it('has a field for each declared cookie', async (t) => {
    const page = await openForm(t, 'Themes.get')
    await page.getByLabel(/^theme/).selectOption('dark')
    assert.match(await (await send(page)).innerText(), /200 OK[^]*It is night/)
  })

  it('shows the first bytes of a binary response', async (t) => {
    const page = await openForm(t, 'Blobs.get')
    assert.match(await (await send(page)).innerText(), /25 50 44 46 2d 31 2e 34 0a c3[^]*The first 64 bytes of 1\.0 kB/)
  })

  it('prefills text as text, and a form as a form', async (t) => {
    const page = await openForm(t, 'Letters.post')
    await eventually(async () => assert.match(await (await send(page)).innerText(), /\[text\]/))
    await page.getByRole('link', { name: 'PUT /letters' }).click()
    await eventually(async () => assert.match(await (await send(page)).innerText(), /200 OK[^]*"pages": 2/))
  })
})
