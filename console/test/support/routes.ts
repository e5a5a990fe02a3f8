/** Routes for each kind of request that the console distinguishes. */
import { setTimeout as wait } from 'node:timers/promises'
import { events, HttpError, redirect, reply, Route, stream, type Input, type Result } from 'verbena'
import { deprecated, log, speed, version } from 'verbena/decorators'
import * as z from 'zod'

/** The service of the routes. */
export class Database {
  readonly #names = new Map([
    ['1', 'Ada'],
    ['2', 'Grace'],
  ])
  /** Functions that let the waiting requests continue. */
  readonly #waiting = new Set<() => void>()

  async getUser(id: string): Promise<{ id: string; name: string } | undefined> {
    const name = this.#names.get(id)
    return name === undefined ? undefined : { id, name }
  }

  async query(text: string): Promise<string[]> {
    await wait(1)
    return [text]
  }

  /** Waits until `release` is called or the client disconnects. */
  held(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.add(resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }

  /** Returns the number of waiting requests. */
  holding(): number {
    return this.#waiting.size
  }

  /** Lets all waiting requests continue. */
  release(): void {
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }
}

const User = z.object({ id: z.string(), name: z.string() })
const Address = z.object({ street: z.string().min(1), city: z.string().min(1) })
const NewUser = z.object({
  name: z.string().min(2).max(50),
  email: z.email(),
  age: z.int().min(0).optional(),
  role: z.enum(['reader', 'author', 'editor']),
  password: z.string().min(8).optional(),
  addresses: z.array(Address).max(3).default([]),
})
const Search = z.object({
  term: z.string().default(''),
  limit: z.int().min(1).max(100).default(10),
  sort: z.enum(['name', 'age']).default('name'),
  archived: z.boolean().default(false),
})

abstract class ApiRoute extends Route<{ db: Database }> {}

class Users extends ApiRoute {
  static readonly get = this.contract({ query: Search, returns: z.array(User), summary: 'List users' })
  @log
  async get({ query, log: logger }: Input<typeof Users.get>): Result<typeof Users.get> {
    logger.info({ term: query.term, limit: query.limit }, 'searching users')
    return [{ id: '1', name: 'Ada' }]
  }

  static readonly post = this.contract({ body: NewUser, returns: User, status: 201, summary: 'Create a user' })
  async post({ body }: Input<typeof Users.post>): Result<typeof Users.post> {
    return { id: '3', name: body.name }
  }
}

class UserById extends ApiRoute {
  static readonly path = '/users/{id}'
  static readonly get = this.contract({ returns: User, errors: [404], summary: 'Read a user' })
  async get({ params }: Input<typeof UserById.get>): Result<typeof UserById.get> {
    const user = await this.db.getUser(params.id)
    if (user === undefined) throw new HttpError(404, `No user ${params.id}`)
    return user
  }

  static readonly delete = this.contract({ summary: 'Delete a user' })
  async delete() {}
}

/** Makes 12 similar queries, one for each line of the order. */
class Orders extends ApiRoute {
  @log
  @speed
  async get({ log: logger }: Input) {
    for (let line = 1; line <= 12; line++) await this.db.query(`select * from lines where "order" = ${line}`)
    logger.debug({ lines: 12 }, 'lines read')
    logger.info({ customer: { id: '1', name: 'Ada' } }, 'orders read')
    logger.warn({}, 'the index is old')
    logger.error({ err: new RangeError('The second replica is behind') }, 'replica behind')
    return { orders: 12 }
  }
}

/** Throws errors with a cause, or with several inner errors. */
class Invoices extends ApiRoute {
  static readonly path = '/invoices/{id}'
  static readonly post = this.contract({ body: z.object({ sum: z.number() }), summary: 'Write an invoice' })
  async post({ body }: Input<typeof Invoices.post>) {
    try {
      sumTotals(undefined)
    } catch (cause) {
      throw new Error(`No invoice over ${body.sum} could be written`, { cause })
    }
  }

  async get() {
    const reasons = ['first', 'second'].map((name) => new Error(`The ${name} printer is out of paper`))
    throw new AggregateError(reasons, 'No printer prints')
  }
}

function sumTotals(lines: readonly number[] | undefined): number {
  // Proof: wrong on purpose, to cause a TypeError.
  return (lines as readonly number[]).reduce((sum, line) => sum + line, 0)
}

class Reports extends ApiRoute {
  static readonly path = '/reports/{year}'
  static readonly get = this.contract({ summary: 'A slow report', description: 'It takes longer than it should.' })
  async get({ params }: Input<typeof Reports.get>) {
    await wait(180)
    return { year: params.year }
  }

  /** Blocks the event loop for `busy` ms. */
  static readonly post = this.contract({ body: z.object({ busy: z.int().max(2_000) }) })
  async post({ body }: Input<typeof Reports.post>) {
    for (const end = performance.now() + body.busy; performance.now() < end;);
    return { busy: body.busy }
  }
}

class Editions extends ApiRoute {
  @version('>=2.0.0')
  async get() {
    return 'the second edition'
  }
}

class Mismatches extends ApiRoute {
  static readonly get = this.contract({ returns: z.object({ count: z.number() }), summary: 'Returns what it must not' })
  async get(): Promise<{ count: number }> {
    return JSON.parse('{"count":"many"}')
  }
}

class Letters extends ApiRoute {
  @deprecated({ since: '2026-01-31', sunset: '2999-12-31', link: '/docs/letters' })
  async get() {
    return 'A letter'
  }

  static readonly put = this.contract({ body: z.object({ text: z.string() }) })
  async put({ body }: Input<typeof Letters.put>) {
    return reply(202, { length: body.text.length, text: body.text })
  }
}

class Moved extends ApiRoute {
  async get() {
    return redirect('/users', 308)
  }
}

class Rows extends ApiRoute {
  static readonly path = '/rows/{count}'
  static readonly get = this.contract({ returns: stream() })
  async *get({ params }: Input<typeof Rows.get>) {
    for (let row = 0; row < Number(params.count); row++) yield `${JSON.stringify({ row })}\n`
  }
}

class Scores extends ApiRoute {
  static readonly get = this.contract({ returns: events(z.object({ home: z.int(), away: z.int() })) })
  async *get() {
    yield { id: '1', event: 'score', data: { home: 0, away: 0 } }
    yield { id: '2', event: 'score', data: { home: 1, away: 0 } }
  }
}

class Held extends ApiRoute {
  async get({ signal }: Input) {
    await this.db.held(signal)
    return 'let go'
  }
}

/** Responds with JSON that contains `size` characters. */
class Big extends ApiRoute {
  static readonly path = '/big/{size}'
  async get({ params }: Input) {
    return { text: 'x'.repeat(Number(params['size'])) }
  }
}

class Pixel extends ApiRoute {
  async get() {
    return Buffer.from('R0lGODlhAQABAAAAACw=', 'base64')
  }
}

export const routes = {
  Users,
  UserById,
  Orders,
  Invoices,
  Reports,
  Editions,
  Mismatches,
  Letters,
  Moved,
  Rows,
  Scores,
  Held,
  Big,
  Pixel,
} as const
