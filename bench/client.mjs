/**
 * The client of transfers: `client.mjs <workload> <url>`. For each message it sends the requests of a pass on all connections, reads the
 * responses to their end, and reports the number of events, uploads or files. `wrk` stops after a time, in the middle of streams and
 * uploads, so it cannot say how many of them the server has paid for.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { serveReadings } from './child.mjs'
import { WORKLOADS } from './workloads.mjs'

const LAST_CHUNK = '\r\n0\r\n\r\n'
/** Characters at the end of a response that are compared. */
const TAIL = 200

const [name, url] = process.argv.slice(2)
const { method, paths, type, body, status, transfer } = WORKLOADS[name]
const { connections, requests, units, end } = transfer

class Connection {
  #socket
  #request
  #resolve
  #reject
  /** Received text up to the end of the headers. */
  #head = ''
  /** Missing bytes of the body; `null` before the end of the headers, `Infinity` for chunks. */
  #missing = null
  #tail = ''

  constructor(socket, request) {
    this.#socket = socket
    this.#request = request
    socket.on('data', (bytes) => this.#read(bytes))
    socket.on('close', () => this.#reject?.(new Error('The server closed the connection')))
  }

  /** Sends a request. Resolves at the end of its response. */
  ask() {
    this.#head = this.#tail = ''
    this.#missing = null
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      this.#socket.write(this.#request)
    })
  }

  #read(bytes) {
    const content = this.#missing === null ? this.#readHead(bytes) : bytes
    if (content === null) return
    this.#missing -= content.length
    this.#tail = (this.#tail + content.latin1Slice(Math.max(0, content.length - TAIL))).slice(-TAIL)
    if (this.#missing > 0 && !this.#tail.endsWith(LAST_CHUNK)) return
    if (this.#tail.includes(end)) this.#resolve()
    else this.#reject(new Error(`The response ends with ${this.#tail}`))
  }

  /** Returns the bytes after the headers; `null` before their end. */
  #readHead(bytes) {
    this.#head += bytes.latin1Slice()
    const length = this.#head.indexOf('\r\n\r\n')
    if (length < 0) return null
    if (!this.#head.startsWith(`HTTP/1.1 ${status} `)) this.#reject(new Error(this.#head))
    this.#missing = Number(/^content-length: (\d+)/im.exec(this.#head.slice(0, length))?.[1] ?? Infinity)
    return Buffer.from(this.#head.slice(length + 4), 'latin1')
  }
}

async function openConnection() {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  return new Connection(socket, formatRequest())
}

function formatRequest() {
  const head = `${method} ${paths[0]} HTTP/1.1\r\nHost: 127.0.0.1\r\n`
  if (body === undefined) return Buffer.from(`${head}\r\n`)
  return Buffer.concat([Buffer.from(`${head}Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`), body])
}

async function askInTurn(connection) {
  for (let request = 0; request < requests; request++) await connection.ask()
}

const opened = await Promise.all(Array.from({ length: connections }, openConnection))
await serveReadings(
  async () => ({}),
  async () => {
    await Promise.all(opened.map(askInTurn))
    return { units: connections * requests * units }
  },
)
