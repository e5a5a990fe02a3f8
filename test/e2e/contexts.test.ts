// own process: hooks outside of suites start its servers
/** The async context of middleware or a server is visible in every callback of the request. */
import assert from 'node:assert/strict'
import { createServer, request } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { App } from 'verbena'
import { RunningApp } from '#src/app/running-app.js'
import { AROUND, notingApp, runInContext, takeNotes } from '#test/contexts.js'
import { toBytes, until } from '#test/e2e.js'

interface Asked {
  readonly path: string
  readonly method?: string
  readonly type?: string
  readonly body?: string
}

/** Sends a request to an app, and reads the complete response. */
type Way = (asked: Asked) => Promise<void>

const app = notingApp(AROUND)
/** An app without middleware; its requests inherit the context of the server. */
const bare = notingApp([])
const server = createServer((asked, response) => runInContext('mine', () => void bare.handler(asked, response)))
let origin = ''
let bareOrigin = ''

before(async () => {
  origin = (await app.listen()).url
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // Proof: the server listens on a TCP port.
  const { port } = server.address() as AddressInfo
  bareOrigin = `http://127.0.0.1:${port}`
})
after(async () => {
  await app.close()
  server.closeAllConnections()
  server.close()
})

function headersOf({ type }: Asked): Record<string, string> {
  return { 'x-tenant': 'mine', ...(type === undefined ? {} : { 'content-type': type }) }
}

function overSocket(url: string, asked: Asked): Promise<void> {
  const { path, method = 'GET', body } = asked
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, headers: headersOf(asked) }, (response) => {
      // The response waits for its reader, and continues in an event of the socket.
      setTimeout(() => response.resume(), 20)
      response.on('error', () => resolve()).on('end', () => resolve())
    })
    sent.on('error', reject)
    if (body === undefined) sent.end()
    else {
      // Two packets, so that the end arrives in a separate event.
      sent.write(body.slice(0, 3))
      setTimeout(() => sent.end(body.slice(3)), 5)
    }
  })
}

async function byFetch(asked: Asked): Promise<void> {
  const { path, method = 'GET', body = null } = asked
  const response = await app.fetch(new Request(`http://a${path}`, { method, headers: headersOf(asked), body }))
  // Interrupted responses are checked in the log.
  await response.arrayBuffer().catch(() => {})
}

async function allDone(asked: App): Promise<void> {
  await until(() => RunningApp.partsOf(asked)?.state.work.running === 0, 'all work is done')
}

const METHOD = [
  'guard',
  'guard, later',
  'provider',
  'decorator',
  'method',
  'method, later',
  'answer',
  'end of provider',
]
const LASTING = ['end after the answer', 'end after the answer, later']
const TASKS = ['task', 'task, later', 'second task']
const PULLED = ['pulled', 'pulled on', 'pulled on, later', 'end of source']
const FAILED = ['mapError', 'line "The request failed unexpectedly"']

/** A request, and all callbacks in which the context must be visible. */
interface Row extends Asked {
  readonly places: readonly string[]
}

function posted(path: string, type: string, ...more: readonly string[]): Row {
  const body = type.endsWith('json') ? '{"a":[1,2]}' : 'a=1&b=2'
  return {
    ...{ path, method: 'POST', type, body },
    places: [...METHOD, ...LASTING, ...TASKS, ...more, `line "POST ${path} 200"`],
  }
}

const ROWS: readonly Row[] = [
  posted('/none', 'text/plain'),
  posted('/json', 'application/json', 'raw provider', 'body'),
  posted('/form', 'application/x-www-form-urlencoded', 'raw provider', 'body'),
  posted('/text', 'text/plain', 'raw provider'),
  posted('/bytes', 'application/octet-stream', 'raw provider'),
  posted('/streamed', 'application/octet-stream', 'chunk'),
  { path: '/generated', places: [...PULLED, 'task', 'line "GET /generated 200"'] },
  { path: '/declared', places: [...PULLED, 'provider', 'end of provider', ...LASTING] },
  {
    ...{ path: '/declared', method: 'HEAD' },
    places: ['pulled', 'end of source', 'provider', 'end of provider', ...LASTING],
  },
  { path: '/from-node', places: ['pulled', 'end of source'] },
  { path: '/from-web', places: ['pulled'] },
  { path: '/from-iterable', places: ['pulled'] },
  { path: '/events', places: [...PULLED, 'event'] },
  { path: '/cut', places: ['line "Response interrupted"', 'line "GET /cut 200"'] },
  { path: '/broken', places: [...FAILED, ...LASTING, 'line "GET /broken 500"'] },
  {
    ...{ path: '/broken', method: 'POST', type: 'application/json', body: '{"a":1}' },
    places: ['body', ...FAILED, 'line "POST /broken 500"'],
  },
  {
    ...{ path: '/broken', method: 'POST', type: 'application/json', body: '{"a":' },
    places: ['mapError', 'line "POST /broken 400"'],
  },
  {
    ...{ path: '/broken', method: 'POST', type: 'application/json', body: 'x'.repeat(2000) },
    places: ['mapError', 'line "POST /broken 413"'],
  },
]

/** Source of the context, and the transport. */
const WAYS: readonly (readonly [name: string, asked: App, way: Way])[] = [
  ['of middleware, over a socket', app, (asked) => overSocket(origin, asked)],
  ['of middleware, through fetch', app, byFetch],
  ['of the server that an app is attached to', bare, (asked) => overSocket(bareOrigin, asked)],
]

const OUTER = 'outermost, later: the outermost'

for (const [name, asked, way] of WAYS) {
  describe(`the context ${name}`, () => {
    for (const row of ROWS) {
      it(`reaches the callbacks of ${row.method ?? 'GET'} ${row.path}: ${row.places.join(', ')}`, async () => {
        takeNotes()
        await way(row)
        await allDone(asked)
        const notes = takeNotes()
        const seen = row.places.map((place) => `${place}: mine`)
        assert.deepEqual(notes.toSorted(), [...seen, ...(asked === bare ? [] : [OUTER])].toSorted())
      })
    }

    it('reaches a method that has timed out', async () => {
      takeNotes()
      await way({ path: '/late', method: 'POST', type: 'text/plain', body: 'some text' })
      const notes: string[] = []
      const last = 'line "Late response discarded": mine'
      await until(() => notes.push(...takeNotes()) > 0 && notes.includes(last), 'the method has ended')
      const places = ['abort', 'mapError', 'line "The request failed"', 'line "POST /late 503"', 'method, late']
      const seen = places.map((place) => `${place}: mine`)
      assert.deepEqual(notes.toSorted(), [...seen, last, ...(asked === bare ? [] : [OUTER])].toSorted())
    })
  })
}

describe('the context of middleware that throws or replies', () => {
  it('uses the context of the outer middleware in mapError and in the stream of a reply', async () => {
    takeNotes()
    await overSocket(origin, { path: '/none?throw' })
    await allDone(app)
    assert.ok(takeNotes().includes('mapError: the outermost'))
    await overSocket(origin, { path: '/none?stream' })
    await allDone(app)
    const seen = PULLED.map((place) => `${place}: the outermost`)
    assert.deepEqual(takeNotes().toSorted(), [...seen, OUTER].toSorted())
  })
})

describe('the context of middleware after the client disconnects', () => {
  it('reaches an abort listener of the method', async () => {
    takeNotes()
    const socket = connect(Number(new URL(origin).port), '127.0.0.1')
    socket.write(toBytes({ target: '/gone', headers: { 'x-tenant': 'mine' } }))
    await until(() => takeNotes().includes('method: mine'), 'the method runs')
    socket.destroy()
    await allDone(app)
    assert.deepEqual(takeNotes(), ['abort: mine', OUTER])
  })
})
