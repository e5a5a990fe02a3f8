import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { service } from 'verbena'
import { ServiceRecipe } from '#src/injection/services.js'
import { createGate, assertSetupError } from '#test/apps.js'
import { NEVER, recordService, getReason, createStore } from '#test/service-store.js'
import * as fc from 'fast-check'

/** A value that records when it is disposed. */
function disposable(events: string[], name: string): AsyncDisposable {
  return { [Symbol.asyncDispose]: async () => void events.push(`~${name}`) }
}

describe('ServiceStore.start()', () => {
  it('is ready immediately if all services are values', async () => {
    const { store } = createStore({ a: 1 })
    assert.equal(store.isMade, true)
    assert.deepEqual(store.values, { a: 1 })
    await store.start()
  })

  it('creates services in order, and passes the earlier ones', async () => {
    const events: string[] = []
    const { store } = createStore({ a: recordService(events, 'a'), plain: 1, b: recordService(events, 'b'), last: 2 })
    assert.equal(store.isMade, false)
    await store.start()
    assert.deepEqual(events, ['a()', 'b(a,plain)'])
    assert.deepEqual(store.values, { a: 'a', plain: 1, b: 'b', last: 2 })
    assert.ok(Object.isFrozen(store.values))
  })

  it('creates services once for concurrent calls', async () => {
    const events: string[] = []
    const { store } = createStore({ a: recordService(events, 'a') })
    await Promise.all([store.start(), store.start()])
    await store.start()
    assert.deepEqual(events, ['a()'])
  })

  it('must be called before values are read', () => {
    const { store } = createStore({ plain: 1, a: recordService([], 'a') })
    assert.throws(() => store.values, { code: 'APP_STATE', message: /Await "app.start\(\)" first$/ })
  })

  it('closes created services in reverse order if one fails, and keeps plain values open', async () => {
    const events: string[] = []
    const fails = new Error('no such host')
    const { store } = createStore({
      a: recordService(events, 'a'),
      plain: disposable(events, 'plain'),
      b: recordService(events, 'b'),
      c: recordService(events, 'c', { fails }),
      d: recordService(events, 'd'),
    })
    const reason = await getReason(store.start())
    assert.equal(reason.code, 'SERVICE_FAILED')
    assert.equal(
      reason.message,
      'Cannot create the service "c": it failed with "no such host". See its "cause" for details',
    )
    assert.equal(reason.cause, fails)
    assert.deepEqual(events, ['a()', 'b(a,plain)', '-b', '-a'])
    assert.equal(store.isMade, false)
    await store.close()
    assert.deepEqual(events.slice(4), ['~plain'])
  })

  it('uses the name of an error without a message', async () => {
    const { store } = createStore({ c: recordService([], 'c', { fails: new AggregateError([new Error('refused')]) }) })
    assert.match((await getReason(store.start())).message, /it failed with "AggregateError"\. /)
  })

  it('rejects with SERVICE_FAILED if a thrown value is not an Error', async () => {
    const { store } = createStore({ c: recordService([], 'c', { fails: null }) })
    const { message, cause } = await getReason(store.start())
    assert.match(message, /it threw a value that is not an Error/)
    assert.equal(cause, null)
  })

  it('can be called again after a failure', async () => {
    const events: string[] = []
    let tries = 0
    const moody = service(() => {
      if (++tries === 1) throw new Error('not yet')
      return 'now'
    })
    const { store } = createStore({ a: recordService(events, 'a'), moody })
    await getReason(store.start())
    await store.start()
    assert.deepEqual([events, store.values], [['a()', '-a', 'a()'], { a: 'a', moody: 'now' }])
    await store.close()
    assert.deepEqual(events, ['a()', '-a', 'a()', '-a'])
  })
})

describe('ServiceStore.close()', () => {
  it('closes services and disposable values in reverse order', async () => {
    const events: string[] = []
    const { store } = createStore({
      a: recordService(events, 'a'),
      plain: disposable(events, 'plain'),
      b: recordService(events, 'b'),
      none: null,
      callable: Object.assign(() => 1, disposable(events, 'callable')),
      odd: { [Symbol.asyncDispose]: 'no function' },
    })
    await store.start()
    await store.close()
    assert.deepEqual(events.slice(2), ['~callable', '-b', '~plain', '-a'])
  })

  it('waits for each service before it closes the next', async () => {
    const events: string[] = []
    const gate = createGate()
    const { store } = createStore({
      first: recordService(events, 'first'),
      slow: recordService(events, 'slow', { close: () => gate.opened }),
    })
    await store.start()
    const closed = store.close()
    await new Promise(setImmediate)
    assert.equal(events.includes('-first'), false)
    gate.open()
    await closed
    assert.equal(events.at(-1), '-first')
  })

  it('calls Symbol.asyncDispose without a close function, and once for a value with two names', async () => {
    const events: string[] = []
    const shared = disposable(events, 'shared')
    const { store } = createStore({
      made: service(() => disposable(events, 'made')),
      own: service(() => disposable(events, 'own'), { close: () => void events.push('-own') }),
      one: shared,
      two: shared,
    })
    await store.start()
    await store.close()
    assert.deepEqual(events, ['~shared', '-own', '~made'])
  })

  it('reports the error of a close function, and closes the other services', async () => {
    const events: string[] = []
    const error = new Error('stuck')
    const close = (): never => {
      throw error
    }
    const { store, failures } = createStore({ a: recordService(events, 'a'), b: recordService(events, 'b', { close }) })
    await store.start()
    await store.close()
    assert.deepEqual([events.at(-1), failures], ['-a', [['b', error]]])
  })

  it('waits for a start in progress, and closes its services', async () => {
    const events: string[] = []
    const { store } = createStore({ a: recordService(events, 'a') })
    const started = store.start()
    await store.close()
    await started
    assert.deepEqual(events, ['a()', '-a'])
  })

  it('divides the remaining time among the remaining services', async () => {
    const events: string[] = []
    const given = {
      a: recordService(events, 'a'),
      b: recordService(events, 'b', { close: NEVER }),
      plain: 1,
      none: null,
    }
    const hangs = { [Symbol.asyncDispose]: NEVER }
    const { store, failures } = createStore({ ...given, hangs, again: hangs, c: recordService(events, 'c') }, 120)
    await store.start()
    await store.close()
    assert.deepEqual(events.slice(3), ['-c', '-a'])
    const texts = failures.map(([name, error]) => `${name}: ${String(error)}`)
    const waits = texts.map((text) => /^(\w+): Error: Cannot wait for the service "\1": .* after (\d+) ms\./.exec(text))
    assert.deepEqual(
      waits.map((found) => found?.[1]),
      ['again', 'b'],
    )
    // The second of four services gets about a third of 120 ms, the third half of the remaining time. A timer may fire 1 ms early.
    for (const found of waits) assert.ok(Number(found?.[2]) < 45, found?.[0])
  })

  it('calls every close function with a timeout of 0', async () => {
    const events: string[] = []
    const { store, failures } = createStore(
      { a: recordService(events, 'a'), b: recordService(events, 'b', { close: NEVER }) },
      0,
    )
    await store.start()
    await store.close()
    assert.deepEqual([events.at(-1), failures.map(([name]) => name)], ['-a', ['b']])
  })

  it('ignores a close function that rejects after its timeout', async () => {
    const late = createGate()
    const close = (): Promise<never> => late.opened.then(() => Promise.reject(new Error('late')))
    const { store, failures } = createStore({ a: recordService([], 'a', { close }) }, 1)
    await store.start()
    await store.close()
    late.open()
    await new Promise(setImmediate)
    assert.equal(failures.length, 1)
  })

  it('does not wait for a service that is never created, and closes one that is created later', async () => {
    const events: string[] = []
    const gate = createGate()
    const slow = service(() => gate.opened.then(() => 'slow'), { close: (value) => void events.push(`-${value}`) })
    const { store, failures } = createStore(
      { a: recordService(events, 'a'), slow, last: recordService(events, 'last') },
      20,
    )
    const started = getReason(store.start())
    await new Promise(setImmediate)
    await store.close()
    assert.deepEqual(events, ['a()', '-a'])
    assert.match(String(failures[0]?.[1]), /"slow": its function is still running after \d+ ms/)
    gate.open()
    assert.match((await started).message, /it failed with "the app was closed while it was starting"/)
    assert.deepEqual(events, ['a()', '-a', '-slow'])
  })

  it('rejects a failed start even if a close function hangs', async () => {
    const { store, failures } = createStore(
      { a: recordService([], 'a', { close: NEVER }), b: recordService([], 'b', { fails: 1 }) },
      10,
    )
    assert.equal((await getReason(store.start())).code, 'SERVICE_FAILED')
    assert.deepEqual(
      failures.map(([name]) => name),
      ['a'],
    )
  })

  it('waits for a failing start', async () => {
    const { store } = createStore({ a: recordService([], 'a', { fails: 1 }) })
    const reason = getReason(store.start())
    await store.close()
    assert.equal((await reason).code, 'SERVICE_FAILED')
  })
})

describe('ServiceStore', () => {
  it('closes exactly the created services in reverse order, for any failing service', async () => {
    const kinds = fc.array(fc.constantFrom('made', 'plain', 'fails'), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(kinds, async (list) => {
        const events: string[] = []
        const given = list.map((kind, index) => {
          const name = `s${index}`
          if (kind === 'plain') return [name, disposable(events, name)] as const
          return [name, recordService(events, name, kind === 'fails' ? { fails: new Error(name) } : {})] as const
        })
        const { store } = createStore(Object.fromEntries(given))
        const failing = list.indexOf('fails')
        const error: unknown = await store.start().catch((reason: unknown) => reason)
        assert.equal(error === undefined, failing < 0)
        await store.close()
        const names = (isMade: (kind: string, index: number) => boolean): string[] =>
          list.flatMap((kind, index) => (isMade(kind, index) ? [`s${index}`] : []))
        const made = names((kind, index) => kind === 'made' && (failing < 0 || index < failing))
        const of = (mark: string): string[] =>
          events.filter((event) => event.startsWith(mark)).map((event) => event.slice(1))
        assert.deepEqual(
          events.filter((event) => event.startsWith('s')).map((event) => event.split('(')[0]),
          made,
        )
        assert.deepEqual(of('-'), made.toReversed())
        assert.deepEqual(of('~'), names((kind) => kind === 'plain').toReversed())
      }),
    )
  })
})

describe('ServiceStore.check()', () => {
  it('waits for a check that is still running, each time up to the given time', async () => {
    const gate = createGate()
    let started = 0
    const check = (): Promise<unknown> => {
      started++
      return gate.opened
    }
    const { store } = createStore({ slow: service(() => 1, { check }) })
    await store.start()
    assert.deepEqual(
      (await store.check(1)).map(({ isReady }) => isReady),
      [false],
    )
    const patient = store.check(60_000)
    assert.deepEqual(
      (await store.check(1)).map(({ isReady }) => isReady),
      [false],
    )
    gate.open()
    assert.deepEqual(await patient, [{ name: 'slow', isReady: true, error: undefined }])
    assert.equal(started, 1)
  })

  const error = new Error('down')
  const given = {
    unasked: service(() => 1),
    plain: 2,
    up: service(() => 3, { check: (value) => value === 3 }),
    silent: service(() => 4, { check: async () => {} }),
    off: service(() => 5, { check: async (value) => value !== 5 }),
    down: service(() => 6, {
      check: () => {
        throw error
      },
    }),
  }

  it('returns the state of each service with a check function', async () => {
    const { store } = createStore(given)
    await store.start()
    assert.deepEqual(await store.check(1_000), [
      { name: 'up', isReady: true, error: undefined },
      { name: 'silent', isReady: true, error: undefined },
      { name: 'off', isReady: false, error: undefined },
      { name: 'down', isReady: false, error },
    ])
  })

  it('reports a check that takes longer than ms, and does not wait for it', async () => {
    const { store } = createStore({
      up: service(() => 1, { check: () => true }),
      hanging: service(() => 2, { check: () => new Promise(() => {}) }),
    })
    await store.start()
    const [up, hanging] = await store.check(5)
    assert.deepEqual([up?.isReady, hanging?.name, hanging?.isReady], [true, 'hanging', false])
    assert.match(String(hanging?.error), /Check still running after 5 ms/)
  })

  it('reports all services as not ready before the start', async () => {
    const states = await createStore(given).store.check(1_000)
    assert.deepEqual(
      states.map(({ isReady }) => isReady),
      [false, false, false, false],
    )
  })
})

/** Calls `service` with arguments that the types reject. */
function loosely(...given: readonly unknown[]): unknown {
  const make: unknown = service
  // Proof: at run time, the function accepts any arguments.
  return (make as (...args: readonly unknown[]) => unknown)(...given)
}

describe('service()', () => {
  it('returns a recipe without calling create', () => {
    let made = 0
    const recipe = service(() => ++made, { close: () => {}, check: () => true })
    assert.ok(recipe instanceof ServiceRecipe)
    assert.equal(made, 0)
  })

  it('accepts undefined for each option', () => {
    assert.ok(loosely(() => 1, { close: undefined, check: undefined }) instanceof ServiceRecipe)
  })

  const REFUSED: readonly (readonly [about: string, given: readonly unknown[], says: string])[] = [
    ['an object as create', [{}], 'the argument "create" of service(): it must be a function'],
    ['a missing create', [], 'the argument "create" of service(): it must be a function'],
    ['a number as options', [() => 1, 7], 'the options of service(): they must be an object'],
    ['null as options', [() => 1, null], 'the options of service(): they must be an object'],
    ['a misspelled option', [() => 1, { closes: () => {} }], 'Did you mean "close"?'],
    [
      'an unknown option',
      [() => 1, { order: 1 }],
      '"order" of service(): it is unknown. Valid options are close, check',
    ],
    ['close that is not a function', [() => 1, { close: true }], '"close" of service(): it must be a function'],
    ['check that is not a function', [() => 1, { check: 'yes' }], '"check" of service(): it must be a function'],
  ]
  for (const [about, given, says] of REFUSED) {
    it(`rejects ${about}`, () => assertSetupError(() => loosely(...given), 'OPTION_INVALID', says))
  }
})
