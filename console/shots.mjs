/**
 * Takes pictures of the console for review: starts the example, sends requests to it, and opens each view and tab in both themes
 * and five widths.
 *
 *   node console/shots.mjs [part of a name]...   into .cache/console-shots
 *   node console/shots.mjs --guide               the pictures of the guides, into docs/guides/images
 *
 * Requires Chromium, and Node 22.13 or later for pictures with queries. Set `CHROMIUM_BIN` if it is not in one of the usual folders.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { ensurePage } from './build.mjs'
import { withPalette } from './png.mjs'
import { CACHE, ROOT, chromiumPath, fail, seconds } from '../scripts/tools.mjs'

const THEMES = ['light', 'dark']
const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 768, height: 1024 },
  { width: 420, height: 860 },
  { width: 320, height: 700 },
]
const PICTURE = { width: 1200, height: 750 }
/** Time with traffic before the first picture, in ms: enough to fill the charts of the last minute. */
const VISITED_MS = 45_000

/** An app whose console requires a token. */
const GUARDED = `
  import { createApp } from './src/index.ts'
  const app = createApp({ routes: [], devConsole: { token: 'a token of these pictures' } })
  console.log('listens on ' + (await app.listen({ port: 0 })).url)
`
/** A file that is dropped on the page. */
const HAR = {
  log: {
    version: '1.2',
    entries: ['/teas', '/teas/2', '/orders'].map((path, index) => ({
      startedDateTime: '2026-01-02T10:00:00.250Z',
      time: 12.5,
      request: { method: 'GET', url: `https://shop.test${path}`, httpVersion: 'h2', headers: [] },
      response: { status: index === 2 ? 503 : 200, headers: [], content: { size: 4, mimeType: 'text/plain' } },
      timings: { wait: 12 },
    })),
  },
}

const press = (keys) => (page) => page.keyboard.press(keys)

/** The states of the pictures: name, location and actions. `{GET /path 200}` means the newest such request. */
const STATES = [
  { name: 'requests', at: '#/requests' },
  { name: 'no-match', at: '#/requests?q=path%3A%2Fnowhere' },
  { name: 'filter-error', at: '#/requests?q=is%3Aslow+colour%3Ared' },
  { name: 'detail-repeated', at: '#/requests/{GET /orders/1 200}' },
  { name: 'detail-version', at: '#/requests/{GET /prices 406}' },
  { name: 'detail-invalid', at: '#/requests/{POST /orders 422}' },
  { name: 'detail-thrown', at: '#/requests/{GET /orders/2/receipt 500}' },
  { name: 'tab-request', at: '#/requests/{POST /orders 201}?tab=request' },
  { name: 'tab-response', at: '#/requests/{POST /orders 201}?tab=response' },
  { name: 'tab-timing', at: '#/requests/{GET /orders/1 200}?tab=timing' },
  { name: 'tab-queries', at: '#/requests/{GET /orders/1 200}?tab=queries' },
  { name: 'tab-logs', at: '#/requests/{GET /orders/2/receipt 500}?tab=logs' },
  { name: 'tab-validation', at: '#/requests/{POST /orders 422}?tab=validation' },
  { name: 'tab-error', at: '#/requests/{GET /orders/2/receipt 500}?tab=error' },
  { name: 'tab-edit', at: '#/requests/{GET /prices 406}?tab=edit' },
  { name: 'tab-compare', at: '#/requests/{GET /orders/1 200}?tab=compare' },
  { name: 'gone', at: '#/requests/r_gone' },
  { name: 'routes', at: '#/routes' },
  { name: 'route', at: '#/routes/Orders.post' },
  { name: 'try-it', at: '#/routes/Products.get', act: tryIt },
  { name: 'performance', at: '#/performance' },
  { name: 'performance-end', at: '#/performance', act: scrollToEnd },
  { name: 'logs', at: '#/logs' },
  { name: 'problems', at: '#/problems' },
  { name: 'health', at: '#/health' },
  { name: 'palette', at: '#/requests', act: press('Control+k') },
  { name: 'help', at: '#/requests', act: press('?') },
  { name: 'drag', at: '#/requests', act: (page) => sendFile(page, 'dragenter', 'dragover') },
  { name: 'file', at: '#/requests', act: (page) => sendFile(page, 'dragenter', 'dragover', 'drop') },
  { name: 'disconnected', at: '#/requests', isCut: true },
]

/** Pictures of the guide, with the width of the window. All pictures have the same size. */
const GUIDE = [
  { name: 'requests', width: 1200 },
  { name: 'detail-repeated', width: 1200 },
  { name: 'tab-queries', file: 'queries', width: 1200 },
  { name: 'performance', width: 1440 },
  { name: 'problems', width: 1200 },
]

const began = performance.now()
const flags = process.argv.slice(2).filter((each) => each.startsWith('-'))
const parts = process.argv.slice(2).filter((each) => !each.startsWith('-'))
if (flags.some((flag) => flag !== '--guide')) fail(`Cannot take pictures: unknown option ${flags.join(' ')}`)
const executablePath = chromiumPath()

await ensurePage()
let example = await startExample()
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
try {
  await (flags.length > 0 ? takeGuide() : takeAll())
} finally {
  await browser.close()
  example.child.kill()
}

/** Starts the example of `npm start`, on a free port if the port is 0. */
function startExample(port = '0') {
  return startApp(['--import=tsx', 'examples/users/main.ts'], { PORT: port })
}

async function startApp(args, env = {}) {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, NODE_ENV: 'development', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /listens on (\S+)/.exec(line)?.[1]
    if (url === undefined) continue
    child.stdout.resume()
    return { child, url }
  }
  return fail(`Cannot take pictures: ${args.at(-1)} has not started`)
}

/** Sends requests to the example. Returns a function that stops them, after enough traffic for the pictures. */
async function visit() {
  const env = { ...process.env, PORT: new URL(example.url).port }
  const visitor = ['--import=tsx', 'examples/users/visit.ts', '--forever']
  const child = spawn(process.execPath, visitor, { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'inherit'] })
  await setTimeout(VISITED_MS)
  return () => child.kill()
}

async function takeAll() {
  const folder = join(CACHE, 'console-shots')
  if (parts.length === 0) rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const isWanted = (name) => parts.length === 0 || parts.some((part) => name.includes(part))
  const takeStates = async (states) => {
    const wanted = states.filter(({ name }) => isWanted(name))
    for (const window of eachWindow()) await takeSize(wanted, { ...window, folder })
  }
  if (isWanted('empty')) await takeStates([{ name: 'empty', at: '#/requests' }])
  const watching = await openPage('light', SIZES[0])
  const leave = await visit()
  await takeStates(STATES)
  leave()
  await watching.context().close()
  if (isWanted('restart')) for (const theme of THEMES) await takeRestart(theme, folder)
  if (isWanted('sign-in')) await takeSignIn(folder)
  console.log(`Pictures are in .cache/console-shots (${seconds(began)})`)
}

/** Takes pictures of the problems after the example has restarted, in a page that was open before. */
async function takeRestart(theme, folder) {
  const page = await openPage(theme, SIZES[0], { hash: '#/problems' })
  const leave = await visit()
  leave()
  const { port } = new URL(example.url)
  example.child.kill('SIGKILL')
  await once(example.child, 'exit')
  example = await startExample(port)
  await page.locator('.live[data-state="live"]').waitFor()
  for (const path of ['/reports/sales', '/orders/1']) await fetch(`${example.url}${path}`)
  await setTimeout(2_000)
  for (const size of SIZES) {
    await page.setViewportSize(size)
    await page.waitForTimeout(300)
    await page.screenshot({ path: join(folder, `restart-${theme}-${size.width}.png`) })
  }
  await page.context().close()
}

async function takeSignIn(folder) {
  const { child, url } = await startApp(['--import=tsx', '--input-type=module', '--eval', GUARDED])
  for (const { theme, size } of eachWindow()) {
    const context = await browser.newContext({ viewport: size, colorScheme: theme, locale: 'en-GB' })
    const page = await context.newPage()
    await page.goto(`${url}/__dev__#/problems`)
    await page.screenshot({ path: join(folder, `sign-in-${theme}-${size.width}.png`) })
    await context.close()
  }
  child.kill()
}

function eachWindow() {
  return THEMES.flatMap((theme) => SIZES.map((size) => ({ theme, size })))
}

async function takeSize(states, { theme, size, folder }) {
  const page = await openPage(theme, size)
  const ids = await readIds(page)
  for (const state of states) {
    await showState(page, state, ids)
    await page.screenshot({ path: join(folder, `${state.name}-${theme}-${size.width}.png`) })
  }
  await page.context().close()
}

async function openPage(colorScheme, viewport, { deviceScaleFactor = 1, hash = '' } = {}) {
  const context = await browser.newContext({ viewport, deviceScaleFactor, colorScheme, locale: 'en-GB' })
  const page = await context.newPage()
  // Each opened link would pin its request, until too many are pinned.
  await page.route('**/__dev__/api/pin', (route) => route.fulfill({ json: { ids: [] } }))
  await page.goto(`${example.url}/__dev__${hash}`)
  await page.locator('.live[data-state="live"]').waitFor()
  return page
}

/** Returns the id of the newest request for each method, path and status. */
async function readIds(page) {
  const snapshot = await page.evaluate(async () => (await fetch('/__dev__/api/snapshot')).json())
  const named = snapshot.requests.map((each) => [
    `${each['http.request.method']} ${each['url.path']} ${each['http.response.status_code']}`,
    each.id,
  ])
  return new Map(named.toReversed())
}

async function showState(page, { at, act, isCut = false }, ids) {
  if (isCut) await page.route('**/__dev__/events', (route) => route.abort())
  await page.goto('about:blank')
  const hash = at.replace(/\{(.+?)\}/, (_, request) => ids.get(request) ?? fail(`Cannot find ${request}`))
  await page.goto(`${example.url}/__dev__${hash}`)
  await page.locator(isCut ? '.live:not([data-state="live"])' : '.live[data-state="live"]').waitFor()
  await page.waitForTimeout(500)
  await act?.(page)
  await page.waitForTimeout(150)
}

async function tryIt(page) {
  await page.getByLabel(/^q\b/).fill('earl')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.waitForTimeout(1_500)
}

async function scrollToEnd(page) {
  await page.locator('main').hover()
  await page.mouse.wheel(0, 10_000)
}

/** Sends events of a drag of a file over the page. */
async function sendFile(page, ...types) {
  const data = await page.evaluateHandle((har) => {
    const transfer = new DataTransfer()
    transfer.items.add(new File([JSON.stringify(har)], 'shop.har', { type: 'application/json' }))
    return transfer
  }, HAR)
  for (const type of types) await page.dispatchEvent('body', type, { dataTransfer: data })
  await page.waitForTimeout(300)
}

async function takeGuide() {
  const folder = join(ROOT, 'docs/guides/images')
  mkdirSync(folder, { recursive: true })
  const watching = await openPage('light', PICTURE)
  const leave = await visit()
  for (const { name, file = name, width } of GUIDE) {
    const scale = PICTURE.width / width
    const page = await openPage(
      'light',
      { width, height: Math.round(PICTURE.height / scale) },
      { deviceScaleFactor: scale },
    )
    const state = STATES.find((each) => each.name === name)
    await showState(page, state, await readIds(page))
    writeFileSync(join(folder, `console-${file}.png`), withPalette(await page.screenshot()))
    await page.context().close()
  }
  leave()
  await watching.context().close()
  await takeApiPage(join(folder, 'api-page.png'))
  console.log(`Pictures are in docs/guides/images (${seconds(began)})`)
}

/** Takes a picture of the page of the example's API. */
async function takeApiPage(path) {
  const context = await browser.newContext({ viewport: PICTURE, locale: 'en-GB' })
  const page = await context.newPage()
  await page.goto(`${example.url}/docs#Orders.post`)
  await page.getByRole('button', { name: 'Copy curl' }).waitFor()
  writeFileSync(path, withPalette(await page.screenshot()))
  await context.close()
}
