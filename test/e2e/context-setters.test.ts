/** The places that can set an `AsyncLocalStorage` value of a request, and the code that each reaches: the table of the guide to middleware. */
import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApp, decorator, provide, Route, type Input, type Middleware } from 'verbena'

const current = new AsyncLocalStorage<string>()
const notes: string[] = []
const note = (place: string): void => void notes.push(`${place}: ${current.getStore() ?? 'none'}`)

const nothing = provide({}, () => true)
const middleware: Middleware = (_context, next) => current.run('set', next)
const around = decorator(() => ({ around: (_input, proceed) => current.run('set', proceed) }))
const enterBefore = provide({}, async function* () {
  current.enterWith('set')
  await sleep(1)
  yield true
  note('cleanup')
})
const enterAfter = provide({}, async function* () {
  await sleep(1)
  current.enterWith('set')
  note('the provider itself')
  yield true
  note('cleanup')
})

/** Sends two requests, for a method and for a stream, and returns the notes of both. */
async function visit(setter: {
  readonly middleware?: Middleware
  readonly provider?: typeof enterBefore
  readonly isAround?: boolean
}): Promise<string[]> {
  notes.length = 0
  const later = provide({}, async () => {
    await sleep(1)
    note('later provider')
    return true
  })
  class Home extends Route {
    static readonly uses = { first: setter.provider ?? nothing, later }
    static readonly decorators = setter.isAround ? [around] : []
    async get({ response }: Input) {
      await sleep(1)
      note('method')
      response.after(() => note('task'))
      return 'home'
    }
    async *post() {
      await sleep(1)
      note('chunk')
      yield 'home'
    }
  }
  const app = createApp({
    routes: { Home },
    middleware: [setter.middleware].flatMap((each) => each ?? []),
    signals: false,
    logger: false,
  })
  const { url } = await app.listen()
  for (const method of ['GET', 'POST']) await (await fetch(`${url}/home`, { method })).text()
  await app.close()
  return [...new Set(notes)].toSorted()
}

describe('a value of AsyncLocalStorage', () => {
  it('reaches everything from middleware', async () => {
    assert.deepEqual(await visit({ middleware }), ['chunk: set', 'later provider: set', 'method: set', 'task: set'])
  })

  it('reaches only the method and its tasks from a decorator', async () => {
    const seen = ['chunk: none', 'later provider: none', 'method: set', 'task: set']
    assert.deepEqual(await visit({ isAround: true }), seen)
  })

  it('reaches the rest of the request from a provider that has not awaited', async () => {
    const seen = ['chunk: set', 'cleanup: set', 'later provider: set', 'method: set', 'task: set']
    assert.deepEqual(await visit({ provider: enterBefore }), seen)
  })

  it('reaches no other code from a provider that has awaited', async () => {
    const seen = ['chunk: none', 'cleanup: none', 'later provider: none', 'method: none', 'task: none']
    assert.deepEqual(await visit({ provider: enterAfter }), [...seen, 'the provider itself: set'])
  })
})
