/** An app that notes, in each callback of a request, which `AsyncLocalStorage` value of its middleware is visible there. */
import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  bytes,
  createApp,
  decorator,
  events,
  form,
  json,
  provide,
  reply,
  Route,
  stream,
  text,
  type App,
  type Context,
  type Input,
  type Logger,
  type Middleware,
} from 'verbena'
import { log } from 'verbena/decorators'
import type { Schema } from '#src/validation/schema.js'

const tenants = new AsyncLocalStorage<string>()
const notes: string[] = []

/** Notes a place, and the tenant that is visible there. */
export function note(place: string): void {
  notes.push(`${place}: ${tenants.getStore() ?? 'nobody'}`)
}

/** Returns all notes without duplicates, and clears them. */
export function takeNotes(): string[] {
  return [...new Set(notes.splice(0))]
}

/** Creates a schema that accepts every value, and notes each validation. */
function noting<T>(place: string): Schema & { readonly '~standard': { readonly types?: { input: T; output: T } } } {
  const validate = (value: unknown): object => {
    note(place)
    return { value }
  }
  // With a JSON Schema, the schema is not probed at startup, so only requests are noted.
  const jsonSchema = { input: () => ({}), output: () => ({}) }
  return { '~standard': { version: 1, vendor: 'test', validate, jsonSchema } }
}

const guard = provide({ security: { type: 'http', scheme: 'bearer' } }, async () => {
  note('guard')
  await sleep(1)
  note('guard, later')
  return true
})
const raw = provide({ rawBody: true }, () => {
  note('raw provider')
  return true
})
const scoped = provide({}, function* () {
  note('provider')
  yield true
  note('end of provider')
})
const lasting = provide(
  {},
  async function* () {
    try {
      yield true
    } finally {
      note('end after the answer')
      await sleep(1)
      note('end after the answer, later')
    }
  },
  { ends: 'after-response' },
)
const around = decorator(function around() {
  return {
    around(_input, proceed) {
      note('decorator')
      return proceed()
    },
  }
})

/** The handler of each method with a body. */
async function handleRequest({ response }: Context): Promise<string> {
  note('method')
  await sleep(1)
  note('method, later')
  response.after(async () => {
    note('task')
    await sleep(1)
    note('task, later')
  })
  response.after(() => note('second task'))
  return 'done'
}

const uses = { guard, scoped, lasting }
const decorators = [around(), log()]
const returns = noting<string>('answer')

class None extends Route {
  static readonly post = this.contract({ uses, decorators, returns })
  post(input: Input<typeof None.post>) {
    return handleRequest(input)
  }
}
class Json extends Route {
  static readonly post = this.contract({ uses: { ...uses, raw }, decorators, returns, body: noting<unknown>('body') })
  post(input: Input<typeof Json.post>) {
    return handleRequest(input)
  }
}
class Form extends Route {
  static readonly post = this.contract({
    uses: { ...uses, raw },
    decorators,
    returns,
    body: form(noting<object>('body')),
  })
  post(input: Input<typeof Form.post>) {
    return handleRequest(input)
  }
}
class Text extends Route {
  static readonly post = this.contract({ uses: { ...uses, raw }, decorators, returns, body: text() })
  post(input: Input<typeof Text.post>) {
    return handleRequest(input)
  }
}
class Bytes extends Route {
  static readonly post = this.contract({ uses: { ...uses, raw }, decorators, returns, body: bytes() })
  post(input: Input<typeof Bytes.post>) {
    return handleRequest(input)
  }
}
class Streamed extends Route {
  static readonly post = this.contract({ uses, decorators, returns, body: stream() })
  async post(input: Input<typeof Streamed.post>) {
    for await (const _ of input.body) note('chunk')
    return handleRequest(input)
  }
}

/** Larger than the buffer of a socket, so that `drain` events request the rest. */
const CHUNK = 'x'.repeat(100_000)
const CHUNKS = 12

async function* generateValues(): AsyncGenerator<string, void, undefined> {
  try {
    for (let count = 0; count < CHUNKS; count++) {
      note('pulled')
      yield CHUNK
      note('pulled on')
      await sleep(1)
      note('pulled on, later')
    }
  } finally {
    note('end of source')
  }
}

class Generated extends Route {
  @log
  async *get({ response }: Input) {
    response.after(() => note('task'))
    yield* generateValues()
  }
}
class Declared extends Route {
  static readonly get = this.contract({ uses: { scoped, lasting }, returns: stream() })
  get() {
    return generateValues()
  }
}
class FromNode extends Route {
  get() {
    let left = CHUNKS
    return new Readable({
      read() {
        note('pulled')
        this.push(left-- > 0 ? CHUNK : null)
      },
      destroy(_error, done) {
        note('end of source')
        done(null)
      },
    })
  }
}
class FromWeb extends Route {
  get() {
    let left = CHUNKS
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        note('pulled')
        if (left-- > 0) controller.enqueue(Buffer.from(CHUNK))
        else controller.close()
      },
      cancel: () => note('end of source'),
    })
  }
}
class FromIterable extends Route {
  get() {
    let left = CHUNKS
    const next = (): Promise<IteratorResult<string>> => {
      note('pulled')
      return Promise.resolve(left-- > 0 ? { done: false, value: CHUNK } : { done: true, value: undefined })
    }
    return { [Symbol.asyncIterator]: () => ({ next }) }
  }
}
class Events extends Route {
  static readonly get = this.contract({ returns: events(noting<string>('event'), { heartbeat: 3 }) })
  async *get() {
    try {
      for (let count = 0; count < 3; count++) {
        note('pulled')
        yield { data: 'x' }
        note('pulled on')
        await sleep(10)
        note('pulled on, later')
      }
    } finally {
      note('end of source')
    }
  }
}
class Broken extends Route {
  static readonly get = this.contract({ uses: { lasting }, decorators: [log()] })
  get(): never {
    throw new Error('broken')
  }
  static readonly post = this.contract({ body: json(noting<unknown>('body'), { limit: 1000 }), decorators: [log()] })
  post(): never {
    throw new Error('broken')
  }
}
class Cut extends Route {
  static readonly get = this.contract({ returns: stream(), decorators: [log()] })
  async *get() {
    yield 'x'
    await sleep(1)
    throw new Error('cut')
  }
}
class Late extends Route {
  static readonly post = this.contract({ body: text(), timeout: 20, decorators: [log()] })
  async post({ signal }: Input<typeof Late.post>) {
    signal.addEventListener('abort', () => note('abort'))
    await sleep(60)
    note('method, late')
  }
}
class Gone extends Route {
  async get({ signal }: Input) {
    note('method')
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => {
        note('abort')
        resolve()
      })
    })
  }
}

/** Has a separate context, and reads the signal before any other code. */
const outermost: Middleware = ({ signal }, next) =>
  tenants.run('the outermost', async () => {
    assert.equal(signal.aborted, false)
    const reply = await next()
    note('outermost, later')
    return reply
  })
const innermost: Middleware = ({ request }, next) =>
  tenants.run(request.headers['x-tenant'] ?? 'none', async () => {
    if (request.url.endsWith('?throw')) throw new Error('thrown')
    return request.url.endsWith('?stream') ? reply(200, generateValues()) : next()
  })

/** Middleware of the app, outermost first. */
export const AROUND: readonly Middleware[] = [outermost, innermost]

/** Runs a task for a tenant. */
export function runInContext(tenant: string, task: () => void): void {
  tenants.run(tenant, task)
}

/** Creates the app. Its logger and `mapError` also write notes. */
export function notingApp(middleware: readonly Middleware[]): App {
  const write = (_fields: object, message?: string): void => note(`line "${message}"`)
  const logger: Logger = { debug: write, info: write, warn: write, error: write }
  const bodies = { None, Json, Form, Text, Bytes, Streamed }
  const streams = { Generated, Declared, FromNode, FromWeb, FromIterable, Events, Cut }
  return createApp({
    routes: { ...bodies, ...streams, Broken, Late, Gone },
    middleware,
    mapError: () => void note('mapError'),
    signals: false,
    logger,
  })
}
