/** Services that get a view: calls of all others are not recorded. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { Writable } from 'node:stream'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { runInNewContext } from 'node:vm'
import { canView } from '#src/observe/can-view.js'
import { isLoadingViewed } from '../fixtures/loading-module.js'
import * as classes from '#test/service-classes.js'

const { Counter, Legacy, Money, Ledger, Chain } = classes

function isViewed(value: object, services: readonly object[] = []): boolean {
  return canView(value, new Map(services.map((service) => [service, 'name'])))
}

class Reader {
  read(): number {
    return 1
  }
}

class Point {
  x = 1
}

class Linked {
  #value = 1
  #next: Linked | null = null
  last(): number {
    return this.#next === null ? this.#value : this.#next.#value
  }
}

describe('canView(): views', () => {
  it('accepts objects and instances with methods', () => {
    class Getter {
      get size(): number {
        return 1
      }
    }
    const other: object = runInNewContext('({ read: () => 1 })')
    const viewed = [new Reader(), new Counter(), new Chain(), new Getter(), Ledger.open('a'), new EventEmitter(), other]
    const records = [
      { read: () => 1 },
      {
        get size() {
          return 1
        },
      },
      Object.assign(Object.create(null), { read: () => 1 }),
    ]
    for (const value of [...viewed, ...records, classes, Object.create(new Reader())])
      assert.ok(isViewed(value), inspect(value))
  })

  it('accepts data that contains a service, or a promise of one', () => {
    const db = new Reader()
    assert.ok(isViewed({ db }, [db]))
    assert.ok(isViewed({ ready: Promise.resolve() }))
    assert.ok(isViewed(Object.assign(new Point(), { db }), [db]))
  })

  it('accepts a class that names itself to read private static members', () => {
    // oxlint-disable-next-line no-underscore-dangle -- the name that esbuild uses
    const _Pool = class Pool {
      static #open = 0
      open(): number {
        return ++_Pool.#open
      }
    }
    assert.ok(isViewed(new _Pool()))
  })

  it('decides once for a service', () => {
    const late: Record<string, unknown> = {}
    assert.equal(isViewed(late), false)
    late['read'] = () => 1
    assert.equal(isViewed(late), false)
  })
})

describe('canView(): no views', () => {
  it('rejects plain data', () => {
    for (const value of [{}, { port: 1, tags: ['a'] }, new Point(), Object.freeze({ a: 1 })])
      assert.equal(isViewed(value), false)
  })

  it('rejects objects with internal slots, and classes that extend theirs', () => {
    class Cache extends Map {}
    class Bus extends EventTarget {}
    class Problem extends Error {}
    const slots = [
      new Cache(),
      new Bus(),
      new Problem(),
      new Date(),
      /a/,
      [],
      Buffer.from(''),
      Object(1),
      new URL('http://a'),
    ]
    const more = [
      new Intl.NumberFormat('en'),
      new WeakRef({}),
      new AbortController(),
      new Writable(),
      new Proxy({}, {}),
    ]
    for (const value of [...slots, ...more, Object.create(new Proxy({}, {}))])
      assert.equal(isViewed(value), false, inspect(value))
  })

  it('rejects classes that read private fields of other objects', () => {
    const helpers = {
      in: new (class {
        has = (other: object) => __privateIn(other)
      })(),
    }
    for (const value of [new Money(1), new Legacy(1), new Linked(), helpers.in]) assert.equal(isViewed(value), false)
  })

  it('rejects objects with a function that cannot be replaced', () => {
    assert.equal(isViewed(Object.defineProperty(new Reader(), 'fixed', { value: () => 1 })), false)
    assert.ok(isViewed(Object.defineProperty(new Reader(), 'fixed', { value: 1 })))
  })

  it('rejects objects whose properties cannot be read', () => {
    assert.equal(isLoadingViewed, false)
  })
})

// oxlint-disable-next-line no-underscore-dangle -- the name that esbuild uses
function __privateIn(other: object): boolean {
  return other instanceof Reader
}
