/** tRPC over sockets, with its own client. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTRPCClient, httpBatchLink, httpSubscriptionLink, splitLink, TRPCClientError } from '@trpc/client'
import { EventSource } from 'eventsource'
import type { router } from '../trpc.js'
import { ADA, closeFast, readToClose, start } from './start.js'

function createClient(url: string, headers: Readonly<Record<string, string>> = {}) {
  return createTRPCClient<typeof router>({
    links: [
      splitLink({
        condition: ({ type }) => type === 'subscription',
        true: httpSubscriptionLink({ url, EventSource }),
        false: httpBatchLink({ url, headers }),
      }),
    ],
  })
}

describe('tRPC', () => {
  it('calls procedures with the value of a provider', async (t) => {
    const { url } = await start(t)
    const client = createClient(`${url}/trpc`, ADA)
    // One request for both.
    assert.deepEqual(await Promise.all([client.viewer.query(), client.double.mutate(4)]), [{ name: 'ada' }, 8])
    assert.equal(await createClient(`${url}/trpc`).viewer.query(), undefined)
  })

  it('sends errors as the library does', async (t) => {
    const { url } = await start(t)
    const client = createClient(`${url}/trpc`)
    const isError = (code: string) => (error: unknown) =>
      error instanceof TRPCClientError && Object(error.data).code === code
    await assert.rejects(client.hidden.query(), isError('FORBIDDEN'))
    // Proof: only the types reject the input.
    await assert.rejects(client.double.mutate('four' as unknown as number), isError('BAD_REQUEST'))
    assert.equal((await fetch(`${url}/trpc/hidden`)).status, 403)
    assert.equal((await fetch(`${url}/trpc/none`)).status, 404)
    assert.equal((await fetch(`${url}/trpc/double`)).status, 405)
    assert.equal((await fetch(`${url}/trpc/viewer`, { method: 'HEAD' })).status, 204)
    const csv = { method: 'POST', body: 'x', headers: { 'content-type': 'text/csv' } }
    assert.equal((await fetch(`${url}/trpc/double`, csv)).status, 415)
  })

  it('runs after the guard of its group', async (t) => {
    const { url } = await start(t)
    await assert.rejects(createClient(`${url}/team/trpc`).viewer.query(), /Unable to transform response|401/)
    assert.deepEqual(await createClient(`${url}/team/trpc`, ADA).viewer.query(), { name: 'ada' })
  })

  it('ends a subscription when the app closes', async (t) => {
    const { app, url } = await start(t)
    const text = await readToClose(
      app,
      await fetch(`${url}/trpc/ticks`, { headers: { accept: 'text/event-stream' } }),
      'data: 2',
    )
    assert.match(text, /data: 1\n/)
  })

  it('has a subscription of its client, which reconnects after the end', async (t) => {
    const { app, url } = await start(t)
    const ticks: unknown[] = []
    const states: string[] = []
    let closed: Promise<void> | undefined
    const reconnecting = new Promise<void>((resolve, reject) => {
      const { unsubscribe } = createClient(`${url}/trpc`).ticks.subscribe(undefined, {
        onData: (tick) => {
          ticks.push(tick)
          if (ticks.length === 2) closed = closeFast(app)
        },
        onConnectionStateChange: ({ state }) => {
          states.push(state)
          if (state !== 'connecting' || closed === undefined) return
          unsubscribe()
          resolve()
        },
        onError: reject,
      })
    })
    await reconnecting
    await closed
    assert.deepEqual(ticks, [1, 2])
    assert.deepEqual(states, ['connecting', 'pending', 'connecting'])
  })
})
