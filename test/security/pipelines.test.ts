/** Attacks on pipelines: several requests, requests after the last one, and invalid bytes after a request in progress. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Route } from 'verbena'
import { createUntypedApp } from '#test/apps.js'
import { PROBE_ROUTES } from '#test/probe.js'
import { sendStrictly, rowBytes, formatTitle, type Rule } from '#test/attack-rows.js'
import { formatGet, serving, readStatuses, withApp } from '#test/serving.js'

const BAD = '\x00\x01 garbage\r\n\r\n'

interface BadRow extends Rule {
  readonly bytes: string
}

interface BehindRow extends BadRow {
  readonly status: number
}

const TAKEN = 'RFC 9112 §11.1: an early error would be read as the response in progress'

/** Invalid bytes after a complete request that is in progress. */
const BEHIND: readonly BehindRow[] = [
  {
    rule: 'gets no early error for garbage while a request is in progress',
    source: TAKEN,
    bytes: BAD,
    status: 400,
  },
  {
    rule: 'gets no early error for a stray byte while a request is in progress',
    source: TAKEN,
    bytes: '\x00',
    status: 400,
  },
  {
    rule: 'gets no early error for an unknown method while a request is in progress',
    source: TAKEN,
    bytes: 'FOO / HTTP/1.1\r\n\r\n',
    status: 501,
  },
  {
    rule: 'gets no early error for CONNECT while a request is in progress',
    source: TAKEN,
    bytes: 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
    status: 501,
  },
  {
    rule: 'gets no early error for a malformed header while a request is in progress',
    source: TAKEN,
    bytes: formatGet('/', 'Bad Field: x\r\n'),
    status: 400,
  },
  {
    rule: 'gets no early error for the HTTP/2 preface while a request is in progress',
    source: TAKEN,
    bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    status: 505,
  },
  {
    rule: 'gets no early error for a line like the HTTP/2 preface without a version',
    source: TAKEN,
    bytes: 'PRI /raw\r\nHost: a\r\n\r\n',
    status: 505,
  },
]

/** Requests whose responses are the last of their connection. */
const LAST: readonly BadRow[] = [
  {
    rule: 'is not handled after a response that ends the connection',
    source: 'RFC 9112 §9.6',
    bytes: formatGet('/last'),
  },
  {
    rule: 'is not handled after a request that ends the connection',
    source: 'RFC 9112 §9.6',
    bytes: formatGet('/alive', 'Connection: close\r\n'),
  },
  { rule: 'is not handled after an HTTP/1.0 request', source: 'RFC 9112 §9.3', bytes: 'GET /alive HTTP/1.0\r\n\r\n' },
  {
    rule: 'is not handled after a rejected body',
    source: 'RFC 9110 §15.5.14',
    bytes:
      'POST /small HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n40000\r\n"' +
      `${'a'.repeat(0x3fffe)}"\r\n0\r\n\r\n`,
  },
]

/** Requests whose body becomes malformed. */
const BROKEN_BODIES: readonly (Rule & { readonly target: string })[] = [
  {
    rule: 'gets one response if the JSON body in progress becomes malformed',
    source: 'RFC 9112 §7.1',
    target: '/json',
  },
  { rule: 'gets one response if the upload in progress becomes malformed', source: 'RFC 9112 §7.1', target: '/upload' },
  {
    rule: 'gets one response if a body becomes malformed after a 405',
    source: 'RFC 9112 §7.1',
    target: '/slow?ms=50',
  },
  {
    rule: 'gets one response if a body becomes malformed after a 404',
    source: 'RFC 9112 §7.1',
    target: '/nothing',
  },
]

describe('a pipeline', () => {
  it(formatTitle({ rule: 'gets responses in order, one request at a time', source: 'RFC 9112 §9.3.2' }), () =>
    withApp({}, async (port) => {
      const requests = [60, 1, 30, 0].map((ms, index) => formatGet(`/slow?ms=${ms}`, `X-Id: ${index}\r\n`))
      const answers = await sendStrictly(port, `${requests.join('')}${rowBytes({ target: '/alive' })}`)
      const ids = answers.slice(0, 4).map(({ body }) => (JSON.parse(body.toString()) as { id: string }).id)
      assert.deepEqual(ids, ['0', '1', '2', '3'])
      assert.deepEqual(readStatuses(answers), [200, 200, 200, 200, 200])
    }),
  )

  it(formatTitle({ rule: 'gets responses in order for requests with bodies', source: 'RFC 9112 §9.3.2' }), () =>
    withApp({}, async (port) => {
      const post = (body: string): string =>
        `POST /json HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      const answers = await sendStrictly(port, `${post('[1]')}${post('[2]')}${rowBytes({ target: '/alive' })}`)
      assert.deepEqual(
        answers.map(({ body }) => body.toString()),
        ['{"body":[1]}', '{"body":[2]}', 'alive'],
      )
    }),
  )

  it(
    formatTitle({
      rule: 'gets the same responses if sent byte by byte',
      source: 'RFC 9293 §3.7: segments end anywhere',
    }),
    () =>
      withApp({}, async (port) => {
        const answers = await sendStrictly(port, [...`${formatGet('/alive')}${rowBytes({ target: '/echo/x' })}`])
        assert.deepEqual(readStatuses(answers), [200, 200])
      }),
  )

  it(formatTitle({ rule: 'gets a single 400 for invalid bytes, after the responses', source: 'RFC 9112 §9.5' }), () =>
    withApp({}, async (port) => {
      assert.deepEqual(readStatuses(await sendStrictly(port, [formatGet('/alive'), BAD, BAD])), [200, 400])
      assert.deepEqual(readStatuses(await sendStrictly(port, `${formatGet('/alive')}${BAD}${BAD}`)), [200, 400])
    }),
  )

  for (const row of BEHIND) {
    it(formatTitle(row), () =>
      withApp({}, async (port) => {
        const ask = formatGet('/slow?ms=100')
        for (const packets of [
          [ask, row.bytes],
          [ask, row.bytes, row.bytes],
          `${ask}${row.bytes}`,
          `${ask}${ask}${row.bytes}`,
        ]) {
          const answers = await sendStrictly(port, packets)
          const last = answers.pop()
          assert.deepEqual([last?.status, last?.headers.get('connection')], [row.status, ['close']])
          for (const { status, headers } of answers) {
            assert.deepEqual([status, headers.get('connection')], [200, ['keep-alive']])
          }
          assert.equal(answers.length, [packets].flat().join('').split(ask).length - 1)
        }
      }),
    )
  }

  it(
    formatTitle({ rule: 'gets the response to a completely read body before the error', source: 'RFC 9112 §9.5' }),
    () =>
      withApp({}, async (port) => {
        const post =
          'POST /json HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n[1]\r\n0\r\n\r\n'
        const [first, second, ...more] = await sendStrictly(port, `${post}\x00`)
        assert.deepEqual([first?.status, first?.body.toString(), second?.status], [200, '{"body":[1]}', 400])
        assert.deepEqual([first?.headers.get('connection'), more.length], [['keep-alive'], 0])
      }),
  )

  for (const row of BROKEN_BODIES) {
    it(formatTitle(row), () =>
      withApp({}, async (port) => {
        const type = row.target === '/upload' ? 'application/octet-stream' : 'application/json'
        const head = `POST ${row.target} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`
        const answers = await sendStrictly(port, [head, '2\r\n[1\r\n', 'zz\r\n'])
        assert.equal(answers.length, 1)
        assert.ok((answers[0]?.status ?? 0) >= 400)
      }),
    )
  }

  for (const row of LAST) {
    it(formatTitle(row), async () => {
      let served = 0
      class Last extends Route {
        get() {
          return new Response('x', { headers: { connection: 'close' } })
        }
      }
      class Count extends Route {
        post() {
          served++
        }
      }
      await serving(createUntypedApp({ routes: { ...PROBE_ROUTES, Last, Count }, signals: false }), async (port) => {
        const count = 'POST /count HTTP/1.1\r\nHost: a\r\n\r\n'
        assert.equal((await sendStrictly(port, `${row.bytes}${count}${count}`)).length, 1)
        assert.equal((await sendStrictly(port, [row.bytes, count])).length, 1)
        await wait(20)
        assert.equal(served, 0)
      })
    })
  }
})
