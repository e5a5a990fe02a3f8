/** The shop in a separate process with the real SDK, which sends its spans to a collector in this test. */
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

/** A span in OTLP JSON. */
interface Span {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[]
}

interface Exported {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[]
}

const spans: Span[] = []
let collector: Server
let shop: ChildProcess
let url = ''

before(async () => {
  collector = createServer(async (request, response) => {
    // Proof: the environment of the shop sets the exporter to OTLP JSON.
    const { resourceSpans } = JSON.parse(await text(request)) as Exported
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)))
    response.setHeader('content-type', 'application/json').end('{}')
  })
  collector.listen(0, '127.0.0.1')
  await once(collector, 'listening')
})
after(() => {
  collector.closeAllConnections()
  collector.close()
})

async function startShop(fastPath: string): Promise<void> {
  // Proof: the collector listens on a TCP port.
  const { port } = collector.address() as AddressInfo
  shop = spawn(process.execPath, ['--import', 'tsx', '--import', './telemetry.ts', 'main.ts'], {
    cwd: new URL('..', import.meta.url),
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      PORT: '0',
      FAST_PATH: fastPath,
      OTEL_SERVICE_NAME: 'shop',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    },
  })
  url = await new Promise<string>((resolve, reject) => {
    let output = ''
    shop.on('exit', (code) => reject(new Error(`The shop ended with ${code}: ${output}`)))
    shop.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const [, found] = /listens on (\S+)/.exec(output) ?? []
      if (found !== undefined) resolve(found)
    })
  })
}

async function stopShop(): Promise<void> {
  const ended = once(shop, 'exit')
  shop.kill()
  await ended
}

beforeEach(() => void spans.splice(0))
/** Sends a request, and waits for `count` spans; the span of the request is first. */
async function spansOf(path: string, init: RequestInit, count: number): Promise<Span[]> {
  const response = await fetch(`${url}${path}`, init)
  await response.text()
  const deadline = Date.now() + 30_000
  while (spans.length < count) {
    assert.ok(Date.now() < deadline, `Only these spans have come: ${JSON.stringify(spans)}`)
    await sleep(10)
  }
  return spans.toSorted((one, other) => Number(other.name.includes(' ')) - Number(one.name.includes(' ')))
}

function routeOf(span: Span | undefined): string | undefined {
  return span?.attributes.find(({ key }) => key === 'http.route')?.value.stringValue
}

/** Requests, with the name of their span and the names of its child spans. */
const ROWS: readonly (readonly [title: string, path: string, init: RequestInit, ...string[]])[] = [
  ['a plain answer', '/orders/7', {}, 'GET /orders/{id}'],
  ['an HTTP error', '/orders/404', {}, 'GET /orders/{id}'],
  ['an error', '/orders/500', {}, 'GET /orders/{id}'],
  ['405', '/orders/7', { method: 'PUT' }, 'PUT /orders/{id}'],
  ['415', '/orders/7', { method: 'POST', body: new Uint8Array(1) }, 'POST /orders/{id}'],
  [
    'a body and a task after the response',
    '/orders/7',
    { method: 'POST', body: 'x' },
    'POST /orders/{id}',
    'save',
    'pack',
  ],
  ['a stream', '/orders/7/places', {}, 'GET /orders/{id}/places', 'locate', 'locate', 'locate'],
]

/** Attributes of the span by request, for the fast and the documented path, without values that differ between requests. */
const told = new Map<string, unknown[]>()

function attributesOf(span: Span | undefined): unknown {
  return span?.attributes.map(({ key, value }) => (/port|http\.url|host$|address/.test(key) ? [key] : [key, value]))
}

for (const path of ['fast path', 'documented path']) {
  describe(`the span of a request on the ${path}`, () => {
    before(() => startShop(String(path === 'fast path')))
    after(stopShop)

    for (const [title, target, init, name, ...below] of ROWS) {
      it(`carries the route of ${title}, and has all spans of its work below it`, async () => {
        const [span, ...others] = await spansOf(target, init, 1 + below.length)
        assert.equal(span?.name, name)
        assert.equal(routeOf(span), name?.split(' ')[1])
        assert.deepEqual(others.map((other) => other.name).toSorted(), below.toSorted())
        for (const other of others) assert.deepEqual([other.traceId, other.parentSpanId], [span?.traceId, span?.spanId])
        told.set(title, [...(told.get(title) ?? []), attributesOf(span)])
      })
    }

    it('has no route if no path matches', async () => {
      const [span] = await spansOf('/none', {}, 1)
      assert.deepEqual([span?.name, routeOf(span)], ['GET', undefined])
    })
  })
}

describe('the spans of both paths', () => {
  for (const [title] of ROWS) {
    it(`has the same attributes on both paths: ${title}`, () => {
      const [fast, documented, ...none] = told.get(title) ?? []
      assert.ok(fast !== undefined && none.length === 0)
      assert.deepEqual(fast, documented)
    })
  }
})
