/**
 * The console in Chromium. One browser is launched for each file of tests, when the first test wants it, and closed after the
 * last. Whatever a page does that it must not is a fault, and fails the test at its end.
 */
import assert from 'node:assert/strict'
import { after, type TestContext } from 'node:test'
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core'
import { onCleanup } from '#test/at-end.js'
import { Faults } from '#test/browser-faults.js'

/** How a browser looks at an app. */
export interface BrowserOptions {
  /** Width of the window; 1440 unless given. */
  readonly width?: number
  /** Height of the window; 900 unless given. */
  readonly height?: number
  /** What the system prefers; light unless given. */
  readonly theme?: 'light' | 'dark'
  readonly javaScript?: boolean
  readonly reducedMotion?: boolean
  readonly forcedColors?: boolean
  /** Faults that this test means to cause. */
  readonly allows?: readonly RegExp[]
  readonly context?: Omit<BrowserContextOptions, 'viewport'>
}

/** How a console is opened. */
export interface ConsoleOptions extends BrowserOptions {
  /** An app that listens. */
  readonly app: { readonly url: string }
  /** Where the page opens, with `#`; the list of requests unless given. */
  readonly hash?: string
  /** `/__dev__` unless given. */
  readonly path?: string
  /** Whether to wait until the feed is there; true for `/__dev__` unless given, where scripts run. */
  readonly live?: boolean
}

/** A browser without a past. */
export interface OpenedBrowser {
  readonly context: BrowserContext
  /** What its pages did that they must not. At the end of the test there must be none. */
  readonly faults: Faults
}

/** A console that is shown. */
export interface OpenedConsole extends OpenedBrowser {
  readonly page: Page
  readonly origin: string
}

const MAX_WAIT_MS = 30_000
/** Names lead to this machine or nowhere: `*.rebound.test` is what an attacker's name server says of its own name. */
const NAMES = 'MAP *.rebound.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1'

let launched: Promise<Browser> | undefined

after(async () => {
  await (await launched)?.close()
})

/** The browser of this file. */
export function browser(): Promise<Browser> {
  launched ??= chromium.launch({
    executablePath: process.env['CHROMIUM_BIN'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', `--host-resolver-rules=${NAMES}`],
  })
  return launched
}

/**
 * Opens a browser without a past: its pages share cookies and storage with each other, and with no other test.
 *
 * @param t the test; at its end all pages are closed, and there must be no fault
 * @param origin that may be asked; any, where it is empty
 * @param options how it looks at it
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
  const faults = new Faults(origin)
  await faults.watch(context)
  onCleanup(t, async () => {
    const left = faults.except(allows)
    faults.stop()
    await context.close()
    assert.deepEqual(left, [], 'what the page must not do')
  })
  return { context, faults }
}

/**
 * Opens the console of an app.
 *
 * @param t the test; at its end all is closed, and there must be no fault
 * @param options where, and how it looks at it
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
 * Waits until a page has its feed.
 *
 * @param page the console
 */
export async function untilLive(page: Page): Promise<void> {
  await page.locator('.live[data-state="live"]').waitFor()
}
