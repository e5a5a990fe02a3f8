/** The fields of a request that each step reads and sets, recorded while the table of requests and an app with every kind of step run. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  decorator,
  events,
  HttpError,
  provide,
  reply,
  Route,
  stream,
  type App,
  type Input,
  type MiddlewareContext,
  type Reply,
} from 'verbena'
import { deprecated, log, speed, version } from 'verbena/decorators'
import { idempotency } from 'verbena/idempotency'
import { multipart } from 'verbena/multipart'
import { RunningApp, type AppParts } from '#src/app/running-app.js'
import type { Call } from '#src/request/call.js'
import type { Pipeline, Step } from '#src/request/endpoint.js'
import { makeSteps, type PipelineTarget, type StepEntry } from '#src/request/step-entry.js'
import { PIPELINE_STEPS, ROUTING_STEPS } from '#src/request/steps.js'
import { createUntypedApp, json } from '#test/apps.js'
import { ANSWER_ROWS } from '#test/e2e-answer-rows.js'
import { tableApp } from '#test/e2e-app.js'
import { REQUEST_ROWS } from '#test/e2e-rows.js'
import { StagedStore, type Staging } from '#test/idempotency.js'
import * as z from 'zod'

/** Fields that all steps may use, and fields of the loop. */
const COMMON = ['exchange', 'app', 'observer', 'pipeline', 'stepIndex', 'generation', 'stage', 'constructor']
const LISTED = [...ROUTING_STEPS, ...PIPELINE_STEPS]

/** The fields that each step reads, an arrow, and the fields that it sets. */
const FIELDS: Readonly<Record<string, string>> = {
  head: '→ path query',
  endpoint: 'endpoint failure input path → endpoint failure pathMatch',
  pipeline: 'endpoint failure path pathMatch →',
  preflight: 'pathMatch → failure reply',
  middleware: 'changes endpoint idempotencyKey inner overrun path pathMatch reply → failure inner overrun reply tasks',
  'no endpoint': 'failure path pathMatch query → reply',
  sunset: '→',
  accept: '→',
  guards: 'input providers query → providers',
  'raw query': 'input query →',
  body: 'body input → body',
  'idempotency key': 'body path providers query → idempotencyKey reply',
  'raw body providers': 'body providers →',
  'body decoding': 'body input →',
  validation: 'body input query →',
  providers: 'input providers →',
  method: 'body failure idempotencyKey input overrun providers → overrun result',
  reply: 'changes result → reply stream',
  'reply within': 'changes idempotencyKey providers reply →',
  'clear timeout': 'overrun →',
  'provider cleanup': 'failure overrun providers →',
  'final reply': 'changes endpoint failure path pathMatch providers stream → changes reply tasks',
  'idempotent reply': 'changes failure idempotencyKey providers reply →',
  'header changes': 'changes reply → changes reply',
  'return to middleware': 'inner providers reply tasks →',
  'middleware headers': 'changes reply → changes reply',
  'conditional request': 'reply → reply',
  compression: 'reply → reply',
  'security headers': 'endpoint providers reply → reply',
  'CORS headers': 'endpoint providers reply → reply',
  'request id': 'reply → reply',
  send: 'endpoint inner pathMatch providers reply tasks → sendError',
  'response sent': 'body overrun providers reply sendError stream → tasks',
  tasks: 'body overrun tasks →',
}

class Recorder {
  readonly reads = new Map<string, Set<string>>()
  readonly sets = new Map<string, Set<string>>()
  readonly #targets = new WeakMap<object, Call>()
  #entries: readonly StepEntry[]

  constructor(entries: readonly StepEntry[]) {
    this.#entries = entries
    for (const { name } of entries) {
      this.reads.set(name, new Set())
      this.sets.set(name, new Set())
    }
  }

  /** Wraps the steps of all pipelines that are built later. Returns a function that removes the wrappers. */
  wrapEntries(): () => void {
    const originals = this.#entries.map(({ makeAny }) => makeAny)
    for (const entry of this.#entries) {
      const original = { ...entry }
      const makeAny = (target: PipelineTarget) => makeSteps(original, target).map((step) => this.wrap(entry.name, step))
      Object.assign(entry, { makeAny })
    }
    return () => this.#entries.forEach((entry, at) => Object.assign(entry, { makeAny: originals[at] }))
  }

  wrap(name: string, step: Step<Call>): Step<Call> {
    return (call) => step(this.#record(name, this.target(call)))
  }

  target(call: Call): Call {
    return this.#targets.get(call) ?? call
  }

  #record(name: string, call: Call): Call {
    const isField = (key: string | symbol): key is string =>
      typeof key === 'string' && Object.hasOwn(call, key) && !COMMON.includes(key)
    const recorded = new Proxy(call, {
      get: (target, key) => {
        if (isField(key)) this.reads.get(name)?.add(key)
        const value: unknown = Reflect.get(target, key)
        return typeof value === 'function' ? value.bind(target) : value
      },
      set: (target, key, value) => {
        if (isField(key)) this.sets.get(name)?.add(key)
        return Reflect.set(target, key, value)
      },
    })
    this.#targets.set(recorded, call)
    return recorded
  }

  /** Also records the initial pipeline of each request, and adds the request itself to the list of open requests. */
  attach(app: App): void {
    const { work } = (RunningApp.partsOf(app) as AppParts).state
    const { add, remove } = work
    work.add = (call) => {
      this.#wrapRouting(call.pipeline)
      add.call(work, call)
    }
    work.remove = (call) => remove.call(work, this.target(call))
  }

  #wrapRouting(pipeline: Pipeline<Call>): void {
    if (pipelines.has(pipeline)) return
    pipelines.add(pipeline)
    const steps = pipeline.steps as Step<Call>[]
    steps.forEach((step, at) => (steps[at] = this.wrap(ROUTING_STEPS[at]?.name ?? '', step)))
  }

  list(): string[] {
    const join = (names: Set<string> | undefined): string => [...(names ?? [])].toSorted().join(' ')
    return this.#entries.map(({ name }) => {
      const fields = `${join(this.reads.get(name))} → ${join(this.sets.get(name))}`
      return `${name}: ${fields.trim()}`
    })
  }
}

const pipelines = new WeakSet<object>()

const guard = provide({ guard: true }, ({ response }) => response.header('x-guard', '1'))
const visitor = provide(
  { query: z.object({ visitor: z.string().optional() }), guard: true },
  ({ query }) => query.visitor,
)
const digest = provide({ rawBody: true }, ({ rawBody }) => rawBody.length)
const plain = provide({}, () => 'plain')
const connection = provide({ uses: { plain } }, async function* () {
  yield 'connection'
})
const lease = provide(
  {},
  function* () {
    yield 'lease'
  },
  { ends: 'after-response' },
)
const once = idempotency({ by: () => 'all', ttl: 10_000 })
const transaction = provide({}, (): Staging => ({ rows: [], responses: new Map() }))
const within = idempotency({ by: () => 'all', ttl: 10_000, within: transaction, store: new StagedStore() })
const eager = decorator(() => ({
  around(_input, proceed) {
    void proceed()
    return { text: 'eager' }
  },
}))
const around = decorator(() => ({ around: (_input, proceed) => proceed() }))

const Note = z.object({ text: z.string() })
class Notes extends Route {
  static readonly path = '/notes/{id}'
  static readonly get = this.contract({
    uses: { guard, plain, connection },
    query: z.object({ n: z.string().optional() }),
    returns: Note,
    etag: true,
  })
  @log
  @speed
  async get({ response, params }: Input<typeof Notes.get>) {
    response.header('x-a', '1')
    if (Object(params)['id'] === '0') throw new HttpError(404)
    return { text: 'note'.repeat(500) }
  }
  static readonly post = this.contract({ body: Note, uses: { digest, visitor }, returns: Note, idempotency: once })
  @around
  post({ body, response }: Input<typeof Notes.post>) {
    response.after(() => {})
    return body
  }
  static readonly put = this.contract({ body: Note, returns: Note, timeout: 20, uses: { lease } })
  async put({ body, signal }: Input<typeof Notes.put>) {
    if (body.text === 'slow') await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return body
  }
  static readonly patch = this.contract({ returns: Note })
  @eager
  async patch() {
    await wait(5)
    return { text: 'late' }
  }
}
class Payments extends Route {
  static readonly post = this.contract({ idempotency: within, uses: { transaction }, returns: Note })
  post({ response }: Input<typeof Payments.post>) {
    response.header('x-a', '1')
    return { text: 'paid' }
  }
}
class Uploads extends Route {
  static readonly post = this.contract({ body: multipart(Note), returns: Note })
  post() {
    return { text: 'stored' }
  }
}
class Feed extends Route {
  static readonly get = this.contract({ returns: events(Note), uses: { lease } })
  async *get() {
    yield { data: { text: 'event' } }
  }
  static readonly post = this.contract({ body: stream(), returns: stream() })
  async *post() {
    yield 'chunk'
  }
  static readonly put = this.contract({ returns: stream() })
  async *put({ response }: Input<typeof Feed.put>) {
    response.after(() => {})
    yield 'chunk'
    throw new Error('after the first chunk')
  }
}
class Old extends Route {
  @deprecated({ sunset: '2020-01-01' })
  get() {}
  @version('>=2')
  post() {
    return reply(204)
  }
}
const observe = async ({ request }: MiddlewareContext, next: () => Promise<Reply>): Promise<Reply> => {
  if (request.url.endsWith('?short')) return reply(200, 'short')
  if (request.url.endsWith('?impatient')) {
    void next()
    return reply(200, 'impatient')
  }
  const inner = await next()
  if (request.url.endsWith('?thrown')) throw new Error('thrown by middleware')
  return inner.with({ 'x-b': '1' })
}

const REQUESTS: readonly (readonly [target: string, init?: RequestInit])[] = [
  ['/notes/1', { headers: { 'accept-encoding': 'gzip', origin: 'https://a.example' } }],
  ['/notes/1', { headers: { 'if-none-match': '*' } }],
  ['/notes/0'],
  ['/notes/1?short'],
  ['/notes/1?impatient'],
  ['/notes/1?thrown'],
  ['/notes/1', { ...json({ text: 'a' }), headers: { 'content-type': 'application/json', 'idempotency-key': 'a' } }],
  ['/notes/1', { ...json({ text: 'a' }), headers: { 'content-type': 'application/json', 'idempotency-key': 'a' } }],
  ['/payments', { method: 'POST', headers: { 'idempotency-key': 'a' } }],
  ['/notes/1', json({ text: 1 })],
  ['/notes/1', json({ text: 'a' }, 'PUT')],
  ['/notes/1', json({ text: 'slow' }, 'PUT')],
  ['/notes/1', { method: 'PUT' }],
  ['/notes/1', { method: 'PUT', headers: { 'content-type': 'application/json' }, body: '' }],
  ['/notes/1', { method: 'PUT', headers: { 'content-type': 'application/json' }, body: '{"text":"a"' }],
  ['/notes/1', { method: 'PATCH' }],
  ['/notes/1', { method: 'DELETE' }],
  ['/notes/1/', {}],
  ['/none'],
  ['/notes/1', { method: 'PROPFIND' }],
  ['/notes/1', { method: 'OPTIONS', headers: { origin: 'https://a.example', 'access-control-request-method': 'GET' } }],
  ['/notes/1', { method: 'OPTIONS' }],
  ['/feed'],
  ['/feed', { method: 'POST', body: 'abc' }],
  ['/feed', { method: 'PUT' }],
  ['/old'],
  ['/old', { method: 'POST', headers: { 'accept-version': '2' } }],
  ['/old', { method: 'POST', headers: { 'accept-version': '1' } }],
]

async function send(app: App, target: string, init: RequestInit = {}): Promise<void> {
  const response = await app.fetch(new Request(`http://localhost${target}`, init))
  await response.arrayBuffer().catch(() => {})
}

describe('a pipeline step', () => {
  it('reads and sets exactly the fields that the table lists', async () => {
    const recorder = new Recorder(LISTED)
    const unwrap = recorder.wrapEntries()
    const table = tableApp()
    const form = new FormData()
    form.set('text', 'a')
    const apps = [{}, { middleware: [observe] }].map((options) =>
      createUntypedApp({
        routes: { Notes, Payments, Uploads, Feed, Old },
        cors: { origins: ['https://a.example'], credentials: true },
        compression: {},
        securityHeaders: { api: { 'cache-control': 'no-cache' } },
        requestId: { header: true },
        trailingSlash: 'redirect',
        version: '1.0.0',
        timeouts: { close: 50 },
        ...options,
      }),
    )
    unwrap()
    recorder.attach(table)
    for (const { target, method = 'GET', headers = {}, body, reach } of [...REQUEST_ROWS, ...ANSWER_ROWS]) {
      if (reach !== 'both') continue
      await send(table, target, { method, headers, ...(body === undefined ? {} : { body }) })
    }
    for (const app of apps) {
      recorder.attach(app)
      for (const [target, init] of REQUESTS) await send(app, target, init)
      await send(app, '/uploads', { method: 'POST', body: form })
      await app.close()
    }
    assert.deepEqual(
      recorder.list(),
      Object.entries(FIELDS).map(([name, fields]) => `${name}: ${fields}`),
    )
  })
})
