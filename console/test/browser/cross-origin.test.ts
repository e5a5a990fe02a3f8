/** Chromium between two origins: access of a page to an app of another origin, and the effect of security headers on a page. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { bearer, createApp, events, group, HttpError, reply, Route, type App } from 'verbena'
import * as z from 'zod'
import { files } from 'verbena/files'
import { onCleanup } from '#test/cleanup.js'
import { openBrowser } from '../support/browser.js'
import { createDirectory } from '#test/temp-directory.js'

class Page_ extends Route {
  static readonly path = '/page'
  get() {
    const script = '<script>document.title = "ran"</script>'
    return reply(200, `<!doctype html><title>page</title><p>page</p>${script}`, { 'content-type': 'text/html' })
  }
}

class Notes extends Route {
  static readonly uses = { user: bearer((token) => (token === 'secret' ? token : undefined)) }
  static readonly put = this.contract({ body: z.object({ a: z.number() }) })
  put({ body }: { readonly body: { readonly a: number } }) {
    return body
  }
}

class Open extends Route {
  get() {
    return reply(200, 'open', { 'x-shown': 'yes', 'x-hidden': 'no' })
  }
  delete() {
    throw new HttpError(409, 'Not now')
  }
}

class Cookies extends Route {
  static readonly get = this.contract({ cookies: z.object({ seen: z.string().optional() }) })
  get({
    cookies,
    response,
  }: {
    cookies: { seen?: string | undefined }
    response: { cookie(name: string, value: string): void }
  }) {
    response.cookie('seen', 'yes')
    return cookies.seen ?? 'none'
  }
}

class Ticks extends Route {
  static readonly get = this.contract({ returns: events(z.number()) })
  async *get() {
    yield { data: 7 }
    await new Promise((resolve) => setTimeout(resolve, 10_000).unref())
  }
}

async function listening(t: TestContext, app: Pick<App, 'listen' | 'close'>): Promise<number> {
  const { port } = await app.listen()
  onCleanup(t, () => app.close())
  return port
}

/** Expected console errors of the browser for blocked requests and scripts. */
const REFUSED = [/blocked by CORS policy/, /net::ERR_FAILED/, /CSP refused/, /violates the following/]

interface Opened {
  readonly page: Page
  readonly api: string
  /** Sends a request from the page. Returns the response that scripts see, or the error. */
  ask(path: string, init?: object): Promise<string>
}

async function open(t: TestContext): Promise<Opened> {
  const pages = await listening(t, createApp({ routes: { Page_ }, logger: false, signals: false }))
  const origin = `http://app.rebound.test:${pages}`
  const cors = { origins: [`http://*.rebound.test:${pages}`], credentials: true, expose: ['x-shown'] }
  const closed = group({ cors: { origins: 'https://else.example' }, routes: { Open } })
  const routes = { Notes, Open, Cookies, Ticks, '/closed': closed }
  const api = `http://localhost:${await listening(t, createApp({ routes, cors, logger: false, signals: false }))}`
  const { context } = await openBrowser(t, '', { allows: REFUSED })
  const page = await context.newPage()
  await page.goto(`${origin}/page`)
  const ask = (path: string, init: object = {}): Promise<string> =>
    page.evaluate(
      async ([url, how]) => {
        const answer = await fetch(url, how).catch((error: unknown) => String(error))
        return typeof answer === 'string' ? answer : `${answer.status} ${await answer.text()}`
      },
      [api + path, init] as const,
    )
  return { page, api, ask }
}

const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

const FAILED = 'TypeError: Failed to fetch'

describe('CORS in Chromium', () => {
  it('allows reading responses and errors, and sends a preflight before changes', async (t) => {
    const { ask } = await open(t)
    assert.equal(await ask('/open'), '200 open')
    assert.match(await ask('/nothing'), /^404 /)
    assert.match(await ask('/nothing', { headers: { 'x-any': '1' } }), /^404 /)
    assert.match(await ask('/open', { method: 'DELETE' }), /^409 /)
    const json = { method: 'PUT', body: '{"a":1}', headers: { 'content-type': 'application/json' } }
    assert.match(await ask('/notes', json), /^401 /)
    const signed = { ...json, headers: { ...json.headers, authorization: 'Bearer secret' } }
    assert.equal(await ask('/notes', signed), '200 {"a":1}')
    assert.match(await ask('/notes', { ...signed, body: '{}' }), /^422 /)
    assert.equal(await ask('/notes', { method: 'DELETE' }), FAILED)
  })

  it('hides responses and 404s from an origin that is not allowed', async (t) => {
    const { ask } = await open(t)
    for (const path of ['/closed/open', '/closed/nothing']) {
      assert.equal(await ask(path), FAILED)
      assert.equal(await ask(path, { method: 'DELETE' }), FAILED)
    }
  })

  it('shows only exposed headers', async (t) => {
    const { page, api } = await open(t)
    const seen = await page.evaluate(async (url) => {
      const { headers } = await fetch(url)
      return ['x-shown', 'x-hidden', 'content-type'].map((name) => headers.get(name))
    }, `${api}/open`)
    assert.deepEqual(seen, ['yes', null, 'text/plain; charset=utf-8'])
  })

  it('allows reading responses to requests with credentials', async (t) => {
    const { ask } = await open(t)
    assert.match(await ask('/cookies', { credentials: 'include' }), /^200 /)
  })

  it('allows reading an event stream', async (t) => {
    const { page, api } = await open(t)
    const first = await page.evaluate(
      (url) =>
        new Promise<string>((resolve) => {
          const source = new EventSource(url, { withCredentials: true })
          source.addEventListener('message', ({ data }) => {
            source.close()
            resolve(String(data))
          })
          source.addEventListener('error', () => resolve('failed'))
        }),
      `${api}/ticks`,
    )
    assert.equal(first, '7')
  })
})

describe('security headers in Chromium', () => {
  it('sends headers with which Chromium blocks inline scripts', async (t) => {
    const routes = { Page_ }
    const guarded = await listening(t, createApp({ routes, securityHeaders: 'html', logger: false, signals: false }))
    const plain = await listening(t, createApp({ routes, logger: false, signals: false }))
    // A header or feature that Chromium does not know is a fault.
    const { context } = await openBrowser(t, '', { allows: REFUSED })
    const page = await context.newPage()
    const titles: string[] = []
    for (const port of [guarded, plain]) {
      await page.goto(`http://localhost:${port}/page`)
      titles.push(await page.title())
    }
    assert.deepEqual(titles, ['page', 'ran'])
  })

  for (const credentials of [true, false]) {
    it(`blocks an image on an allowed page unless it is loaded with CORS (credentials: ${credentials})`, async (t) => {
      const pages = await listening(t, createApp({ routes: { Page_ }, logger: false, signals: false }))
      const origin = `http://localhost:${pages}`
      const folder = createDirectory({ 'dot.gif': GIF })
      const shared = { 'cross-origin-resource-policy': 'cross-origin' }
      const routes = {
        '/blocked': files(folder),
        '/shared': group({ securityHeaders: { api: shared }, routes: { '/': files(folder) } }),
      }
      const cors = { origins: origin, credentials }
      const app = createApp({ routes, cors, securityHeaders: 'api', logger: false, signals: false })
      // Two ports of localhost are one site, and two origins.
      const api = `http://localhost:${await listening(t, app)}`
      const { context } = await openBrowser(t, '', { allows: [...REFUSED, /ERR_BLOCKED_BY_RESPONSE/, /favicon/] })
      const page = await context.newPage()
      await page.goto(`${origin}/page`)
      const load = (path: string, mode: string | null): Promise<string> =>
        page.evaluate(
          ([src, crossOrigin]) =>
            new Promise<string>((resolve) => {
              const image = new Image()
              image.crossOrigin = crossOrigin
              image.addEventListener('load', () => resolve('loaded'))
              image.addEventListener('error', () => resolve('blocked'))
              image.src = src
            }),
          [`${api}${path}/dot.gif?${mode}`, mode] as const,
        )
      const mode = credentials ? 'use-credentials' : 'anonymous'
      assert.deepEqual([await load('/blocked', null), await load('/blocked', mode)], ['blocked', 'loaded'])
      assert.deepEqual([await load('/shared', null), await load('/shared', mode)], ['loaded', 'loaded'])
      assert.deepEqual(
        app.check().map(({ code, message }) => [code, message.split(' ', 2).join(' ')]),
        [['FILES_BLOCKED', '"GET /blocked/{path...}"']],
      )
    })
  }
})
