/** An API with one route for each thing that a proxy may change. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  apiKey,
  bearer,
  bytes,
  createApp,
  events,
  json,
  precondition,
  Route,
  stream,
  type App,
  type Input,
  type Result,
} from 'verbena'
import { upgrade } from 'verbena/upgrade'
import { WebSocketServer } from 'ws'
import * as z from 'zod'

/** Largest JSON body, in bytes. */
export const BODY_LIMIT = 1_048_576
/** Time between two events, in ms. */
export const EVENT_INTERVAL = 600
/** Time without an event after which the stream sends a comment, in ms. */
export const HEARTBEAT = 500

/** Records of requests. */
export class Journal {
  /** Names of methods whose `signal` was aborted. */
  readonly aborted = new Set<string>()
  /** Number of lists of contacts that were requested. */
  listings = 0
}

interface Services {
  readonly journal: Journal
}

class Ticks extends Route {
  static readonly get = this.contract({ returns: events(z.object({ sent: z.int() }), { heartbeat: HEARTBEAT }) })
  async *get({ signal }: Input<typeof Ticks.get>) {
    for (let count = 0; count < 10; count++) {
      yield { data: { sent: Date.now() } }
      await sleep(EVENT_INTERVAL, undefined, { signal })
    }
  }
}

/** An event stream without events. */
class Silence extends Route<Services> {
  static readonly get = this.contract({ returns: events(z.string(), { heartbeat: HEARTBEAT }) })
  async *get({ signal }: Input<typeof Silence.get>): AsyncGenerator<{ data: string }> {
    yield { data: 'ready' }
    await untilAborted(signal)
    this.journal.aborted.add('silence')
  }
}

/** A method without a response. */
class Waiting extends Route<Services> {
  async get({ signal }: Input) {
    await untilAborted(signal)
    this.journal.aborted.add('waiting')
  }
}

/** An export that fails after three rows. */
class Export extends Route {
  static readonly get = this.contract({ returns: stream({ types: ['text/csv'] }) })
  async *get() {
    for (let row = 1; row <= 3; row++) {
      yield `${row}\n`
      await sleep(20)
    }
    throw new Error('The cursor is closed')
  }
}

class Order extends Route {
  static readonly post = this.contract({ body: json(z.unknown(), { limit: BODY_LIMIT }) })
  async post({ body }: Input<typeof Order.post>) {
    return { bytes: JSON.stringify(body).length }
  }
}

class Picture extends Route {
  static readonly put = this.contract({ body: bytes({ limit: 8 * BODY_LIMIT }) })
  async put({ body }: Input<typeof Picture.put>) {
    return { bytes: body.length }
  }
}

const revision = precondition({}, () => 7)

class Article extends Route {
  static readonly uses = { revision }
  static readonly get = this.contract({ etag: true, returns: z.object({ text: z.string() }) })
  async get(): Result<typeof Article.get> {
    return { text: 'a text that is long enough to be compressed. '.repeat(100) }
  }
  async put() {}
}

const key = apiKey({ in: 'header', name: 'X-API-Key' }, (sent) => (sent === 'k1' ? 'ada' : null))

class Account extends Route {
  static readonly uses = { key }
  async get({ key }: Input & { key: string }) {
    return { account: key }
  }
}

const token = bearer((sent) => (sent === 't1' ? 'ada' : null))

class Profile extends Route {
  static readonly uses = { token }
  async get({ token }: Input & { token: string }) {
    return { profile: token }
  }
}

class Headers extends Route {
  static readonly path = '/headers/{bytes}'
  async get({ params, response }: Input) {
    response.header('x-large', 'a'.repeat(Number(params['bytes'])))
    return 'done'
  }
}

/** The headers about the client that arrived. */
class Seen extends Route {
  async get({ request }: Input) {
    const names = ['forwarded', 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host']
    return Object.fromEntries(names.map((name) => [name, request.headers[name] ?? null]))
  }
}

/** Contacts that are found with QUERY (RFC 10008). Caches may store each response for a minute. */
class Contacts extends Route<Services> {
  static readonly query = this.contract({
    body: z.object({ surname: z.string() }),
    etag: true,
    returns: z.object({ surname: z.string(), type: z.string(), framing: z.enum(['chunked', 'Content-Length']) }),
  })
  /** Returns the surname of the query, and the headers about its body that arrived. */
  async query({ body, request, response }: Input<typeof Contacts.query>): Result<typeof Contacts.query> {
    response.header('cache-control', 'public, max-age=60')
    const { 'content-type': type = '', 'content-length': length } = request.headers
    return { surname: body.surname, type, framing: length === undefined ? 'chunked' : 'Content-Length' }
  }
  /** Returns a different number each time, so that a response of a cache is recognized. */
  async get({ response }: Input) {
    response.header('cache-control', 'public, max-age=60')
    return { listing: this.journal.listings++ }
  }
}

const server = new WebSocketServer({ noServer: true })
const echo = upgrade({}, (_input, socket, head, request) => {
  server.handleUpgrade(request, socket, head, (peer) => {
    peer.on('message', (message) => peer.send(String(message))).on('error', () => {})
  })
})

export function createProxiedApp(journal: Journal): App {
  const streams = { Ticks, Silence, Waiting, Export }
  const classes = { ...streams, Order, Picture, Article, Account, Profile, Headers, Seen, Contacts }
  return createApp({
    services: { journal },
    routes: { ...classes, '/echo': echo },
    trustProxy: ['127.0.0.1'],
    limits: { body: 8 * BODY_LIMIT },
    logger: false,
    signals: false,
  })
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}
