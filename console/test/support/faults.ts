/** Collects errors of console pages: crashes, dialogs, blocked or failed requests, and messages in the browser's console. */
import type { BrowserContext, ConsoleMessage, Page, Request } from 'playwright-core'

/** Reports CSP violations. Also defines `__name`, a helper that tsx inserts into functions and that pages lack. */
const WATCH = `globalThis.__name = (made) => made
addEventListener('securitypolicyviolation', (event) =>
  console.error('CSP refused', event.violatedDirective, event.blockedURI, event.sample))`

/** Chromium's message for a 4xx or 5xx response. Tests request such responses from the app on purpose. */
const FAILED_STATUS = /^Failed to load resource: the server responded with a status of/

/** Errors of the pages of one browser. */
export class Faults {
  readonly #origin: string
  readonly #found: string[] = []
  #isWatching = true

  /** @param origin the only origin that pages may request; an empty string allows all */
  constructor(origin: string) {
    this.#origin = origin
  }

  /** Descriptions of all errors. */
  get all(): readonly string[] {
    return this.#found
  }

  /**
   * Returns the errors that match none of the patterns.
   */
  except(allowed: readonly RegExp[]): string[] {
    return this.#found.filter((fault) => !allowed.some((pattern) => pattern.test(fault)))
  }

  /** Removes all errors found so far. */
  clear(): void {
    this.#found.length = 0
  }

  /** Ignores further errors. Closing a page aborts its pending requests. */
  stop(): void {
    this.#isWatching = false
  }

  /**
   * Watches all pages of a browser.
   *
   * @param context browser context that has not opened a page yet
   */
  async watch(context: BrowserContext): Promise<void> {
    await context.addInitScript(WATCH)
    context.on('page', (page) => this.#watchPage(page))
    context.on('request', (request) => this.#asked(request))
    context.on('requestfailed', (request) => this.#failed(request))
    context.on('console', (message) => this.#said(message))
    context.on('weberror', (error) => this.#add(`error in the page: ${error.error().stack ?? error.error().message}`))
  }

  #watchPage(page: Page): void {
    page.on('crash', () => this.#add('the page crashed'))
    page.on('dialog', (dialog) => {
      this.#add(`dialog: ${dialog.message()}`)
      dialog.dismiss().catch(() => {})
    })
  }

  #asked(request: Request): void {
    const url = new URL(request.url())
    const isOther = this.#origin !== '' && url.protocol !== 'data:' && url.origin !== this.#origin
    if (isOther) this.#add(`request to another origin: ${request.url()}`)
    else if (url.pathname === '/favicon.ico') this.#add('request for a favicon')
  }

  /** Ignores aborted event streams, their settings, and details that a page reads in the background: all end when the page is left. */
  #failed(request: Request): void {
    const { pathname } = new URL(request.url())
    const reason = request.failure()?.errorText ?? ''
    if (reason === 'net::ERR_ABORTED' && /\/(?:events|api\/settings|api\/requests\/\w+)$/.test(pathname)) return
    this.#add(`failed request: ${request.method()} ${request.url()} ${reason}`)
  }

  #said(message: ConsoleMessage): void {
    if (message.type() !== 'error' && message.type() !== 'warning') return
    const text = message.text()
    const { url } = message.location()
    const isOfApp = FAILED_STATUS.test(text) && !new URL(url).pathname.startsWith('/__dev__')
    if (!isOfApp) this.#add(`console ${message.type()}: ${text} (${url})`)
  }

  #add(fault: string): void {
    if (this.#isWatching) this.#found.push(fault)
  }
}
