/** Views of services: which calls they record, and which values they return. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import type { ResponseMessage } from '#src/http/exchange.js'
import { ServiceViews } from '#src/observe/service-view.js'
import { RequestRecorder, type OpenServiceCall, type RecordedRequest } from '#src/observe/request-recorder.js'

interface Seen {
  readonly name: string
  readonly args: readonly unknown[]
  readonly method: object | undefined
  /** The error that ended the call; absent while the call is pending. */
  ended?: unknown
}

class SeenTrail extends RequestRecorder {
  readonly seen: Seen[] = []
  isClosed = false

  override named(): void {}
  override called(name: string, args: readonly unknown[], method?: object): OpenServiceCall | null {
    if (this.isClosed) return null
    const seen: Seen = { name, args, method }
    this.seen.push(seen)
    return {
      run: (called, self, values) => Reflect.apply(called, self, values),
      end: (error) => void (seen.ended = error),
    }
  }
  override link(): null {
    return null
  }
  override linkResponse(answer: ResponseMessage): ResponseMessage {
    return answer
  }
  override end(_facts: RecordedRequest): void {}

  get names(): string[] {
    return this.seen.map(({ name }) => name)
  }
}

class Base {
  inherited(): string {
    return 'inherited'
  }
}

class Service extends Base {
  #secret = 7
  other: object | null = null
  readonly Type = class Row {}
  readonly tagged = Object.assign(() => 'tagged', { many: true })

  read(add: number): number {
    return this.#secret + add
  }
  get secret(): number {
    return this.#secret
  }
  async later(fails: boolean): Promise<string> {
    if (fails) throw new Error('later')
    return 'done'
  }
  fail(thrown: unknown): never {
    throw thrown
  }
  nothing(): Promise<never> {
    return Promise.reject(undefined)
  }
  same(value: unknown): unknown {
    return value
  }
  isOther(value: unknown): boolean {
    return value === this.other
  }
  query(): PromiseLike<never> {
    return {
      // oxlint-disable-next-line no-thenable -- a query builder is one
      then: () => {
        throw new Error('The query was sent')
      },
    }
  }
  *[Symbol.iterator](): Generator<number> {
    yield this.#secret
  }
}

function createViews<Services extends Readonly<Record<string, unknown>>>(services: Services) {
  const trail = new SeenTrail({ method: 'GET', url: '/' }, 0)
  const views = new ServiceViews(services, trail)
  // Proof: a view behaves like its service.
  return { trail, views, all: views.all as Services }
}

function viewed() {
  const db = new Service()
  const { trail, views, all } = createViews({ db })
  return { trail, views, db, view: all.db }
}

describe('ServiceViews: calls', () => {
  it('records inherited methods and methods that use private fields', () => {
    const { view, trail, db } = viewed()
    assert.deepEqual([view.read(1), view.inherited(), view.secret], [8, 'inherited', 7])
    assert.deepEqual(trail.seen, [
      { name: 'db.read', args: [1], method: db.read, ended: undefined },
      { name: 'db.inherited', args: [], method: db.inherited, ended: undefined },
    ])
    assert.ok(view instanceof Service)
  })

  it('records the end of a promise before the caller continues', async () => {
    const { view, trail } = viewed()
    const promise = view.later(false)
    assert.ok(!('ended' in (trail.seen[0] ?? {})))
    assert.equal(await promise, 'done')
    assert.ok('ended' in (trail.seen[0] ?? {}))
    await assert.rejects(view.later(true), /later/)
    assert.match(String(trail.seen[1]?.ended), /later/)
  })

  it('leaves an unhandled rejection unhandled', () => {
    const file = 'test/fixtures/console/unhandled.ts'
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import=tsx', file], { encoding: 'utf8' })
    assert.deepEqual([status, stdout], [1, 'told\n'])
    assert.match(stderr, /nobody handles this/)
  })

  it('records a thrown or rejected undefined as an error', async () => {
    const { view, trail } = viewed()
    assert.throws(() => view.fail(new Error('now')), /now/)
    assert.throws(
      () => view.fail(undefined),
      (error) => error === undefined,
    )
    await view.nothing().catch(() => {})
    const ends = trail.seen.map(({ ended }) => String(ended))
    assert.deepEqual(ends, ['Error: now', 'Error: Nothing was thrown', 'Error: Nothing was thrown'])
  })

  it('does not call then on a query builder', () => {
    const { view, trail } = viewed()
    assert.equal(typeof view.query().then, 'function')
    assert.ok('ended' in (trail.seen[0] ?? {}))
  })

  it('names a call after its service and the key that was read last', () => {
    const both = { a: new Service(), b: new Service() }
    const { trail, all } = createViews({ ...both, emitter: { on: both.a.inherited, add: both.a.inherited } })
    const { read } = all.a
    assert.equal(all.b.read, read)
    read.call(all.a, 1)
    read.call(all.b, 1)
    all.emitter.on()
    all.emitter.add()
    assert.throws(() => Reflect.apply(read, undefined, [1]), TypeError)
    assert.deepEqual(trail.names, ['a.read', 'b.read', 'emitter.on', 'emitter.add', 'b.read'])
  })

  it('does not record symbol methods', () => {
    const { view, trail } = viewed()
    assert.deepEqual([...view], [7])
    assert.deepEqual(trail.names, [])
  })

  it('calls the method if the request has ended', async () => {
    const { view, trail } = viewed()
    trail.isClosed = true
    assert.deepEqual([view.read(1), await view.later(false)], [8, 'done'])
    assert.deepEqual(trail.names, [])
  })
})

describe('ServiceViews: values', () => {
  it('returns one view for a service, under each of its names', () => {
    const db = new Service()
    const { views, trail, all } = createViews({ db, again: db, limit: 5, list: [1] })
    assert.equal(views.view(db), all.db)
    assert.equal(views.view(all.db), all.db)
    assert.equal(all.again, all.db)
    assert.notEqual(all.db, db)
    assert.deepEqual([all.limit, all.list], [5, [1]])
    assert.equal(views.all, all)
    assert.ok(Object.isFrozen(all))
    all.again.inherited()
    assert.deepEqual(trail.names, ['db.inherited'])
  })

  it('passes services to methods, and returns views', async () => {
    const [db, other] = [new Service(), new Service()]
    const { all, trail } = createViews({ db, other })
    all.db.other = all.other
    assert.equal(db.other, other)
    assert.equal(all.db.other, all.other)
    assert.equal(all.db.isOther(all.other), true)
    assert.equal(all.db.same(all.other), all.other)
    assert.equal(await all.db.same(Promise.resolve(other)), all.other)
    assert.deepEqual(trail.seen[0]?.args, [other])
  })

  it('maps a view of another request', () => {
    const services = { db: new Service(), other: new Service() }
    const first = createViews(services)
    services.db.other = first.all.other
    const second = createViews(services)
    assert.equal(second.all.db.other, second.all.other)
    assert.notEqual(second.all.other, first.all.other)
  })

  it('passes the original method if an argument is a method of a view', () => {
    const { view, db } = viewed()
    let received: unknown
    db.same = (value) => (received = value)
    view.same(view.read)
    assert.equal(received, db.read)
    db.read = view.read
    assert.equal(view.read, view.read)
  })

  it('returns the same promise for the same promise, and keeps its methods', async () => {
    const shared = Promise.resolve(1)
    const cancelable = Object.assign(Promise.resolve(1), { cancel: () => 'canceled' })
    const { all } = createViews({ jobs: { shared: () => shared, cancelable: () => cancelable, ready: shared } })
    assert.equal(all.jobs.shared(), all.jobs.shared())
    assert.equal(all.jobs.ready, all.jobs.shared())
    assert.equal(await all.jobs.shared(), 1)
    assert.equal(all.jobs.cancelable().cancel(), 'canceled')
  })

  it('records the calls of a function, and maps arguments and results', async () => {
    const db = new Service()
    const isDb = Object.assign((value: unknown) => value === db, { later: async () => db })
    const { all, trail } = createViews({ db, isDb, getDb: Object.freeze(() => db), Service, mock: new Proxy(isDb, {}) })
    assert.deepEqual([all.isDb(all.db), all.isDb.call(null, db), all.mock(all.db)], [true, true, false])
    assert.equal(all.getDb(), all.db)
    assert.equal(await all.isDb.later(), all.db)
    assert.equal(all.Service, Service)
    assert.deepEqual(trail.names, ['isDb', 'isDb.call', 'getDb', 'isDb.later'])
  })

  it('returns classes, constructors and proxies unchanged', () => {
    const call = (): number => 1
    function Old(): void {}
    Old.prototype.read = (): number => 1
    const given = { call, inner: { call, proxy: new Proxy(call, {}), Old, Map, Date, bound: call.bind(null) } }
    const db = new Service()
    const { all } = createViews({ ...given, db })
    assert.equal(all.db.Type, db.Type)
    assert.equal(all.db.constructor, Service)
    assert.equal(all.inner.call, all.call)
    assert.equal(all.inner.proxy, given.inner.proxy)
    assert.deepEqual([all.inner.Old, all.inner.Map, all.inner.Date], [Old, Map, Date])
    assert.notEqual(all.inner.bound, given.inner.bound)
    assert.deepEqual([all.db.tagged.many, all.db.tagged()], [true, 'tagged'])
  })

  it('writes to the service, or to the object that inherits from the view', () => {
    const { view, db } = viewed()
    const child: Service & { extra?: number } = Object.create(view)
    child.extra = 1
    Object.defineProperty(view, 'other', { value: view, writable: true })
    Object.defineProperty(view, 'fixed', { value: 5 })
    Object.defineProperty(view, 'read', { get: () => () => 9, configurable: true })
    assert.deepEqual([child.extra, 'extra' in db, Object.hasOwn(child, 'extra')], [1, false, true])
    assert.equal(db.other, db)
    assert.equal(Reflect.get(view, 'fixed'), 5)
    assert.equal(view.read(1), 9)
    assert.equal(typeof Object.getOwnPropertyDescriptor(view, 'read')?.get, 'function')
    assert.equal(Object.getOwnPropertyDescriptor(view, 'fixed')?.value, 5)
    assert.equal(Object.getOwnPropertyDescriptor(view, 'missing'), undefined)
  })

  it('returns fixed properties of a service that was frozen after its view was created', () => {
    const { view, db } = viewed()
    assert.equal(view.tagged(), 'tagged')
    Object.freeze(view)
    assert.ok(Object.isFrozen(db))
    assert.equal(view.tagged, db.tagged)
  })

  it('copies a frozen service, whose properties may refer to one another', () => {
    const a: { b?: object; read: () => number; size: number } = { read: () => 1, size: 2 }
    const b = Object.freeze({ a })
    a.b = b
    const { all, trail } = createViews({ a: Object.freeze(a), b })
    assert.equal(all.a.b, all.b)
    assert.equal(all.b.a, all.a)
    assert.deepEqual(
      [all.a.read(), all.a.size, Object.isFrozen(all.a), Object.keys(all.a)],
      [1, 2, true, ['read', 'size', 'b']],
    )
    assert.deepEqual(trail.names, ['a.read'])
  })
})
