import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HttpError, provide, type ProviderOptions } from 'verbena'
import type { ProviderStep } from '#src/injection/plan.js'
import { ProviderPlanner } from '#src/setup/provider-planner.js'
import { RequestScope } from '#src/injection/scope.js'
import { readUses } from '#src/injection/provide.js'

/** A scope that records reported errors. */
function scopeOf() {
  const reports: (readonly [string, unknown])[] = []
  return { scope: new RequestScope((error, name) => reports.push([name, error])), reports }
}

/** The step of a provider with the given function and slot. */
function stepOf(name: string, slot: number, resolve: () => unknown, options: ProviderOptions = {}): ProviderStep {
  const provider = provide({}, resolve, options)
  const plan = new ProviderPlanner({}).plan([], readUses({ [name]: provider }, 'a test'), 'a test')
  const [step] = plan?.others ?? []
  assert.ok(step !== undefined)
  return { ...step, slot }
}

const resolve = (scope: RequestScope, step: ProviderStep): Promise<void> | null => scope.resolve(step, {}, {})

/** A generator without `function*`, as compilers emit them. */
function written(events: string[]) {
  let calls = 0
  return {
    next: () => ({ done: ++calls > 1, value: `written ${calls}` }),
    throw: (error: unknown) => void events.push(`thrown ${String(error)}`),
    return: () => ({ done: true, value: undefined }),
  }
}

describe('RequestScope.resolve()', () => {
  const SYNC: readonly (readonly [about: string, resolve: () => unknown, value: unknown])[] = [
    ['a value', () => 7, 7],
    ['undefined', () => undefined, undefined],
    ['null', () => null, null],
    [
      'the value that a generator yields',
      function* () {
        yield 7
      },
      7,
    ],
    ['the value that a compiled generator yields', () => written([]), 'written 1'],
  ]
  for (const [about, make, value] of SYNC) {
    it(`stores ${about} synchronously`, () => {
      const { scope } = scopeOf()
      assert.equal(resolve(scope, stepOf('a', 2, make)), null)
      assert.deepEqual([scope.values.length, scope.values[2]], [3, value])
    })
  }

  it('stores iterators, objects with "next" and streams as ordinary values', () => {
    const values = [[1].values(), { next: 1 }, { next: 1, throw: 2, return: 3 }, new ReadableStream(), { next() {} }]
    for (const value of values) {
      const { scope } = scopeOf()
      assert.equal(
        resolve(
          scope,
          stepOf('a', 0, () => value),
        ),
        null,
      )
      assert.equal(scope.values[0], value)
      assert.equal(scope.isOpen('before-response'), false)
    }
  })

  const ASYNC: readonly (readonly [about: string, resolve: () => unknown])[] = [
    ['a promise', async () => 7],
    // oxlint-disable-next-line unicorn/no-thenable -- the test needs a thenable
    ['another thenable', () => ({ then: (done: (value: number) => void) => done(7) })],
    [
      'the value that an async generator yields',
      async function* () {
        yield 7
      },
    ],
    [
      'the promise that a generator yields',
      function* () {
        yield Promise.resolve(7)
      },
    ],
  ]
  for (const [about, make] of ASYNC) {
    it(`waits for ${about}`, async () => {
      const { scope } = scopeOf()
      const waiting = resolve(scope, stepOf('a', 0, make))
      assert.ok(waiting instanceof Promise)
      await waiting
      assert.deepEqual(scope.values, [7])
    })
  }

  it('throws the error of a provider, and registers no cleanup', async () => {
    const error = new Error('no')
    const fail = (): never => {
      throw error
    }
    const { scope } = scopeOf()
    const SAYS = (thrown: unknown): boolean => thrown === error
    assert.throws(() => resolve(scope, stepOf('a', 0, fail)), SAYS)
    assert.throws(
      () =>
        resolve(
          scope,
          stepOf('a', 0, function* () {
            yield fail()
          }),
        ),
      SAYS,
    )
    await assert.rejects(
      async () =>
        resolve(
          scope,
          stepOf('a', 0, async () => fail()),
        ),
      SAYS,
    )
    await assert.rejects(
      async () =>
        resolve(
          scope,
          stepOf('a', 0, async function* () {
            yield fail()
          }),
        ),
      SAYS,
    )
    assert.equal(scope.isOpen('before-response'), false)
  })

  it('runs the cleanup of a generator whose yielded promise rejects', async () => {
    const events: unknown[] = []
    const { scope } = scopeOf()
    const step = stepOf('a', 0, function* () {
      try {
        yield Promise.reject(new Error('no'))
      } catch (error) {
        events.push(error)
      }
    })
    await assert.rejects(async () => resolve(scope, step), /no/)
    scope.failure = { error: 'failed' }
    scope.end('before-response')
    assert.deepEqual(events, ['failed'])
  })

  it('throws if a generator yields no value', async () => {
    const { scope } = scopeOf()
    const SAYS = /The provider "a" ended without a value. Write "yield value"/
    assert.throws(
      () =>
        resolve(
          scope,
          stepOf('a', 0, function* () {}),
        ),
      SAYS,
    )
    await assert.rejects(
      async () =>
        resolve(
          scope,
          stepOf('a', 0, async function* () {}),
        ),
      SAYS,
    )
    assert.equal(scope.isOpen('before-response'), false)
  })
})

/** A generator that records its cleanup. */
function noted(events: string[], name: string, isAsync: boolean, atEnd: () => unknown = () => undefined) {
  function* plain() {
    try {
      yield name
      events.push(`+${name}`)
    } catch (error) {
      events.push(`-${name}(${String(error)})`)
      throw error
    } finally {
      atEnd()
    }
  }
  async function* later() {
    await Promise.resolve()
    yield* plain()
  }
  return () => (isAsync ? later() : plain())
}

describe('RequestScope.end()', () => {
  const KINDS: readonly (readonly boolean[])[] = [
    [false, false, false],
    [true, true, true],
    [false, true, false],
    [true, false, true],
  ]

  for (const kinds of KINDS) {
    const about = kinds.map((isAsync) => (isAsync ? 'async' : 'sync')).join(', ')

    async function opened(events: string[], atEnd: Readonly<Record<string, () => unknown>> = {}) {
      const { scope, reports } = scopeOf()
      for (const [slot, isAsync] of kinds.entries()) {
        const name = 'abc'[slot] ?? ''
        await resolve(scope, stepOf(name, slot, noted(events, name, isAsync, atEnd[name])))
      }
      return { scope, reports }
    }

    it(`runs the code after each yield in reverse order: ${about}`, async () => {
      const events: string[] = []
      const { scope } = await opened(events)
      assert.equal(scope.isOpen('before-response'), true)
      const waiting = scope.end('before-response')
      assert.equal(waiting === null, !kinds.includes(true))
      await waiting
      assert.deepEqual([events, scope.failure, scope.isOpen('before-response')], [['+c', '+b', '+a'], null, false])
    })

    it(`throws the failure at each yield: ${about}`, async () => {
      const events: string[] = []
      const { scope, reports } = await opened(events)
      scope.failure = { error: 'gone' }
      await scope.end('before-response')
      assert.deepEqual([events, scope.failure, reports], [['-c(gone)', '-b(gone)', '-a(gone)'], { error: 'gone' }, []])
    })

    it(`passes an error of one cleanup to the remaining providers: ${about}`, async () => {
      const events: string[] = []
      const { scope } = await opened(events, {
        b: () => {
          // oxlint-disable-next-line no-throw-literal -- code can throw any value
          throw undefined
        },
      })
      await scope.end('before-response')
      assert.deepEqual([events, scope.failure], [['+c', '+b', '-a(undefined)'], { error: undefined }])
    })

    it(`keeps the first failure and reports a second: ${about}`, async () => {
      const events: string[] = []
      const second = new Error('rollback')
      const { scope, reports } = await opened(events, {
        c: () => {
          throw second
        },
      })
      scope.failure = { error: 'gone' }
      await scope.end('before-response')
      assert.deepEqual(events, ['-c(gone)', '-b(gone)', '-a(gone)'])
      assert.deepEqual([scope.failure, reports], [{ error: 'gone' }, [['c', second]]])
    })

    it(`replaces the first failure by an HTTP error: ${about}`, async () => {
      const events: string[] = []
      const conflict = new HttpError(409)
      const { scope, reports } = await opened(events, {
        c: () => {
          throw conflict
        },
      })
      scope.failure = { error: 'gone' }
      await scope.end('before-response')
      assert.deepEqual([scope.failure, reports], [{ error: conflict }, []])
      assert.deepEqual(events.slice(1), [`-b(${String(conflict)})`, `-a(${String(conflict)})`])
    })
  }

  it('keeps a failure that a provider catches', () => {
    const { scope } = scopeOf()
    resolve(
      scope,
      stepOf('a', 0, function* () {
        try {
          yield 1
        } catch {
          return
        }
      }),
    )
    scope.failure = { error: 'gone' }
    scope.end('before-response')
    assert.deepEqual(scope.failure, { error: 'gone' })
  })

  it('fails at a second yield, and ends the generator', async () => {
    for (const isAsync of [false, true]) {
      const { scope } = scopeOf()
      let isEnded = false
      function* twice() {
        try {
          yield 1
          yield 2
        } finally {
          isEnded = true
        }
      }
      async function* later() {
        yield* twice()
      }
      await resolve(scope, stepOf('a', 0, isAsync ? later : twice))
      await scope.end('before-response')
      assert.match(String(scope.failure?.error), /The provider "a" yielded more than once/)
      await new Promise(setImmediate)
      assert.equal(isEnded, true)
    }
  })

  it('ignores an error that a generator throws in return()', async () => {
    const { scope } = scopeOf()
    resolve(
      scope,
      stepOf('a', 0, function* () {
        try {
          yield 1
          yield 2
        } finally {
          // oxlint-disable-next-line no-unsafe-finally -- the test needs this error
          throw new Error('stuck')
        }
      }),
    )
    scope.end('before-response')
    await new Promise(setImmediate)
    assert.match(String(scope.failure?.error), /yielded more than once/)
  })

  it('runs only the cleanup with the given value of ends', () => {
    const events: string[] = []
    const { scope } = scopeOf()
    resolve(scope, stepOf('a', 0, noted(events, 'a', false), { ends: 'after-response' }))
    resolve(scope, stepOf('b', 1, noted(events, 'b', false)))
    scope.end('before-response')
    assert.deepEqual([events, scope.isOpen('after-response')], [['+b'], true])
    scope.end('after-response')
    assert.deepEqual([events, scope.isOpen('after-response')], [['+b', '+a'], false])
  })

  it('accepts results of a compiled generator', () => {
    const events: string[] = []
    const { scope } = scopeOf()
    resolve(
      scope,
      stepOf('a', 0, () => written(events)),
    )
    scope.failure = { error: 'gone' }
    scope.end('before-response')
    assert.deepEqual(events, ['thrown gone'])
  })
})
