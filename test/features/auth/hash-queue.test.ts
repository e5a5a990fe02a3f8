import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { describe, it } from 'node:test'
import { HttpError } from 'verbena'
import { HashQueue } from '#src/features/auth/hash-queue.js'

/** Work that the test ends, and a clock that the test moves. */
class Hashes {
  now = 1_000
  readonly queue = new HashQueue(() => this.now)
  /** Names of works that have started, in order. */
  readonly started: string[] = []
  readonly #ends = new Map<string, () => void>()

  add(name: string, signal?: AbortSignal): Promise<string> {
    return this.queue.run(async () => {
      this.started.push(name)
      await new Promise<void>((resolve) => this.#ends.set(name, resolve))
      return name
    }, signal)
  }

  /** Ends a work after `ms`, and waits until the next one has started. */
  async end(name: string, ms = 500): Promise<void> {
    await this.turn()
    this.now += ms
    this.#ends.get(name)?.()
    await this.turn()
  }

  /** Waits until the works with a place have started. */
  turn(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve))
  }
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => assert.fail('The promise was fulfilled'),
    (error: unknown) => error,
  )
}

async function retryAfter(promise: Promise<unknown>): Promise<string | undefined> {
  const error = await rejection(promise)
  assert.ok(error instanceof HttpError)
  assert.deepEqual([error.status, error.source], [503, 'framework'])
  return error.headers['retry-after']
}

describe('HashQueue: order', () => {
  it('runs two at a time, the others in order', async () => {
    const hashes = new Hashes()
    const results = ['a', 'b', 'c', 'd'].map((name) => hashes.add(name))
    await hashes.turn()
    assert.deepEqual(hashes.started, ['a', 'b'])
    await hashes.end('b')
    assert.deepEqual(hashes.started, ['a', 'b', 'c'])
    await hashes.end('c')
    await hashes.end('a')
    await hashes.end('d')
    assert.deepEqual(await Promise.all(results), ['a', 'b', 'c', 'd'])
  })

  it('starts the next one after a failure', async () => {
    const { queue } = new Hashes()
    const failed = [1, 2, 3].map(() => rejection(queue.run(() => Promise.reject(new Error('no memory')), undefined)))
    assert.deepEqual((await Promise.all(failed)).map(String), [
      'Error: no memory',
      'Error: no memory',
      'Error: no memory',
    ])
    assert.equal(await queue.run(() => Promise.resolve('done'), undefined), 'done')
  })
})

describe('HashQueue: signal', () => {
  it('removes the waiting work of aborted signals immediately, so that the next one only waits for the two that run', async () => {
    const hashes = new Hashes()
    void hashes.add('a')
    void hashes.add('b')
    const controllers = Array.from({ length: 20 }, () => new AbortController())
    const left = controllers.map((each, index) => rejection(hashes.add(`left ${index}`, each.signal)))
    await retryAfter(hashes.add('rejected'))
    for (const each of controllers) each.abort('gone')
    assert.deepEqual(new Set(await Promise.all(left)), new Set(['gone']))
    const next = hashes.add('next')
    await hashes.end('a')
    assert.deepEqual(hashes.started, ['a', 'b', 'next'])
    await hashes.end('next')
    assert.equal(await next, 'next')
  })

  it('rejects with the reason if the signal is aborted before, even if a place is free', async () => {
    const hashes = new Hashes()
    assert.equal(await rejection(hashes.add('a', AbortSignal.abort('gone'))), 'gone')
    assert.deepEqual(hashes.started, [])
    void hashes.add('b')
    void hashes.add('c')
    await hashes.turn()
    assert.deepEqual(hashes.started, ['b', 'c'])
  })

  it('runs a hash that has started to its end', async () => {
    const hashes = new Hashes()
    const controller = new AbortController()
    const result = hashes.add('a', controller.signal)
    void hashes.add('b')
    void hashes.add('c')
    await hashes.turn()
    controller.abort()
    assert.deepEqual(hashes.started, ['a', 'b'])
    await hashes.end('a')
    assert.equal(await result, 'a')
    assert.deepEqual(hashes.started, ['a', 'b', 'c'])
  })

  it('leaves no listener on a signal that outlives the work', async () => {
    const hashes = new Hashes()
    const { signal } = new AbortController()
    const results = ['a', 'b', 'c'].map((name) => hashes.add(name, signal))
    for (const name of ['a', 'b', 'c']) await hashes.end(name)
    await Promise.all(results)
    assert.deepEqual(getEventListeners(signal, 'abort'), [])
  })
})

describe('HashQueue: waiting time', () => {
  it('rejects with 503 above 5 s, with the waiting time as Retry-After', async () => {
    const hashes = new Hashes()
    // 0.5 s a hash, two at a time: 20 that wait take 5 s.
    for (let index = 0; index < 22; index++) void hashes.add(String(index))
    assert.equal(await retryAfter(hashes.add('one too many')), '6')
    await hashes.end('0')
    void hashes.add('accepted again')
    assert.equal(await retryAfter(hashes.add('one too many')), '6')
  })

  it('follows the duration of the hashes', async () => {
    const hashes = new Hashes()
    for (let index = 0; index < 30; index++) {
      const slow = hashes.add(`slow ${index}`)
      await hashes.end(`slow ${index}`, 4_000)
      await slow
    }
    // Two that run, and two that wait 2 s and 4 s.
    for (let index = 0; index < 4; index++) void hashes.add(String(index))
    assert.equal(await retryAfter(hashes.add('one too many')), '6')
  })

  it('accepts work if fewer than two run, even if the average is an hour', async () => {
    const hashes = new Hashes()
    void hashes.add('a')
    await hashes.end('a', 3_600_000)
    const next = hashes.add('b')
    void hashes.add('c')
    assert.equal(await retryAfter(hashes.add('d')), '451')
    await hashes.end('b', 0)
    assert.equal(await next, 'b')
  })

  it('lets at most 100 wait, however fast they are', async () => {
    const hashes = new Hashes()
    for (let index = 0; index < 100; index++) {
      void hashes.add(`fast ${index}`)
      await hashes.end(`fast ${index}`, 0)
    }
    for (let index = 0; index < 102; index++) void hashes.add(String(index))
    assert.equal(await retryAfter(hashes.add('one too many')), '1')
  })
})
