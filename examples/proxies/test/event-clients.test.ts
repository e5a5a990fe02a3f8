/** Clients of event streams against the table of "Event streams" in docs/guides/responses.md. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fetchEventSource } from '@microsoft/fetch-event-source'
import { EventSource } from 'eventsource'
import { createEventSource } from 'eventsource-client'

const GUIDE = readFileSync(new URL('../../../docs/guides/responses.md', import.meta.url), 'utf8')

/** Starts a client; returns a function that stops it. */
type Start = (url: string) => () => void

const CLIENTS: Readonly<Record<string, Start>> = {
  '`eventsource` 4.1.1, as browsers': (url) => {
    const source = new EventSource(url)
    return () => source.close()
  },
  '`eventsource-client` 1.2.0': (url) => {
    const source = createEventSource({ url, onMessage: () => {} })
    return () => source.close()
  },
  '`@microsoft/fetch-event-source` 2.0.1': (url) => {
    const controller = new AbortController()
    fetchEventSource(url, { signal: controller.signal, openWhenHidden: true, onmessage: () => {} }).catch(() => {})
    return () => controller.abort()
  },
}

/** First responses, in the order of the columns; each later one is a stream that stays open. */
const FIRST: readonly ((response: ServerResponse) => void)[] = [
  (response) => void begin(response).end(),
  (response) => void setTimeout(() => begin(response).destroy(), 50),
  (response) => void response.writeHead(204).end(),
  (response) => void response.writeHead(503).end(),
]

function begin(response: ServerResponse): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write('retry: 100\nid: 1\ndata: 1\n\n')
  return response
}

/** Says whether a client requests the stream again. */
async function seen(start: Start, respond: (response: ServerResponse) => void): Promise<string> {
  const requests: unknown[] = []
  const server = createServer((request, response) => {
    if (requests.push(request.url) === 1) respond(response)
    else begin(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const stop = start(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`)
  for (let waited = 0; waited < 5000 && requests.length < 2; waited += 50) await sleep(50)
  stop()
  server.close()
  server.closeAllConnections()
  return requests.length > 1 ? 'reconnects' : 'stops'
}

// `fetch-event-source` is for browsers only: it calls `window.setTimeout`, and follows the visibility of the document.
Object.assign(globalThis, { window: globalThis, document: new EventTarget() })

describe('clients of event streams', { concurrency: true }, () => {
  for (const [name, start] of Object.entries(CLIENTS)) {
    it(name, async () => {
      const cells = await Promise.all(FIRST.map((respond) => seen(start, respond)))
      const line = GUIDE.split('\n').find((text) => text.startsWith(`| ${name} `)) ?? ''
      assert.deepEqual(
        line
          .split('|')
          .slice(2, -1)
          .map((cell) => cell.trim()),
        cells,
      )
    })
  }
})
