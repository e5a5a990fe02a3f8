/** oRPC over sockets, with its own client. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createORPCClient, ORPCError } from '@orpc/client'
import { RPCLink } from '@orpc/client/fetch'
import type { RouterClient } from '@orpc/server'
import type { router } from '../orpc.js'
import { ADA, closeFast, json, readToClose, start } from './start.js'

function createClient(url: string, headers: Readonly<Record<string, string>> = {}): RouterClient<typeof router> {
  return createORPCClient(new RPCLink({ url, headers }))
}

describe('oRPC', () => {
  it('calls procedures with the value of a provider', async (t) => {
    const { url } = await start(t)
    const client = createClient(`${url}/rpc`, ADA)
    assert.deepEqual(await Promise.all([client.viewer(), client.double(4)]), [{ name: 'ada' }, 8])
    assert.equal(await createClient(`${url}/rpc`).viewer(), undefined)
  })

  it('sends errors as the library does, and 404 to paths without a procedure', async (t) => {
    const { url } = await start(t)
    const client = createClient(`${url}/rpc`)
    const isError = (code: string) => (error: unknown) => error instanceof ORPCError && error.code === code
    await assert.rejects(client.hidden(), isError('FORBIDDEN'))
    // Proof: only the types reject the input.
    await assert.rejects(client.double('four' as unknown as number), isError('BAD_REQUEST'))
    assert.equal((await fetch(`${url}/rpc/hidden`, { method: 'POST' })).status, 403)
    const none = await fetch(`${url}/rpc/none`, { method: 'POST' })
    assert.deepEqual([none.status, none.headers.get('content-type')], [404, 'application/problem+json'])
    assert.equal((await fetch(`${url}/rpc/viewer`)).status, 405)
    assert.equal((await fetch(`${url}/rpc/double`, { ...json(0), body: '{' })).status, 400)
  })

  it('runs after the guard of its group', async (t) => {
    const { url } = await start(t)
    const isRejected = (error: unknown) => error instanceof ORPCError && error.status === 401
    await assert.rejects(createClient(`${url}/team/rpc`).viewer(), isRejected)
    assert.deepEqual(await createClient(`${url}/team/rpc`, ADA).viewer(), { name: 'ada' })
  })

  it('ends a subscription when the app closes', async (t) => {
    const { app, url } = await start(t)
    const text = await readToClose(app, await fetch(`${url}/rpc/ticks`, { method: 'POST' }), '"json":2')
    assert.match(text, /event: message\ndata: \{"json":1\}/)
  })

  it('has a subscription of its client, which ends with the app', async (t) => {
    const { app, url } = await start(t)
    const ticks: number[] = []
    let closed: Promise<void> | undefined
    for await (const value of await createClient(`${url}/rpc`).ticks()) {
      ticks.push(value)
      if (ticks.length === 2) closed = closeFast(app)
    }
    await closed
    assert.deepEqual(ticks, [1, 2])
  })
})
