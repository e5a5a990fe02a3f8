/** One table of requests and answers; `both` rows are asked in memory and over a socket, with the same expectations. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ask } from '#test/apps.js'
import { tableApp } from '#test/e2e-app.js'
import { BIG, JSON_TYPE, ROWS, type Row } from '#test/e2e-rows.js'
import { askWire, bytesOf, Wire } from '#test/e2e.js'

const MEMBERS = ['type', 'title', 'status', 'requestId']

/** Compares the body with what the row says; nothing of ours may show, whatever the answer. */
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

describe('the table in memory', () => {
  const app = tableApp()
  for (const row of ROWS.filter(({ ways }) => ways === 'both')) {
    it(`answers ${row.about} with ${row.status}`, async () => {
      const { method = 'GET', headers = {}, body } = row
      const answer = await ask(app, row.target, { method, headers, ...(body === undefined ? undefined : { body }) })
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
    it(`answers ${row.about} with ${row.status}, and goes on answering`, async () => {
      const answer = await askWire(port, row)
      assert.equal(answer.status, row.status, answer.body)
      checkHeaders(row, (name) => answer.headers.get(name))
      checkBody(row, answer.body, answer.headers.get('content-type'))
      assert.match(answer.headers.get('date') ?? '', /GMT$/)
      assert.equal((await askWire(port, { target: '/home' })).status, 200)
    })
  }

  it('answers all rows that leave the connection open on one connection', async () => {
    const wire = new Wire(port)
    let answered = 0
    for (const row of ROWS.filter(({ body = '', status }) => body.length < 1000 && status !== 400)) {
      wire.send(bytesOf(row))
      const answer = await wire.read(row.method === 'HEAD')
      assert.equal(answer.status, row.status, row.about)
      answered++
      assert.equal(answer.headers.get('connection') === 'close', false, row.about)
    }
    assert.ok(answered > 40)
    assert.equal(wire.rest, '')
    wire.destroy()
  })

  it('names the place of a wrong field, and never its value', async () => {
    const row = ROWS.find(({ about }) => about === 'a field that is wrong')
    assert.ok(row)
    const { errors } = JSON.parse((await askWire(port, row)).body)
    assert.deepEqual(
      [errors[0].in, errors[0].pointer, Object.keys(errors[0]).toSorted()],
      ['body', '/age', ['in', 'message', 'pointer']],
    )
  })

  it('answers what is no request at all, whole and once, and ends the connection', async () => {
    for (const [bytes, status] of [
      ['GET home HTTP/1.1\r\nHost: a\r\n\r\n', 400],
      ['\x16\x03\x01\x02\x00', 400],
      ['get /home HTTP/1.1\r\nHost: a\r\n\r\n', 501],
    ] as const) {
      const wire = new Wire(port)
      wire.send(bytes)
      const answer = await wire.read()
      assert.deepEqual([answer.status, answer.headers.get('connection')], [status, 'close'])
      await wire.ended()
    }
    assert.equal((await askWire(port, { target: '/home' })).status, 200)
  })

  it('answers pipelined requests in turn', async () => {
    const wire = new Wire(port)
    wire.send(['/home', '/users/1', '/none', '/kinds/stream', '/home'].map((target) => bytesOf({ target })).join(''))
    const statuses: number[] = []
    for (let count = 0; count < 5; count++) statuses.push((await wire.read()).status)
    assert.deepEqual(statuses, [200, 200, 404, 200, 200])
    wire.destroy()
  })

  it('leaves the connection usable, or ends it cleanly, when a body was too large', async () => {
    const wire = new Wire(port)
    wire.send(bytesOf({ method: 'POST', target: '/user-profiles', headers: JSON_TYPE, body: BIG }))
    const answer = await wire.read()
    assert.equal(answer.status, 413)
    if (answer.headers.get('connection') === 'close') await wire.ended()
    else {
      wire.send(bytesOf({ target: '/home' }))
      assert.equal((await wire.read()).status, 200)
    }
    wire.destroy()
  })

  it('refuses a declared body before it is sent', async () => {
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
  })
})
