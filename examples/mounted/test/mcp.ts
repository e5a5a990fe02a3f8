/** A server of the Model Context Protocol over sockets, with its own client. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ADA, closeFast, json, readToClose, start } from './start.js'

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}
const ACCEPT = { accept: 'application/json, text/event-stream' }

async function connect(t: TestContext, url: string, headers: Record<string, string> = ADA) {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } })
  t.after(() => client.close())
  await client.connect(transport)
  return { client, transport }
}

describe('Model Context Protocol', () => {
  it('calls tools with the user of the guard', async (t) => {
    const { url } = await start(t)
    const { client, transport } = await connect(t, url)
    assert.deepEqual(
      (await client.listTools()).tools.map(({ name }) => name),
      ['brew'],
    )
    const { content } = await client.callTool({ name: 'brew', arguments: { tea: 'green' } })
    assert.deepEqual(content, [{ type: 'text', text: 'green for ada' }])
    const failed = await client.callTool({ name: 'brew', arguments: { tea: 'coffee' } })
    assert.deepEqual([failed.isError, failed.content], [true, [{ type: 'text', text: 'No coffee' }]])
    await transport.terminateSession()
    assert.equal(transport.sessionId, undefined)
  })

  it('rejects clients without credentials, sessions of another user, and requests that are not of the protocol', async (t) => {
    const { url } = await start(t)
    await assert.rejects(connect(t, url, {}), /401|Unauthorized/)
    const post = async (body: unknown, headers: Record<string, string>) => {
      const { status } = await fetch(`${url}/mcp`, json(body, { ...ADA, ...headers }))
      return status
    }
    assert.equal(await post(INITIALIZE, { accept: 'application/json' }), 406)
    assert.equal(await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, ACCEPT), 400)
    const csv = { method: 'POST', body: 'x', headers: { ...ADA, ...ACCEPT, 'content-type': 'text/csv' } }
    assert.equal((await fetch(`${url}/mcp`, csv)).status, 415)
    const opened = await fetch(`${url}/mcp`, json(INITIALIZE, { ...ADA, ...ACCEPT }))
    await opened.text()
    const ofSession = { ...ACCEPT, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
    assert.equal(await post(list, ofSession), 200)
    assert.equal(await post(list, { ...ofSession, authorization: 'Bearer token-of-grace' }), 404)
    const put = await fetch(`${url}/mcp`, { method: 'PUT', headers: ADA })
    assert.deepEqual([put.status, put.headers.get('allow')], [405, 'GET, POST, DELETE'])
  })

  it('ends the stream for notifications when the app closes', async (t) => {
    const { app, url } = await start(t)
    const opened = await fetch(`${url}/mcp`, json(INITIALIZE, { ...ADA, ...ACCEPT }))
    const id = opened.headers.get('mcp-session-id') ?? assert.fail('no session')
    assert.match(await opened.text(), /"serverInfo":\{"name":"tea"/)
    const headers = { ...ADA, accept: 'text/event-stream', 'mcp-session-id': id }
    await readToClose(app, await fetch(`${url}/mcp`, { headers }), '')
  })

  it('closes with a connected client', async (t) => {
    const { app, url } = await start(t)
    await connect(t, url)
    await closeFast(app)
  })
})
