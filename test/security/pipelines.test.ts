/** Attacks on pipelines: requests behind one another, behind the last one, and what is none behind what is in work. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Route } from 'verbena'
import { createUntypedApp } from '#test/apps.js'
import { PROBE_ROUTES } from '#test/probe.js'
import { sendStrictly, rowBytes, formatTitle, type Rule } from '#test/rows.js'
import { getOf, serving, statusesOf, withApp } from '#test/serving.js'

const BAD = '\x00\x01 garbage\r\n\r\n'

interface BadRow extends Rule {
  readonly bytes: string
}

interface BehindRow extends BadRow {
  readonly status: number
}

const TAKEN = 'RFC 9112 §11.1: an error would be taken for the answer in work'

/** What follows a request in work that was read whole, and is none. */
const BEHIND: readonly BehindRow[] = [
  {
    rule: 'gets nothing for garbage while a request is in work: its answer comes first, unspoiled',
    source: TAKEN,
    bytes: BAD,
    status: 400,
  },
  { rule: 'gets nothing for one stray byte while a request is in work', source: TAKEN, bytes: '\x00', status: 400 },
  {
    rule: 'gets nothing for an unknown method while a request is in work',
    source: TAKEN,
    bytes: 'FOO / HTTP/1.1\r\n\r\n',
    status: 501,
  },
  {
    rule: 'gets nothing for CONNECT while a request is in work',
    source: TAKEN,
    bytes: 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
    status: 501,
  },
  {
    rule: 'gets nothing for a malformed field while a request is in work',
    source: TAKEN,
    bytes: getOf('/', 'Bad Field: x\r\n'),
    status: 400,
  },
  {
    rule: 'gets nothing for the preface of HTTP/2 while a request is in work',
    source: TAKEN,
    bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    status: 505,
  },
  {
    rule: 'gets nothing for a line that begins like that preface, and names no version',
    source: TAKEN,
    bytes: 'PRI /raw\r\nHost: a\r\n\r\n',
    status: 505,
  },
]

/** Requests whose answers are the last of their connection. */
const LAST: readonly BadRow[] = [
  { rule: 'is not served behind an answer that ends the connection', source: 'RFC 9112 §9.6', bytes: getOf('/last') },
  {
    rule: 'is not served behind a request that ends it',
    source: 'RFC 9112 §9.6',
    bytes: getOf('/alive', 'Connection: close\r\n'),
  },
  { rule: 'is not served behind HTTP/1.0', source: 'RFC 9112 §9.3', bytes: 'GET /alive HTTP/1.0\r\n\r\n' },
  {
    rule: 'is not served behind a body that was refused',
    source: 'RFC 9110 §15.5.14',
    bytes:
      'POST /small HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n40000\r\n"' +
      `${'a'.repeat(0x3fffe)}"\r\n0\r\n\r\n`,
  },
]

/** Where the body that becomes malformed goes. */
const BROKEN_BODIES: readonly (Rule & { readonly target: string })[] = [
  { rule: 'gets one answer when the JSON in work becomes malformed', source: 'RFC 9112 §7.1', target: '/json' },
  { rule: 'gets one answer when the upload in work becomes malformed', source: 'RFC 9112 §7.1', target: '/upload' },
  {
    rule: 'gets one answer when a body becomes malformed behind a 405',
    source: 'RFC 9112 §7.1',
    target: '/slow?ms=50',
  },
  {
    rule: 'gets one answer when a body becomes malformed behind a 404',
    source: 'RFC 9112 §7.1',
    target: '/nothing',
  },
]

describe('a pipeline', () => {
  it(formatTitle({ rule: 'is answered in order, one at a time', source: 'RFC 9112 §9.3.2' }), () =>
    withApp({}, async (port) => {
      const requests = [60, 1, 30, 0].map((ms, index) => getOf(`/slow?ms=${ms}`, `X-Id: ${index}\r\n`))
      const answers = await sendStrictly(port, `${requests.join('')}${rowBytes({ target: '/alive' })}`)
      const ids = answers.slice(0, 4).map(({ body }) => (JSON.parse(body.toString()) as { id: string }).id)
      assert.deepEqual(ids, ['0', '1', '2', '3'])
      assert.deepEqual(statusesOf(answers), [200, 200, 200, 200, 200])
    }),
  )

  it(formatTitle({ rule: 'of requests with bodies is answered in order', source: 'RFC 9112 §9.3.2' }), () =>
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
    formatTitle({ rule: 'cut into single bytes is answered the same', source: 'RFC 9293 §3.7: segments end anywhere' }),
    () =>
      withApp({}, async (port) => {
        const answers = await sendStrictly(port, [...`${getOf('/alive')}${rowBytes({ target: '/echo/x' })}`])
        assert.deepEqual(statusesOf(answers), [200, 200])
      }),
  )

  it(formatTitle({ rule: 'gets 400 for what follows, behind the answers and once', source: 'RFC 9112 §9.5' }), () =>
    withApp({}, async (port) => {
      assert.deepEqual(statusesOf(await sendStrictly(port, [getOf('/alive'), BAD, BAD])), [200, 400])
      assert.deepEqual(statusesOf(await sendStrictly(port, `${getOf('/alive')}${BAD}${BAD}`)), [200, 400])
    }),
  )

  for (const row of BEHIND) {
    it(formatTitle(row), () =>
      withApp({}, async (port) => {
        const ask = getOf('/slow?ms=100')
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

  it(formatTitle({ rule: 'keeps the answer to a body that was read whole', source: 'RFC 9112 §9.5' }), () =>
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
