/** Sends pipelined requests in pieces, and compares the handlers that ran with the result of a reference parser. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { Route, text, type App, type Input } from 'verbena'
import fc from 'fast-check'
import { createUntypedApp } from './apps.js'
import { parseRequests, type SeenRequest } from './packet-parser.js'

/** Placeholder in a target for the number of the connection; both have the same length. */
const NUMBER = '000000'
/** Time in ms without a byte after which the connection is destroyed. It should end with the last request. */
const SILENCE = 5000
/** Sent after every pipeline, so that the server ends the connection. */
const LAST = `GET /${NUMBER}/last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`
const TOGETHER = 64

/** Handlers that ran, by connection. */
const ran = new Map<string, SeenRequest[]>()

function note(connection: string, request: SeenRequest): void {
  const all = ran.get(connection)
  if (all === undefined) ran.set(connection, [request])
  else all.push(request)
}

interface Place {
  readonly connection: string
  readonly n: string
}

class Seen extends Route {
  static readonly path = '/{connection}/{n}'
  static readonly get = this.contract({})
  static readonly post = this.contract({ body: text() })

  get({ params }: Input<typeof Seen.get> & { params: Place }) {
    note(params.connection, { method: 'GET', target: `/${params.connection}/${params.n}`, body: '' })
    // For an even `n`, the response is delayed by one turn of the event loop, so that the next request may arrive first.
    return Number(params.n) % 2 === 0 ? turn('seen') : 'seen'
  }

  async post({ params, body }: Input<typeof Seen.post> & { params: Place }) {
    note(params.connection, { method: 'POST', target: `/${params.connection}/${params.n}`, body })
    return body
  }
}

/** Creates an app that notes each handler call. */
export const packetsApp = (): App => createUntypedApp({ routes: { Seen }, signals: false, logger: false })

let connections = 0

/** Sends a pipeline cut at these offsets, and compares the handler calls. */
async function check(port: number, pipeline: string, cuts: readonly number[]): Promise<void> {
  const connection = String(++connections).padStart(NUMBER.length, '0')
  const bytes = `${pipeline}${LAST}`.replaceAll(`/${NUMBER}/`, `/${connection}/`)
  await send(port, bytes, cuts)
  const seen = ran.get(connection) ?? []
  ran.delete(connection)
  assert.deepEqual(seen, parseRequests(bytes), `${JSON.stringify(pipeline)}, cut at ${cuts.join(' and ')}`)
}

async function send(port: number, bytes: string, cuts: readonly number[]): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const ended = new Promise<void>((resolve) => {
    socket.setTimeout(SILENCE, () => socket.destroy())
    socket
      .resume()
      .on('error', () => {})
      .on('close', () => resolve())
  })
  let from = 0
  for (const to of [...cuts, bytes.length]) {
    const part = bytes.slice(from, to)
    from = to
    if (part !== '') await new Promise<void>((resolve) => socket.write(part, 'latin1', () => resolve()))
    // The server reads this part before the next one is sent.
    await turn()
    await turn()
  }
  await ended
}

/**
 * Sends a pipeline once for each of its bytes, cut at that byte.
 *
 * @param port port of 127.0.0.1
 * @param pipeline requests with `NUMBER` in their targets
 */
export async function checkAllCuts(port: number, pipeline: string): Promise<void> {
  let cut = 0
  const work = async (): Promise<void> => {
    while (cut < pipeline.length) await check(port, pipeline, [cut++])
  }
  await Promise.all(Array.from({ length: TOGETHER }, work))
}

/** Kinds of requests in a pipeline. */
const KINDS: readonly ((n: number, text: string) => string)[] = [
  (n) => `GET /${NUMBER}/${n} HTTP/1.1\r\nHost: a\r\n\r\n`,
  (n) => `GET /${NUMBER}/${n} HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, x-own\r\n\r\n`,
  (n, body) => post(n, `Content-Length: ${body.length}\r\n`, body),
  (n, body) => post(n, 'Transfer-Encoding: chunked\r\n', encodeChunks(body)),
  (n, body) => post(n, `Expect: 100-continue\r\nContent-Length: ${body.length}\r\n`, body),
  (n, body) => post(n, `Connection: x-own, Keep-Alive\r\nContent-Length: ${body.length}\r\n`, body),
  (n) => `GET /${NUMBER}/${n} HTTP/1.1\r\nHost: a\r\nExpect: a-miracle\r\n\r\n`,
  (n) => `GET /${NUMBER}/${n} HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n`,
  (n) => `GET /${NUMBER}/${n} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  (n, body) => post(n, `Connection: keep-alive, Upgrade\r\nUpgrade: h2c\r\nContent-Length: ${body.length}\r\n`, body),
  (n) => `GET /${NUMBER}/${n} HTTP/1.1\r\nHost: a\r\nConnection: x-own, close\r\n\r\n`,
  // The body is itself a request, which a server would handle if it lost track of the framing.
  (n) => {
    const hidden = `GET /${NUMBER}/hidden HTTP/1.1\r\nHost: a\r\n\r\n`
    return post(n, `Content-Length: ${hidden.length}\r\n`, hidden)
  },
]

function post(n: number, fields: string, body: string): string {
  return `POST /${NUMBER}/${n} HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\n${fields}\r\n${body}`
}

function encodeChunks(body: string): string {
  const half = Math.floor(body.length / 2)
  const parts = [body.slice(0, half), body.slice(half)].filter((part) => part !== '')
  return `${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`
}

/** For each kind of request, a pipeline with that kind between other requests. */
export const PAIRS: readonly string[] = KINDS.map((kind, index) => {
  const get = KINDS[0]
  const hidden = KINDS.at(-1)
  return `${get?.(0, '')}${kind(1, `body ${index}`)}${hidden?.(2, '')}${get?.(3, '')}`
})

const pipelines = fc
  .array(fc.tuple(fc.constantFrom(...KINDS), fc.stringMatching(/^[a-z]{1,9}$/)), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.map(([kind, body], n) => kind(n, body)).join(''))
const cutPacket = fc.array(fc.nat(), { maxLength: 4 })

/**
 * Sends random pipelines, cut at random offsets.
 *
 * @param port port of 127.0.0.1
 * @param count number of pipelines
 * @param seed the same seed repeats a run
 */
export async function checkRandom(port: number, count: number, seed: number): Promise<void> {
  const samples = fc.sample(fc.tuple(pipelines, cutPacket), { numRuns: count, seed })
  const work = async (): Promise<void> => {
    for (let sample = samples.pop(); sample !== undefined; sample = samples.pop()) {
      const [pipeline, cuts] = sample
      const places = cuts.map((cut) => cut % pipeline.length).toSorted((one, other) => one - other)
      await check(port, pipeline, places)
    }
  }
  await Promise.all(Array.from({ length: TOGETHER }, work))
}
