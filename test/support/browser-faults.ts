/** What a page of the console must not do, whatever is shown in it. */
import type { BrowserContext, ConsoleMessage, Page, Request } from 'playwright-core'

/** Reports what the policy of the page has refused; tsx names functions by a helper that no page has. */
const WATCH = `globalThis.__name = (made) => made
addEventListener('securitypolicyviolation', (event) =>
  console.error('CSP refused', event.violatedDirective, event.blockedURI, event.sample))`

/** Of what the app itself answers, the browser says that it failed: it is what the app was asked for. */
const FAILED_STATUS = /^Failed to load resource: the server responded with a status of/

/** What the pages of a browser did that they must not. */
export class Faults {
  readonly #origin: string
  readonly #found: string[] = []
  #isWatching = true

  /** @param origin that may be asked; any, where it is empty */
  constructor(origin: string) {
    this.#origin = origin
  }

  /** All of them, as sentences. */
  get all(): readonly string[] {
    return this.#found
  }

  /**
   * Those that no pattern names.
   *
   * @param allowed patterns
   */
  except(allowed: readonly RegExp[]): string[] {
    return this.#found.filter((fault) => !allowed.some((pattern) => pattern.test(fault)))
  }

  /** Forgets what was found. */
  clear(): void {
    this.#found.length = 0
  }

  /** Adds no more: what is closed breaks off whatever it waited for. */
  stop(): void {
    this.#isWatching = false
  }

  /**
   * Watches all pages of a browser.
   *
   * @param context before its first page
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

  /** A stream is broken off by whoever leaves. */
  #failed(request: Request): void {
    const { pathname } = new URL(request.url())
    const reason = request.failure()?.errorText ?? ''
    if (reason === 'net::ERR_ABORTED' && pathname.endsWith('/events')) return
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
