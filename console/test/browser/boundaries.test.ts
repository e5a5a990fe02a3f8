import '#test/development.js'
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { after, before, describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { openBrowser, openConsole } from '../support/browser.js'
import { openBrowserApp, type BrowserApp } from '../support/app.js'
import { untilCount } from '../support/page.js'

const POLICY = [
  "default-src 'none'",
  "script-src 'sha256-…' 'sha256-…'",
  "style-src 'sha256-…'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const TOKEN = 'a-token-of-these-tests'

let app: BrowserApp
let others: Server
let otherPort = 0

before(async () => {
  app = await openBrowserApp()
  await app.visit()
  others = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><title>Another</title><link rel="icon" href="data:,"><h1>Another</h1>')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => others.once('listening', resolve))
  const address = others.address()
  otherPort = typeof address === 'object' && address !== null ? address.port : 0
})
after(async () => {
  others.closeAllConnections()
  others.close()
  await app.close()
})

describe('console page: security', () => {
  it('has the documented content security policy', async (t) => {
    const { page } = await openConsole(t, { app })
    const answer = await page.request.get(`${app.url}/__dev__`)
    const policy = answer.headers()['content-security-policy'] ?? ''
    assert.equal(policy.replaceAll(/sha256-[A-Za-z0-9+/]{43}=/g, 'sha256-…'), POLICY)
  })

  it('sends requests only to the console endpoints of the app', async (t) => {
    const { page, context } = await openConsole(t, { app })
    const asked = new Set<string>()
    context.on('request', (request) => asked.add(request.url()))
    await page.reload()
    for (const key of ['2', '3', '4', '5', '6', '1']) {
      await page.keyboard.press(key)
      await page.waitForTimeout(100)
    }
    const paths = [...asked].filter((url) => !url.startsWith('data:')).map((url) => url.replace(app.url, ''))
    assert.ok(paths.includes('/__dev__/api/routes'), paths.join(' '))
    assert.deepEqual(
      paths.filter((path) => !path.startsWith('/__dev__') && path !== '/openapi.json'),
      [],
    )
  })

  it('cannot create markup from strings', async (t) => {
    const { page } = await openConsole(t, { app, allows: [/Trusted(HTML|Script)|trusted-types-sink/] })
    const refusals = await page.evaluate(() => {
      const attempts = [
        () => (document.body.innerHTML = '<b>x</b>'),
        () => document.body.insertAdjacentHTML('beforeend', '<b>x</b>'),
        () => (document.createElement('script').text = 'x'),
        () => new DOMParser().parseFromString('<b>x</b>', 'text/html'),
      ]
      return attempts.map((attempt) => {
        try {
          return String(attempt())
        } catch (error) {
          return String(error).slice(0, 9)
        }
      })
    })
    assert.deepEqual(
      refusals,
      ['TypeError', 'TypeError', 'TypeError', 'TypeError'].map((name) => name.slice(0, 9)),
    )
    await page.getByText('ContractBreach').click()
    await page.getByRole('tab', { name: 'Response' }).click()
    await page.getByText('content-type').first().waitFor()
  })
})

describe('console page: sign-in', () => {
  it('signs in with the token and removes it from the address', async (t) => {
    const guarded = await openBrowserApp(t, { token: TOKEN })
    const hash = `#token=${TOKEN}`
    const { page, context } = await openConsole(t, {
      app: guarded,
      hash,
      allows: [/status of 401/, /session net::ERR_ABORTED/],
    })
    assert.equal(new URL(page.url()).hash, '')
    const [cookie] = await context.cookies(`${guarded.url}/__dev__`)
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite, cookie?.path], [true, 'Strict', '/__dev__'])
    assert.notEqual(cookie?.value, TOKEN)
  })

  it('hides the app if the token is wrong', async (t) => {
    const guarded = await openBrowserApp(t, { token: TOKEN })
    const options = { hash: '#token=another-token-of-nobody', live: false, allows: [/status of 40[13]/] }
    const { page } = await openConsole(t, { app: guarded, ...options })
    await page.getByText('This token does not open the console').waitFor()
    assert.doesNotMatch(await page.content(), /bookshop/)
  })
})

/** Attempts of a cross-origin page, each with the result that the page sees. */
const ATTEMPTS: Readonly<Record<string, (url: string) => Promise<string>>> = {
  'reading by fetch': (url) =>
    fetch(`${url}/api/snapshot`).then(
      () => 'read',
      () => 'refused',
    ),
  'reading by fetch with a header': (url) =>
    fetch(`${url}/api/snapshot`, { headers: { 'x-dev-token': 'x' } }).then(
      () => 'read',
      () => 'refused',
    ),
  'reading with cookies': (url) =>
    fetch(`${url}/api/snapshot`, { credentials: 'include' }).then(
      () => 'read',
      () => 'refused',
    ),
  'reading without asking': (url) =>
    fetch(`${url}/api/snapshot`, { mode: 'no-cors' }).then(
      async (answer) => ((await answer.text()) === '' ? 'refused' : 'read'),
      () => 'refused',
    ),
  'reading the stream': (url) =>
    new Promise((resolve) => {
      const source = new EventSource(`${url}/events`)
      source.addEventListener('open', () => resolve('read'))
      source.addEventListener('error', () => resolve(source.readyState === EventSource.CLOSED ? 'refused' : 'again'))
    }),
  'including it as a script': (url) =>
    new Promise((resolve) => {
      const script = document.createElement('script')
      script.addEventListener('load', () => resolve('read'))
      script.addEventListener('error', () => resolve('refused'))
      script.src = `${url}/api/snapshot`
      document.head.append(script)
    }),
  'including it as a style': (url) =>
    new Promise((resolve) => {
      const link = document.createElement('link')
      link.addEventListener('load', () => resolve('read'))
      link.addEventListener('error', () => resolve('refused'))
      link.rel = 'stylesheet'
      link.href = `${url}/requests`
      document.head.append(link)
    }),
  'sending an action': (url) =>
    fetch(`${url}/api/clear`, { method: 'POST', mode: 'no-cors', body: '{}' }).then(
      () => 'refused',
      () => 'refused',
    ),
  'sending an action as JSON': (url) =>
    fetch(`${url}/api/clear`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }).then(
      () => 'read',
      () => 'refused',
    ),
  'sending a beacon': (url) => Promise.resolve(navigator.sendBeacon(`${url}/api/clear`, '{}') ? 'refused' : 'not sent'),
}

describe('console page: other origins', () => {
  const ORIGINS = [
    ['another port', () => `http://127.0.0.1:${otherPort}`],
    ['another name', () => `http://another.localhost:${otherPort}`],
  ] as const

  for (const [kind, origin] of ORIGINS) {
    it(`blocks reads and changes by a page of ${kind}`, async (t) => {
      const { page, answers } = await visit(t, origin())
      const earlier = await stateOf()
      for (const [name, attempt] of Object.entries(ATTEMPTS)) {
        assert.equal(await page.evaluate(attempt, `${app.url}/__dev__`), 'refused', name)
      }
      assert.deepEqual([answers.length >= Object.keys(ATTEMPTS).length - 1, new Set(answers)], [true, new Set([403])])
      assert.deepEqual(await stateOf(), earlier)
    })

    it(`blocks frames and windows of a page of ${kind}`, async (t) => {
      const { page, opened } = await visit(t, origin())
      const earlier = await stateOf()
      await page.evaluate(async (url) => {
        const frame = document.createElement('iframe')
        const loaded = new Promise((resolve) => frame.addEventListener('load', resolve))
        frame.src = url
        document.body.append(frame)
        await loaded
      }, `${app.url}/__dev__`)
      const shown = page.frames().filter((frame) => frame !== page.mainFrame())
      for (const frame of shown) await untilCount(frame.locator('.app'), 0)
      for (const act of [openWindow, postForm]) {
        const opening = page.context().waitForEvent('page')
        await page.evaluate(act, `${app.url}/__dev__`)
        const popup = await opening
        await popup.waitForLoadState()
        await untilCount(popup.locator('.app'), 0)
      }
      assert.deepEqual([opened.length, new Set(opened)], [3, new Set([403])])
      assert.deepEqual(await stateOf(), earlier)
    })
  }

  it('responds 403 to another host name of this machine', async (t) => {
    const { context } = await openBrowser(t, '', { allows: [/./] })
    const page = await context.newPage()
    for (const path of ['/__dev__', '/__dev__/requests', '/__dev__/api/snapshot']) {
      const answer = await page.goto(`http://attacker.rebound.test:${app.port}${path}`)
      assert.equal(answer?.status(), 403, path)
      assert.doesNotMatch(await page.content(), /bookshop|orders/, path)
    }
  })

  it('allows the console page itself to read and change', async (t) => {
    const own = await openBrowserApp(t)
    await own.visit()
    // The page may read a notable request while the test deletes it.
    const { page } = await openConsole(t, { app: own, allows: [/status of 404.*\/api\/requests\//] })
    for (const name of ['reading by fetch', 'reading with cookies', 'reading without asking', 'reading the stream']) {
      assert.equal(await page.evaluate(ATTEMPTS[name] ?? String, `${own.url}/__dev__`), 'read', name)
    }
    const token = await page.evaluate(
      () => document.querySelector('meta[name="dev-token"]')?.getAttribute('content') ?? '',
    )
    const status = await page.evaluate(async (sent) => {
      const headers = { 'content-type': 'application/json', 'x-dev-token': sent }
      return (await fetch('/__dev__/api/clear', { method: 'POST', headers, body: '{}' })).status
    }, token)
    assert.ok(status < 300, String(status))
    assert.equal((await own.snapshot()).requests.length, 0)
  })
})

interface Visitor {
  readonly page: Page
  /** Statuses of the responses to the page, which the browser hides from the page itself. */
  readonly answers: number[]
  /** Statuses of the responses in frames and windows of the page. */
  readonly opened: number[]
}

/** Opens a page elsewhere. */
async function visit(t: TestContext, origin: string): Promise<Visitor> {
  const { context } = await openBrowser(t, '', { allows: [/./] })
  const page = await context.newPage()
  await page.goto(origin)
  const [answers, opened]: [number[], number[]] = [[], []]
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  session.on('Network.responseReceivedExtraInfo', ({ statusCode }) => answers.push(statusCode))
  context.on('response', (response) => {
    if (new URL(response.url()).pathname.startsWith('/__dev__')) opened.push(response.status())
  })
  return { page, answers, opened }
}

/** Returns the state that an action would change, without icons, which a browser requests for plain text. */
async function stateOf(): Promise<unknown> {
  const { requests } = await app.snapshot()
  const own = requests.filter((summary) => summary['url.path'] !== '/favicon.ico')
  return own.map(({ id, 'dev.pinned': isPinned }) => [id, isPinned])
}

function openWindow(url: string): void {
  open(url)
}

function postForm(url: string): void {
  const form = document.createElement('form')
  form.method = 'post'
  form.enctype = 'text/plain'
  form.target = '_blank'
  form.action = `${url}/api/clear`
  document.body.append(form)
  form.submit()
}
