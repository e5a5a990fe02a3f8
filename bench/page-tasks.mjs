/**
 * Counts the actions of a reader until the page of an API shows the result of a task, on three pages of the same document: Verbena's, the
 * page of FastAPI (Swagger UI with its settings), and Scalar's. Also measures the requests of the pages.
 *
 *   npm install --prefix /tmp/peers --ignore-scripts swagger-ui-dist@5.35.0 @scalar/api-reference@1.46.4
 *   node --import tsx bench/page-tasks.mjs /tmp/peers/node_modules [--only 1,4] [--shots <folder>] [--publish]
 *
 * The shortest of several ways counts. An action is a click, or a scroll by a window of 1,280 x 900 px, if the next target is outside of
 * the window. The reader has finished when all strings of a task were drawn in the window, not covered. The script fails if another page
 * needs fewer actions than Verbena's.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { app, VERSIONS } from './page-tasks-app.mjs'
import { startPeers } from './page-tasks-servers.mjs'
import { kb, publish, table } from './report.mjs'

const { values, positionals } = parseArgs({
  options: { shots: { type: 'string' }, only: { type: 'string' }, publish: { type: 'boolean' } },
  allowPositionals: true,
})
const [packages = '/tmp/peers/node_modules'] = positionals

const WINDOW = { width: 1280, height: 900 }
const MAX_SCROLLS = 10
/** Part of the window by which a scroll moves; readers keep the last lines in view. */
const SCROLL = 0.9

/** Actions of Verbena's page. */
const contents = (name) => (page) => page.locator('.toc').getByRole('link', { name })
/** Actions of Swagger UI. */
const summary = (page) => page.locator('.opblock-summary-path', { hasText: '/orders' }).first()
const button = (name) => (page) => page.getByRole('button', { name }).first()
const schemaTab = (page) => page.getByRole('tab', { name: 'Schema' }).first()
/** Actions of Scalar. */
const entry = (name) => (page) => page.locator('.t-doc__sidebar').getByText(name, { exact: true })
const source = (name) => (page) => page.locator('.t-doc__sidebar').getByText(name).first()
const option = (name) => (page) => page.getByRole('option', { name })

const order = contents('Place an order')
const ERRORS = ['402 The card was declined', '404 The tea does not exist', '409 The tea is sold out']
const scalarOrder = [entry('orders'), entry('Place an order')]

/**
 * Strings that the reader looks for, and ways to them, by task and page. A list is alternatives. Spaces do not count. `isComparing`: the
 * reader compares two versions, because the page does not list the differences.
 */
const TASKS = [
  {
    title: 'What does this endpoint need?',
    verbena: {
      ways: [[], [order]],
      answer: [
        'tea integer, ≥ 1 required',
        'grams integer, ≥ 10, ≤ 1000, default 100',
        'address string, at least 10 characters, at most 300 characters required',
      ],
    },
    fastapi: {
      ways: [[summary], [summary, schemaTab]],
      // The star of a required field is drawn by the style.
      answer: [
        'tea Expand all integer [1,',
        'grams Expand all integer [10, 1000]',
        'address Expand all string [10, 300] characters',
      ],
    },
    scalar: {
      ways: [[], [entry('orders')], scalarOrder],
      answer: [
        'tea Type: integer min: 1',
        'grams Type: integer min: 10 max: 1000',
        'address Type: string min length: 10 max length: 300 required',
      ],
    },
  },
  {
    title: 'Which errors?',
    verbena: { ways: [[], [order]], answer: ERRORS },
    fastapi: { ways: [[], [summary]], answer: ERRORS },
    scalar: { ways: [[], [entry('orders')], scalarOrder], answer: ERRORS },
  },
  {
    title: 'How do I authenticate?',
    verbena: { ways: [[], [contents('Authentication')], [order]], answer: ['Authorization: Bearer'] },
    fastapi: { ways: [[], [summary], [button('Authorize')]], answer: ['bearer (http, Bearer)'] },
    scalar: {
      ways: [[], scalarOrder, [button('Select Auth Type'), option(/bearer/)]],
      answer: [['Authorization: Bearer', 'Bearer Token:']],
    },
  },
  {
    title: 'What changed in version 2?',
    verbena: {
      ways: [[], [contents('Changes since 1.0.0')]],
      answer: ['Changes since 1.0.0', 'POST /orders', 'New field address'],
    },
    // Each version has its page, and none has a link to another.
    fastapi: { ways: [], answer: [] },
    scalar: {
      isComparing: true,
      ways: [
        [entry('orders'), source('2.0.0'), option('1.0.0'), entry('orders')],
        [...scalarOrder, source('2.0.0'), option('1.0.0'), ...scalarOrder],
      ],
      answer: [
        'address Type: string min length: 10 max length: 300 required',
        'v1.0.0',
        'application/json tea Type: integer',
      ],
    },
  },
  {
    title: 'A line for curl?',
    verbena: { ways: [[], [order]], answer: ['curl -X POST', '/orders" \\', '"grams": 100'] },
    fastapi: {
      ways: [[summary, button('Try it out'), button('Execute')]],
      answer: ["curl -X 'POST'", "/orders' \\", '"grams": 100'],
    },
    scalar: { ways: [[], [entry('orders')], scalarOrder], answer: ['curl http', '/orders \\', '"grams": 100'] },
  },
]

/** Returns the text that is drawn in the window, and not covered, without spaces. */
const READ = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const texts = []
  const isDrawn = (element, { left, right, top, bottom }) => {
    const [x, y] = [(left + right) / 2, (top + bottom) / 2]
    if (x < 0 || y < 0 || x > innerWidth || y > innerHeight) return false
    const stack = document.elementsFromPoint(x, y)
    const above = stack.slice(0, stack.findIndex((each) => each.contains(element) || element.contains(each)))
    return above.every((each) => getComputedStyle(each).backgroundColor === 'rgba(0, 0, 0, 0)')
  }
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    let element = node.parentElement
    while (getComputedStyle(element).display === 'contents') element = element.parentElement
    if (node.data.trim() === '' || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    if ([...range.getClientRects()].some((box) => isDrawn(element, box))) texts.push(node.data)
  }
  return texts.join('').replaceAll(/\\s/g, '')
})()`

/** Returns the text in the window when it no longer changes, because pages draw their parts later. */
async function readSettled(page) {
  let text = ''
  for (let same = 0; same < 2;) {
    await page.waitForTimeout(300)
    const now = await page.evaluate(READ)
    same = now === text ? same + 1 : 0
    text = now
  }
  return text
}

/** Counts the actions of a reader on one page. */
class Reader {
  actions = 0
  #page
  #seen = new Set()
  #answer

  constructor(page, answer) {
    this.#page = page
    this.#answer = answer.map((forms) => [forms].flat().map((form) => form.replaceAll(/\s/g, '')))
  }

  /** Takes a way, and scrolls until all strings were drawn. Returns whether they were. */
  async take(way) {
    for (const target of way) {
      await this.#look()
      await this.#click(target(this.#page))
    }
    for (let scrolls = 0; !(await this.#look()); scrolls++) {
      if (scrolls === MAX_SCROLLS || !(await this.#scroll(1))) return false
    }
    return true
  }

  async #look() {
    const text = await readSettled(this.#page)
    this.#answer.forEach((forms, index) => {
      if (forms.some((form) => text.includes(form))) this.#seen.add(index)
    })
    return this.#seen.size === this.#answer.length
  }

  async #click(target) {
    await target.waitFor({ timeout: 10_000 })
    for (;;) {
      const { y, height } = await target.boundingBox()
      if (y >= 0 && y + height <= WINDOW.height) break
      if (!(await this.#scroll(y < 0 ? -1 : 1))) break
      await this.#look()
    }
    await target.click()
    this.actions++
  }

  /** Scrolls by a window. Returns whether the page moved. */
  async #scroll(direction) {
    const moved = await this.#page.evaluate(
      `(() => { const before = scrollY; scrollBy({ top: ${direction * SCROLL} * innerHeight, behavior: 'instant' }); return scrollY !== before })()`,
    )
    if (moved) this.actions++
    return moved
  }
}

const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM_BIN'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost'],
})

async function open(url, prepare = async () => {}) {
  const context = await browser.newContext({ viewport: WINDOW, locale: 'en-GB', colorScheme: 'light' })
  const page = await context.newPage()
  await prepare(page)
  await page.goto(url)
  await page.getByText('Place an order').or(page.getByText('What customers bought.')).first().waitFor()
  return page
}

async function countActions(url, { title, index }, name, { ways, answer, isComparing = false }) {
  const found = []
  for (const way of ways) {
    const page = await open(url)
    await readSettled(page)
    const reader = new Reader(page, answer)
    const isAnswered = await reader
      .take(way)
      .catch((error) => void console.error(`${name}, ${title} ${error.message.split('\n')[0]}`))
    if (isAnswered === true) {
      found.push(reader.actions)
      if (reader.actions === Math.min(...found)) await takePicture(page, `${index}-${name}`)
    }
    await page.context().close()
  }
  return { count: Math.min(...found), isComparing }
}

async function takePicture(page, name) {
  if (values.shots === undefined) return
  mkdirSync(values.shots, { recursive: true })
  await page.screenshot({ path: join(values.shots, `${name}.png`) })
}

/** Returns requests, bytes and other origins of a page, as they are sent. */
async function measureLoad(url) {
  const others = new Set()
  let requests = 0
  let bytes = 0
  const page = await open(url, async (page) => {
    const session = await page.context().newCDPSession(page)
    await session.send('Network.enable')
    page.on('request', (request) => {
      const { protocol, host, origin } = new URL(request.url())
      if (protocol === 'data:' || protocol === 'blob:') return
      requests++
      if (origin !== new URL(url).origin) others.add(host)
    })
    session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
  })
  await readSettled(page)
  await page.context().close()
  return { requests, bytes, others: [...others].toSorted() }
}

function readVersion(name) {
  return JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8')).version
}

const documents = new Map()
for (const version of VERSIONS) {
  const request = new Request('http://localhost/openapi.json', { headers: { 'accept-version': version } })
  documents.set(version, await (await app.fetch(request)).text())
}
const { url } = await app.listen({ port: 0 })
const peers = await startPeers(packages, documents)
const [fastapi, scalar] = peers
const PAGES = { verbena: `${url}/docs`, fastapi: fastapi.url, scalar: scalar.url }
const NAMES = Object.keys(PAGES)

const slower = []
const rows = []
for (const [index, task] of TASKS.entries()) {
  if (values.only !== undefined && !values.only.includes(String(index + 1))) continue
  const cells = []
  const counts = []
  for (const name of NAMES) {
    const { count, isComparing } = await countActions(PAGES[name], { ...task, index: index + 1 }, name, task[name])
    counts.push(count)
    cells.push(count === Infinity ? 'not shown' : `${count}${isComparing ? ', by comparing' : ''}`)
  }
  rows.push([task.title, ...cells])
  if (counts[0] === Infinity || counts[0] > Math.min(...counts)) slower.push(`${task.title} ${cells.join(', ')}`)
}
const loads = []
for (const name of NAMES) loads.push(await measureLoad(PAGES[name]))
rows.push(
  ['Requests', ...loads.map(({ requests }) => String(requests))],
  ['… of other origins than the document', ...loads.map(({ others }) => others.join(', ') || 'none')],
  ['Bytes, zipped', ...loads.map(({ bytes }) => kb(bytes))],
)

await browser.close()
await app.close()
for (const { close } of peers) close()

const head = [
  '',
  'Verbena',
  `FastAPI: Swagger UI ${readVersion('swagger-ui-dist')}`,
  `Scalar ${readVersion('@scalar/api-reference')}`,
]
const shown = table([head, ...rows])
console.log(shown)
if (values.publish)
  publish('page, tasks', `Chromium ${browser.version()}, ${new Date().toISOString().slice(0, 10)}.`, shown)
if (slower.length > 0) {
  console.error(`\nAnother page needs fewer actions:\n${slower.join('\n')}`)
  process.exitCode = 1
}
