/** Scenarios of QUERY (RFC 10008). A scenario returns the words of a cell in the table of the guide. */
import { Agent } from 'node:http'
import { Readable } from 'node:stream'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { send, type TextResponse } from './scenarios.js'

const TYPE = 'application/json; charset=utf-8'

/** Parts of a search that may change. */
interface Search {
  readonly surname?: string
  readonly isChunked?: boolean
  readonly etag?: string
  readonly agent?: Agent
}

function search(port: number, { surname = 'Smith', isChunked = false, etag, agent }: Search): Promise<TextResponse> {
  const body = JSON.stringify({ surname })
  const headers = {
    'content-type': TYPE,
    ...(isChunked ? {} : { 'content-length': String(body.length) }),
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
  }
  const parts = { method: 'QUERY', headers, ...(agent === undefined ? {} : { agent }) }
  return send(port, '/contacts', {
    ...parts,
    body: isChunked ? Readable.from(inTwoParts(body)) : body,
  })
}

/** Splits a body. Squid sends a length if the whole body arrives before it forwards the request, so the pause is long. */
async function* inTwoParts(body: string): AsyncGenerator<string> {
  yield body.slice(0, 5)
  await sleep(500)
  yield body.slice(5)
}

/**
 * Says how a body arrives at the app: with its length or chunked. nghttpx rejects a request before the body has arrived, and closes the
 * connection. A busy client notices this before it reads the response, so it has five attempts. If an attempt after a closed
 * connection gets a 200, the scenario says so.
 */
export async function framing(port: number, isChunked: boolean): Promise<string> {
  for (let attempt = 1; attempt <= 5; attempt++) {
    const response = await search(port, { isChunked }).catch(() => undefined)
    if (response === undefined) continue
    if (response.status !== 200) return `**${response.status}**`
    return attempt === 1 ? describeArrival(response.body) : '**closed at times**'
  }
  return '**closed**'
}

function describeArrival(body: string): string {
  const found = JSON.parse(body)
  return found.surname === 'Smith' && found.type === TYPE ? String(found.framing) : '**changed**'
}

/** Says the status of a request with the ETag of the same result. */
export async function statusWithEtag(port: number): Promise<string> {
  const { headers, status } = await search(port, {})
  return headers.etag === undefined ? `**${status}**` : String((await search(port, { etag: headers.etag })).status)
}

/** Says whether a response to OPTIONS arrives with `Allow` and `Accept-Query`. */
export async function options(port: number): Promise<string> {
  const { headers } = await send(port, '/contacts', { method: 'OPTIONS' })
  const arrives = headers.allow === 'GET, HEAD, OPTIONS, QUERY' && headers['accept-query'] === 'application/json'
  return arrives ? 'arrives' : '**changed**'
}

/** Says whether a client can send another request on the connection. */
export async function connection(port: number): Promise<string> {
  const agent = new Agent({ keepAlive: true })
  await search(port, { agent })
  await nextTurn()
  const isKept = Object.keys(agent.freeSockets).length > 0
  agent.destroy()
  return isKept ? 'kept' : '**closed**'
}

/** Says whether a cache responds with the result of another body, or of a GET that it has stored. */
export async function cachedResult(port: number): Promise<string> {
  await send(port, '/contacts')
  for (const surname of ['Smith', 'Jones']) {
    const { status, body } = await search(port, { surname })
    if (status !== 200 || JSON.parse(body).surname !== surname) return '**wrong result**'
  }
  return 'its own'
}

/** Says whether a cache still has the response to a GET after a QUERY of the same path. */
export async function cachedGet(port: number): Promise<string> {
  const list = async (): Promise<string> => (await send(port, '/contacts')).body
  const first = await list()
  if ((await list()) !== first) return 'not stored'
  await search(port, {})
  return (await list()) === first ? 'kept' : 'removed'
}
