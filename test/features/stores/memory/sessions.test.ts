// own process: it measures the heap
/** Sessions in memory: a flood of visitors does not sign users out, and the memory has a limit. */
import assert from 'node:assert/strict'
import { after, before, describe, it, mock } from 'node:test'
import { createApp, Route, type Input } from 'verbena'
import { session } from 'verbena/session'
import { memorySessions } from '#src/features/stores/memory/sessions.js'
import { sendRequest, captureLog } from '#test/apps.js'
import { heapAfterGc } from '#test/heap.js'
import { KEY, readCookie } from '#test/browser-client.js'
import { testSessionStore } from '#test/store-contracts.js'
import * as z from 'zod'

const MB = 1024 * 1024
/** Node 26 counts one byte for each character of a large string with two. */
const COUNTS_STRINGS = process.versions.node.startsWith('20.')
const TOMORROW = Date.now() + 86_400_000

describe('memorySessions(): entries', () => {
  const store = memorySessions()
  before(() => mock.timers.enable({ apis: ['Date'], now: Date.now() }))
  after(() => mock.timers.reset())
  testSessionStore({ stores: () => [store, store], unit: 60_000, pass: (_key, ms) => mock.timers.tick(ms) })
})

describe('memorySessions()', () => {
  it('keeps sessions that were read twice during 200,000 new sessions', () => {
    const store = memorySessions()
    const users = Array.from({ length: 1000 }, (_, index) => `user-${index}`)
    for (const key of users) {
      store.set(key, 'user', TOMORROW, 'new')
      store.get(key)
      store.get(key)
    }
    for (let visit = 0; visit < 200_000; visit++) store.set(`visit-${visit}`, 'visitor', TOMORROW, 'new')
    assert.deepEqual(
      users.filter((key) => store.get(key) !== 'user'),
      [],
    )
    assert.deepEqual(
      [0, 100_999, 101_000, 199_999].map((visit) => store.get(`visit-${visit}`)),
      [undefined, undefined, 'visitor', 'visitor'],
    )
  })

  for (const [kind, character, size] of [
    ['Latin-1', 'x', MB],
    ['other', '€', 2 * MB],
  ] as const) {
    it(`uses at most 64 MB for values in ${kind} characters`, async () => {
      const before = await heapAfterGc()
      const store = memorySessions()
      for (let count = 0; count < (96 * MB) / size; count++) {
        // `Buffer` returns a flat string, as JSON does.
        store.set(`key-${count}`, Buffer.from(`${count} ${character.repeat(MB)}`).toString(), TOMORROW, 'new')
      }
      const taken = (await heapAfterGc()) - before
      assert.equal(store.get('key-0'), undefined)
      assert.ok((!COUNTS_STRINGS || taken > 55 * MB) && taken < 66 * MB, `${Math.round(taken / MB)} MB`)
    })
  }

  it('uses at most 64 MB for many small sessions', async () => {
    const before = await heapAfterGc()
    const store = memorySessions(1_000_000)
    for (let count = 0; count < 300_000; count++) {
      store.set(`a digest of forty-three characters, ${count}`, `{"last":1,"value":${count}}`, TOMORROW, 'new')
    }
    const taken = (await heapAfterGc()) - before
    // 60 MB if nothing else runs in this process.
    assert.ok(taken < 72 * MB, `${Math.round(taken / MB)} MB`)
    assert.notEqual(store.get('a digest of forty-three characters, 299999'), undefined)
  })
})

describe('session: in-memory sessions', () => {
  const { logger, lines } = captureLog()
  const visitor = session({ schema: z.object({ text: z.string() }), keys: [KEY], store: memorySessions(50, 64 * 1024) })
  class Visits extends Route {
    static readonly path = '/'
    static readonly uses = { visitor }
    static readonly get = this.contract({})
    async get({ visitor }: Input<typeof Visits.get>) {
      return visitor.value?.text ?? null
    }
    static readonly post = this.contract({ body: z.object({ text: z.string() }) })
    async post({ visitor, body }: Input<typeof Visits.post>) {
      visitor.start(body)
    }
  }
  const app = createApp({ routes: { Visits }, logger })

  async function start(text: string): Promise<{ status: number; cookie: string }> {
    const headers = { 'content-type': 'application/json' }
    const response = await sendRequest(app, '/', { method: 'POST', headers, body: JSON.stringify({ text }) })
    const { name, value } = readCookie(response.headers.getSetCookie()[0] ?? '')
    return { status: response.status, cookie: `${name}=${value}` }
  }
  const read = async (cookie: string): Promise<string> => (await sendRequest(app, '/', { headers: { cookie } })).text

  it('keeps the session of a user who has sent two requests during 500 new sessions', async () => {
    const { cookie } = await start('ada')
    const idle = await start('ben')
    assert.deepEqual([await read(cookie), await read(cookie)], ['ada', 'ada'])
    for (let visit = 0; visit < 500; visit++) await start('a visitor')
    assert.deepEqual([await read(cookie), await read(idle.cookie)], ['ada', 'null'])
  })

  it('responds 503 if a value is larger than the memory limit of all sessions', async () => {
    lines.length = 0
    assert.equal((await start('x'.repeat(70_000))).status, 503)
    assert.match(String(Object(lines[0]?.fields['err']).cause), /^RangeError: Cannot store \d+ bytes in memory/)
  })
})
