/**
 * The console in Chromium. Each test file launches one browser before its first test and closes it after the last. A test fails at its
 * end if a page had errors.
 */
import assert from 'node:assert/strict'
import { after, type TestContext } from 'node:test'
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core'
import { onCleanup } from '#test/cleanup.js'
import { Faults } from './faults.js'

/** Window and preferences of a browser. */
export interface BrowserOptions {
  /** Width of the window in px; default 1440. */
  readonly width?: number
  /** Height of the window in px; default 900. */
  readonly height?: number
  /** Preferred color scheme; default light. */
  readonly theme?: 'light' | 'dark'
  readonly javaScript?: boolean
  readonly reducedMotion?: boolean
  readonly forcedColors?: boolean
  /** Errors that this test expects. */
  readonly allows?: readonly RegExp[]
  readonly context?: Omit<BrowserContextOptions, 'viewport'>
}

export interface ConsoleOptions extends BrowserOptions {
  /** An app that is listening. */
  readonly app: { readonly url: string }
  /** Hash of the URL, with `#`; default: the list of requests. */
  readonly hash?: string
  /** Path of the page; default `/__dev__`. */
  readonly path?: string
  /** Whether to wait for the live feed; default: true for `/__dev__` with JavaScript. */
  readonly live?: boolean
}

/** A browser context without cookies and storage from before. */
export interface OpenedBrowser {
  readonly context: BrowserContext
  /** Errors of its pages. The test fails at its end if there are any. */
  readonly faults: Faults
}

/** A page that shows a console. */
export interface OpenedConsole extends OpenedBrowser {
  readonly page: Page
  readonly origin: string
}

const MAX_WAIT_MS = 30_000
/** Chromium resolves no names, except `*.rebound.test` to this machine: a name whose DNS server an attacker controls. */
const NAMES = 'MAP *.rebound.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1'

/** Divides the speed of all pages, to find tests that read a page before it is rendered. */
const SLOWDOWN = Number(process.env['BROWSER_SLOWDOWN'] ?? 1)

let launched: Promise<Browser> | undefined

after(async () => {
  await (await launched)?.close()
})

/** Returns the browser of this test file; launches it at the first call. */
export function browser(): Promise<Browser> {
  launched ??= chromium.launch({
    executablePath: process.env['CHROMIUM_BIN'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', `--host-resolver-rules=${NAMES}`],
  })
  return launched
}

/**
 * Opens a browser context. Its pages share cookies and storage with each other, but not with other tests.
 *
 * @param t closes the pages at the end of this test, and fails it if they had errors
 * @param origin the only origin that pages may request; an empty string allows all
 * @param options window and preferences
 */
export async function openBrowser(
  t: TestContext,
  origin: string,
  options: BrowserOptions = {},
): Promise<OpenedBrowser> {
  const { width = 1440, height = 900, theme = 'light', allows = [] } = options
  const context = await (
    await browser()
  ).newContext({
    viewport: { width, height },
    colorScheme: theme,
    javaScriptEnabled: options.javaScript ?? true,
    reducedMotion: options.reducedMotion === true ? 'reduce' : 'no-preference',
    forcedColors: options.forcedColors === true ? 'active' : 'none',
    locale: 'en-GB',
    timezoneId: 'UTC',
    ...options.context,
  })
  context.setDefaultTimeout(MAX_WAIT_MS)
  if (SLOWDOWN > 1) context.on('page', (page) => void slowDown(context, page))
  const faults = new Faults(origin)
  await faults.watch(context)
  onCleanup(t, async () => {
    const left = faults.except(allows)
    faults.stop()
    await context.close()
    assert.deepEqual(left, [], 'the page had errors')
  })
  return { context, faults }
}

async function slowDown(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
}

/**
 * Opens the console of an app.
 *
 * @param t closes the page at the end of this test, and fails it if the page had errors
 * @param options app, path, window and preferences
 */
export async function openConsole(t: TestContext, options: ConsoleOptions): Promise<OpenedConsole> {
  const { app, hash = '', path = '/__dev__', javaScript = true } = options
  const { origin } = new URL(app.url)
  const { context, faults } = await openBrowser(t, origin, options)
  const page = await context.newPage()
  await page.goto(`${origin}${path}${hash}`)
  if (options.live ?? (javaScript && path === '/__dev__')) await untilLive(page)
  return { page, context, origin, faults }
}

/**
 * Waits until a page is connected to its live feed.
 */
export async function untilLive(page: Page): Promise<void> {
  await page.locator('.live[data-state="live"]').waitFor()
}
