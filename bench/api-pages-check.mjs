/** Checks pages of OpenAPI documents in Chromium: WCAG, layout, and that they run no markup of their document. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { stickingOut, untilDrawn, violations } from '../console/test/support/checks.ts'
import { referencePage } from '../src/reference/page.ts'

const WIDTHS = [360, 1280]
const THEMES = ['light', 'dark']
/** Number of the longest operations, and of the longest schemas, that are checked open. */
const OPENED = 4
const MARKUP = `"'><img src=x onerror=alert(1)><script>alert(1)</script><a href="javascript:alert(1)">x</a>`
/** Fields whose value selects a part of the page. */
const FORMAT = new Set(['$ref', 'openapi', 'swagger', 'in', 'type', 'style', 'mapping'])

/**
 * Returns the faults of the pages.
 *
 * @param {object[]} documents OpenAPI documents
 * @param {string | undefined} shots folder for pictures
 */
export async function checkPages(documents, shots) {
  if (shots !== undefined) mkdirSync(shots, { recursive: true })
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM_BIN'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND'],
  })
  const faults = []
  for (const document of documents) {
    const name = document.info.title
    const found = [...(await checkLook(browser, document, shots)), ...(await checkMarkup(browser, document))]
    console.log(`${name}: ${found.length} faults`)
    faults.push(...found.map((fault) => `${name}: ${fault}`))
  }
  await browser.close()
  return faults
}

async function open(browser, document) {
  const page = await browser.newPage()
  page.setDefaultTimeout(300_000)
  await page.setContent([...referencePage(document)].join(''))
  return page
}

async function checkLook(browser, document, shots) {
  const page = await open(browser, document)
  const name = document.info.title.replaceAll(/\W+/g, '-')
  const faults = await checkSizes(page, 'closed', shots && join(shots, name))
  await page.evaluate(KEEP_LONGEST)
  faults.push(...(await checkSizes(page, 'open', shots && join(shots, `${name}-open`))))
  await page.close()
  return faults
}

/** Opens the longest sections with all their parts, and removes the others, because axe takes minutes for a page of 1,000 open sections. */
const KEEP_LONGEST = `(() => {
  const length = (section) => section.innerHTML.length
  for (const selector of ['.tag > details', '.sc']) {
    const sections = [...document.querySelectorAll(selector)].sort((a, b) => length(b) - length(a))
    for (const section of sections.slice(${OPENED})) section.remove()
  }
  for (const section of document.querySelectorAll('main details')) section.open = true
})()`

async function checkSizes(page, state, shot) {
  const faults = []
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme })
      await untilDrawn(page)
      const found = [...(await violations(page)), ...(await stickingOut(page))]
      faults.push(...found.map((fault) => `${state}, ${width} px, ${colorScheme}: ${fault}`))
      if (shot !== undefined) await page.screenshot({ path: `${shot}-${width}-${colorScheme}.png` })
    }
  }
  return faults
}

/** Creates the page of the same document with markup in every string, and returns elements that come from it. */
async function checkMarkup(browser, document) {
  const page = await open(browser, addMarkup(document))
  const dialogs = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  await page.evaluate('for (const section of document.querySelectorAll("main details")) section.open = true')
  const found = await page.evaluate(`[...document.querySelectorAll('*')].flatMap((element) => {
    const isForeign = element.matches('img, iframe, object, embed, [href^="javascript:" i], body script, [src]')
    const handlers = element.getAttributeNames().filter((name) => name.startsWith('on'))
    return isForeign || handlers.length > 0 ? element.outerHTML.slice(0, 200) : []
  })`)
  await page.close()
  return [...found, ...dialogs].map((text) => `markup runs: ${text}`)
}

function addMarkup(value, key = '') {
  if (typeof value === 'string') return FORMAT.has(key) ? value : `${value}${MARKUP}`
  if (Array.isArray(value)) return value.map((item) => addMarkup(item, key))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [rename(name, key), addMarkup(item, name)]))
}

/** Adds markup to names of fields, paths and media types. */
function rename(name, parent) {
  return ['properties', 'paths', 'content', 'headers', 'responses'].includes(parent) ? `${name}${MARKUP}` : name
}
