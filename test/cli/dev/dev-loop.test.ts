// own process: the loop listens for the end of the process
/** 100 saves under 50 requests a second: each request has a response of the code that was in force when it was sent. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { WebSocket } from 'ws'
import { createProject } from '#test/command-line.js'
import { DevLoop, type DevEvent } from '#src/cli/dev/dev-loop.js'
import { DevRecords } from '#src/cli/dev/dev-records.js'
import { ask, saveFile, startDev } from '#test/dev-command.js'
import { createShown } from '#test/dev-state.js'
import { eventually } from '#test/eventually.js'
import { createDirectory } from '#test/temp-directory.js'

const PROGRAM = 'node_modules/verbena/dist/cli.js'
const SAVES = 100
const INTERVAL = 20
/**
 * Time that a request may take in addition to the restart during which it waits, in ms. By default only the limit of a machine that does
 * other work: `npm run test:dev` sets 100.
 */
const MARGIN = Number(process.env['DEV_MARGIN'] ?? 5_000)

const APP = `import { createApp, events, Route } from 'verbena'
import { upgrade } from 'verbena/upgrade'
import { WebSocketServer } from '${import.meta.resolve('ws')}'
import * as z from '${import.meta.resolve('zod')}'
import { version } from './version.js'

class Version extends Route {
  get() {
    return { version }
  }

  static post = this.contract({ body: z.object({ sent: z.number() }), returns: z.any() })
  async post({ body }) {
    await new Promise((resolve) => setTimeout(resolve, 10))
    return { version, sent: body.sent }
  }
}

class Stream extends Route {
  static get = this.contract({ returns: events(z.number()) })
  async *get() {
    for (;;) {
      yield { data: version }
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

const server = new WebSocketServer({ noServer: true })
const socket = upgrade({}, ({ signal }, socket, head, request) => {
  server.handleUpgrade(request, socket, head, (client) => {
    client.send(String(version))
    signal.addEventListener('abort', () => client.close())
  })
})

const app = createApp({ routes: { Version, Stream, '/socket': socket } })
await app.listen({ port: 0 })
`

interface Sent {
  /** Version that was in force. */
  readonly expected: number
  readonly start: number
  readonly end: number
  readonly status: number
  readonly version: number
}

describe('verbena dev', { timeout: 280_000 }, () => {
  it('loses no request in 100 saves, and responds with the code in force', async (test) => {
    using project = await createProject({ 'app.js': APP, 'version.js': 'export const version = 0\n' })
    await using dev = startDev(project.folder, ['app.js'], { program: join(project.folder, PROGRAM) })
    const [, digits] = await dev.printed(/127\.0\.0\.1:(\d+)/)
    const port = Number(digits)
    let inForce = 0
    let isOver = false
    const windows: { readonly start: number; readonly end: number }[] = []
    const sent: Sent[] = []
    const failures: unknown[] = []

    const agent = new Agent({ keepAlive: true })
    const send = async (number: number): Promise<void> => {
      const [expected, start] = [inForce, performance.now()]
      const body = number % 2 === 0 ? {} : { body: JSON.stringify({ sent: number }) }
      const reuse = number % 4 < 2 ? { agent } : {}
      try {
        const { status, text } = await ask({ port, path: '/version', ...body, ...reuse })
        sent.push({ expected, start, end: performance.now(), status, version: JSON.parse(text).version })
      } catch (error) {
        failures.push(error)
      }
    }
    const requests: Promise<void>[] = []
    const timer = setInterval(() => requests.push(send(requests.length)), INTERVAL)

    test.after(() => {
      isOver = true
      clearInterval(timer)
      agent.destroy()
    })
    const followed = Promise.all([followStream(port, () => isOver), followSocket(port, () => isOver)])
    followed.catch((error: unknown) => failures.push(error))

    for (let version = 1; version <= SAVES; version++) {
      const saved = dev.next('save')
      saveFile(join(project.folder, 'version.js'), `export const version = ${version}\n`)
      const save = await saved
      inForce = version
      const start = performance.now()
      // Every tenth save interrupts the start of the one before.
      if (version % 10 === 9) {
        await sleep(60)
        windows.push({ start, end: performance.now() })
        continue
      }
      await Promise.race([dev.after(save, 'restart'), sleep(10_000)])
      windows.push({ start, end: performance.now() })
      await sleep(version % 7 === 0 ? 0 : 40)
    }
    await sleep(200)
    clearInterval(timer)
    await Promise.all(requests)
    isOver = true

    assert.deepEqual(failures, [])
    const saves = dev.events.filter(({ event }) => event === 'save' || event === 'failed')
    assert.deepEqual(
      saves,
      Array.from({ length: SAVES }, () => ({ event: 'save', file: 'version.js', more: 0 })),
    )
    const [versions, messages] = await followed
    assert.equal(sent.length, requests.length)
    assert.deepEqual(
      sent.filter(({ status, version, expected }) => status !== 200 || version < expected),
      [],
    )
    const excess = sent.map((each) => each.end - each.start - waitedIn(each, windows))
    const restarts = windows.map(({ start, end }) => end - start).toSorted((a, b) => a - b)
    const longest = Math.max(...excess)
    test.diagnostic(
      `${sent.length} requests, restarts of ${restarts[restarts.length >> 1]?.toFixed()} to ${restarts.at(-1)?.toFixed()} ms, at most ${longest.toFixed()} ms more`,
    )
    assert.ok(longest < MARGIN, `a request took ${longest} ms more than its restart`)
    assert.ok(new Set(versions).size > SAVES / 2, `the event stream named ${versions.length} versions`)
    assert.ok(new Set(messages).size > SAVES / 2, `the WebSocket named ${messages.length} versions`)
    for (const list of [versions, messages]) {
      assert.deepEqual(
        list,
        list.toSorted((a, b) => a - b),
      )
      assert.equal(list.at(-1), SAVES)
    }
    assert.equal(await dev.end(), 0)
  })
})

describe('DevLoop', { timeout: 120_000 }, () => {
  it('continues the waiting connections with the same code if no content has changed', async (test) => {
    const path = join(createDirectory({}), 'app.sock')
    const app = `import { createServer } from 'node:net'\ncreateServer((socket) => socket.end('hello')).listen('${path}')`
    const file = join(createDirectory({ 'app.mjs': app }), 'app.mjs')
    const options = ['--import', import.meta.resolve('tsx'), `--import=${pathToFileURL('src/cli/dev/preload.ts').href}`]
    const events: DevEvent[] = []
    const loop = new DevLoop(
      { options, args: [file], env: process.env, output: 2 },
      {
        inspectorPort: null,
        spare: null,
        records: new DevRecords(process.cwd(), () => {}),
        emit: (event) => events.push(event),
      },
    )
    test.after(() => loop.end())
    await loop.start()
    const read = async (): Promise<string> => String((await once(connect(path), 'data'))[0])
    assert.equal(await eventually(read), 'hello')
    loop.hold()
    const waiting = read()
    assert.equal(await Promise.race([waiting, sleep(100, 'waits')]), 'waits')
    loop.save([])
    assert.equal(await waiting, 'hello')
    assert.deepEqual(events, [])
  })

  it('stores requests from the console of the app, and knows the origins of its servers', async (test) => {
    const app = `import { createServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
process.send({ verbena: 'lines', lines: [] })
for (const record of ${JSON.stringify(RECORDS)}) process.send({ verbena: 'record', text: JSON.stringify(record), dropped: 0 })
createServer().listen(0, '127.0.0.1')
createServer().listen(0, '0.0.0.0')
createServer().listen(0, '::1')
createTcpServer().listen(0, '127.0.0.1')`
    const file = join(createDirectory({ 'app.mjs': app }), 'app.mjs')
    const options = ['--import', import.meta.resolve('tsx'), `--import=${pathToFileURL('src/cli/dev/preload.ts').href}`]
    const events: DevEvent[] = []
    const records = new DevRecords(process.cwd(), () => {})
    const emit = (event: DevEvent): void => void events.push(event)
    const program = { options, args: [file], env: process.env, output: 2 } as const
    const loop = new DevLoop(program, { inspectorPort: null, spare: null, records, emit })
    test.after(() => loop.end())
    assert.equal(loop.isRunning, false)
    await loop.start()
    await eventually(() => assert.equal(loop.origins.length, 3))
    assert.equal(loop.isRunning, true)
    const names = loop.origins.map((origin) => origin.replace(/\d+$/, ''))
    assert.deepEqual(names.toSorted(), ['http://127.0.0.1:', 'http://[::1]:', 'http://localhost:'])
    assert.deepEqual(
      records.read().records.map(({ id }) => id),
      ['r_2', 'r_1'],
    )
    const problem = { event: 'problem', id: 'r_2', run: 1, status: 500, request: 'GET /books/{id}' } as const
    const [event] = events
    assert.deepEqual(event, { ...problem, problem: 'No problem is described', place: null, query: null })
  })
})

/** Requests that the app sends: a successful one, and a failed one. */
const RECORDS = [createShown(), createShown({ seq: 2, 'http.response.status_code': 500 })]

function waitedIn({ start, end }: Sent, windows: readonly { readonly start: number; readonly end: number }[]): number {
  return windows.reduce((sum, window) => {
    return sum + Math.max(0, Math.min(end, window.end) - Math.max(start, window.start))
  }, 0)
}

/** Reads an event stream, and opens it again when it ends. Returns the version of each stream. */
async function followStream(port: number, isOver: () => boolean): Promise<number[]> {
  const versions: number[] = []
  while (!isOver()) {
    await new Promise<void>((resolve, reject) => {
      const opened = get({ port, host: '127.0.0.1', path: '/stream', agent: false }, (response) => {
        const inStream = new Set<number>()
        response.setEncoding('utf8').on('data', (text: string) => {
          for (const [, version] of text.matchAll(/^data: ?(\d+)$/gm)) inStream.add(Number(version))
          if (isOver()) opened.destroy()
        })
        response.on('error', () => resolve())
        response.on('close', () => {
          versions.push(...inStream)
          if (response.statusCode === 200) resolve()
          else reject(new Error(`The stream responded ${response.statusCode}`))
        })
      })
      opened.on('error', (error) => (isOver() ? resolve() : reject(error)))
    })
  }
  return versions
}

/** The same for a WebSocket. */
async function followSocket(port: number, isOver: () => boolean): Promise<number[]> {
  const versions: number[] = []
  while (!isOver()) {
    await new Promise<void>((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`)
      const timer = setInterval(() => isOver() && socket.close(), 20)
      socket.on('message', (text) => versions.push(Number(text)))
      socket.on('error', reject)
      socket.on('close', () => {
        clearInterval(timer)
        resolve()
      })
    })
  }
  return versions
}
