import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { viewService, viewServices } from '#src/observe/service-view.js'
import { Trail, type OpenServiceCall, type TrailFacts } from '#src/observe/trail.js'

interface Seen {
  readonly name: string
  readonly args: readonly unknown[]
  /** What its end was told; absent while it goes on. */
  ended?: unknown
}

class SeenTrail extends Trail {
  readonly seen: Seen[] = []
  isClosed = false

  override named(): void {}
  override called(name: string, args: readonly unknown[]): OpenServiceCall | null {
    if (this.isClosed) return null
    const seen: Seen = { name, args }
    this.seen.push(seen)
    return { end: (error) => void (seen.ended = error) }
  }
  override end(_facts: TrailFacts): void {}
}

class Base {
  inherited(): string {
    return 'inherited'
  }
}

class Service extends Base {
  #secret = 7
  count = 0
  readonly Type = class Row {}
  readonly tagged = Object.assign(() => 'tagged', { many: true })

  read(add: number): number {
    this.count++
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
  query(): PromiseLike<never> {
    return {
      // oxlint-disable-next-line no-thenable -- a query builder is one
      then: () => {
        throw new Error('The query was sent')
      },
    }
  }
}

function viewed(): { view: Service; service: Service; trail: SeenTrail } {
  const trail = new SeenTrail({ method: 'GET', url: '/' }, 0)
  const service = new Service()
  // Proof: a view behaves like what it is made of.
  return { view: viewService('db', service, trail) as Service, service, trail }
}

describe('viewService()', () => {
  it('tells of each call, inherited methods and private fields included', () => {
    const { view, service, trail } = viewed()
    assert.equal(view.read(1), 8)
    assert.equal(view.inherited(), 'inherited')
    assert.equal(view.secret, 7)
    assert.deepEqual(trail.seen, [
      { name: 'db.read', args: [1], ended: undefined },
      { name: 'db.inherited', args: [], ended: undefined },
    ])
    view.count = 5
    assert.equal(service.count, 5)
    assert.ok(view instanceof Service)
  })

  it('tells of the end of a promise, which stays what it is to the caller', async () => {
    const { view, trail } = viewed()
    const promise = view.later(false)
    assert.ok(!('ended' in (trail.seen[0] ?? {})))
    assert.equal(await promise, 'done')
    assert.ok('ended' in (trail.seen[0] ?? {}))
    await assert.rejects(view.later(true), /later/)
    assert.match(String(trail.seen[1]?.ended), /later/)
  })

  it('leaves a rejection that nobody handles unhandled', () => {
    const file = 'test/fixtures/console/unhandled.ts'
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import=tsx', file], { encoding: 'utf8' })
    assert.deepEqual([status, stdout], [1, 'told\n'])
    assert.match(stderr, /nobody handles this/)
  })

  it('tells of what is thrown, even of nothing', () => {
    const { view, trail } = viewed()
    assert.throws(() => view.fail(new Error('now')), /now/)
    assert.throws(
      () => view.fail(undefined),
      (error) => error === undefined,
    )
    assert.match(String(trail.seen[0]?.ended), /now/)
    assert.match(String(trail.seen[1]?.ended), /Nothing was thrown/)
  })

  it('tells of a promise that rejects with nothing', async () => {
    const trail = new SeenTrail({ method: 'GET', url: '/' }, 0)
    const view = viewService('db', { nothing: () => Promise.reject(undefined) }, trail)
    // Proof: the view has the member of what it is made of.
    await (view as { nothing: () => Promise<never> }).nothing().catch(() => {})
    assert.match(String(trail.seen[0]?.ended), /Nothing was thrown/)
  })

  it('does not ask a query builder for its value', () => {
    const { view, trail } = viewed()
    assert.equal(typeof view.query().then, 'function')
    assert.ok('ended' in (trail.seen[0] ?? {}))
  })

  it('passes on classes, functions with members, constructors and members under symbols', () => {
    const { view, service } = viewed()
    assert.equal(view.Type, service.Type)
    assert.equal(view.tagged, service.tagged)
    assert.equal(view.constructor, Service)
    const key = Symbol('key')
    const other = { [key]: () => 1 }
    assert.equal(
      Reflect.get(Object(viewService('a', other, new SeenTrail({ method: '', url: '' }, 0))), key),
      other[key],
    )
  })

  it('passes on what no proxy may stand for', () => {
    const trail = new SeenTrail({ method: 'GET', url: '/' }, 0)
    const frozen = Object.freeze({ read: () => 1 })
    const proxy = new Proxy({}, {})
    const call = (): number => 1
    assert.equal(viewService('frozen', frozen, trail), frozen)
    assert.equal(viewService('proxy', proxy, trail), proxy)
    assert.equal(viewService('call', call, trail), call)
    assert.equal(viewService('nothing', null, trail), null)
    assert.equal(viewService('text', 'text', trail), 'text')
    const fixed = Object.defineProperty({}, 'read', { value: () => 2 })
    assert.equal(Reflect.get(Object(viewService('fixed', fixed, trail)), 'read')(), 2)
    const wrapped = { inner: new Proxy(call, {}) }
    assert.equal(Reflect.get(Object(viewService('wrapped', wrapped, trail)), 'inner'), wrapped.inner)
  })

  it('is the same for all who ask in one call, and calls without a word when nobody follows any more', () => {
    const { view, service, trail } = viewed()
    assert.equal(viewService('db', service, trail), view)
    trail.isClosed = true
    assert.equal(view.read(1), 8)
    assert.deepEqual(trail.seen, [])
  })
})

describe('viewServices()', () => {
  it('makes a view of each', () => {
    const trail = new SeenTrail({ method: 'GET', url: '/' }, 0)
    const service = new Service()
    const { db, limit } = viewServices({ db: service, limit: 5 }, trail)
    assert.equal(db, viewService('db', service, trail))
    assert.equal(limit, 5)
  })
})
