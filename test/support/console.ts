/** An app with a console, and readers of the console's API. */
import { connect } from 'node:net'
import {
  createApp,
  HttpError,
  provide,
  Route,
  type App,
  type AppOptions,
  type CommonOptions,
  type DevConsoleOptions,
  type Logger,
  type ResponseView,
} from 'verbena'
import { log, version } from 'verbena/decorators'
import * as z from 'zod'
import type { Snapshot } from '#src/devconsole/wire/feed-types.js'
import type { RequestRecord } from '#src/devconsole/wire/request-types.js'

/** A service with a private field, which a `Proxy` around it could not access. */
export class Library {
  #asked = 0

  async find(id: string): Promise<{ id: string; asked: number }> {
    this.#asked++
    return { id, asked: this.#asked }
  }

  query(text: string): string[] {
    return [text]
  }
}

const NewBook = z.object({ title: z.string(), password: z.string().optional() })

class Books extends Route<{ library: Library }> {
  static readonly path = '/books/{id}'
  static readonly get = this.contract({ returns: z.object({ id: z.string(), asked: z.number() }) })
  static readonly post = this.contract({ body: NewBook, returns: z.object({ title: z.string() }) })

  @log
  async get({ params, log: logger }: { params: { id: string }; log: Logger }) {
    logger.info({ secret: 'hunter2', shelf: 3 }, 'looking')
    return this.library.find(params.id)
  }

  async post({ body }: { body: { title: string } }) {
    if (body.title === 'wrong') throw new TypeError('No such book', { cause: new Error('The shelf is empty') })
    if (body.title === 'gone') throw new HttpError(503, 'Closed')
    return { title: body.title === 'mismatch' ? undefined : body.title }
  }
}

class Lists extends Route<{ library: Library }> {
  async get() {
    for (let page = 1; page <= 6; page++) this.library.query(`select * from books where page = ${page}`)
    return 'done'
  }
}

class Editions extends Route {
  @version('>=2.0.0')
  async get() {
    return 'second'
  }
}

const member = provide(
  { headers: z.object({ member: z.string().default('nobody') }), errors: [401] },
  ({ headers }) => {
    if (headers.member === 'banned') throw new HttpError(401)
    return headers.member
  },
)
const loan = provide({}, async function* (_input, { library }: { library: Library }) {
  yield await library.find('loan')
})

class Loans extends Route<{ library: Library }> {
  static readonly uses = { member }
  static readonly post = this.contract({ uses: { loan }, body: NewBook, returns: z.object({ by: z.string() }) })
  static readonly get = this.contract({ summary: 'All loans', hidden: true })
  readonly shelf = this.library.query('shelf')

  get() {
    return new Response(null, { status: 204 })
  }

  async post({ member: by, response }: { member: string; response: ResponseView }) {
    response.after(() => this.library.query('after'))
    return { by }
  }
}

class Streams extends Route {
  async get() {
    return (async function* () {
      yield 'one '
      yield 'two'
    })()
  }
}

/** A listening app with a console. */
export interface TestConsole {
  readonly url: string
  readonly port: number
  /** Messages that the app has logged. */
  readonly lines: string[]
  readonly app: Pick<App, 'fetch'>
  close(): Promise<void>
}

/** Starts an app with a console. */
export async function openConsole(
  devConsole: 'auto' | boolean | DevConsoleOptions = true,
  given: CommonOptions = {},
): Promise<TestConsole> {
  const lines: string[] = []
  const write = (_fields: object, message = ''): void => void lines.push(message)
  const logger: Logger = { debug: write, info: write, warn: write, error: write }
  const routes = { Books, Lists, Editions, Loans, Streams }
  const options = {
    name: 'library',
    version: '1.0.0',
    services: { library: new Library() },
    routes,
    logger,
    devConsole,
    ...given,
  }
  // Proof: the handlers declare their inputs by hand, which the types of routes reject.
  const app = createApp(options as unknown as AppOptions<Record<never, never>>)
  const { url, port } = await app.listen()
  return { url, port, lines, app, close: () => app.close() }
}

/** Fetches JSON from a URL of a console. */
export async function read<T>(url: string): Promise<T> {
  const response = await fetch(url)
  // Proof: the caller names the type of the response.
  return (await response.json()) as T
}

/** Waits until the console has recorded `count` requests, and returns its snapshot. */
export function waitForSnapshot(url: string, count: number): Promise<Snapshot> {
  return snapshotWhere(url, ({ requests }) => requests.length >= count)
}

/** Waits until the snapshot meets a condition, and returns it. */
export async function snapshotWhere(url: string, holds: (snapshot: Snapshot) => boolean): Promise<Snapshot> {
  for (;;) {
    const snapshot = await read<Snapshot>(`${url}/__dev__/api/snapshot`)
    if (holds(snapshot)) return snapshot
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Waits until the console has recorded `count` requests, and returns the newest record. */
export async function newestRecord(url: string, count: number): Promise<RequestRecord> {
  const { requests } = await waitForSnapshot(url, count)
  return read(`${url}/__dev__/api/requests/${requests[0]?.id}`)
}

export function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

/** Returns the action token from the HTML of the page. */
export async function actionToken(url: string, headers: Record<string, string> = {}): Promise<string> {
  const html = await (await fetch(`${url}/__dev__`, { headers })).text()
  return /name="?dev-token"? content="?([\w-]+)/.exec(html)?.[1] ?? ''
}

/** Sends raw bytes, and returns the status of the response. */
export function readStatus(port: number, head: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(head))
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString()
      const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]
      if (status === undefined) return
      socket.destroy()
      resolve(Number(status))
    })
    socket.on('error', reject)
  })
}
