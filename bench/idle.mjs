/**
 * Measures the heap of an idle keep-alive connection after one request: of a handler on `node:http`, of Verbena, and of Verbena on the
 * documented path.
 *
 *   npm run build
 *   node bench/idle.mjs [--connections 4000] [--rounds 3] [--node <binary>] [--publish]
 *
 * Each measurement has a new process. The lowest of all rounds counts.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { readNodeVersion } from './options.mjs'
import { publish, table } from './report.mjs'

const KINDS = ['node:http', 'Verbena', 'Verbena, documented path']
const REQUEST = 'GET /hello HTTP/1.1\r\nHost: a\r\n\r\n'
/** Connections that are open at the same time while they are made. */
const BATCH = 50

if (process.send === undefined) await measureAll()
else await serve(process.argv[2])

/** Runs in a child: serves until the parent disconnects, and sends its heap for each message. */
async function serve(kind) {
  const port = kind === KINDS[0] ? await listenRaw() : await listenVerbena(kind === KINDS[1])
  process.on('message', () => {
    globalThis.gc()
    globalThis.gc()
    process.send(process.memoryUsage().heapUsed)
  })
  process.on('disconnect', () => process.exit())
  process.send(port)
}

async function listenRaw() {
  const { createServer } = await import('node:http')
  const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    const text = JSON.stringify({ hello: 'world' })
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length }).end(text)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server.address().port
}

async function listenVerbena(fastPath) {
  const { createApp, Route } = await import('../dist/index.js')
  class Hello extends Route {
    get() {
      return { hello: 'world' }
    }
  }
  const timeouts = { keepAlive: 600_000 }
  const app = createApp({ routes: { Hello }, logger: false, signals: false, devConsole: false, fastPath, timeouts })
  return (await app.listen()).port
}

async function measureAll() {
  const { values } = parseArgs({
    options: {
      connections: { type: 'string', default: '4000' },
      rounds: { type: 'string', default: '3' },
      node: { type: 'string', default: process.execPath },
      publish: { type: 'boolean', default: false },
    },
  })
  const [count, rounds, version] = [Number(values.connections), Number(values.rounds), readNodeVersion(values.node)]
  const heaps = new Map(KINDS.map((kind) => [kind, Infinity]))
  for (let round = 0; round < rounds; round++) {
    for (const kind of KINDS) heaps.set(kind, Math.min(heaps.get(kind), await measure(kind, count, values.node)))
  }
  const raw = heaps.get(KINDS[0])
  const rows = [...heaps].map(([kind, heap]) => [kind, `${(heap / 1000).toFixed(2)} kB (${(heap / raw).toFixed(2)})`])
  const shown = table([['', 'heap an idle connection'], ...rows])
  console.log(shown)
  const said = `Node ${version}, ${new Date().toISOString().slice(0, 10)}, ${count} connections, the least of ${rounds} processes.`
  if (values.publish) publish(`idle connections, Node ${version.split('.')[0]}`, said, shown)
}

/** Returns the bytes of heap of a connection, after a first batch that loads all code. */
async function measure(kind, count, node) {
  const child = fork(fileURLToPath(import.meta.url), [kind], {
    execPath: node,
    execArgv: ['--expose-gc'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const [port] = await once(child, 'message')
  const readHeap = async () => {
    child.send('heap')
    return (await once(child, 'message'))[0]
  }
  const sockets = await openAll(port, 200)
  const before = await readHeap()
  sockets.push(...(await openAll(port, count)))
  const after = await readHeap()
  for (const socket of sockets) socket.destroy()
  child.disconnect()
  await once(child, 'exit')
  return (after - before) / count
}

async function openAll(port, count) {
  const sockets = []
  const open = async () => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.write(REQUEST)
    await once(socket, 'data')
    sockets.push(socket)
  }
  while (sockets.length < count) await Promise.all(Array.from({ length: BATCH }, open))
  return sockets
}
