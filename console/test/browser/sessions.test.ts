/** Chromium with a session: its cookie, and what pages of other origins cannot do with it. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { createApp, reply, Route, type App } from 'verbena'
import { session, type Session } from 'verbena/session'
import { onCleanup } from '#test/cleanup.js'
import { openBrowser } from '../support/browser.js'
import { KEY } from '#test/browser-client.js'

const visitor = session({ keys: [KEY] })

class Home extends Route {
  static readonly path = '/'
  static readonly uses = { visitor }
  get({ visitor }: { visitor: Session<string> }) {
    const name = visitor.value ?? 'nobody'
    const form = '<form method="post" action="/sign-in"><button>Sign in</button></form>'
    return reply(200, `<!doctype html><title>home</title><p>${name}</p>${form}`, { 'content-type': 'text/html' })
  }
}

class SignIn extends Route {
  static readonly uses = { visitor }
  post({ visitor }: { visitor: Session<string> }) {
    visitor.start('ada')
    return reply(303, null, { location: '/' })
  }
}

/** Page of another origin that posts a form to the app with the port in its path. */
class Evil extends Route {
  static readonly path = '/evil/{port}'
  get({ params }: { params: { port: string } }) {
    const form = `<form id="f" method="post" action="http://localhost:${params.port}/sign-in"></form>`
    const script = '<script>document.getElementById("f").submit()</script>'
    return reply(200, `<!doctype html><title>evil</title>${form}${script}`, { 'content-type': 'text/html' })
  }
}

async function listening(t: TestContext, app: App): Promise<number> {
  const { port } = await app.listen()
  onCleanup(t, () => app.close())
  return port
}

describe('session in Chromium', () => {
  it('starts from a form, with a cookie that scripts and pages of other origins cannot use', async (t) => {
    const options = { logger: false, signals: false } as const
    const port = await listening(t, createApp({ routes: { Home, SignIn }, ...options }))
    const others = await listening(t, createApp({ routes: { Evil }, ...options }))
    const { context } = await openBrowser(t, '', { allows: [/403/, /favicon/] })
    const page = await context.newPage()
    await page.goto(`http://localhost:${port}/`)
    assert.equal(await page.innerText('p'), 'nobody')
    await page.click('button')
    await page.waitForURL(`http://localhost:${port}/`)
    await page.waitForFunction('document.querySelector("p").innerText === "ada"')
    const [cookie] = await context.cookies()
    assert.deepEqual(
      [cookie?.name, cookie?.secure, cookie?.httpOnly, cookie?.sameSite],
      ['__Host-session', true, true, 'Lax'],
    )
    assert.equal(await page.evaluate('document.cookie'), '')

    // Another port of one host is the same site: the cookie is sent along.
    const refused = page.waitForResponse(`http://localhost:${port}/sign-in`)
    await page.goto(`http://localhost:${others}/evil/${port}`).catch(() => null)
    const response = await refused
    assert.equal(response.status(), 403)
    assert.match((await response.request().allHeaders())['cookie'] ?? '', /^__Host-session=/)
    assert.deepEqual(await context.cookies(), [cookie])
  })

  it('starts from a form on a page with security headers over plain HTTP', async (t) => {
    const visitor = session({ keys: [KEY], cookie: { insecure: true } })
    class Home extends Route {
      static readonly path = '/'
      static readonly uses = { visitor }
      get({ visitor }: { visitor: Session<string> }) {
        const form = '<form method="post"><button>Sign in</button></form>'
        const page = `<!doctype html><title>home</title><p>${visitor.value ?? 'nobody'}</p>${form}`
        return reply(200, page, { 'content-type': 'text/html' })
      }
      post({ visitor }: { visitor: Session<string> }) {
        visitor.start('ada')
        return reply(303, null, { location: '/' })
      }
    }
    // Over plain HTTP, the policy of pages would send the form to https://.
    const policy = "default-src 'self'; form-action 'self'"
    const securityHeaders = { html: { 'content-security-policy': policy } }
    const port = await listening(t, createApp({ routes: { Home }, securityHeaders, logger: false, signals: false }))
    // Chromium sends no Sec-Fetch-Site to this host, because it is neither HTTPS nor localhost.
    const origin = `http://app.rebound.test:${port}`
    const { context } = await openBrowser(t, '', { allows: [/favicon/, /Cross-Origin-Opener-Policy/] })
    const page = await context.newPage()
    await page.goto(origin)
    const sent = page.waitForRequest((request) => request.method() === 'POST')
    await page.click('button')
    const headers = await (await sent).allHeaders()
    assert.deepEqual([headers['sec-fetch-site'], headers['origin']], [undefined, origin])
    await page.waitForFunction('document.querySelector("p").innerText === "ada"')
  })
})
