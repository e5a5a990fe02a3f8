/** `verbena replay`: sends a recorded request to a server again. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import type { RequestRecord } from '#src/devconsole/wire/request-types.js'
import { createFailure, createRun, createShown, openState, type StateCommands } from '#test/dev-state.js'

interface Received {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

interface Replayed extends StateCommands {
  readonly received: Received[]
}

/** Opens a server that stores its requests, and a `verbena dev` with one request. */
async function openReplay(t: TestContext, record: Partial<RequestRecord>, body = '{"ok":true}'): Promise<Replayed> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    received.push({ method, url, headers, body: await text(request) })
    response.writeHead(url.startsWith('/broken') ? 500 : 201, { 'content-type': 'application/json' }).end(body)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  // Proof: a server that listens on a port has an address.
  const { port } = server.address() as AddressInfo
  const state = { origins: [`http://127.0.0.1:${port}`], records: [createShown(record)], runs: [createRun()] }
  return { ...(await openState(t, state)), received }
}

const jsonBody = (value: string, changes: object = {}): RequestRecord['request']['body'] => {
  return {
    type: 'application/json',
    size: value.length,
    text: value,
    hex: null,
    truncated: false,
    omitted: null,
    ...changes,
  }
}
const POST: Partial<RequestRecord> = {
  'http.request.method': 'POST',
  'url.path': '/books',
  'url.query': 'a=1&b=%20',
  'http.response.status_code': 500,
  request: {
    headers: [
      ...([
        ['Host', 'example.test'],
        ['content-length', '99'],
        ['content-type', 'application/json'],
      ] as const),
      ...([
        ['authorization', 'Bearer redacted'],
        ['cookie', 'a=redacted; b=1'],
        ['x-note', 'a'],
        ['x-note', 'b'],
      ] as const),
    ],
    body: jsonBody('{"title":"Dune"}'),
  },
}

describe('verbena replay', { concurrency: true }, () => {
  it('sends method, target, headers and body again, without secrets, and compares the status', async (t) => {
    const { verbena, received } = await openReplay(t, POST)
    const { code, out } = await verbena('replay', 'r_1', '--yes')
    assert.equal(code, 0)
    assert.match(
      out,
      /^201, was 500 {2}\d+ ms\nSent without authorization, cookie: "--header" sets them\n\{"ok":true\}\n$/,
    )
    const [request] = received
    assert.deepEqual([request?.method, request?.url, request?.body], ['POST', '/books?a=1&b=%20', '{"title":"Dune"}'])
    assert.equal(request?.headers['x-dev-replay'], 'r_1')
    assert.deepEqual([request?.headers['x-note'], request?.headers['content-type']], ['a, b', 'application/json'])
    assert.deepEqual([request?.headers.authorization, request?.headers.cookie], [undefined, undefined])
    assert.match(String(request?.headers.host), /^127\.0\.0\.1:/)
  })

  it('sets headers that are not stored', async (t) => {
    const { verbena, received } = await openReplay(t, POST)
    const headers = ['--header', 'Authorization: Bearer abc', '--header', 'cookie:a=1']
    const { out } = await verbena('replay', 'r_1', '--yes', ...headers, '--json')
    const { omitted, status, before, body, isCut } = JSON.parse(out)
    assert.deepEqual(
      { omitted, status, before, body, isCut },
      { omitted: [], status: 201, before: 500, body: '{"ok":true}', isCut: false },
    )
    assert.deepEqual([received[0]?.headers.authorization, received[0]?.headers.cookie], ['Bearer abc', 'a=1'])
    const { code, err } = await verbena('replay', 'r_1', '--yes', '--header', 'no header')
    assert.deepEqual([code, err], [2, 'Cannot send the header "no header": write it as "name: value"\n'])
  })

  it('sends a GET without a question, and shows errors and long bodies', async (t) => {
    const { verbena, received } = await openReplay(
      t,
      { 'url.path': '/broken', 'http.response.status_code': 0 },
      'x'.repeat(70_000),
    )
    const { code, out } = await verbena('replay', 'r_1')
    assert.equal(code, 0)
    assert.match(out, /^500, was no response {2}\d+ ms\nx{2000}…\n…\n$/)
    assert.deepEqual([received[0]?.method, received[0]?.body], ['GET', ''])
    const json = JSON.parse((await verbena('replay', 'r_1', '--json')).out)
    assert.deepEqual([json.body.length, json.isCut], [65_536, true])
  })

  it('prints an empty body as nothing', async (t) => {
    const { verbena } = await openReplay(t, { 'http.response.status_code': 201 }, '')
    assert.match((await verbena('replay', 'r_1')).out, /^201 {2}\d+ ms\n$/)
  })

  /** Records that cannot be sent, with the reason. */
  const CANNOT: readonly (readonly [about: string, record: Partial<RequestRecord>, reason: RegExp, args?: string[]])[] =
    [
      [
        'an unsafe method without "--yes"',
        POST,
        /^Cannot replay a POST without "--yes", because it may change data/,
        [],
      ],
      ['a secret in the query', { 'url.query': 'token=redacted' }, /its URL contains a secret/],
      ['a target that clients change', { 'url.path': '/a/../b' }, /no client that follows the URL standard/],
      [
        'a binary body',
        { ...POST, request: { headers: [], body: jsonBody('', { size: 9, text: null }) } },
        /its body is not stored completely/,
      ],
      [
        'a cut body',
        { ...POST, request: { headers: [], body: jsonBody('{', { truncated: true }) } },
        /its body is not stored completely/,
      ],
      [
        'a secret in the body',
        { ...POST, request: { headers: [], body: jsonBody('{"pin":"redacted"}') } },
        /its body contains a secret/,
      ],
      ['a method that fetch rejects', { 'http.request.method': 'TRACE' }, /^Cannot replay the request: /],
    ]

  for (const [about, record, reason, args = ['--yes']] of CANNOT) {
    it(`rejects ${about}`, async (t) => {
      const { verbena, received } = await openReplay(t, record)
      const { code, err } = await verbena('replay', 'r_1', ...args)
      assert.equal(code, 2)
      assert.match(err, reason)
      assert.deepEqual(received, [])
    })
  }

  it('says that the app is not running, with the error of its start', async (t) => {
    const records = [createShown()]
    const failed = await openState(t, { isRunning: false, records, runs: [createRun({ failure: createFailure() })] })
    const { code, err } = await failed.verbena('replay', 'r_1')
    assert.equal(code, 2)
    assert.equal(
      err,
      'Cannot replay "r_1": the app is not running. The saved code does not start (exit code 1): "verbena last" shows the error\n',
    )
    const ended = await openState(t, { isRunning: true, records })
    assert.equal((await ended.verbena('replay', 'r_1')).err, 'Cannot replay "r_1": the app is not running\n')
  })

  it('reports a server that does not answer', async (t) => {
    const dev = await openState(t, { origins: ['http://127.0.0.1:1'], records: [createShown()] })
    const { code, err } = await dev.verbena('replay', 'r_1')
    assert.equal(code, 2)
    assert.match(err, /^Cannot replay the request: (?:connect ECONNREFUSED|bad port)/)
  })
})
