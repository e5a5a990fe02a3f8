/** The protocol of `verbena agent`: revisions with the clients of both official SDKs, and messages that they never send. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { Client as ClientOfSdk2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as TransportOfSdk2 } from '@modelcontextprotocol/client/stdio'
import { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js'
import { Protocol } from '#src/cli/agent/protocol.js'
import { readInputLines } from '#src/cli/agent/read-lines.js'
import { agentProcess, exchange, readResult, type Message } from '#test/agent-client.js'
import { PLAIN_COMMAND } from '#test/repository.js'
import { createDirectory } from '#test/temp-directory.js'

const cwd = createDirectory({})
const OPTIONS = { cwd, program: PLAIN_COMMAND }
const request = (id: unknown, method: unknown, params?: unknown): object => ({ jsonrpc: '2.0', id, method, params })
const call = (id: unknown, name: unknown, args?: unknown): object =>
  request(id, 'tools/call', { name, arguments: args })
const META = 'io.modelcontextprotocol/protocolVersion'

/** Sends lines, and returns the responses in the order of their ids. */
async function send(...lines: readonly (string | Buffer | object)[]): Promise<Message[]> {
  const { code, err, messages } = await exchange(OPTIONS, lines)
  assert.deepEqual([code, err], [0, ''])
  return messages.toSorted((one, other) => Number(one.id) - Number(other.id))
}

describe('protocol of verbena agent', { timeout: 120_000, concurrency: true }, () => {
  for (const version of SUPPORTED_PROTOCOL_VERSIONS) {
    it(`speaks revision ${version} with a client of the SDK`, async (t) => {
      const client = new ClientOfSdk2({ name: 'test', version: '1' }, { supportedProtocolVersions: [version] })
      await client.connect(new TransportOfSdk2(agentProcess(OPTIONS)))
      t.after(() => client.close())
      assert.equal(client.getNegotiatedProtocolVersion(), version)
      assert.equal((await client.listTools()).tools.length, 9)
      const result = readResult(await client.callTool({ name: 'last' }))
      assert.ok(result.isError && result.text.startsWith('No "verbena dev" runs'))
      await client.ping()
    })
  }

  it('speaks revision 2026-07-28, which has no handshake, with a client of the SDK', async (t) => {
    const client = new ClientOfSdk2({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    await client.connect(new TransportOfSdk2(agentProcess(OPTIONS)))
    t.after(() => client.close())
    assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28')
    assert.equal(client.getServerVersion()?.name, 'verbena')
    const list = await client.listTools()
    assert.equal(list.tools.length, 9)
    assert.ok(Buffer.byteLength(JSON.stringify(list)) <= 4_096)
    assert.match(readResult(await client.callTool({ name: 'last' })).text, /^No "verbena dev" runs/)
  })

  it('describes itself without a handshake', async () => {
    const [first] = await send(request(1, 'server/discover', { _meta: { [META]: '2026-07-28' } }))
    const { resultType, supportedVersions, capabilities, ttlMs, _meta } = first?.result ?? {}
    assert.deepEqual(
      [resultType, supportedVersions, capabilities, ttlMs],
      ['complete', ['2026-07-28'], { tools: {} }, 3_600_000],
    )
    assert.match(JSON.stringify(_meta), /"io\.modelcontextprotocol\/serverInfo":\{"name":"verbena"/)
  })

  it('names its revisions to a client of an unknown one', async () => {
    const [first, second] = await send(
      request(1, 'tools/list', { _meta: { [META]: '2099-01-01' } }),
      request(2, 'initialize', { protocolVersion: '2099-01-01' }),
    )
    assert.equal(first?.error?.code, -32_022)
    assert.deepEqual(first?.error?.data, {
      supported: ['2026-07-28', ...SUPPORTED_PROTOCOL_VERSIONS],
      requested: '2099-01-01',
    })
    assert.equal(second?.result?.['protocolVersion'], LATEST_PROTOCOL_VERSION)
  })

  it('answers requests before the handshake, and ignores notifications and responses', async () => {
    const messages = await send(
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', method: 'no/such/notification' },
      { jsonrpc: '2.0', id: 7, result: {} },
      { jsonrpc: '2.0', id: 7, error: { code: 1, message: 'a' } },
      '',
      '  \r',
      request(1, 'ping'),
      request('2', 'tools/list'),
    )
    assert.deepEqual(messages[0], { jsonrpc: '2.0', id: 1, result: {} })
    assert.equal(messages[1]?.id, '2')
    assert.equal(messages.length, 2)
  })

  /** Lines, with the code of the error and its id. */
  const BAD: readonly (readonly [about: string, line: string | Buffer | object, code: number, id: unknown])[] = [
    ['text', 'hello', -32_700, null],
    ['half of an object', '{"jsonrpc":"2.0","id":1,', -32_700, null],
    ['two objects on a line', '{}{}', -32_700, null],
    ['invalid UTF-8', Buffer.from([0xff, 0xfe, 0x00]), -32_700, null],
    ['null', 'null', -32_600, null],
    ['a number', '1', -32_600, null],
    ['an empty object', {}, -32_600, null],
    ['another version of JSON-RPC', { jsonrpc: '1.0', id: 1, method: 'ping' }, -32_600, null],
    ['a batch', [request(1, 'ping')], -32_600, null],
    ['an empty batch', [], -32_600, null],
    ['deep arrays', '['.repeat(5_000) + ']'.repeat(5_000), -32_600, null],
    ['an id of null', request(null, 'ping'), -32_600, null],
    ['an id of another type', request({ a: 1 }, 'ping'), -32_600, null],
    ['no method', { jsonrpc: '2.0', id: 1 }, -32_600, 1],
    ['a method of another type', request(1, ['ping']), -32_600, 1],
    ['an unknown method', request(1, 'resources/list'), -32_601, 1],
    ['a method of a prototype', request(1, 'constructor'), -32_601, 1],
    ['a long method', request(1, 'a'.repeat(900_000)), -32_601, 1],
    ['params of another type', request(1, 'tools/list', [1]), -32_602, 1],
    ['a call without a name', request(1, 'tools/call'), -32_602, 1],
    ['an unknown tool', call(1, 'shell', {}), -32_602, 1],
    ['a tool of a prototype', call(1, '__proto__', {}), -32_602, 1],
    ['a tool of another type', call(1, ['last'], {}), -32_602, 1],
    ['arguments of another type', call(1, 'last', ['a']), -32_602, 1],
    ['a line of more than 1 MB', 'x'.repeat(1024 * 1024 + 1), -32_600, null],
    ['a line of 5 MB', request(1, 'ping', { a: 'x'.repeat(5_000_000) }), -32_600, null],
  ]

  it('answers malformed messages with an error, and continues', async () => {
    const { code, messages } = await exchange(OPTIONS, [...BAD.map(([, line]) => line), request(99, 'ping')])
    assert.equal(code, 0)
    assert.equal(messages.length, BAD.length + 1)
    const rows = messages.map(({ id, error }) => `${id} ${error?.code}`).toSorted()
    assert.deepEqual(rows, [...BAD.map(([, , error, id]) => `${id} ${error}`), '99 undefined'].toSorted())
    assert.ok(messages.every((message) => JSON.stringify(message).length < 500))
  })

  for (const [about, line, code, id] of BAD) {
    it(`rejects ${about}`, async () => {
      const text = typeof line === 'string' || Buffer.isBuffer(line) ? line : Buffer.from(JSON.stringify(line))
      const { value } = await readInputLines(Readable.from([Buffer.from(text)])).next()
      const protocol = new Protocol({ input: { args: [], values: {}, rest: [] }, signal: new AbortController().signal })
      const answer = await protocol.answer(value ?? null)
      const { error, id: answered } = answer as Message
      assert.deepEqual([error?.code, answered], [code, id])
    })
  }

  /** Arguments that are wrong for a tool: a result, from which a model can correct itself. */
  const ARGUMENTS: readonly (readonly [tool: string, args: string, reason: RegExp])[] = [
    ['request', '{}', /the argument "id" is missing/],
    ['request', '{"id":1}', /"id" must be a string/],
    ['request', '{"id":{"toString":1}}', /"id" must be a string/],
    ['request', '{"id":"r_1","__proto__":{"a":1}}', /the argument "__proto__" is unknown/],
    ['request', '{"id":"r_1","constructor":1}', /the argument "constructor" is unknown/],
    [
      'requests',
      '{"wher":"a"}',
      /the argument "wher" is unknown\. Did you mean "where"\? Arguments are where, show, page/,
    ],
    ['requests', '{"show":"all"}', /"show" must be "queries" or "calls" or "problems"/],
    ['last', '{"page":0}', /"page" must be a positive integer/],
    ['last', '{"page":"2"}', /"page" must be a positive integer/],
    ['last', '{"page":1e99}', /"page" must be a positive integer/],
    ['explain', '{"method":"GET","path":"/","headers":[1]}', /"headers" must be an array of strings/],
    ['explain', '{"method":"GET","path":"/","headers":"a"}', /"headers" must be an array of strings/],
    ['documentation', '{}', /"query" must contain words/],
    ['documentation', `{"section":"${'a/'.repeat(50_000)}"}`, /^Cannot find the section/],
    ['documentation', '{"section":"../../package.json"}', /^Cannot find the section/],
    ['documentation', '{"query":"routes","page":500}', /^There is no page 500: the last page is 1$/],
  ]

  it('responds to wrong arguments with a result that names the valid ones', async () => {
    const lines = ARGUMENTS.map(([tool, args], at) => {
      return `{"jsonrpc":"2.0","id":${at},"method":"tools/call","params":{"name":"${tool}","arguments":${args}}}`
    })
    const messages = await send(...lines)
    for (const [at, [tool, args, reason]] of ARGUMENTS.entries()) {
      const { text, bytes, isError } = readResult(messages[at]?.result ?? {})
      assert.match(text, reason, `${tool} ${args.slice(0, 100)}`)
      assert.ok(bytes <= 8_192)
      assert.equal(isError, !text.startsWith('There is no page'))
    }
  })

  it('answers a batch in the only revision that has them', async () => {
    const initialize = request(1, 'initialize', { protocolVersion: '2025-03-26' })
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }
    const { messages } = await exchange(OPTIONS, [
      initialize,
      [request(2, 'ping'), notification, 5, call(3, 'last')],
      [notification],
      request(4, 'ping'),
    ])
    const batch = messages.find((message) => Array.isArray(message)) as unknown as Message[]
    assert.deepEqual(
      batch.map(({ id, error }) => [id, error?.code]),
      [
        [2, undefined],
        [null, -32_600],
        [3, undefined],
      ],
    )
    assert.equal(messages.length, 3)
  })

  it('answers many calls at the same time', async () => {
    const calls = Array.from({ length: 100 }, (_, id) => call(id, id % 2 === 0 ? 'last' : 'documentation', {}))
    const messages = await send(...calls)
    assert.deepEqual(
      messages.map(({ id, result }) => [id, result?.['isError']]),
      calls.map((_, id) => [id, true]),
    )
  })
})
