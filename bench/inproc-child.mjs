/**
 * Measures one server on one workload, without the kernel: `inproc-child.mjs <server> <workload> <slices> [feature]`.
 *
 * The server is the real `node:http`; its sockets have handles that discard written bytes. Requests arrive as `data` of the
 * sockets, on 50 connections in turn. Prints one line of JSON: processor time per request in ns, in the cheapest slice and as
 * the median, and bytes allocated per request.
 */
import net from 'node:net'
import { WORKLOADS } from './workloads.mjs'

const CONNECTIONS = 50
const [module, name, sliceCount, feature] = process.argv.slice(2)
const workload = WORKLOADS[name]
// A request of W4 takes ten times as long as the others.
const isLarge = name === 'W4'
const WARM_UP_TURNS = isLarge ? 200 : 800
const TURNS_A_SLICE = isLarge ? 10 : 30
const TURNS_OF_ALLOCATION = isLarge ? 5 : 24

/** A handle that accepts all calls of a socket, and stores only the last written text. */
class Handle {
  written = 0
  last = ''
  bytesRead = 0
  bytesWritten = 0
  reading = false
  readStart() {
    this.reading = true
    return 0
  }
  readStop() {
    return 0
  }
  #take(text) {
    this.written++
    this.last = text
    return 0
  }
  writeLatin1String(_, text) {
    return this.#take(text)
  }
  writeUtf8String(_, text) {
    return this.#take(text)
  }
  writeBuffer(_, bytes) {
    return this.#take(bytes)
  }
  writev(_, chunks, areBuffers) {
    return this.#take(areBuffers ? chunks : chunks[0])
  }
  shutdown(request) {
    setImmediate(() => request.oncomplete(0))
    return 0
  }
  close(done) {
    if (done) setImmediate(done)
  }
  reset(done) {
    this.close(done)
    return 0
  }
  getpeername(name) {
    Object.assign(name, { address: '127.0.0.1', port: 5, family: 'IPv4' })
    return 0
  }
  getsockname(name) {
    return this.getpeername(name)
  }
  getAsyncId() {
    return 1
  }
  setNoDelay() {}
  setKeepAlive() {}
  ref() {}
  unref() {}
}

const server = await startedServer()
const handles = Array.from({ length: CONNECTIONS }, () => new Handle())
const sockets = handles.map(openConnection)
const requests = workload.paths.map((path) => buildRequest(path))
let next = 0

for (let turn = 0; turn < WARM_UP_TURNS; turn++) await ask()
checkReply()
const before = answers()
const slices = []
for (let slice = 0; slice < Number(sliceCount); slice++) slices.push(await timeOfSlice())
const missing = Number(sliceCount) * TURNS_A_SLICE * CONNECTIONS - (answers() - before)
if (missing > 0) throw new Error(`${missing} requests had no answer`)
slices.sort((a, b) => a - b)
const said = { least: slices[0], middle: slices[slices.length >> 1], allocated: await measureAllocation() }
console.log(JSON.stringify(said))
process.exit(0)

/** Starts the server, and captures the `http.Server` that listens. */
async function startedServer() {
  const { listen } = net.Server.prototype
  let caught
  net.Server.prototype.listen = function (...args) {
    caught = this
    return listen.apply(this, args)
  }
  const { start } = await import(`./servers/${module}.mjs`)
  await start(workload.app, feature)
  net.Server.prototype.listen = listen
  return caught
}

function openConnection(handle) {
  const socket = new net.Socket({ handle, allowHalfOpen: true, pauseOnCreate: false })
  socket.server = server
  server.emit('connection', socket)
  return socket
}

function buildRequest(path) {
  const { method, body } = workload
  const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:3000\r\n`
  if (body === undefined) return Buffer.from(`${head}\r\n`)
  const length = Buffer.byteLength(body)
  return Buffer.from(`${head}Content-Length: ${length}\r\nContent-Type: application/json\r\n\r\n${body}`)
}

/** Sends a request on each connection, each in its own turn of the event loop. */
function ask() {
  return new Promise((resolve) => {
    for (const socket of sockets) setImmediate(askOn, socket)
    setImmediate(resolve)
  })
}

function askOn(socket) {
  const bytes = requests[next]
  next = next + 1 === requests.length ? 0 : next + 1
  socket.emit('data', bytes)
}

function answers() {
  return handles.reduce((sum, { written }) => sum + written, 0)
}

function checkReply() {
  const text = String(handles[0].last)
  const isBody = !text.startsWith('HTTP/')
  if (!isBody && !text.startsWith(`HTTP/1.1 ${workload.status} `)) throw new Error(`It was answered with ${text}`)
}

async function timeOfSlice() {
  const begin = cpu()
  for (let turn = 0; turn < TURNS_A_SLICE; turn++) await ask()
  return ((cpu() - begin) * 1000) / (TURNS_A_SLICE * CONNECTIONS)
}

function cpu() {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** Measures allocated bytes. The young generation must be large enough to prevent a collection during the measurement. */
async function measureAllocation() {
  globalThis.gc()
  const begin = process.memoryUsage().heapUsed
  for (let turn = 0; turn < TURNS_OF_ALLOCATION; turn++) await ask()
  return (process.memoryUsage().heapUsed - begin) / (TURNS_OF_ALLOCATION * CONNECTIONS)
}
