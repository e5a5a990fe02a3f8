/** A table of requests and responses; `both` rows are sent in process and over a socket, with the same expectations. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sendRequest } from '#test/apps.js'
import { tableApp } from '#test/e2e-app.js'
import { ANSWER_ROWS } from '#test/e2e-answer-rows.js'
import { BIG, JSON_TYPE, REQUEST_ROWS, type Row } from '#test/e2e-rows.js'
import { askWire, toBytes, Wire } from '#test/e2e.js'
import { sendStrictly, formatTitle, type Rule } from '#test/attack-rows.js'

const ROWS = [...REQUEST_ROWS, ...ANSWER_ROWS]
const MEMBERS = ['type', 'title', 'status', 'requestId']

/** Checks the body, and that it contains no internals. */
function checkBody(row: Row, text: string, type: string | undefined): void {
  assert.doesNotMatch(text, /scrypt|passwordHash|app\.js|node:|Error:/)
  if (row.method === 'HEAD' || row.gives === '') {
    assert.equal(text, '')
    return
  }
  const isProblem = type === 'application/problem+json'
  assert.equal(isProblem, row.status >= 400)
  const value: unknown = type?.includes('json') === true ? JSON.parse(text) : text
  if (!isProblem) {
    if (row.gives !== undefined) assert.deepEqual(value, row.gives)
    return
  }
  const problem: Record<string, unknown> = { ...Object(value) }
  assert.equal(problem['status'], row.status)
  assert.equal(problem['type'], 'about:blank')
  assert.match(String(problem['requestId']), /^[\w-]+$/)
  for (const member of MEMBERS) delete problem[member]
  if (row.gives !== undefined) assert.deepEqual(problem, row.gives)
}

function checkHeaders(row: Row, read: (name: string) => string | null | undefined): void {
  for (const [name, value] of Object.entries(row.has ?? {})) assert.equal(read(name) ?? null, value, name)
  if (row.status >= 400) assert.match(read('x-request-id') ?? '', /^[\w-]+$/)
  assert.equal(read('x-powered-by') ?? null, null)
}

/** Bytes that are not a request: the server sends one complete response and closes the connection. */
const NO_REQUESTS: readonly (Rule & { readonly bytes: string; readonly status: number })[] = [
  {
    rule: 'rejects a target without a slash',
    source: 'RFC 9112 §3.2',
    bytes: 'GET home HTTP/1.1\r\nHost: a\r\n\r\n',
    status: 400,
  },
  { rule: 'rejects a TLS handshake', source: 'a client that speaks TLS', bytes: '\x16\x03\x01\x02\x00', status: 400 },
  {
    rule: 'responds 501 to a lowercase method',
    source: 'RFC 9110 §9.1',
    bytes: 'get /home HTTP/1.1\r\nHost: a\r\n\r\n',
    status: 501,
  },
]

/** Formats the request of a row, with `Connection: close`. */
function lastOf(row: Row): string {
  return toBytes({ ...row, headers: { ...row.headers, connection: 'close' } })
}

describe('the table in memory', () => {
  const app = tableApp()
  for (const row of ROWS.filter(({ reach }) => reach === 'both')) {
    it(formatTitle(row), async () => {
      const { method = 'GET', headers = {}, body } = row
      const answer = await sendRequest(app, row.target, {
        method,
        headers,
        ...(body === undefined ? undefined : { body }),
      })
      assert.equal(answer.status, row.status, answer.text)
      checkHeaders(row, (name) => answer.headers.get(name))
      checkBody(row, answer.text, answer.headers.get('content-type') ?? undefined)
    })
  }
})

describe('the table over a socket', () => {
  const app = tableApp()
  let port = 0
  before(async () => {
    port = (await app.listen()).port
  })
  after(() => app.close())

  for (const row of ROWS) {
    it(formatTitle(row), async () => {
      const [answer, ...more] = await sendStrictly(port, lastOf(row))
      assert.ok(answer)
      assert.equal(more.length, 0)
      const text = answer.body.toString()
      assert.equal(answer.status, row.status, text)
      checkHeaders(row, (name) => answer.headers.get(name)?.join('\n'))
      checkBody(row, text, answer.headers.get('content-type')?.[0])
      assert.match(answer.headers.get('date')?.[0] ?? '', /GMT$/)
      assert.equal((await askWire(port, { target: '/home' })).status, 200)
    })
  }

  it(
    formatTitle({
      rule: 'responds to all rows that keep the connection open on one connection',
      source: 'RFC 9112 §9.3',
    }),
    async () => {
      const wire = new Wire(port)
      let answered = 0
      for (const row of ROWS.filter(({ body = '', status }) => body.length < 1000 && status !== 400)) {
        wire.send(toBytes(row))
        const answer = await wire.read(row.method === 'HEAD')
        assert.equal(answer.status, row.status, row.rule)
        answered++
        assert.equal(answer.headers.get('connection') === 'close', false, row.rule)
      }
      assert.ok(answered > 40)
      assert.equal(wire.rest, '')
      wire.destroy()
    },
  )

  it(
    formatTitle({ rule: 'reports the location of an invalid property, but not its value', source: 'RFC 9457 §5' }),
    async () => {
      const row = ROWS.find(({ rule }) => rule === 'rejects an invalid property without repeating its value')
      assert.ok(row)
      const { errors } = JSON.parse((await askWire(port, row)).body)
      assert.deepEqual(
        [errors[0].in, errors[0].pointer, Object.keys(errors[0]).toSorted()],
        ['body', '/age', ['in', 'message', 'pointer']],
      )
    },
  )

  for (const row of NO_REQUESTS) {
    it(formatTitle(row), async () => {
      const [answer, ...more] = await sendStrictly(port, row.bytes)
      assert.deepEqual([answer?.status, answer?.headers.get('connection'), more], [row.status, ['close'], []])
      assert.equal((await askWire(port, { target: '/home' })).status, 200)
    })
  }

  it(formatTitle({ rule: 'responds to pipelined requests in order', source: 'RFC 9112 §9.3.2' }), async () => {
    const wire = new Wire(port)
    wire.send(['/home', '/users/1', '/none', '/kinds/stream', '/home'].map((target) => toBytes({ target })).join(''))
    const statuses: number[] = []
    for (let count = 0; count < 5; count++) statuses.push((await wire.read()).status)
    assert.deepEqual(statuses, [200, 200, 404, 200, 200])
    wire.destroy()
  })

  it(
    formatTitle({
      rule: 'keeps the connection usable, or ends it cleanly, after a body that is too large',
      source: 'RFC 9110 §15.5.14',
    }),
    async () => {
      const wire = new Wire(port)
      wire.send(toBytes({ method: 'POST', target: '/user-profiles', headers: JSON_TYPE, body: BIG }))
      const answer = await wire.read()
      assert.equal(answer.status, 413)
      if (answer.headers.get('connection') === 'close') await wire.ended()
      else {
        wire.send(toBytes({ target: '/home' }))
        assert.equal((await wire.read()).status, 200)
      }
      wire.destroy()
    },
  )

  it(
    formatTitle({
      rule: 'rejects a declared length above the limit before the body is sent',
      source: 'RFC 9110 §10.1.1',
    }),
    async () => {
      const wire = new Wire(port)
      const head = [
        'POST /user-profiles HTTP/1.1',
        'Host: a',
        'Content-Type: application/json',
        'Content-Length: 9999999999',
      ]
      wire.send(`${[...head, 'Expect: 100-continue'].join('\r\n')}\r\n\r\n`)
      assert.equal((await wire.read()).status, 413)
      wire.destroy()
    },
  )
})
