/**
 * The table of requests, and streams, sent to an app below other servers: each response has the same bytes as from `app.listen`.
 * `MOUNTED=all` adds further servers.
 */
import assert from 'node:assert/strict'
import type { Server } from 'node:http'
import { after, before, describe, it } from 'node:test'
import type { App } from 'verbena'
import { mountedApp } from '#test/e2e-app.js'
import { ANSWER_ROWS } from '#test/e2e-answer-rows.js'
import { REQUEST_ROWS } from '#test/e2e-rows.js'
import type { WireRequest } from '#test/e2e.js'
import { EMPTY_REQUESTS, STREAM_REQUESTS } from '#test/mounted-routes.js'
import { exchange } from '#test/attack-rows.js'
import { injector } from '#test/neighbors.js'
import { parseAnswers } from '#test/strict-parser.js'
import { HEADERS, listen, MOUNTS, sortHeaders, transcribe, formatVariant, type Transcript } from '#test/mounted.js'

const REQUESTS: readonly WireRequest[] = [...REQUEST_ROWS, ...ANSWER_ROWS, ...STREAM_REQUESTS, ...EMPTY_REQUESTS]
const NEXT = formatVariant({ target: '/home' }, '1.1', 'close')

/** Formats of a request: the last of its connection, before another in the same packet, and both as HTTP/1.0. */
const WAYS: readonly ((request: WireRequest) => string)[] = [
  (request) => formatVariant(request, '1.1', 'close'),
  (request) => formatVariant(request, '1.1', 'keep-alive') + NEXT,
  (request) => formatVariant(request, '1.0', 'close'),
  (request) => formatVariant(request, '1.0', 'keep-alive') + NEXT,
]

async function transcribeAll(port: number, request: WireRequest): Promise<Transcript[]> {
  const transcripts: Transcript[] = []
  for (const format of WAYS) transcripts.push(await transcribe(port, format(request)))
  return transcripts
}

/** A broken HTTP/1.0 response ends with a reset, which Node reads as an end if it arrives together with the last bytes. */
function compare(target: string, found: Transcript | undefined, expected: Transcript | undefined): void {
  assert.ok(found && expected)
  if (!found.isReset && !expected.isReset) assert.equal(sortHeaders(found.bytes), sortHeaders(expected.bytes))
  else assert.match(target + found.bytes, /fails(?!.*Transfer-Encoding)/is)
}

const isAll = process.env['MOUNTED'] === 'all'
const mounts = isAll ? MOUNTS : MOUNTS.slice(0, 1)

/** Requests that `light-my-request` does not change, and whose response is complete. It resolves `..` and joins equal headers. */
const INJECTED = REQUESTS.filter(({ target, headers = {} }) => {
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  const isSame = /^\/(?!\/)[\w/?&=.-]*$/.test(target) && !target.includes('..') && new Set(names).size === names.length
  return isSame && !target.endsWith('fails')
})

/** Headers of a connection, or with another value in each response. */
const OF_CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding', 'date', 'x-request-id'])

function comparable(status: number, headers: Iterable<readonly [string, unknown]>, body: string): object {
  const fields = [...headers].filter(([name]) => !OF_CONNECTION.has(name))
  const lines = fields.map(([name, value]) => `${name}: ${[value].flat().join()}`)
  return { status, lines: lines.toSorted(), body: body.replace(/"requestId":"[^"]*"/, '"requestId"') }
}

describe('an app below another server', () => {
  const app = mountedApp()
  const alone = new Map<WireRequest, Transcript[]>()
  let port = 0
  before(async () => {
    port = (await app.listen()).port
    for (const request of REQUESTS) alone.set(request, await transcribeAll(port, request))
  })
  after(() => app.close())

  it('is compared with an app that listens itself, whose broken streams have no last chunk, except event streams', () => {
    const isBroken = (target: string): boolean => target.startsWith('/streams/') && target.endsWith('fails')
    const streams = [...alone].filter(([{ target }]) => isBroken(target)).map(([, [last]]) => last?.bytes ?? '')
    const chunked = streams.filter((bytes) => bytes.includes('Transfer-Encoding: chunked'))
    assert.ok(chunked.length >= 8, String(chunked.length))
    for (const bytes of chunked) assert.doesNotMatch(bytes, /\r\n0\r\n\r\n$/)
  })

  for (const request of isAll ? INJECTED : []) {
    const { method = 'GET', target, headers = {}, body } = request
    it(`sends the same response to light-my-request: ${method} ${target} ${JSON.stringify(headers).slice(0, 60)}`, async () => {
      const mounted = mountedApp()
      const given = { method, url: target, headers: { host: 'localhost', ...headers }, payload: body }
      const { statusCode, headers: fields, rawPayload } = await injector(mounted.handler)(given)
      await mounted.close()
      const bytes = await exchange(port, formatVariant(request, '1.1', 'close'))
      const [answer] = parseAnswers(bytes, () => method === 'HEAD')
      assert.ok(answer)
      assert.deepEqual(
        comparable(statusCode, Object.entries(fields), rawPayload.toString('latin1')),
        comparable(answer.status, answer.headers, answer.body.toString('latin1')),
      )
    })
  }

  for (const mount of mounts) {
    for (const [headers, setHeaders] of Object.entries(HEADERS)) {
      describe(`${mount.name} with ${headers}`, () => {
        let mounted: App
        let server: Server
        let mountedPort = 0
        before(async () => {
          mounted = mountedApp()
          server = mount.open(mounted, setHeaders)
          mountedPort = await listen(server)
        })
        after(async () => {
          server.closeAllConnections()
          server.close()
          await mounted.close()
        })

        for (const request of REQUESTS.filter(({ target }) => target !== mount.keeps)) {
          const { method = 'GET', target, headers: fields = {} } = request
          it(`sends the same bytes: ${method} ${target.slice(0, 60)} ${JSON.stringify(fields).slice(0, 60)}`, async () => {
            const found = await transcribeAll(mountedPort, request)
            for (const [way, expected] of (alone.get(request) ?? []).entries()) compare(target, found[way], expected)
          })
        }
      })
    }
  }
})
